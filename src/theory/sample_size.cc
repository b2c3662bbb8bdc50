#include <algorithm>
#include <cmath>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/portable_math.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// A sum of binomial terms that meets `miss` exactly in real numbers must be cut at the same place on every machine.
constexpr double kSlack = 1e-9;

void require_open_share(double value, const std::string& subject) {
  if (value > 0 && value < 1) return;
  throw Error(ErrorCode::plan, subject, shortest(value) + " is not above 0 and below 1");
}

}  // namespace

std::uint64_t hashes_for_error(double delta, double epsilon, double above) {
  require_open_share(delta, "delta");
  require_open_share(epsilon, "epsilon");
  require_share(above, "above", "need infinitely many hashes", "0.5");
  const double bound = 2 / (delta * delta * above) * std::log(1 / epsilon);
  constexpr double kMost = 1e18;
  if (!(bound < kMost)) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::floor(bound)) + 1;
}

std::uint32_t least_agreement(double similarity, std::uint32_t slots, std::uint32_t bits, double miss) {
  const double agree = similarity + (1 - similarity) * std::ldexp(1.0, -static_cast<int>(std::min(bits, 2000u)));
  if (agree >= 1) return slots;
  if (!(agree > 0) || !(miss > 0)) return 0;
  // P[X < m] = Σ_{k<m} C(slots, k) agree^k (1 − agree)^(slots − k), term by term. In logarithms: with thousands of slots the first
  // terms are below the smallest double, and yet their successors count. Candidates are dropped by the result, so the mathematics is
  // portable.
  const double odds = portable::log(agree) - portable::log1p(-agree);
  double log_term = slots * portable::log1p(-agree);
  double below = 0;
  for (std::uint32_t k = 0; k < slots; ++k) {
    below += portable::exp(log_term);
    if (below > miss * (1 + kSlack)) return k;
    log_term += portable::log(static_cast<double>(slots - k) / (k + 1.0)) + odds;
  }
  return slots;
}

}  // namespace nearkin
