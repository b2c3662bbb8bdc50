// How sure a recall is: the chance of sets to be found, a little more exactly than by the S-curve, and how found pairs go together.
#pragma once

#include <cstddef>
#include <limits>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

namespace nearkin {

/// Two found pairs of one group, by their places in `found`.
struct TwoPairs {
  std::size_t one, other;
};

/// `count` draws, with replacement, each with a probability in proportion to the product of the two pairs' deviations: the plain mean of a
/// correlation over the draws is what Finding::together asks for. Empty where no group has two pairs that may be missed.
std::vector<TwoPairs> draw_two_pairs(std::span<const FoundPairs> found, std::size_t count, std::uint64_t seed);

/// The S-curve takes the slots of a sketch as independent. Those filled in one round of bucketed MinHash hold different elements (draws
/// without replacement), so that the number of slots in which a pair agrees varies less, and pairs above the threshold are missed less
/// often: by a fifth to a half, where a pair has about as many elements as the sketch has slots.
class FoundSets {
 public:
  /// A plan of family minhash with bands of rows; `rounds` of throwing elements into slots before each slot left is filled by itself.
  FoundSets(const Plan& plan, std::uint32_t rounds);

  /// For |A∩B| = shared and |A∪B| = total. Tables are filled as they are needed: one for each thread.
  double operator()(std::uint32_t shared, std::uint32_t total);

 private:
  double missed(double similarity, double spread) const;
  double spread(double total) const;

  static constexpr std::uint32_t kSteps = 512;  // of similarity
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::uint32_t hashes_, rounds_;
  std::vector<double> missed_with_;          // of a pair that agrees in so many slots
  std::vector<std::vector<double>> tables_;  // by size, then similarity: the probability to miss a pair
};

/// The probability that a pair is in no common bucket when it agrees in 0, 1, … `hashes` slots, whichever they are.
std::vector<double> missed_by_agreements(const BandPlan& plan, std::uint32_t hashes);

/// The correlation of finding two pairs, of which one hash agrees with the probabilities `one` and `other`, and for both pairs at once with
/// `both`: 0 where both == one·other, 1 where the pairs agree in the same hashes.
double found_together(double one, double other, double both, const BandPlan& plan);

}  // namespace nearkin
