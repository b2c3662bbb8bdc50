// Angle filter: what a count of different sign bits says about the angle between two vectors.
#pragma once

#include <cstdint>
#include <vector>

namespace nearkin {

/// Sketches of `bits` hyperplane bits: two vectors at an angle θ differ in Binomial(bits, θ/π) of them. Let p(h) be the greatest p for
/// which P[Binomial(bits, p) ≥ h] ≤ miss. A vector with a cosine above cos(π·p(h)) differs in h or more bits with probability at most
/// `miss`, so a vector that differs in h bits can be skipped. Computed only with +, −, × and ÷.
class AngleFilter {
 public:
  /// 1 to 1000 bits, a miss below 1/2.
  AngleFilter(std::uint32_t bits, double miss);

  std::uint32_t bits() const { return static_cast<std::uint32_t>(cosines_.size() - 1); }
  /// cos(π·p(different)): it never grows with `different`. 1 for 0, since no cosine is above it.
  double passes_above(std::uint32_t different) const { return cosines_[different]; }

 private:
  std::vector<double> cosines_;
};

}  // namespace nearkin
