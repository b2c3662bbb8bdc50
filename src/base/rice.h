// Ascending 64-bit hashes in little more than the least number of bits that can hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nearkin {

/// Appends the hashes, which ascend and are distinct: their number, then the gaps between them in Rice code, whole bytes at the end. Hashes
/// that are spread evenly over 64 bits take about 64 − log₂ n + 1.5 bits each (7.5 bytes for n = 60, 6.7 for 5,000); whatever they are,
/// they take no more than 11 bytes and 8 for each. Throws std::invalid_argument, with `out` as it was, when they do not ascend.
void append_rice(std::string& out, std::span<const std::uint64_t> ascending);

/// Appends to `out` the hashes that one call of append_rice wrote at the beginning of `bytes`, and returns how many bytes they take.
/// Absent, with `out` as it was, for bytes that are no such code: cut short, or of hashes that do not ascend. Reads nothing behind
/// `bytes`, and asks for no more memory than 64 times their size. About 3 ns per hash.
[[nodiscard]] std::optional<std::size_t> decode_rice(std::span<const std::byte> bytes, std::vector<std::uint64_t>& out);

}  // namespace nearkin
