// What large buckets left out: similar pairs that met only in them and were not compared.
#pragma once

#include <vector>

#include "analysis/recall_basis.h"

namespace nearkin {

/// Estimated from a sample of the pairs that met. Each similar pair of the sample that was not found represents `counts` pairs of items.
struct LeftOut {
  Matches matches;  ///< ascending
  std::vector<double> counts;
  double each = 0;  ///< pairs of items that one more drawn pair would represent if it met in one band

  /// The estimate for a share of all that was found.
  LeftOut part(double share) &&;
  double sum() const;
  /// The variance of `sum`; each pair was drawn independently.
  double variance() const;
};

LeftOut left_out_of(const RecallBasis& basis);

/// The recall of a run that compared only a part of the similar pairs that met, from the recall of meeting (`met`). `bound`: the most pairs
/// that can have been left out.
Recall recall_with(const LeftOut& left_out, double found, const Recall& met, double bound = 1e300);

}  // namespace nearkin
