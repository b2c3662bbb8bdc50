// Radix sort of 64-bit records: by the highest digit first where they are too many for the cache, else by the lowest digits first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nearkin {

namespace radix_detail {

inline constexpr std::size_t kInCache = std::size_t{1} << 16;  // up to this many records are not cut into parts
inline constexpr unsigned kWidest = 12;                        // bits of the digit that cuts them into parts
inline constexpr std::size_t kFew = 24;

/// Bits low .. low+width-1 of a record.
struct Digit {
  unsigned low, width;
  std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - width) << low; }
  std::size_t of(std::uint64_t record) const { return static_cast<std::size_t>((record & mask()) >> low); }
};

inline std::uint64_t varying_bits(const std::uint64_t* records, std::size_t size) {
  std::uint64_t varying = 0;
  for (std::size_t i = 1; i < size; ++i) varying |= records[i] ^ records[0];
  return varying;
}

inline void sort_few(std::uint64_t* records, std::size_t size, std::uint64_t mask) {
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint64_t record = records[i];
    std::size_t at = i;
    for (; at > 0 && (records[at - 1] & mask) > (record & mask); --at) records[at] = records[at - 1];
    records[at] = record;
  }
}

/// The lowest digit of these bits: eight of them, or fewer where that takes no more digits.
inline Digit lowest_digit(std::uint64_t bits) {
  const unsigned low = static_cast<unsigned>(std::countr_zero(bits)), span = static_cast<unsigned>(std::bit_width(bits)) - low;
  const unsigned digits = (span + 7) / 8;
  return {low, (span + digits - 1) / digits};
}

/// Digit by digit from the lowest on; bits that do not vary are left out. Returns where the result is.
inline std::uint64_t* sort_lowest_first(std::uint64_t* from, std::uint64_t* to, std::size_t size, std::uint64_t varying) {
  std::array<std::uint32_t, 256> places;
  while (varying != 0) {
    const Digit digit = lowest_digit(varying);
    varying &= ~digit.mask();
    const auto used = std::span(places).first(std::size_t{1} << digit.width);
    std::fill(used.begin(), used.end(), 0u);
    for (std::size_t i = 0; i < size; ++i) ++places[digit.of(from[i])];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : used) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < size; ++i) to[places[digit.of(from[i])]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

/// Sorts the records of `from` by the bits of `mask`, with `other` as scratch; the result is in `from`, or with `move` in `other`.
inline void sort_by(std::uint64_t mask, std::uint64_t* from, std::uint64_t* other, std::size_t size, bool move) {
  std::uint64_t* result = from;
  if (size <= kFew) {
    sort_few(from, size, mask);
  } else if (const std::uint64_t varying = varying_bits(from, size) & mask; size <= kInCache || varying == 0) {
    result = sort_lowest_first(from, other, size, varying);
  } else {
    // Parts of about a thousand records, each of which is sorted back to where it came from.
    const unsigned high = static_cast<unsigned>(std::bit_width(varying));
    const unsigned width = std::min({kWidest, static_cast<unsigned>(std::bit_width(size)) - 10, high});
    const Digit digit{high - width, width};
    std::vector<std::size_t> places(std::size_t{1} << width);
    for (std::size_t i = 0; i < size; ++i) ++places[digit.of(from[i])];
    std::size_t sum = 0;
    for (std::size_t& place : places) sum += std::exchange(place, sum);
    for (std::size_t i = 0; i < size; ++i) other[places[digit.of(from[i])]++] = from[i];
    std::size_t begin = 0;
    for (const std::size_t end : places) {  // each has moved on to the end of its part
      sort_by(varying & ~digit.mask(), other + begin, from + begin, end - begin, !move);
      begin = end;
    }
    return;
  }
  std::uint64_t* const wanted = move ? other : from;
  if (result != wanted) std::copy(result, result + size, wanted);
}

}  // namespace radix_detail

/// Sorts `records` by the bytes first_byte .. last_byte-1 (0 is the lowest), stably. `scratch` is resized and overwritten.
/// 2 to 4 ns per record and byte that varies.
inline void radix_sort(std::vector<std::uint64_t>& records, std::vector<std::uint64_t>& scratch, unsigned first_byte = 0,
                       unsigned last_byte = 8) {
  scratch.resize(records.size());
  const radix_detail::Digit chosen{8 * first_byte, 8 * (last_byte - first_byte)};
  radix_detail::sort_by(chosen.mask(), records.data(), scratch.data(), records.size(), false);
}

}  // namespace nearkin
