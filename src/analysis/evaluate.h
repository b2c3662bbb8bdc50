// Evaluation over points in memory: plans against the exact answer.
#pragma once

#include <memory>
#include <vector>

#include <nearkin/query.h>
#include <nearkin/tools/evaluate.h>

namespace nearkin {

/// As `evaluate` (tools/evaluate.h). `queries` absent: the queries are a sample of the collection, each excepted from its own answers.
/// Throws Error(plan) when the points disagree in what is a true answer, or when there are none.
EvaluationResult evaluate_points(std::shared_ptr<const Points> collection, const Points* queries,
                                 const std::vector<EvaluationPoint>& points, const EvaluateOptions& options, const RunOptions& run);

}  // namespace nearkin
