#include "analysis/forecast_interval.h"

#include <algorithm>
#include <cmath>

#include "theory/recall.h"

namespace nearkin {
namespace {

/// Student's t: as many standard errors hold 95 of 100 means of so many numbers. By its expansion about the normal distribution.
double standard_errors(double numbers) {
  const double z = kNinetyFive, freedom = numbers - 1;
  return z + (z * z * z + z) / (4 * freedom) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
}

}  // namespace

double sampling_factor(const std::vector<double>& parts, double left_out) {
  const auto count = static_cast<double>(parts.size());
  double sum = 0, squares = 0;
  for (const double part : parts) sum += part;
  if (sum <= 0) return 1;
  const double mean = sum / count;
  for (const double part : parts) squares += (part - mean) * (part - mean);
  return std::exp(standard_errors(count) * std::sqrt(left_out * squares / (count - 1) / count) / mean);
}

Interval counted_interval(double seen) {
  const auto bound = [](double count, double sign) {
    return count <= 0 ? 0 : count * std::pow(std::max(0.0, 1 - 1 / (9 * count) + sign * kNinetyFive / (3 * std::sqrt(count))), 3);
  };
  return {bound(seen, -1), bound(seen + 1, 1)};
}

}  // namespace nearkin
