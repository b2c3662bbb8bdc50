// The hash of one token. FROZEN: features and sketches depend on it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/hash.h"

namespace nearkin {

static_assert(std::endian::native == std::endian::little, "token hashes are defined over little-endian words");

/// Bytes behind a token that must be readable (they do not count).
inline constexpr std::size_t kTokenPadding = 16;

namespace token_hash_detail {

inline constexpr std::uint64_t kLowKey = 0x2d358dccaa6c78a5u;
inline constexpr std::uint64_t kHighKey = 0x8bb84b93962eacc9u;

struct Mask16 {
  std::uint64_t low, high;
};

constexpr std::array<Mask16, 17> make_masks() {
  std::array<Mask16, 17> masks{};
  for (unsigned n = 0; n <= 16; ++n) {
    masks[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
    masks[n].high = n <= 8 ? 0 : n == 16 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * (n - 8))) - 1;
  }
  return masks;
}
inline constexpr std::array<Mask16, 17> kMasks = make_masks();

inline std::uint64_t load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline std::uint64_t absorb(std::uint64_t state, const char* p, std::size_t size) {
  const Mask16& mask = kMasks[size];
  return fold_multiply((load64(p) & mask.low) ^ state, (load64(p + 8) & mask.high) ^ kHighKey);
}

}  // namespace token_hash_detail

/// `size` bytes at p, 16 at a time: a token of up to 16 bytes costs one multiplication. The length is part of the hash, so that bytes
/// of value 0 at the end count. kTokenPadding bytes after the token must be readable.
inline std::uint64_t token_hash(const char* p, std::size_t size) {
  using namespace token_hash_detail;
  std::uint64_t state = kLowKey + size;
  for (; size > 16; p += 16, size -= 16) state = absorb(state, p, 16);
  return absorb(state, p, size);
}

}  // namespace nearkin
