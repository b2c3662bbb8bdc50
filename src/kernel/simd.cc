// One source for every instruction set: Highway compiles this file once for each target and chooses at run time.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/kernel.h"
#include "kernel/shared_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nearkin::kernel::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// A machine without any vectors: the twins are all there is.
bool ScanAscii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks) {
  return scalar::scan_ascii(text, size, keep_case, lowered, word_masks);
}
void PlaceElements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                   std::uint32_t* low) {
  scalar::place_elements(elements, count, key, hashes, places, low);
}
void FillEmptySlots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                    std::size_t slot_count, std::uint32_t* slots) {
  scalar::fill_empty_slots(elements, count, multipliers, addends, slot_count, slots);
}
void SignatureBytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes) { scalar::signature_bytes(slots, count, bytes); }
std::uint32_t EqualBytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) { return scalar::equal_bytes(a, b, size); }
std::uint64_t CountShared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least) {
  return scalar::count_shared(a, a_size, b, b_size, least);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// The mask bits of `lanes` lanes, lane 0 lowest. At most 64 lanes.
template <class D, class M>
std::uint64_t mask_bits(D d, M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// Handles 64 bytes from `in`; returns the word bits and gathers all bytes in `all`, to see at the end whether one was above 127.
template <class D, class V>
HWY_INLINE std::uint64_t scan_block(D d, const std::uint8_t* in, V case_bit, std::uint8_t* out, V& all) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto c = hn::LoadU(d, in + i);
    all = hn::Or(all, c);
    // 'a' moved to 0, then an unsigned comparison by saturated subtraction; likewise for digits.
    const auto letter = hn::Eq(hn::SaturatedSub(hn::Sub(hn::Or(c, hn::Set(d, 0x20)), hn::Set(d, 'a')), hn::Set(d, 25)), hn::Zero(d));
    const auto digit = hn::Eq(hn::SaturatedSub(hn::Sub(c, hn::Set(d, '0')), hn::Set(d, 9)), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(letter, hn::Or(c, case_bit), c), d, out + i);
    bits |= mask_bits(d, hn::Or(letter, digit)) << i;
  }
  return bits;
}

bool ScanAscii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const std::uint8_t* in = reinterpret_cast<const std::uint8_t*>(text);
  std::uint8_t* out = reinterpret_cast<std::uint8_t*>(lowered);
  const auto case_bit = hn::Set(d, keep_case ? std::uint8_t{0} : std::uint8_t{0x20});
  auto all = hn::Zero(d);
  std::size_t base = 0;
  for (; base + 64 <= size; base += 64) word_masks[base / 64] = scan_block(d, in + base, case_bit, out + base, all);
  if (base < size) {
    std::uint8_t rest[64] = {};
    std::memcpy(rest, in + base, size - base);
    word_masks[base / 64] = scan_block(d, rest, case_bit, out + base, all);
  }
  return hn::AllTrue(d, hn::Lt(all, hn::Set(d, 0x80)));
}

void PlaceElements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                   std::uint32_t* low) {
  std::size_t i = 0;
  // Elsewhere a vector has two lanes, and a 64-bit multiplication of it takes several steps: the scalar one is as quick.
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  const hn::ScalableTag<std::uint64_t> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::Half<decltype(d32)> d32_half;
  const auto first = hn::Set(d, 0xbf58476d1ce4e5b9u), second = hn::Set(d, 0x94d049bb133111ebu), keys = hn::Set(d, key);
  const auto factor = hn::BitCast(d32, hn::Set(d, std::uint64_t{hashes}));
  const std::size_t lanes = hn::Lanes(d);
  for (; i + lanes <= count; i += lanes) {
    auto x = hn::Xor(hn::LoadU(d, elements + i), keys);
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), first);
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), second);
    x = hn::Xor(x, hn::ShiftRight<31>(x));
    const auto low_product = hn::MulEven(hn::BitCast(d32, x), factor);
    const auto high_product = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(x)), factor);
    hn::StoreU(hn::Add(high_product, hn::ShiftRight<32>(low_product)), d, places + i);
    hn::StoreU(hn::TruncateTo(d32_half, x), d32_half, low + i);
  }
#endif
  scalar::place_elements(elements + i, count - i, key, hashes, places + i, low + i);
}

// Empty slots on their way to be filled.
struct EmptySlots {
  static constexpr std::size_t kMost = 512, kLanes = 16;
  std::size_t size = 0;
  std::uint32_t places[kMost + kLanes], multipliers[kMost + kLanes], addends[kMost + kLanes], minima[kMost + kLanes];

