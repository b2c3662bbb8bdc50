// The kernels over numbers and bits, for every instruction set (see simd.cc).
#include <algorithm>
#include <cstring>

#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/simd_vectors.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace nearkin::kernel::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

double Dot(const float* a, const float* b, std::size_t size) { return scalar::dot(a, b, size); }
double SquaredDistance(const float* a, const float* b, std::size_t size) { return scalar::squared_distance(a, b, size); }
double AbsoluteDistance(const float* a, const float* b, std::size_t size) { return scalar::absolute_distance(a, b, size); }
void FloatSums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
               double* values) {
  scalar::float_sums(sum, query, items, rows, size, count, values);
}
std::uint32_t BitDistance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) { return scalar::bit_distance(a, b, words); }
void BitDistances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances) {
  scalar::bit_distances(query, codes, words, count, distances);
}
void Hadamard(float* values, std::size_t size) { scalar::hadamard(values, size); }
float LargestMagnitude(const float* values, std::size_t size) { return scalar::largest_magnitude(values, size); }
void Multiply(const float* a, const float* b, float factor, std::size_t size, float* products) {
  scalar::multiply(a, b, factor, size, products);
}
void SumRows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums) {
  scalar::sum_rows(panel, rows, factors, count, sums);
}
void SumLookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums) {
  scalar::sum_lookups(table, keys, factors, count, blocks, sums);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE double added_up(const double* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

// The eight running sums lie in 8 / lanes vectors. Zeros stand in for what is missing at the end: a sum is never −0, so that adding
// the 0 they yield changes nothing.
template <class Term>
HWY_INLINE double sum_of_eight(const float* a, const float* b, std::size_t size, Term term) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto add = [&](auto& sum, const float* x, const float* y)
                       HWY_ATTR { sum = hn::Add(sum, term(d, hn::PromoteTo(d, hn::LoadU(df, x)), hn::PromoteTo(d, hn::LoadU(df, y)))); };
  const auto add_eight = [&](const float* x, const float* y) HWY_ATTR {
    add(s0, x, y);
    if (lanes < 8) add(s1, x + lanes, y + lanes);
    if (lanes < 4) add(s2, x + 2 * lanes, y + 2 * lanes);
    if (lanes < 4) add(s3, x + 3 * lanes, y + 3 * lanes);
  };
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) add_eight(a + i, b + i);
  if (i < size) {
    float x[8] = {}, y[8] = {};
    std::memcpy(x, a + i, (size - i) * sizeof(float));
    std::memcpy(y, b + i, (size - i) * sizeof(float));
    add_eight(x, y);
  }
  double s[8];
  hn::StoreU(s0, d, s);
  if (lanes < 8) hn::StoreU(s1, d, s + lanes);
  if (lanes < 4) hn::StoreU(s2, d, s + 2 * lanes);
  if (lanes < 4) hn::StoreU(s3, d, s + 3 * lanes);
  return added_up(s);
}

// Four items at a time, as sum_of_eight adds each: what is loaded of the query serves four, and four sums are under way at once. The next
// four are fetched meanwhile: they may lie anywhere, and the processor does not fetch ahead from one page to another.
template <class Term>
HWY_INLINE void four_sums_of_eight(const float* a, const float* const* b, const float* const* next, std::size_t size, double* values,
                                   Term term) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  auto p0 = hn::Zero(d), p1 = p0, p2 = p0, p3 = p0, q0 = p0, q1 = p0, q2 = p0, q3 = p0;
  const auto add = [&](auto& sum, auto x, const float* y) HWY_ATTR { sum = hn::Add(sum, term(d, x, hn::PromoteTo(d, hn::LoadU(df, y)))); };
  const auto add_four = [&](auto& s0, auto& s1, auto& s2, auto& s3, const float* x, const float* const* y, std::size_t at) HWY_ATTR {
    const auto number = hn::PromoteTo(d, hn::LoadU(df, x + at));
    add(s0, number, y[0] + at), add(s1, number, y[1] + at), add(s2, number, y[2] + at), add(s3, number, y[3] + at);
  };
  const auto add_eight = [&](const float* x, const float* const* y, std::size_t at) HWY_ATTR {
    add_four(p0, p1, p2, p3, x, y, at);
    if (lanes < 8) add_four(q0, q1, q2, q3, x, y, at + lanes);
  };
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    if (i % kLine == 0) {
      for (int k = 0; k < 4; ++k) __builtin_prefetch(next[k] + i);
    }
    add_eight(a, b, i);
  }
  if (i < size) {
    float x[8] = {}, y[4][8] = {};
    std::memcpy(x, a + i, (size - i) * sizeof(float));
    for (int k = 0; k < 4; ++k) std::memcpy(y[k], b[k] + i, (size - i) * sizeof(float));
    const float* const ends[4] = {y[0], y[1], y[2], y[3]};
    add_eight(x, ends, 0);
  }
  const auto store = [&](auto p, auto q, double& value) HWY_ATTR {
    double s[8];
    hn::StoreU(p, d, s);
    if (lanes < 8) hn::StoreU(q, d, s + lanes);
    value = added_up(s);
  };
  store(p0, q0, values[0]), store(p1, q1, values[1]), store(p2, q2, values[2]), store(p3, q3, values[3]);
}

