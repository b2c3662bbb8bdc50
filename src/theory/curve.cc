#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/portable_math.h"

namespace nearkin {
namespace {

// Where a recall is met exactly in decimal arithmetic (threshold 0.5, one row, recall 0.75: two bands), rounding must not ask for one
// band more on one machine and not on another. The slack is far above the rounding errors and far below what a recall is stated to.
constexpr double kSlack = 1e-9;

void require_curve(std::uint32_t bands, std::uint32_t rows) {
  if (bands > 0 && rows > 0) return;
  throw Error(ErrorCode::plan, bands == 0 ? "bands" : "rows", "0 has no curve; use 1 or more");
}

double log_missed_by_one_band(double similarity, std::uint32_t rows) {
  return std::log1p(-std::pow(std::clamp(similarity, 0.0, 1.0), static_cast<double>(rows)));
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
  // P(s) >= recall <=> bands * ln(1 − s^rows) <= ln(1 − recall). Containment searches with the result, so the mathematics is portable.
  const double missed_by_one_band = portable::log1p(-portable::power(similarity, rows));
  const double bands = std::ceil(portable::log1p(-recall) / missed_by_one_band * (1 - kSlack));
  if (!(bands < kMost)) return kMost;
  return std::max(1u, static_cast<std::uint32_t>(bands));
}

double possible_shingles(double symbols, std::uint32_t k) { return std::pow(symbols, static_cast<double>(k)); }

double all_pairs(double items) { return items * (items - 1) / 2; }

}  // namespace nearkin
