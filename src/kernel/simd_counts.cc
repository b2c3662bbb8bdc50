// The kernels that count in bit strings, for every instruction set (see simd.cc).
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/simd_counts.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nearkin::kernel::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void AddBits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts) {
  scalar::add_bits(maps, map_count, words, counts);
}
void MarkAtLeast(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks) {
  scalar::mark_at_least(counts, words, least, marks);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kTogether = 15;  // bit strings whose sums fit into four bits

// counts[i] += Σ 2^p · bit i of planes[p · words ...], for the 64 bits of one word.
HWY_INLINE void add_planes(const std::uint64_t* planes, std::size_t plane_count, std::size_t words, std::uint16_t* counts) {
  const hn::CappedTag<std::uint16_t, 32> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < 64; i += lanes) {
    auto sum = hn::LoadU(d, counts + i);
    for (std::size_t p = 0; p < plane_count; ++p) {
      const std::uint64_t bits = planes[p * words] >> i;
      std::uint8_t bytes[8];
      std::memcpy(bytes, &bits, sizeof bytes);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::LoadMaskBits(d, bytes), hn::Set(d, static_cast<std::uint16_t>(1u << p))));
    }
    hn::StoreU(sum, d, counts + i);
  }
}

// Adds up to kTogether bit strings in binary, digit by digit: planes[p · lanes + k] holds the digits 2^p of word k.
HWY_INLINE void sum_bits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t word, std::uint64_t* planes) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  auto p0 = hn::Zero(d), p1 = p0, p2 = p0, p3 = p0;
  for (std::size_t map = 0; map < map_count; ++map) {
    const auto c0 = hn::LoadU(d, maps[map] + word);
    const auto c1 = hn::And(p0, c0);
    p0 = hn::Xor(p0, c0);
    const auto c2 = hn::And(p1, c1);
    p1 = hn::Xor(p1, c1);
    const auto c3 = hn::And(p2, c2);
    p2 = hn::Xor(p2, c2);
    p3 = hn::Xor(p3, c3);
  }
  hn::StoreU(p0, d, planes), hn::StoreU(p1, d, planes + lanes), hn::StoreU(p2, d, planes + 2 * lanes),
      hn::StoreU(p3, d, planes + 3 * lanes);
}

void AddBits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts) {
  const std::size_t lanes = hn::Lanes(hn::CappedTag<std::uint64_t, 8>());
  const std::size_t whole = words / lanes * lanes;
  std::uint64_t planes[4 * 8];
  for (std::size_t word = 0; word < whole; word += lanes) {
    for (std::size_t map = 0; map < map_count; map += kTogether) {
      const std::size_t together = std::min(kTogether, map_count - map);
      sum_bits(maps + map, together, word, planes);
      const auto plane_count = static_cast<std::size_t>(std::bit_width(together));
      for (std::size_t k = 0; k < lanes; ++k) add_planes(planes + k, plane_count, lanes, counts + 64 * (word + k));
    }
  }
  for (std::size_t word = whole; word < words; ++word) {
    for (std::size_t map = 0; map < map_count; ++map) add_planes(maps[map] + word, 1, 0, counts + 64 * word);
  }
}

void MarkAtLeast(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks) {
  const hn::CappedTag<std::uint16_t, 32> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto bound = hn::Set(d, least);
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t mark = 0;
    for (std::size_t i = 0; i < 64; i += lanes) {
      std::uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, hn::Eq(hn::SaturatedSub(bound, hn::LoadU(d, counts + 64 * word + i)), hn::Zero(d)), bytes);
      std::uint64_t bits;
      std::memcpy(&bits, bytes, sizeof bits);
      mark |= bits << i;
    }
    marks[word] = mark;
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace nearkin::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nearkin::kernel {
namespace {

HWY_EXPORT(AddBits);
HWY_EXPORT(MarkAtLeast);

}  // namespace

void add_bits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts) {
  if (scalar_forced()) return scalar::add_bits(maps, map_count, words, counts);
  HWY_DYNAMIC_DISPATCH(AddBits)(maps, map_count, words, counts);
}

void mark_at_least(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks) {
  if (scalar_forced()) return scalar::mark_at_least(counts, words, least, marks);
  HWY_DYNAMIC_DISPATCH(MarkAtLeast)(counts, words, least, marks);
}

}  // namespace nearkin::kernel
#endif  // HWY_ONCE
