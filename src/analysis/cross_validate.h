// Settings judged by labels: which threshold is best, and how well it does on items that did not choose it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nearkin/tools/truth.h>

namespace nearkin {

/// Thresholds are steps of 0.01, from 0 to 1.
inline constexpr std::size_t kThresholdSteps = 101;
/// The greatest threshold that a similarity reaches.
std::uint8_t threshold_step(double similarity);

/// A pair that was found.
struct ScoredPair {
  Row a, b;
  std::uint8_t step;  ///< threshold_step of its similarity
  bool right;         ///< it is a true pair
  double weight = 1;  ///< number of pairs of the collection that it represents
};

/// Pairs by the threshold that they reach.
struct StepCounts {
  std::array<double, kThresholdSteps> right{}, wrong{};
  double labels = 0;  ///< true pairs, found or not

  void add(const ScoredPair& pair) { (pair.right ? right : wrong)[pair.step] += pair.weight; }
  void subtract(const StepCounts& other);
};

struct BestThreshold {
  std::size_t step = 0;
  double f1 = 0;
  Agreement agreement;
};
/// The threshold with the best F1 from step `lowest` on; of several equally good ones, the middle one. A wrong pair counts `wrong_times`.
BestThreshold best_threshold(const StepCounts& counts, std::size_t lowest, double wrong_times = 1);
/// F1 at one threshold.
double f1_at(const StepCounts& counts, std::size_t step, double wrong_times = 1);

/// Several divisions of the items into folds. The items of a group are in the same fold.
struct Folds {
  std::uint32_t folds = 0;
  std::vector<std::vector<std::uint8_t>> of;  ///< for each division, the fold of each row
};
/// `group`: the group of each row, below `groups`; UINT32_MAX for rows without labels, which are divided one by one.
Folds make_folds(const std::vector<std::uint32_t>& group, std::uint32_t groups, std::uint32_t folds, std::uint32_t repeats,
                 std::uint64_t seed);

/// A true pair with the number of pairs that it represents.
struct WeighedPair {
  Row a, b;
  double weight = 1;
};
/// The pairs that one setting finds: all pairs from some threshold on.
struct ScoredPairs {
  std::vector<ScoredPair> pairs;
  std::size_t lowest = 1;  ///< step of that threshold
};
/// F1 within each fold, at the threshold that is best on the other folds; the folds of the first division first.
std::vector<double> f1_of_folds(const ScoredPairs& found, const std::vector<WeighedPair>& labels, const Folds& folds);

/// The mean of differences over repeated folds, with its 95 % interval after Nadeau and Bengio (2003): folds share training data, so their
/// variance is multiplied by 1/n + 1/(folds − 1) instead of 1/n.
struct Lead {
  double mean = 0, low = 0, high = 0;
};
Lead lead_over(const std::vector<double>& first, const std::vector<double>& second, std::uint32_t folds);

}  // namespace nearkin
