// Evaluation: plans for queries against the exact answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nearkin/query.h>

namespace nearkin {

/// A plan to evaluate.
struct EvaluationPoint {
  Plan plan;
  std::optional<std::uint64_t> max_candidates = {};  ///< as Ask::max_candidates
};
struct EvaluateOptions {
  std::uint64_t queries = 1000;  ///< ask at most this many, a seeded sample
  std::uint32_t limit = 10;      ///< plans with `nearest`: compare this many nearest; 0 = plan.nearest
};
/// How well a plan did, over all queries.
struct Evaluation {
  Plan plan;
  std::optional<std::uint64_t> max_candidates = {};
  /// Share of the true neighbours that were found: items within the threshold or radius, or the `limit` nearest, where an item as near as
  /// the last of them counts too. Absent where no query has a true neighbour.
  std::optional<double> recall = {};
  std::optional<double> precision = {};  ///< share of the answers that are true neighbours; absent where nothing was answered
  double search_length = 0;              ///< items looked at per query
  /// Distance of the best answer / distance of the true nearest, on average; the distance of a similarity s is 1 − s. Only over queries
  /// with an answer and a true nearest at a distance above 0; absent where there is none.
  std::optional<double> error = {};
  double no_answer = 0;      ///< share of the queries that have a true neighbour and were given no answer
  double stopped_early = 0;  ///< share of the queries that max_candidates ended
  double build_seconds = 0;  ///< to build the tables
  double query_seconds = 0;  ///< per query
  double exact_seconds = 0;  ///< per query, for the exact answer
};
struct EvaluationResult {
  std::vector<Evaluation> rows;  ///< one per point, in their order
  std::uint64_t items = 0, queries = 0;
  RunStats stats;
};
/// The points must agree in measure, kind, threshold or radius, and shingles, because the exact answer is computed once (else Error(plan)).
/// Without `queries`, items of the input are the queries, and are no answers to themselves.
EvaluationResult evaluate(const Input& input, const std::optional<Input>& queries, const std::vector<EvaluationPoint>& points,
                          const EvaluateOptions& options = {}, const RunOptions& run = {});

}  // namespace nearkin
