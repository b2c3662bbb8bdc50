#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/portable_math.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// Where a recall is met exactly in decimal arithmetic (threshold 0.5, one row, recall 0.75: two bands), rounding must not ask for one
// band more on one machine and not on another. The slack is far above the rounding errors and far below what a recall is stated to.
// A sum of binomial terms that meets `miss` exactly in real numbers must be cut at the same place on every machine, too.
constexpr double kCurveSlack = 1e-9;

void require_curve(std::uint32_t bands, std::uint32_t rows) {
  if (bands > 0 && rows > 0) return;
  throw Error(ErrorCode::plan, bands == 0 ? "bands" : "rows", "0 has no curve; use 1 or more");
}

double log_missed_by_one_band(double similarity, std::uint32_t rows) {
  return std::log1p(-std::pow(std::clamp(similarity, 0.0, 1.0), static_cast<double>(rows)));
}

void require_open_share(double value, const std::string& subject) {
  if (value > 0 && value < 1) return;
  throw Error(ErrorCode::plan, subject, shortest(value) + " is not above 0 and below 1");
}

}  // namespace

double found_probability(double similarity, std::uint32_t bands, std::uint32_t rows) {
  if (bands == 0) return 0;
  // log1p and expm1 keep the figures of rare events, where 1 − (1 − x)^b would cancel.
  return -std::expm1(bands * log_missed_by_one_band(similarity, rows));
}

double curve_threshold(std::uint32_t bands, std::uint32_t rows) {
  require_curve(bands, rows);
  return std::pow(1.0 / bands, 1.0 / rows);
}

double half_point(std::uint32_t bands, std::uint32_t rows) {
  require_curve(bands, rows);
  return std::pow(-std::expm1(-std::numbers::ln2 / bands), 1.0 / rows);
}

std::uint32_t bands_needed(double similarity, std::uint32_t rows, double recall) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (recall <= 0 || similarity >= 1 || rows == 0) return 1;
  if (!(recall < 1) || !(similarity > 0)) return kMost;
  // P(s) >= recall <=> bands * ln(1 − s^rows) <= ln(1 − recall).
  const double missed_by_one_band = portable::log1p(-portable::power(similarity, rows));
  const double bands = std::ceil(portable::log1p(-recall) / missed_by_one_band * (1 - kCurveSlack));
  if (!(bands < kMost)) return kMost;
  return std::max(1u, static_cast<std::uint32_t>(bands));
}

double possible_shingles(double symbols, std::uint32_t k) { return std::pow(symbols, static_cast<double>(k)); }

double all_pairs(double items) { return items * (items - 1) / 2; }

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
    if (below > miss * (1 + kCurveSlack)) return k;
    log_term += portable::log(static_cast<double>(slots - k) / (k + 1.0)) + odds;
  }
  return slots;
}

}  // namespace nearkin