template <class Term>
HWY_INLINE void sums_of_eight(const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
                              double* values, Term term) {
  std::size_t k = 0;
  if (hn::Lanes(hn::CappedTag<double, 8>()) >= 4) {
    const auto four_from = [&](std::size_t from, const float** four) {
      for (std::size_t i = 0; i < 4; ++i) four[i] = items + rows[std::min(from + i, count - 1)] * size;
    };
    for (; k + 4 <= count; k += 4) {
      const float *four[4], *next[4];
      four_from(k, four), four_from(k + 4, next);
      four_sums_of_eight(query, four, next, size, values + k, term);
    }
  }
  for (; k < count; ++k) values[k] = sum_of_eight(query, items + rows[k] * size, size, term);
}

struct Product {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};
struct SquaredDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V difference = hn::Sub(x, y);
    return hn::Mul(difference, difference);
  }
};
struct AbsoluteDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Abs(hn::Sub(x, y));
  }
};

double Dot(const float* a, const float* b, std::size_t size) { return sum_of_eight(a, b, size, Product()); }
double SquaredDistance(const float* a, const float* b, std::size_t size) { return sum_of_eight(a, b, size, SquaredDifference()); }
double AbsoluteDistance(const float* a, const float* b, std::size_t size) { return sum_of_eight(a, b, size, AbsoluteDifference()); }

