// Pairs by a score of several fields: candidates field by field, then the value of every field for each of them.
#pragma once

#include <nearkin/score.h>

#include "collect/rows.h"

namespace nearkin {

struct ScoredSearch {
  Rows rows;  ///< by all fields together
  Matches matches;
  std::vector<double> values;  ///< as in ScoreResult
  std::vector<SearchedPart> searched;
};

/// All of them, in memory.
ScoredSearch search_by_score(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run,
                             const Input* against);

}  // namespace nearkin
