#include "theory/recall.h"

#include <algorithm>
#include <cmath>

namespace nearkin {

// Whole pairs are missed: a bound between two numbers is the higher, unless it is all but certain that none is.
static double whole_pairs(double expected, double most) {
  constexpr double kUnlikely = 0.025;
  return expected < kUnlikely ? most : std::ceil(most);
}

// A pair found with probability p stands for 1/p pairs, so that (1 − p)/p were missed for each that was found: in all
// missed = Σ count·(1−p)/p, with the variance Σ count²·(1−p)/p² where every pair is found for itself. One that was missed leaves no trace
// in the sums, not even in the variance; the low end counts half a pair more, found at the threshold, as Jeffreys would. Where pairs are
// found and missed together, the share found strays farther than that.
Recall estimate_recall(std::span<const FoundPairs> found, const Finding& finding) {
  double seen = 0, missed = 0, variance = 0;
  for (const auto& [probability, count, group] : found) {
    seen += count;
    missed += count * (1 - probability) / probability;
    variance += count * count * (1 - probability) / (probability * probability);
  }
  if (seen == 0) return {};
  const double p = finding.at_threshold, unseen = (1 - p) / p / 2;
  const double least = std::floor(std::max(0.0, missed - kNinetyFive * std::sqrt(variance)));
  const double most = whole_pairs(missed + unseen, missed + unseen + kNinetyFive * std::sqrt(variance + unseen / p));
  const double estimate = seen / (seen + missed);
  return {.estimate = estimate,
          .low = std::clamp(1 - (1 - estimate) * finding.most_missed, 0.0, seen / (seen + most)),
          .high = std::clamp(1 - (1 - estimate) * finding.least_missed, seen / (seen + least), 1.0)};
}

}  // namespace nearkin