void FloatSums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
               double* values) {
  switch (sum) {
    case FloatSum::dot: return sums_of_eight(query, items, rows, size, count, values, Product());
    case FloatSum::squared_distance: return sums_of_eight(query, items, rows, size, count, values, SquaredDifference());
    case FloatSum::absolute_distance: return sums_of_eight(query, items, rows, size, count, values, AbsoluteDifference());
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
// One instruction counts a word; without AVX-512's own, vectors are no quicker.
HWY_INLINE std::uint32_t bits_between(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::uint64_t even = 0, odd = 0;
  std::size_t i = 0;
  for (; i + 2 <= words; i += 2) {
    even += static_cast<std::uint64_t>(__builtin_popcountll(a[i] ^ b[i]));
    odd += static_cast<std::uint64_t>(__builtin_popcountll(a[i + 1] ^ b[i + 1]));
  }
  if (i < words) even += static_cast<std::uint64_t>(__builtin_popcountll(a[i] ^ b[i]));
  return static_cast<std::uint32_t>(even + odd);
}
#else
template <std::size_t kMost>
HWY_INLINE std::uint32_t vector_bits(const std::uint64_t*& a, const std::uint64_t*& b, std::size_t& words) {
  const hn::CappedTag<std::uint64_t, kMost> d;
  const std::size_t lanes = hn::Lanes(d);
  if (words < lanes) return 0;
  auto sum = hn::Zero(d);
  for (; words >= lanes; a += lanes, b += lanes, words -= lanes) {
    sum = hn::Add(sum, hn::PopulationCount(hn::Xor(hn::LoadU(d, a), hn::LoadU(d, b))));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

HWY_INLINE std::uint32_t bits_between(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  const std::uint32_t different = vector_bits<8>(a, b, words);
  return different + vector_bits<1>(a, b, words);
}
#endif

std::uint32_t BitDistance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) { return bits_between(a, b, words); }

void BitDistances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances) {
  // The compiler unrolls the common lengths.
  if (words == 1) {
    for (std::size_t j = 0; j < count; ++j) distances[j] = bits_between(query, codes + j, 1);
  } else if (words == 2) {
    for (std::size_t j = 0; j < count; ++j) distances[j] = bits_between(query, codes + 2 * j, 2);
  } else if (words == 4) {
    for (std::size_t j = 0; j < count; ++j) distances[j] = bits_between(query, codes + 4 * j, 4);
  } else {
    for (std::size_t j = 0; j < count; ++j) distances[j] = bits_between(query, codes + j * words, words);
  }
}

// One stage inside a vector: the lane whose partner lies above gets partner + own, the other partner − own, as −own + partner.
template <class V>
HWY_INLINE V butterfly_inside(V own, V partner, V signs) {
  return hn::Add(partner, hn::Xor(own, signs));
}

// The stages of halves 1, 2, 4, 8, as many as a vector holds.
template <class D>
HWY_INLINE void stages_inside(D d, float* values, std::size_t size) {
  const hn::RebindToSigned<D> di;
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) float signs[4][16];
  alignas(64) std::int32_t partners[2][16];
  for (std::size_t stage = 0; stage < 4; ++stage) {
    for (std::size_t i = 0; i < 16; ++i) signs[stage][i] = i >> stage & 1 ? -0.0f : 0.0f;
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    partners[0][i] = static_cast<std::int32_t>((i ^ 4) & (lanes - 1));
    partners[1][i] = static_cast<std::int32_t>((i ^ 8) & (lanes - 1));
  }
  const auto signs1 = hn::LoadU(d, signs[0]), signs2 = hn::LoadU(d, signs[1]);
  const auto signs4 = hn::LoadU(d, signs[2]), signs8 = hn::LoadU(d, signs[3]);
  const auto partner4 = hn::IndicesFromVec(d, hn::LoadU(di, partners[0])), partner8 = hn::IndicesFromVec(d, hn::LoadU(di, partners[1]));
  for (std::size_t i = 0; i < size; i += lanes) {
    auto v = hn::LoadU(d, values + i);
    v = butterfly_inside(v, hn::Shuffle2301(v), signs1);
    v = butterfly_inside(v, hn::Shuffle1032(v), signs2);
    if (lanes >= 8) v = butterfly_inside(v, hn::TableLookupLanes(v, partner4), signs4);
    if (lanes >= 16) v = butterfly_inside(v, hn::TableLookupLanes(v, partner8), signs8);
    hn::StoreU(v, d, values + i);
  }
}

template <class V>
HWY_INLINE void butterfly(V& x, V& y) {
  const V sum = hn::Add(x, y);
  y = hn::Sub(x, y);
  x = sum;
}

// Three stages at once: halves h, 2h and 4h.
template <class D>
HWY_INLINE void three_stages(D d, float* p, std::size_t h) {
  auto v0 = hn::LoadU(d, p), v1 = hn::LoadU(d, p + h), v2 = hn::LoadU(d, p + 2 * h), v3 = hn::LoadU(d, p + 3 * h);
  auto v4 = hn::LoadU(d, p + 4 * h), v5 = hn::LoadU(d, p + 5 * h), v6 = hn::LoadU(d, p + 6 * h), v7 = hn::LoadU(d, p + 7 * h);
  butterfly(v0, v1), butterfly(v2, v3), butterfly(v4, v5), butterfly(v6, v7);
  butterfly(v0, v2), butterfly(v1, v3), butterfly(v4, v6), butterfly(v5, v7);
  butterfly(v0, v4), butterfly(v1, v5), butterfly(v2, v6), butterfly(v3, v7);
  hn::StoreU(v0, d, p), hn::StoreU(v1, d, p + h), hn::StoreU(v2, d, p + 2 * h), hn::StoreU(v3, d, p + 3 * h);
  hn::StoreU(v4, d, p + 4 * h), hn::StoreU(v5, d, p + 5 * h), hn::StoreU(v6, d, p + 6 * h), hn::StoreU(v7, d, p + 7 * h);
}

template <class D>
HWY_INLINE void two_stages(D d, float* p, std::size_t h) {
  auto v0 = hn::LoadU(d, p), v1 = hn::LoadU(d, p + h), v2 = hn::LoadU(d, p + 2 * h), v3 = hn::LoadU(d, p + 3 * h);
  butterfly(v0, v1), butterfly(v2, v3);
  butterfly(v0, v2), butterfly(v1, v3);
  hn::StoreU(v0, d, p), hn::StoreU(v1, d, p + h), hn::StoreU(v2, d, p + 2 * h), hn::StoreU(v3, d, p + 3 * h);
}

template <class D>
HWY_INLINE void one_stage(D d, float* p, std::size_t h) {
  auto v0 = hn::LoadU(d, p), v1 = hn::LoadU(d, p + h);
  butterfly(v0, v1);
  hn::StoreU(v0, d, p), hn::StoreU(v1, d, p + h);
}

void Hadamard(float* values, std::size_t size) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  if (size < lanes) return scalar::hadamard(values, size);
  stages_inside(d, values, size);
  std::size_t h = lanes;
  for (; 8 * h <= size; h *= 8) {
    for (std::size_t base = 0; base < size; base += 8 * h) {
      for (std::size_t i = base; i < base + h; i += lanes) three_stages(d, values + i, h);
    }
  }
  if (4 * h <= size) {
    for (std::size_t i = 0; i < h; i += lanes) two_stages(d, values + i, h);
  } else if (2 * h <= size) {
    for (std::size_t i = 0; i < h; i += lanes) one_stage(d, values + i, h);
  }
}

