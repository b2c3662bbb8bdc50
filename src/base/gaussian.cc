#include "base/gaussian.h"

#include <cmath>

#include "base/portable_math.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kParts = 4096, kHalf = kParts / 2;

// 0 < result < 1, 52 bits and a half.
double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

QuantileTable make_gaussian_table() {
  std::array<double, kHalf> magnitudes;
  double squares = 0;
  for (std::uint32_t i = 0; i < kHalf; ++i) {
    magnitudes[i] = portable::gaussian_magnitude((i + 0.5) / kParts);
    squares += magnitudes[i] * magnitudes[i];
  }
  const double scale = std::sqrt(kHalf / squares);
  QuantileTable table;
  for (std::uint32_t i = 0; i < kHalf; ++i) {
    table[i] = static_cast<float>(-magnitudes[i] * scale);
    table[kParts - 1 - i] = -table[i];
  }
  return table;
}

QuantileTable make_cauchy_table() {
  QuantileTable table;
  for (std::uint32_t i = 0; i < kHalf; ++i) {
    table[i] = i < kCauchyTail ? 0.0f : static_cast<float>(-portable::cauchy_magnitude((i + 0.5) / kHalf));
    table[kParts - 1 - i] = -table[i];
  }
  return table;
}

}  // namespace

double GaussianStream::operator()() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = 2 * open_unit(random_()) - 1, v = 2 * open_unit(random_()) - 1;
    const double square = u * u + v * v;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * portable::log(square) / square);
    spare_ = v * factor;
    has_spare_ = true;
    return u * factor;
  }
}

double CauchyStream::operator()() {
  const std::uint64_t bits = random_();
  const double magnitude = portable::cauchy_magnitude(open_unit(bits));
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

const QuantileTable& gaussian_table() {
  static const QuantileTable table = make_gaussian_table();
  return table;
}

const QuantileTable& cauchy_table() {
  static const QuantileTable table = make_cauchy_table();
  return table;
}

double cauchy_tail(std::uint32_t index, std::uint64_t bits) {
  const bool negative = index < kHalf;
  const double magnitude = portable::cauchy_magnitude((negative ? index : kParts - 1 - index) / double{kHalf} + open_unit(bits) / kHalf);
  return negative ? -magnitude : magnitude;
}

}  // namespace nearkin
