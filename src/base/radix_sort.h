// LSD radix sort of 64-bit records, eight bits a pass; passes in which every record has the same digit are left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nearkin {

/// Sorts `records` by the bytes first_byte .. last_byte-1 (0 is the lowest), stably. `scratch` is resized and overwritten.
/// One read for all histograms, then one read and write a pass: about 2 ns a record and pass.
inline void radix_sort(std::vector<std::uint64_t>& records, std::vector<std::uint64_t>& scratch, unsigned first_byte = 0,
                       unsigned last_byte = 8) {
  std::array<std::array<std::uint64_t, 256>, 8> counts{};
  for (const std::uint64_t record : records) {
    for (unsigned byte = first_byte; byte < last_byte; ++byte) ++counts[byte][(record >> (8 * byte)) & 255];
  }
  scratch.resize(records.size());
  for (unsigned byte = first_byte; byte < last_byte; ++byte) {
    std::array<std::uint64_t, 256>& places = counts[byte];
    std::uint64_t sum = 0;
    bool one_digit = false;
    for (std::uint64_t& place : places) {
      one_digit = one_digit || place == records.size();
      sum += std::exchange(place, sum);
    }
    if (one_digit) continue;
    for (const std::uint64_t record : records) scratch[places[(record >> (8 * byte)) & 255]++] = record;
    records.swap(scratch);
  }
}

}  // namespace nearkin
