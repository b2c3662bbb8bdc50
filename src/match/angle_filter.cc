#include "match/angle_filter.h"

#include <algorithm>
#include <cmath>

#include "base/portable_math.h"
#include "theory/chances.h"

namespace nearkin {
namespace {

// P[Binomial(n, p) ≥ k] for k > n·p, where the first term is the greatest. `choose` is n over k; up to n = 1000 nothing here leaves the
// range of a double, since p is near k/n wherever it is asked for.
double upper_tail(std::uint32_t n, double p, std::uint32_t k, double choose) {
  double term = choose * portable::power(p, k) * portable::power(1 - p, n - k), sum = term;
  for (std::uint32_t i = k; i < n && term > sum * 1e-18; ++i) {
    term *= p / (1 - p) * (n - i) / (i + 1);
    sum += term;
  }
  return sum;
}

}  // namespace

AngleFilter::AngleFilter(std::uint32_t bits, double miss) : cosines_(bits + 1, 1.0) {
  double share = 0, choose = 1;
  for (std::uint32_t different = 1; different <= bits; ++different) {
    choose *= static_cast<double>(bits - different + 1) / different;
    // By halving, on the safe side: never above the share looked for, which is at most a few bits above the one before.
    double above = std::min(share + 4.0 / bits, static_cast<double>(different) / bits);
    for (int i = 0; i < 18; ++i) {
      const double middle = (share + above) / 2;
      (upper_tail(bits, middle, different, choose) <= miss ? share : above) = middle;
    }
    cosines_[different] = portable_cos_pi(share);
  }
}

}  // namespace nearkin
