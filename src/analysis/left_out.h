// What large buckets left out: similar pairs that met in them alone and were not compared.
#pragma once

#include <vector>

#include "analysis/recall_basis.h"

namespace nearkin {

/// From a sample of the pairs that met. Each similar pair of the sample that was not found stands for `counts` pairs of items.
struct LeftOut {
  Matches matches;  ///< ascending
  std::vector<double> counts;
  double each = 0;  ///< pairs of items for which one would stand, had one more been drawn that meets in one band

  /// Of a part of all that was found.
  LeftOut part(double share) &&;
  double sum() const;
  /// Of the sum, as each was drawn for itself.
  double variance() const;
};

LeftOut left_out_of(const RecallBasis& basis);

/// The recall of a run that compared only a part of the similar pairs that met, from that of the meeting itself.
/// `bound`: more cannot have been left out.
Recall recall_with(const LeftOut& left_out, double found, const Recall& met, double bound = 1e300);

}  // namespace nearkin
