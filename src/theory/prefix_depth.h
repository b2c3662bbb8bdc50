// Tables of prefixes, for plans with `nearest`: how many digits a key has, and of how many bits.
#pragma once

#include <cstdint>

#include <nearkin/plan.h>

namespace nearkin {

/// Bits of one digit, made from one hash. FROZEN with the keys of tables.
constexpr std::uint32_t prefix_digit_bits(Family family) {
  switch (family) {
    case Family::minhash:
    case Family::weighted_minhash: return 8;
    case Family::hyperplane:
    case Family::bit_sampling: return 1;
    case Family::gaussian:
    case Family::cauchy: return 2;
  }
  return 1;
}

/// Digits of a key, which is the hashes a table takes. A key has 64 bits at most; 24 hashes of one bit tell 16 million items apart, and
/// more digits would only be hashed and never be looked at.
constexpr std::uint32_t prefix_depth(Family family) {
  switch (prefix_digit_bits(family)) {
    case 8: return 8;
    case 2: return 16;
    default: return 24;
  }
}

}  // namespace nearkin
