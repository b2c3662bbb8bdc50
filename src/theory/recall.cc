#include "theory/recall.h"

#include <algorithm>
#include <cmath>

namespace nearkin {

// Whole pairs are missed: a bound between two numbers is the higher, unless it is all but certain that none is.
static double whole_pairs(double expected, double most) {
  constexpr double kUnlikely = 0.025;
  return expected < kUnlikely ? most : std::ceil(most);
}

// A pair that was missed leaves no trace in the sums, not even in their variance. The low end of an interval therefore counts half a pair
// more, found with probability p, as Jeffreys would: one for each size of pair, 1, 2 to 3, 4 to 7 and so on up to the heaviest found,
// because copies make some pairs count a hundred times as much as others, and it is those that an interval must not forget.
struct Unseen {
  double missed = 0, variance = 0;
};
static Unseen unseen_pairs(double heaviest, double p) {
  const double each = (1 - p) / p / 2;
  Unseen unseen{.missed = each, .variance = each / p};
  for (double least = 2; least <= heaviest; least *= 2) {
    const double count = 1.5 * least;
    unseen.missed += each * count;
    unseen.variance += each / p * count * count;
  }
  return unseen;
}

// A pair found with probability p stands for 1/p pairs, so that (1 − p)/p were missed for each that was found: in all
// missed = Σ count·(1−p)/p, with the variance Σ count²·(1−p)/p² where every pair is found for itself. Where pairs are found and missed
// together, the share found strays farther than that.
Recall estimate_recall(std::span<const FoundPairs> found, const Finding& finding) {
  double seen = 0, missed = 0, variance = 0, heaviest = 0;
  for (const auto& [probability, count, group] : found) {
    seen += count;
    heaviest = std::max(heaviest, count);
    missed += count * (1 - probability) / probability;
    variance += count * count * (1 - probability) / (probability * probability);
  }
  if (seen == 0) return {};
  const Unseen unseen = unseen_pairs(heaviest, finding.at_threshold);
  const double least = std::floor(std::max(0.0, missed - kNinetyFive * std::sqrt(variance)));
  const double most = whole_pairs(missed + unseen.missed, missed + unseen.missed + kNinetyFive * std::sqrt(variance + unseen.variance));
  const double estimate = seen / (seen + missed);
  return {.estimate = estimate,
          .low = std::clamp(1 - (1 - estimate) * finding.most_missed, 0.0, seen / (seen + most)),
          .high = std::clamp(1 - (1 - estimate) * finding.least_missed, seen / (seen + least), 1.0)};
}

}  // namespace nearkin
