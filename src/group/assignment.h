// Pairs up two sides so that the sum of the gains is the greatest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nearkin {

/// One of the left side and one of the right side may be paired, again and again while both have some left.
struct Offer {
  std::uint32_t left, right;
  std::int64_t gain;  ///< from 1 to 2^40
};

/// How often each offer is taken. `left` and `right`: how many each has. `offers`: ascending by left. Everything is in integers, so the
/// result is exact; if several have the greatest sum, it is always the same one. Nothing if it takes more than `most_steps` looks at an
/// offer.
std::optional<std::vector<std::uint32_t>> greatest_sum(std::span<const Offer> offers, std::span<const std::uint32_t> left,
                                                       std::span<const std::uint32_t> right, std::uint64_t most_steps);

}  // namespace nearkin
