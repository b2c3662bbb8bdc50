// The fixed cost model behind `tune`: nominal, so that the same goal gives the same plan on every machine and for every input.
#pragma once

#include <cstdint>

namespace nearkin {

inline constexpr std::uint32_t kMostTunedRows = 64;

/// Nominal nanoseconds for one item of a run with `bands` bands of `rows` rows cut from `hashes` hashes: its sketch, its band keys and
/// their sorting, and the candidates it brings.
double nominal_cost(double threshold, std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes);

}  // namespace nearkin