  void add(std::size_t place, const std::uint32_t* all_multipliers, const std::uint32_t* all_addends) {
    places[size] = static_cast<std::uint32_t>(place);
    multipliers[size] = all_multipliers[place];
    addends[size++] = all_addends[place];
  }
};

template <class D>
HWY_INLINE void find_empty(D d, const std::uint32_t* slots, std::size_t begin, std::size_t end, const std::uint32_t* multipliers,
                           const std::uint32_t* addends, EmptySlots& found) {
  found.size = 0;
  const std::size_t lanes = hn::Lanes(d);
  const auto sought = hn::Set(d, kEmptySlot);
  std::size_t j = begin;
  for (; j + lanes <= end; j += lanes) {
    const auto empty = hn::Eq(hn::LoadU(d, slots + j), sought);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // There is room for whole vectors.
    hn::StoreU(hn::Compress(hn::Iota(d, static_cast<std::uint32_t>(j)), empty), d, found.places + found.size);
    hn::StoreU(hn::Compress(hn::LoadU(d, multipliers + j), empty), d, found.multipliers + found.size);
    hn::StoreU(hn::Compress(hn::LoadU(d, addends + j), empty), d, found.addends + found.size);
    found.size += hn::CountTrue(d, empty);
#else
    // Elsewhere Compress looks into a table, which g++ 12 copies onto the stack each time.
    for (std::uint64_t bits = mask_bits(d, empty); bits != 0; bits &= bits - 1) {
      found.add(j + static_cast<std::size_t>(std::countr_zero(bits)), multipliers, addends);
    }
#endif
  }
  for (; j < end; ++j) {
    if (slots[j] == kEmptySlot) found.add(j, multipliers, addends);
  }
}

// A slot a lane, each element in turn: nothing is left to be joined at the end.
template <class D>
HWY_INLINE void minima_by_lane(D d, const std::uint32_t* elements, std::size_t count, EmptySlots& slots, std::size_t first) {
  const auto a = hn::LoadU(d, slots.multipliers + first), b = hn::LoadU(d, slots.addends + first);
  auto even = hn::Set(d, UINT32_MAX), odd = even;
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    even = hn::Min(even, hn::Add(hn::Mul(a, hn::Set(d, elements[i])), b));
    odd = hn::Min(odd, hn::Add(hn::Mul(a, hn::Set(d, elements[i + 1])), b));
  }
  if (i < count) even = hn::Min(even, hn::Add(hn::Mul(a, hn::Set(d, elements[i])), b));
  hn::StoreU(hn::Min(even, odd), d, slots.minima + first);
}

// Four slots over all elements, of which there is a vector at least; the last one may overlap with the one before.
template <class D>
HWY_INLINE void minima_of_four(D d, const std::uint32_t* elements, std::size_t count, EmptySlots& slots, std::size_t first) {
  const std::uint32_t *const a = slots.multipliers + first, *const b = slots.addends + first;
  const auto a0 = hn::Set(d, a[0]), a1 = hn::Set(d, a[1]), a2 = hn::Set(d, a[2]), a3 = hn::Set(d, a[3]);
  const auto b0 = hn::Set(d, b[0]), b1 = hn::Set(d, b[1]), b2 = hn::Set(d, b[2]), b3 = hn::Set(d, b[3]);
  auto m0 = hn::Set(d, UINT32_MAX), m1 = m0, m2 = m0, m3 = m0;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto x = hn::LoadU(d, elements + std::min(i, count - lanes));
    m0 = hn::Min(m0, hn::Add(hn::Mul(a0, x), b0));
    m1 = hn::Min(m1, hn::Add(hn::Mul(a1, x), b1));
    m2 = hn::Min(m2, hn::Add(hn::Mul(a2, x), b2));
    m3 = hn::Min(m3, hn::Add(hn::Mul(a3, x), b3));
  }
  std::uint32_t* const least = slots.minima + first;
  least[0] = hn::GetLane(hn::MinOfLanes(d, m0));
  least[1] = hn::GetLane(hn::MinOfLanes(d, m1));
  least[2] = hn::GetLane(hn::MinOfLanes(d, m2));
  least[3] = hn::GetLane(hn::MinOfLanes(d, m3));
}

