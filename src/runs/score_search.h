// Pairs by a score of several fields: searches for candidates field by field, then computes every field of each candidate.
#pragma once

#include <nearkin/score.h>

#include "collect/rows.h"

namespace nearkin {

struct ScoredSearch {
  Rows rows;  ///< the records, read by all fields together
  Matches matches;
  std::vector<double> values;  ///< as in ScoreResult
  std::vector<SearchedPart> searched;
};

/// Finds all pairs, and holds them in memory.
ScoredSearch search_by_score(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run,
                             const Input* against);

}  // namespace nearkin
