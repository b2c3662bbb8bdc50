// The chance of sets to be found, a little more exact than the S-curve; for estimates of recall.
#pragma once

#include <cstddef>
#include <limits>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

namespace nearkin {

/// 95 % of a normal distribution lie within this many standard deviations of the mean.
inline constexpr double kNinetyFive = 1.959964;

/// The S-curve takes the slots of a sketch as independent. Those filled in one round of bucketed MinHash hold different elements (draws
/// without replacement), so the number of slots in which a pair agrees varies less, and pairs above the threshold are missed less often: by
/// a fifth to a half, if a pair has about as many elements as the sketch has slots.
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
  std::vector<double> missed_with_;          // by the number of slots in which a pair agrees
  std::vector<std::vector<double>> tables_;  // by size, then similarity: the probability to miss a pair
};

/// The probability that a pair shares no bucket if it agrees in 0, 1, … `hashes` random slots.
std::vector<double> missed_by_agreements(const BandPlan& plan, std::uint32_t hashes);

}  // namespace nearkin
