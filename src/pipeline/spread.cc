#include "pipeline/spread.h"

#include <algorithm>
#include <cmath>

namespace nearkin {
namespace {

constexpr double kRounding = 1e-9;         // 0.29·100 is 28.999999999999996
constexpr std::size_t kSteps = 100;        // of a similarity from 0 to 1, and as many below 0
constexpr double kStepsOfRadius = 20;
constexpr std::size_t kMostSteps = 4096;   // what is farther falls into the last
constexpr std::size_t kZero = kSteps, kOne = 2 * kSteps + 1;  // similarities: −1 ≤ x < 0, then 0, then 0 < x < 1, then 1

}  // namespace

Spread::Spread(Measure measure, double radius)
    : distance_(is_distance(measure)), whole_(measure == Measure::hamming), width_(!distance_ ? 1.0 / kSteps : whole_ ? 1 : radius / kStepsOfRadius) {
  if (!(width_ > 0)) width_ = 1;  // only equal vectors are looked for
}

std::size_t Spread::step_of(double value) const {
  if (distance_) return std::min(static_cast<std::size_t>(std::ceil(value / width_ - kRounding)), kMostSteps);
  if (value == 0) return kZero;
  if (value >= 1) return kOne;
  const double step = std::floor(std::max(value, -1.0) * kSteps + kRounding);
  return value < 0 ? static_cast<std::size_t>(step + kSteps) : static_cast<std::size_t>(step) + kZero + 1;
}

double Spread::middle_of(std::size_t step) const {
  const auto number = static_cast<double>(step);
  if (distance_) return whole_ || step == 0 ? number * width_ : (number - 0.5) * width_;
  if (step == kZero) return 0;
  if (step == kOne) return 1;
  return step < kZero ? (number - kSteps + 0.5) / kSteps : (number - kZero - 0.5) / kSteps;
}

void Spread::add(double value, std::uint64_t pairs) {
  const std::size_t step = step_of(value);
  if (step >= counts_.size()) counts_.resize(step + 1);
  counts_[step] += pairs;
}

void Spread::add(const Spread& other) {
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::uint64_t Spread::pairs() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts_) sum += count;
  return sum;
}

std::vector<PairsAt> Spread::scaled_to(double expected) const {
  const double factor = pairs() == 0 ? 0 : expected / static_cast<double>(pairs());
  std::vector<PairsAt> out;
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    if (counts_[step] > 0) out.push_back({middle_of(step), factor * static_cast<double>(counts_[step]), counts_[step]});
  }
  return out;
}

}  // namespace nearkin