float LargestMagnitude(const float* values, std::size_t size) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) largest = hn::Max(largest, hn::Abs(hn::LoadU(d, values + i)));
  return std::max(hn::GetLane(hn::MaxOfLanes(d, largest)), scalar::largest_magnitude(values + i, size - i));
}

void Multiply(const float* a, const float* b, float factor, std::size_t size, float* products) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), factors), d, products + i);
  scalar::multiply(a + i, b + i, factor, size - i, products + i);
}

// Sums of four vectors of columns stay in registers while the rows go by.
void SumRows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums) {
  const hn::CappedTag<double, kPanel / 4> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < kPanel; c += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t k = 0; k < count; ++k) {
      const float* const row = panel + rows[k] * kPanel + c;
      const auto factor = hn::Set(d, factors[k]);
      s0 = hn::Add(s0, hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(df, row))));
      s1 = hn::Add(s1, hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(df, row + lanes))));
      s2 = hn::Add(s2, hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(df, row + 2 * lanes))));
      s3 = hn::Add(s3, hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(df, row + 3 * lanes))));
    }
    hn::StoreU(s0, d, sums + c), hn::StoreU(s1, d, sums + c + lanes);
    hn::StoreU(s2, d, sums + c + 2 * lanes), hn::StoreU(s3, d, sums + c + 3 * lanes);
  }
}

void SumLookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums) {
  // Elsewhere there is no fast 64-bit multiplication of vectors, or no gathering load.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const hn::FixedTag<std::uint64_t, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::int32_t, decltype(d)> di32;
  const hn::Rebind<std::uint32_t, decltype(d)> du32;
  const auto first = hn::Set(d, 0xbf58476d1ce4e5b9u), second = hn::Set(d, 0x94d049bb133111ebu);
  const auto mask = hn::Set(du32, (std::uint32_t{1} << kLookupBits) - 1);
  const auto steps = hn::Mul(hn::Iota(d, 1), hn::Set(d, 0x9e3779b97f4a7c15u));
  for (std::size_t block = 0; block < blocks; ++block) {
    float* const sum = sums + block * kLookupBlock;
    auto s0 = hn::LoadU(df, sum), s1 = hn::LoadU(df, sum + 8), s2 = hn::LoadU(df, sum + 16), s3 = hn::LoadU(df, sum + 24),
         s4 = hn::LoadU(df, sum + 32);
    const auto offsets = hn::Add(steps, hn::Set(d, 8 * block * 0x9e3779b97f4a7c15u));
    for (std::size_t k = 0; k < count; ++k) {
      auto x = hn::Add(hn::Set(d, keys[k]), offsets);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), first);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), second);
      x = hn::Xor(x, hn::ShiftRight<31>(x));
      const auto factor = hn::Set(df, factors[k]);
      const auto number = [&](auto bits) HWY_ATTR {
        const auto index = hn::BitCast(di32, hn::And(hn::TruncateTo(du32, bits), mask));
        return hn::Mul(factor, hn::GatherIndex(df, table, index));
      };
      s0 = hn::Add(s0, number(x));
      s1 = hn::Add(s1, number(hn::ShiftRight<kLookupBits>(x)));
      s2 = hn::Add(s2, number(hn::ShiftRight<2 * kLookupBits>(x)));
      s3 = hn::Add(s3, number(hn::ShiftRight<3 * kLookupBits>(x)));
      s4 = hn::Add(s4, number(hn::ShiftRight<4 * kLookupBits>(x)));
    }
    hn::StoreU(s0, df, sum), hn::StoreU(s1, df, sum + 8), hn::StoreU(s2, df, sum + 16), hn::StoreU(s3, df, sum + 24);
    hn::StoreU(s4, df, sum + 32);
  }
