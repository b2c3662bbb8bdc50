// Gaussian and Cauchy random numbers, the same on every machine. FROZEN: sketches depend on each of them.
#pragma once

#include <array>

#include "base/hash.h"

namespace nearkin {

/// Standard Gaussian numbers from a seed, by Marsaglia's polar method.
class GaussianStream {
 public:
  explicit GaussianStream(std::uint64_t seed) : random_(seed) {}
  double operator()();

 private:
  SplitMix random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// Standard Cauchy numbers from a seed.
class CauchyStream {
 public:
  explicit CauchyStream(std::uint64_t seed) : random_(seed) {}
  double operator()();

 private:
  SplitMix random_;
};

/// 4096 equally likely values of a variable, ascending: a number is looked up by 12 random bits.
using QuantileTable = std::array<float, 4096>;
/// Mean 0, variance 1.
const QuantileTable& gaussian_table();
/// Medians of 4096 parts of equal probability. The 2·kCauchyTail outermost are 0: their numbers come from cauchy_tail, because the sum of
/// many numbers is Cauchy only with the complete tails.
const QuantileTable& cauchy_table();
inline constexpr std::uint32_t kCauchyTail = 16;
inline bool in_cauchy_tail(std::uint32_t index) { return index - kCauchyTail >= 4096 - 2 * kCauchyTail; }
/// The number for an outermost part `index` of the table, drawn from that part by further random bits.
double cauchy_tail(std::uint32_t index, std::uint64_t bits);

}  // namespace nearkin
