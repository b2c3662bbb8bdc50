// How count_shared walks through two lists, with either way to compare two blocks.
#pragma once

#include <algorithm>

#include "kernel/kernel.h"

namespace nearkin::kernel {

inline constexpr std::size_t kSharedBlock = 8;

/// count(x, y): how many of the kSharedBlock values at x are among those at y. Of two blocks, the one that ends first is done: what follows
/// in the other list is larger than all of it. Always inlined, so it is compiled for the instructions that `count` uses.
template <typename CountBlocks>
[[gnu::always_inline]] inline std::uint64_t walk_blocks(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b,
                                                        std::size_t b_size, std::uint64_t least, CountBlocks&& count) {
  std::size_t i = 0, j = 0;
  std::uint64_t shared = 0;
  while (i + kSharedBlock <= a_size && j + kSharedBlock <= b_size) {
    if (shared + std::min(a_size - i, b_size - j) < least) return kOutOfReach;
    shared += count(a + i, b + j);
    const std::uint64_t x = a[i + kSharedBlock - 1], y = b[j + kSharedBlock - 1];
    i += x <= y ? kSharedBlock : 0;
    j += y <= x ? kSharedBlock : 0;
  }
  // No branch depends on the data: which list advances is not predictable.
  while (i < a_size && j < b_size) {
    const std::uint64_t x = a[i], y = b[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

}  // namespace nearkin::kernel