void FillEmptySlots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                    std::size_t slot_count, std::uint32_t* slots) {
  const hn::CappedTag<std::uint32_t, EmptySlots::kLanes> d;
  constexpr std::size_t kFour = 4;
  const std::size_t lanes = hn::Lanes(d);
  EmptySlots empty;
  for (std::size_t begin = 0; begin < slot_count; begin += EmptySlots::kMost) {
    find_empty(d, slots, begin, std::min(slot_count, begin + EmptySlots::kMost), multipliers, addends, empty);
    // The lanes behind the last slot work on anything.
    std::fill_n(empty.multipliers + empty.size, EmptySlots::kLanes, 0u);
    std::fill_n(empty.addends + empty.size, EmptySlots::kLanes, 0u);
    for (std::size_t i = 0; i < empty.size;) {
      // What is left of a vector's slots is filled four at a time where that takes fewer steps; to join lanes takes about twelve.
      const std::size_t fours = (std::min(lanes, empty.size - i) + kFour - 1) / kFour;
      const bool by_four = count >= lanes && fours * kFour * (count + 3 * lanes) < lanes * count;
      by_four ? minima_of_four(d, elements, count, empty, i) : minima_by_lane(d, elements, count, empty, i);
      i += by_four ? kFour : lanes;
    }
    for (std::size_t i = 0; i < empty.size; ++i) slots[empty.places[i]] = empty.minima[i];
  }
}

void SignatureBytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, kSignatureFactor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::TruncateTo(d8, hn::ShiftRight<24>(hn::Mul(hn::LoadU(d, slots + i), factor))), d8, bytes + i);
  }
  scalar::signature_bytes(slots + i, count - i, bytes + i);
}

std::uint32_t EqualBytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t equal = 0, i = 0;
  for (; i + lanes <= size; i += lanes) equal += hn::CountTrue(d, hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
  for (; i < size; ++i) equal += a[i] == b[i];
  return static_cast<std::uint32_t>(equal);
}

// Each value of one block is held against all of the other.
std::uint64_t CountShared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least) {
  const hn::CappedTag<std::uint64_t, kSharedBlock> d;
  const std::size_t lanes = hn::Lanes(d);
  return walk_blocks(a, a_size, b, b_size, least, [&](const std::uint64_t* x, const std::uint64_t* y) HWY_ATTR {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < kSharedBlock; i += lanes) {
      const auto values = hn::LoadU(d, x + i);
      auto found = hn::Eq(values, hn::Set(d, y[0]));
      for (std::size_t k = 1; k < kSharedBlock; ++k) found = hn::Or(found, hn::Eq(values, hn::Set(d, y[k])));
      shared += hn::CountTrue(d, found);
    }
    return shared;
  });
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace nearkin::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nearkin::kernel {
namespace {

HWY_EXPORT(ScanAscii);
HWY_EXPORT(PlaceElements);
HWY_EXPORT(FillEmptySlots);
HWY_EXPORT(SignatureBytes);
HWY_EXPORT(EqualBytes);
HWY_EXPORT(CountShared);

}  // namespace

bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks) {
  if (scalar_forced()) return scalar::scan_ascii(text, size, keep_case, lowered, word_masks);
  return HWY_DYNAMIC_DISPATCH(ScanAscii)(text, size, keep_case, lowered, word_masks);
}

void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low) {
  if (scalar_forced()) return scalar::place_elements(elements, count, key, hashes, places, low);
  HWY_DYNAMIC_DISPATCH(PlaceElements)(elements, count, key, hashes, places, low);
}

void fill_empty_slots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                      std::size_t slot_count, std::uint32_t* slots) {
  if (scalar_forced()) return scalar::fill_empty_slots(elements, count, multipliers, addends, slot_count, slots);
  HWY_DYNAMIC_DISPATCH(FillEmptySlots)(elements, count, multipliers, addends, slot_count, slots);
}

void signature_bytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes) {
  if (scalar_forced()) return scalar::signature_bytes(slots, count, bytes);
  HWY_DYNAMIC_DISPATCH(SignatureBytes)(slots, count, bytes);
}

std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  if (scalar_forced()) return scalar::equal_bytes(a, b, size);
  return HWY_DYNAMIC_DISPATCH(EqualBytes)(a, b, size);
}

std::uint64_t count_shared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least) {
  if (scalar_forced()) return scalar::count_shared(a, a_size, b, b_size, least);
  return HWY_DYNAMIC_DISPATCH(CountShared)(a, a_size, b, b_size, least);
}

const char* name() {
  if (scalar_forced()) return "scalar";
  const std::int64_t usable = static_cast<std::int64_t>(hwy::SupportedTargets()) & static_cast<std::int64_t>(HWY_TARGETS);
  return hwy::TargetName(usable & -usable);  // the lowest bit is the best target
}

}  // namespace nearkin::kernel
#endif  // HWY_ONCE
