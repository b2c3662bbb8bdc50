// Random numbers below a bound, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// `count` of the numbers below `size`, or all of them, ascending: those with the least hashes.
std::vector<Row> sample_rows(std::size_t size, std::uint64_t count, std::uint64_t seed);

/// The part (of `parts`, of nearly equal size) of each row, chosen independently of the order: neighbours in a file may resemble one
/// another.
std::vector<std::uint8_t> parts_of(std::span<const Row> rows, std::size_t parts);

}  // namespace nearkin
