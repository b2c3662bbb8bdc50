// Which pairs of found pairs to look at, so that their correlation can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/tools/theory.h>

namespace nearkin {

/// Two found pairs of one group, by their places in `found`.
struct TwoPairs {
  std::size_t one, other;
};

/// `count` draws, with replacement, each with a probability in proportion to the product of the two pairs' deviations: the plain mean of a
/// correlation over the draws is what Finding::together asks for. Empty where no group has two pairs that may be missed.
std::vector<TwoPairs> draw_two_pairs(std::span<const FoundPairs> found, std::size_t count, std::uint64_t seed);

}  // namespace nearkin
