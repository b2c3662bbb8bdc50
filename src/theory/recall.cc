#include <algorithm>
#include <cmath>
#include <vector>

#include <nearkin/theory.h>

namespace nearkin {

// N̂ = Σ count/p estimates all pairs, n = Σ count were found, recall = n/N̂. The variance of one group's part of N̂, all its pairs found or
// missed together, is (Σ count·√(1−p)/p)²: what Σ count²·(1−p)/p² becomes under full correlation.
Recall estimate_recall(std::span<const FoundPairs> found) {
  double seen = 0, all = 0;
  std::uint32_t groups = 0;
  for (const FoundPairs& pairs : found) groups = std::max(groups, pairs.group + 1);
  std::vector<double> deviation(groups);
  for (const auto& [probability, count, group] : found) {
    seen += count;
    all += count / probability;
    deviation[group] += count * std::sqrt(1 - probability) / probability;
  }
  if (seen == 0) return {};
  double variance = 0;
  for (const double d : deviation) variance += d * d;
  const double recall = seen / all, error = recall * std::sqrt(variance) / all;
  constexpr double kNinetyFive = 1.959964;
  return {recall, std::max(0.0, recall - kNinetyFive * error), std::min(1.0, recall + kNinetyFive * error)};
}

}  // namespace nearkin
