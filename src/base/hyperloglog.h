// How many different hashes were seen, without keeping them.
#pragma once

#include <cstdint>
#include <vector>

namespace nearkin {

/// HyperLogLog with 2^precision registers of one byte. The order of additions and merges does not matter.
class HyperLogLog {
 public:
  static constexpr unsigned kLeastPrecision = 4;
  static constexpr unsigned kMostPrecision = 18;

  /// Throws Error(plan) for a precision outside 4..18.
  explicit HyperLogLog(unsigned precision = 14);

  /// `hash` must be uniform in all of its 64 bits.
  void add(std::uint64_t hash);
  /// Afterwards *this is as if it had seen what `other` saw as well. Throws Error(plan) for another precision.
  void merge(const HyperLogLog& other);
  /// Number of different hashes, near unbiased over the whole range; 0 when nothing was added.
  double estimate() const;
  /// Standard error of the estimate as a share of it: 1.04/√registers.
  double standard_error() const;
  std::size_t bytes() const { return registers_.size(); }
  bool operator==(const HyperLogLog&) const = default;

 private:
  unsigned precision_;
  std::vector<std::uint8_t> registers_;  // 0: never met; else the greatest place of a first one-bit, counted from 1
};

}  // namespace nearkin
