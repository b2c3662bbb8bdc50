// How much two sorted sets share, and whether it is enough. Integers only: a pair exactly at the threshold is inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <nearkin/plan.h>

#include "kernel/kernel.h"

namespace nearkin {

/// The least |A∩B| with |A∩B| / |A∪B| ≥ t, for sets of these sizes: o·(num+den) ≥ num·(a+b).
inline std::uint64_t least_overlap(std::uint64_t a, std::uint64_t b, Ratio t) {
  const std::uint64_t whole = t.numerator + t.denominator;
  return (t.numerator * (a + b) + whole - 1) / whole;
}

/// The least size of a set that can reach t with one of `size`: ⌈t·size⌉.
inline std::uint64_t least_size(std::uint64_t size, Ratio t) { return (t.numerator * size + t.denominator - 1) / t.denominator; }

struct Overlap {
  std::uint64_t shared;  ///< 0 where the count was given up
  bool complete;         ///< false: the count was given up, because `least` was out of reach
};

/// |A∩B| of two ascending lists; gives up as soon as `least` cannot be reached any more.
inline Overlap overlap(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint64_t least) {
  const std::uint64_t shared = kernel::count_shared(a.data(), a.size(), b.data(), b.size(), least);
  return shared == kernel::kOutOfReach ? Overlap{0, false} : Overlap{shared, true};
}

}  // namespace nearkin
