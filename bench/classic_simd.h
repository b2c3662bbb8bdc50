// The loop that nearkin's sketch is measured against: classic MinHash, 128 linear functions of 32 bits, as fast as vectors make it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin::bench {

class ClassicMinHasher {
 public:
  static constexpr std::uint32_t kHashes = 128;

  /// plan.hashes must be kHashes. Constants are drawn once, outside of what is timed.
  explicit ClassicMinHasher(const SketchPlan& plan);

  /// Writes kHashes slots: the values of classic_minhash.
  void sketch(std::span<const std::uint64_t> elements, std::uint32_t* slots);

 private:
  std::uint64_t key_;
  std::array<std::uint32_t, kHashes> multipliers_, addends_;
  std::vector<std::uint32_t> mixed_;
};

}  // namespace nearkin::bench
