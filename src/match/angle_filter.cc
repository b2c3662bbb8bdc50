#include "match/angle_filter.h"

#include <cmath>

#include "theory/portable_agreement.h"

namespace nearkin {
namespace {

// P[Binomial(n, p) ≥ k] for k > n·p, where the first term is the greatest. The product is kept as a number and a power of two: parts of it
// would be too small for a double.
double upper_tail(std::uint32_t n, double p, std::uint32_t k) {
  double first = 1;
  int exponent = 0;
  const auto times = [&](double factor) {
    int e = 0;
    first = std::frexp(first * factor, &e);
    exponent += e;
  };
  for (std::uint32_t i = 1; i <= k; ++i) times(p * (n - k + i) / i);
  for (std::uint32_t i = k; i < n; ++i) times(1 - p);
  double term = first, sum = first;
  for (std::uint32_t i = k; i < n && term > 0; ++i) {
    term *= p / (1 - p) * (n - i) / (i + 1);
    sum += term;
  }
  return std::ldexp(sum, exponent);
}

// By halving, on the safe side: never above the place looked for.
double greatest_share(std::uint32_t bits, std::uint32_t different, double miss) {
  double low = 0, high = static_cast<double>(different) / bits;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(bits, middle, different) <= miss ? low : high) = middle;
  }
  return low;
}

}  // namespace

AngleFilter::AngleFilter(std::uint32_t bits, double miss) : cosines_(bits + 1, 1.0) {
  for (std::uint32_t different = 1; different <= bits; ++different) {
    cosines_[different] = portable_cos_pi(greatest_share(bits, different, miss));
  }
}

}  // namespace nearkin
