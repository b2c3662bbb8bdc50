// Random numbers below a bound, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// `count` of the numbers below `size`, or all of them, ascending: those with the least hashes.
std::vector<Row> sample_rows(std::size_t size, std::uint64_t count, std::uint64_t seed);

}  // namespace nearkin
