// Spread: how pairs are spread over similarity or distance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// Pairs with this share in common are related, not alike by chance.
inline constexpr double kRelated = 0.5;

/// Counts pairs by steps of their value: similarities by 0.01, each step with its lower end; distances by a twentieth of the radius (bits
/// and tables: by one), each step with its upper end. So a threshold of two decimals and the radius fall between two steps. Similarities 0
/// and 1 are steps of their own. Counts are whole numbers, so the order of adding does not matter.
class Spread {
 public:
  static constexpr std::size_t kParts = 16;  ///< parts of nearly equal size into which the asked items are divided
  static constexpr std::uint64_t kDifferent = std::uint64_t{1} << 20;  ///< what a pair whose items have no copies adds to `different`

  Spread(Measure measure, double radius);
  /// `different`: the number of pairs if copies count once, in units of 1/kDifferent. `part`: the part of the asked item.
  void add(double value, std::uint64_t pairs, std::uint64_t different, std::size_t part);
  void add(double value, std::size_t part = 0) { add(value, 1, kDifferent, part); }
  void add(const Spread& other);
  std::uint64_t pairs() const;

  /// The steps that have pairs, ascending, scaled to `expected` pairs in total; each step is given by the mean of its values.
  std::vector<PairsAt> scaled_to(double expected) const;
  /// The same from each of the first `parts` parts alone, at the steps of scaled_to.
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
