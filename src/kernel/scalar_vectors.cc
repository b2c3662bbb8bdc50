// The scalar twins of the kernels over numbers and bits.
#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "kernel/kernel.h"

namespace nearkin::kernel::scalar {
namespace {

template <typename Term>
double sum_of_eight(std::size_t size, Term&& term) {
  double s[8] = {};
  for (std::size_t i = 0; i < size; ++i) s[i % 8] += term(i);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace

double dot(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) { return double{a[i]} * double{b[i]}; });
}

double squared_distance(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) {
    const double difference = double{a[i]} - double{b[i]};
    return difference * difference;
  });
}

double absolute_distance(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) {
    const double difference = double{a[i]} - double{b[i]};
    return difference < 0 ? -difference : difference;
  });
}

std::uint32_t bit_distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::uint32_t different = 0;
  for (std::size_t i = 0; i < words; ++i) different += static_cast<std::uint32_t>(std::popcount(a[i] ^ b[i]));
  return different;
}

void bit_distances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances) {
  for (std::size_t j = 0; j < count; ++j) distances[j] = bit_distance(query, codes + j * words, words);
}

void hadamard(float* values, std::size_t size) {
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t base = 0; base < size; base += 2 * half) {
      for (std::size_t i = base; i < base + half; ++i) {
        const float x = values[i], y = values[i + half];
        values[i] = x + y;
        values[i + half] = x - y;
      }
    }
  }
}

float largest_magnitude(const float* values, std::size_t size) {
  float largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, values[i] < 0 ? -values[i] : values[i]);
  return largest;
}

void multiply(const float* a, const float* b, float factor, std::size_t size, float* products) {
  for (std::size_t i = 0; i < size; ++i) products[i] = (a[i] * b[i]) * factor;
}

void sum_rows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums) {
  std::fill_n(sums, kPanel, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const float* const row = panel + rows[k] * kPanel;
    for (std::size_t c = 0; c < kPanel; ++c) sums[c] += factors[k] * double{row[c]};
  }
}

void sum_lookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kLookupBits) - 1;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t state = keys[k];
    for (std::size_t block = 0; block < blocks; ++block) {
      float* const sum = sums + block * kLookupBlock;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        std::uint64_t word = mix64(state += 0x9e3779b97f4a7c15u);
        for (std::size_t part = 0; part < 5; ++part, word >>= kLookupBits) sum[8 * part + lane] += factors[k] * table[word & kMask];
      }
    }
  }
}

}  // namespace nearkin::kernel::scalar
