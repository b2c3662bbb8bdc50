// Spread: how pairs are spread over similarity or distance.
#pragma once

#include <array>
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
  static constexpr std::size_t kParts = 16;                            ///< of the items that were asked, as even as can be
  static constexpr std::uint64_t kDifferent = std::uint64_t{1} << 20;  ///< a pair whose items have no copies counts so much

  Spread(Measure measure, double radius);
  /// `different`: what is left of the pairs where copies count once, in units of kDifferent. `part`: of the item that was asked.
  void add(double value, std::uint64_t pairs, std::uint64_t different, std::size_t part);
  void add(double value, std::size_t part = 0) { add(value, 1, kDifferent, part); }
  void add(const Spread& other);
  std::uint64_t pairs() const;

  /// As shares of `expected` pairs in all, ascending, steps without pairs left out; each step by the mean of its values.
  std::vector<PairsAt> scaled_to(double expected) const;
  /// What the first `parts` parts say, each alone, at the steps of scaled_to.
  std::vector<std::vector<PairsAt>> parts_scaled_to(double expected, std::size_t parts) const;

 private:
  std::size_t step_of(double value) const;
  double begin_of(std::size_t step) const;

  bool distance_;
  bool whole_;    ///< distances are whole numbers
  double width_;  ///< of a step
  struct Count {
    std::uint64_t pairs = 0, different = 0;
  };
  struct Step {
    std::array<Count, kParts> of = {};  ///< each part
    std::uint64_t offsets = 0;          ///< how far from its beginning the values lie, summed over the pairs
    Count all() const;
  };
  double factor(double expected) const;
  PairsAt scaled(std::size_t step, const Count& count, double factor) const;
  std::vector<Step> steps_;
};

}  // namespace nearkin
