// The kernels over codes of bytes, for every instruction set (see simd.cc).
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/simd_codes.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nearkin::kernel::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void BlockScores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                 std::int32_t* scores) {
  scalar::block_scores(query, codes, heights, pairs, count, scores);
}
void RowScores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores) {
  scalar::row_scores(query, codes, rows, count, scores);
}
std::size_t PlacesUpTo(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places) {
  return scalar::places_up_to(scores, count, most, places);
}
std::int32_t LowestScore(const std::int32_t* scores, std::size_t count) { return scalar::lowest_score(scores, count); }

#else

namespace hn = hwy::HWY_NAMESPACE;

// A lane of 32 bits is an item, and takes two bytes of its code at a time.
void BlockScores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                 std::int32_t* scores) {
  const hn::CappedTag<std::int32_t, kCodeBlock> d;
  const hn::Repartition<std::int16_t, decltype(d)> d16;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t block = 0; block < count; block += kCodeBlock) {
    for (std::size_t item = block; item < block + kCodeBlock; item += lanes) {
      const std::int8_t* const bytes = codes + 2 * (pairs * block + (item - block));
      auto even = hn::Zero(d), odd = even, even2 = even, odd2 = even;
      const auto add = [&](std::size_t p, auto& even_sum, auto& odd_sum) HWY_ATTR {
        std::int32_t both;
        std::memcpy(&both, query + 2 * p, sizeof both);
        even_sum = hn::ReorderWidenMulAccumulate(d, hn::PromoteTo(d16, hn::LoadU(d8, bytes + p * (2 * kCodeBlock))),
                                                 hn::BitCast(d16, hn::Set(d, both)), even_sum, odd_sum);
      };
      std::size_t p = 0;
      for (; p + 2 <= pairs; p += 2) add(p, even, odd), add(p + 1, even2, odd2);
      if (p < pairs) add(p, even, odd);
      const auto sum = hn::RearrangeToOddPlusEven(hn::Add(even, even2), hn::Add(odd, odd2));
      hn::StoreU(hn::Sub(hn::LoadU(d, heights + item), sum), d, scores + item);
    }
  }
}

void RowScores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores) {
  constexpr std::size_t kAhead = 8;  // rows are in no order that the processor could guess
  const hn::CappedTag<std::int32_t, kRowCode / 4> d;
  const hn::Repartition<std::int16_t, decltype(d)> d16;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) __builtin_prefetch(codes + rows[k + kAhead] * kRowCode);
    const std::int8_t* const code = codes + rows[k] * kRowCode;
    auto even = hn::Zero(d), odd = even;
    for (std::size_t c = 0; c < kRowCode; c += lanes) {
      even = hn::ReorderWidenMulAccumulate(d, hn::PromoteTo(d16, hn::LoadU(d8, code + c)), hn::LoadU(d16, query + c), even, odd);
    }
    std::int32_t height;
    std::memcpy(&height, code + kRowCode - sizeof height, sizeof height);
    scores[k] = height - hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  }
}

// Most scores are above the bound: four vectors are dismissed by one comparison.
std::size_t PlacesUpTo(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places) {
  const hn::CappedTag<std::int32_t, kCodeBlock> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto bound = hn::Set(d, most);
  std::size_t found = 0, i = 0;
  const hn::Rebind<std::uint32_t, decltype(d)> du;
  // Writes a whole vector, for which there is room: at most `at` places come before it.
  const auto add = [&](std::size_t at, auto own) HWY_ATTR {
    const auto near = hn::RebindMask(du, hn::Not(hn::Gt(own, bound)));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    found += hn::CompressStore(hn::Iota(du, static_cast<std::uint32_t>(at)), near, du, places + found);
#else
    // Elsewhere Compress looks into a table, which g++ 12 copies onto the stack each time.
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(du, near, bytes);
    std::uint64_t bits;
    for (std::memcpy(&bits, bytes, sizeof bits); bits != 0; bits &= bits - 1) {
      places[found++] = static_cast<std::uint32_t>(at + static_cast<std::size_t>(std::countr_zero(bits)));
    }
#endif
  };
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, scores + i), v1 = hn::LoadU(d, scores + i + lanes);
    const auto v2 = hn::LoadU(d, scores + i + 2 * lanes), v3 = hn::LoadU(d, scores + i + 3 * lanes);
    if (hn::AllTrue(d, hn::Gt(hn::Min(hn::Min(v0, v1), hn::Min(v2, v3)), bound))) continue;
    add(i, v0), add(i + lanes, v1), add(i + 2 * lanes, v2), add(i + 3 * lanes, v3);
  }
  for (; i < count; ++i) {
    places[found] = static_cast<std::uint32_t>(i);
    found += scores[i] <= most;
  }
  return found;
}

std::int32_t LowestScore(const std::int32_t* scores, std::size_t count) {
  const hn::CappedTag<std::int32_t, kCodeBlock> d;
  const std::size_t lanes = hn::Lanes(d);
  auto low = hn::Set(d, scores[0]);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) low = hn::Min(low, hn::LoadU(d, scores + i));
  const std::int32_t lowest = hn::GetLane(hn::MinOfLanes(d, low));
  return i < count ? std::min(lowest, scalar::lowest_score(scores + i, count - i)) : lowest;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace nearkin::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nearkin::kernel {
namespace {

HWY_EXPORT(BlockScores);
HWY_EXPORT(RowScores);
HWY_EXPORT(PlacesUpTo);
HWY_EXPORT(LowestScore);

}  // namespace

void block_scores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                  std::int32_t* scores) {
  if (scalar_forced()) return scalar::block_scores(query, codes, heights, pairs, count, scores);
  HWY_DYNAMIC_DISPATCH(BlockScores)(query, codes, heights, pairs, count, scores);
}

void row_scores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores) {
  if (scalar_forced()) return scalar::row_scores(query, codes, rows, count, scores);
  HWY_DYNAMIC_DISPATCH(RowScores)(query, codes, rows, count, scores);
}

std::size_t places_up_to(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places) {
  if (scalar_forced()) return scalar::places_up_to(scores, count, most, places);
  return HWY_DYNAMIC_DISPATCH(PlacesUpTo)(scores, count, most, places);
}

std::int32_t lowest_score(const std::int32_t* scores, std::size_t count) {
  return scalar_forced() ? scalar::lowest_score(scores, count) : HWY_DYNAMIC_DISPATCH(LowestScore)(scores, count);
}

}  // namespace nearkin::kernel
#endif  // HWY_ONCE
