// Spread: how pairs are spread over similarity or distance.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// Pairs that share so much are related, not alike by chance.
inline constexpr double kRelated = 0.5;

/// Counts pairs by steps of their value: similarities by 0.01, each step with its lower end; distances by a twentieth of the radius (bits
/// and tables: by one), each step with its upper end, so that a threshold of two decimals and the radius fall between two steps. 0 and 1,
/// for similarities, are steps of their own. Whole numbers: the order of adding does not matter.
class Spread {
 public:
  Spread(Measure measure, double radius);
  void add(double value, std::uint64_t pairs = 1);
  void add(const Spread& other);
  std::uint64_t pairs() const;

  /// As shares of `expected` pairs in all, ascending, steps without pairs left out; each step by the mean of its values.
  std::vector<PairsAt> scaled_to(double expected) const;

 private:
  std::size_t step_of(double value) const;
  double begin_of(std::size_t step) const;

  bool distance_;
  bool whole_;    ///< distances are whole numbers
  double width_;  ///< of a step
  struct Step {
    std::uint64_t pairs = 0;
    std::uint64_t parts = 0;  ///< of a step, summed over the pairs: how far from its beginning their values lie
  };
  std::vector<Step> steps_;
};

}  // namespace nearkin
