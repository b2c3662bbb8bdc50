#include "base/hyperloglog.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include <nearkin/error.h>

namespace nearkin {
namespace {

// Both series are of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), and end when a term no longer
// changes the sum.

/// σ(x) = x + Σ_{k≥1} x^(2^k) 2^(k−1): what registers that were never met say.
double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x;
  for (double weight = 1, last = -1; sum != last; weight *= 2) {
    x *= x;
    last = sum;
    sum += x * weight;
  }
  return sum;
}

/// τ(x) = (1 − x − Σ_{k≥1} (1 − x^(2^−k))² 2^−k) / 3: what registers at their greatest value say.
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  for (double weight = 0.5, last = -1; sum != last; weight *= 0.5) {
    x = std::sqrt(x);
    last = sum;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

HyperLogLog::HyperLogLog(unsigned precision) : precision_(precision) {
  if (precision < kLeastPrecision || precision > kMostPrecision) {
    throw Error(
        ErrorCode::plan, "precision",
        std::to_string(precision) + " is not between " + std::to_string(kLeastPrecision) + " and " + std::to_string(kMostPrecision));
  }
  registers_.resize(std::size_t{1} << precision);
}

void HyperLogLog::add(std::uint64_t hash) {
  // The lowest `precision_` bits of the shifted hash are none of its own: a one there ends the count at its greatest value.
  const std::uint64_t rest = hash << precision_ | std::uint64_t{1} << (precision_ - 1);
  const auto place = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  std::uint8_t& entry = registers_[hash >> (64 - precision_)];
  entry = std::max(entry, place);
}

void HyperLogLog::merge(const HyperLogLog& other) {
  if (other.precision_ != precision_) {
    throw Error(ErrorCode::plan, "precision",
                std::to_string(other.precision_) + " cannot be merged into " + std::to_string(precision_) + "; use one precision for all");
  }
  for (std::size_t i = 0; i < registers_.size(); ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
}

double HyperLogLog::estimate() const {
  const unsigned greatest = 64 - precision_ + 1;
  std::vector<double> count(greatest + 1);
  for (const std::uint8_t entry : registers_) ++count[entry];
  const auto registers = static_cast<double>(registers_.size());
  double sum = registers * tau(1 - count[greatest] / registers);
  for (unsigned place = greatest - 1; place >= 1; --place) sum = 0.5 * (sum + count[place]);
  sum += registers * sigma(count[0] / registers);
  return registers * registers / (2 * std::numbers::ln2 * sum);
}

double HyperLogLog::standard_error() const { return 1.04 / std::sqrt(static_cast<double>(registers_.size())); }

}  // namespace nearkin
