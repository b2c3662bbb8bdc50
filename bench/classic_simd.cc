#include "classic_simd.h"

#include <stdexcept>

#include "base/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classic_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nearkin::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Eight vectors of slots at a time stay in registers over all elements: minima, multipliers and addends fill 24 registers of the 32 of
// NEON and AVX-512 (where it is all 128 slots in one pass); with 16 registers the constants are read from the first cache as operands.
void ClassicMinima(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                   std::uint32_t slot_count, std::uint32_t* slots) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t s = 0; s < slot_count; s += 8 * n) {
    const std::uint32_t *a = multipliers + s, *b = addends + s;
    const auto a0 = hn::LoadU(d, a), a1 = hn::LoadU(d, a + n), a2 = hn::LoadU(d, a + 2 * n), a3 = hn::LoadU(d, a + 3 * n);
    const auto a4 = hn::LoadU(d, a + 4 * n), a5 = hn::LoadU(d, a + 5 * n), a6 = hn::LoadU(d, a + 6 * n), a7 = hn::LoadU(d, a + 7 * n);
    const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + n), b2 = hn::LoadU(d, b + 2 * n), b3 = hn::LoadU(d, b + 3 * n);
    const auto b4 = hn::LoadU(d, b + 4 * n), b5 = hn::LoadU(d, b + 5 * n), b6 = hn::LoadU(d, b + 6 * n), b7 = hn::LoadU(d, b + 7 * n);
    auto m0 = hn::Set(d, UINT32_MAX), m1 = m0, m2 = m0, m3 = m0, m4 = m0, m5 = m0, m6 = m0, m7 = m0;
    for (std::size_t e = 0; e < count; ++e) {
      const auto x = hn::Set(d, elements[e]);
      m0 = hn::Min(m0, hn::Add(hn::Mul(a0, x), b0));
      m1 = hn::Min(m1, hn::Add(hn::Mul(a1, x), b1));
      m2 = hn::Min(m2, hn::Add(hn::Mul(a2, x), b2));
      m3 = hn::Min(m3, hn::Add(hn::Mul(a3, x), b3));
      m4 = hn::Min(m4, hn::Add(hn::Mul(a4, x), b4));
      m5 = hn::Min(m5, hn::Add(hn::Mul(a5, x), b5));
      m6 = hn::Min(m6, hn::Add(hn::Mul(a6, x), b6));
      m7 = hn::Min(m7, hn::Add(hn::Mul(a7, x), b7));
    }
    std::uint32_t* const out = slots + s;
    hn::StoreU(m0, d, out), hn::StoreU(m1, d, out + n), hn::StoreU(m2, d, out + 2 * n), hn::StoreU(m3, d, out + 3 * n);
    hn::StoreU(m4, d, out + 4 * n), hn::StoreU(m5, d, out + 5 * n), hn::StoreU(m6, d, out + 6 * n), hn::StoreU(m7, d, out + 7 * n);
  }
}

}  // namespace nearkin::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nearkin::bench {
namespace {
HWY_EXPORT(ClassicMinima);
}

ClassicMinHasher::ClassicMinHasher(const SketchPlan& plan) {
  if (plan.hashes != kHashes) throw std::invalid_argument("the classic loop is written for 128 hashes");
  SplitMix random(plan.seed);
  key_ = random();
  for (std::uint32_t j = 0; j < kHashes; ++j) {
    const std::uint64_t bits = random();
    multipliers_[j] = static_cast<std::uint32_t>(bits) | 1;
    addends_[j] = static_cast<std::uint32_t>(bits >> 32);
  }
}

void ClassicMinHasher::sketch(std::span<const std::uint64_t> elements, std::uint32_t* slots) {
  mixed_.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) mixed_[i] = static_cast<std::uint32_t>(mix64(elements[i] ^ key_));
  HWY_DYNAMIC_DISPATCH(ClassicMinima)(mixed_.data(), mixed_.size(), multipliers_.data(), addends_.data(), kHashes, slots);
}

}  // namespace nearkin::bench
#endif  // HWY_ONCE
