// The natural logarithm from +, −, × and ÷ alone, so that it has the same bits on every machine.
#pragma once

#include <cmath>

namespace nearkin {

/// ln x for a finite x > 0, within 1e-15 of its size or of 1e-16: x = m·2^e with m in [√½, √2), ln m = 2·artanh((m−1)/(m+1)).
inline double natural_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return 2 * s * series + exponent * 0.69314718055994531;
}

}  // namespace nearkin