#else
  scalar::sum_lookups(table, keys, factors, count, blocks, sums);
#endif
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace nearkin::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nearkin::kernel {
namespace {

HWY_EXPORT(Dot);
HWY_EXPORT(SquaredDistance);
HWY_EXPORT(AbsoluteDistance);
HWY_EXPORT(FloatSums);
HWY_EXPORT(BitDistance);
HWY_EXPORT(BitDistances);
HWY_EXPORT(Hadamard);
HWY_EXPORT(LargestMagnitude);
HWY_EXPORT(Multiply);
HWY_EXPORT(SumRows);
HWY_EXPORT(SumLookups);

}  // namespace

double dot(const float* a, const float* b, std::size_t size) {
  return scalar_forced() ? scalar::dot(a, b, size) : HWY_DYNAMIC_DISPATCH(Dot)(a, b, size);
}

double squared_distance(const float* a, const float* b, std::size_t size) {
  return scalar_forced() ? scalar::squared_distance(a, b, size) : HWY_DYNAMIC_DISPATCH(SquaredDistance)(a, b, size);
}

double absolute_distance(const float* a, const float* b, std::size_t size) {
  return scalar_forced() ? scalar::absolute_distance(a, b, size) : HWY_DYNAMIC_DISPATCH(AbsoluteDistance)(a, b, size);
}

void float_sums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
                double* values) {
  if (scalar_forced()) return scalar::float_sums(sum, query, items, rows, size, count, values);
  HWY_DYNAMIC_DISPATCH(FloatSums)(sum, query, items, rows, size, count, values);
}

std::uint32_t bit_distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  return scalar_forced() ? scalar::bit_distance(a, b, words) : HWY_DYNAMIC_DISPATCH(BitDistance)(a, b, words);
}

void bit_distances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances) {
  if (scalar_forced()) return scalar::bit_distances(query, codes, words, count, distances);
  HWY_DYNAMIC_DISPATCH(BitDistances)(query, codes, words, count, distances);
}

void hadamard(float* values, std::size_t size) {
  if (scalar_forced()) return scalar::hadamard(values, size);
  HWY_DYNAMIC_DISPATCH(Hadamard)(values, size);
}

float largest_magnitude(const float* values, std::size_t size) {
  return scalar_forced() ? scalar::largest_magnitude(values, size) : HWY_DYNAMIC_DISPATCH(LargestMagnitude)(values, size);
}

void multiply(const float* a, const float* b, float factor, std::size_t size, float* products) {
  if (scalar_forced()) return scalar::multiply(a, b, factor, size, products);
  HWY_DYNAMIC_DISPATCH(Multiply)(a, b, factor, size, products);
}

void sum_rows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums) {
  if (scalar_forced()) return scalar::sum_rows(panel, rows, factors, count, sums);
  HWY_DYNAMIC_DISPATCH(SumRows)(panel, rows, factors, count, sums);
}

void sum_lookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums) {
  if (scalar_forced()) return scalar::sum_lookups(table, keys, factors, count, blocks, sums);
  HWY_DYNAMIC_DISPATCH(SumLookups)(table, keys, factors, count, blocks, sums);
}

}  // namespace nearkin::kernel
#endif  // HWY_ONCE
