#include "base/portable_math.h"

#include <bit>

namespace nearkin::portable {
namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;  // ln 2 in two parts; k·high is exact for |k| < 2^20
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kInverseRoot2Pi = 0x1.9884533d43651p-2;  // 1/√(2π)

// 2^exponent, −1022 ≤ exponent ≤ 1023.
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// tan(x) for 0 ≤ x ≤ π/4: the quotient of the series of sine and cosine.
double tangent(double x) {
  const double square = x * x;
  double sine = 1, cosine = 1;
  for (int k = 10; k >= 1; --k) {
    sine = 1 - square / ((2 * k) * (2 * k + 1)) * sine;
    cosine = 1 - square / ((2 * k - 1) * (2 * k)) * cosine;
  }
  return x * sine / cosine;
}

}  // namespace

// x = 2^k·m with m in [√½, √2); ln m = 2·artanh(t), t = (m−1)/(m+1), |t| < 0.172.
double log(double x) {
  int k = 0;
  if (x < power_of_two(-1022)) {
    x *= power_of_two(54);
    k = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++k;
  }
  const double t = (m - 1) / (m + 1), square = t * t;
  double series = 0;
  for (int odd = 23; odd >= 3; odd -= 2) series = (series + 1.0 / odd) * square;
  return k * kLn2High + (k * kLn2Low + (2 * t * series + 2 * t));
}

// The quotient x / (u − 1) takes back the rounding of u = 1 + x (Kahan).
double log1p(double x) {
  const double u = 1 + x;
  return u == 1 ? x : log(u) * (x / (u - 1));
}

// x = k·ln 2 + r with |r| ≤ ln 2 / 2; the series of e^r.
double exp(double x) {
  if (x < -745.2) return 0;
  const int k = static_cast<int>(x / (kLn2High + kLn2Low) + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1;
  for (int n = 17; n >= 1; --n) series = 1 + r / n * series;
  // In two steps, as 2^k may be too small or too large for a double.
  return series * power_of_two(k / 2) * power_of_two(k - k / 2);
}

double power(double base, std::uint32_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

// One of Newton's steps takes out the rounding of the quotient, so that roots of powers of two are exact.
double root(double x, std::uint32_t degree) {
  if (degree == 1) return x;
  const double start = exp(log(x) / degree), one_less = power(start, degree - 1);
  return one_less > 0 ? start - (one_less * start - x) / (degree * one_less) : start;
}

double cauchy_magnitude(double v) { return v <= 0.5 ? 1 / tangent(kHalfPi * v) : tangent(kHalfPi * (1 - v)); }

// Newton's steps for P[X > x] = p, with P[X > x] = ½ − φ(x)·(x + x³/3 + x⁵/15 + …) (Marsaglia 2004); for large x, where that would cancel,
// by its continued fraction φ(x)/(x + 1/(x + 2/(x + …))). On log P, where the steps converge from any start.
double gaussian_magnitude(double p) {
  const auto exceeds = [](double x, double density) {
    if (x < 2) {
      double term = x, sum = x;
      for (int k = 3; k < 80; k += 2) sum += term *= x * x / k;
      return 0.5 - density * sum;
    }
    double fraction = 0;
    for (int k = 100; k >= 1; --k) fraction = k / (x + fraction);
    return density / (x + fraction);
  };
  double x = 0.8;
  for (int step = 0; step < 12; ++step) {
    const double density = kInverseRoot2Pi * exp(-0.5 * x * x), tail = exceeds(x, density);
    x += tail / density * (log(tail) - log(p));
    if (x < 0) x = 0;
  }
  return x;
}

}  // namespace nearkin::portable
