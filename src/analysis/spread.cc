#include "analysis/spread.h"

#include <algorithm>
#include <cmath>

namespace nearkin {
namespace {

constexpr double kStepRounding = 1e-9;  // 0.29·100 is 28.999999999999996
constexpr std::size_t kSteps = 100;     // of a similarity from 0 to 1, and as many below 0
constexpr double kStepsOfRadius = 20;
constexpr std::size_t kMostSteps = 4096;                      // what is farther falls into the last
constexpr double kFine = 4096;                                // parts of a step, so that means are sums of whole numbers
constexpr std::size_t kZero = kSteps, kOne = 2 * kSteps + 1;  // similarities: −1 ≤ x < 0, then 0, then 0 < x < 1, then 1

}  // namespace

Spread::Spread(Measure measure, double radius)
    : distance_(is_distance(measure)),
      whole_(measure == Measure::hamming),
      width_(!distance_ ? 1.0 / kSteps
             : whole_   ? 1
                        : radius / kStepsOfRadius) {
  if (!(width_ > 0)) width_ = 1;  // only equal vectors are looked for
}

std::size_t Spread::step_of(double value) const {
  if (distance_) return std::min(static_cast<std::size_t>(std::ceil(value / width_ - kStepRounding)), kMostSteps);
  if (value == 0) return kZero;
  if (value >= 1) return kOne;
  const double step = std::floor(std::max(value, -1.0) * kSteps + kStepRounding);
  return value < 0 ? static_cast<std::size_t>(step + kSteps) : static_cast<std::size_t>(step) + kZero + 1;
}

double Spread::begin_of(std::size_t step) const {
  const auto number = static_cast<double>(step);
  if (distance_) return whole_ || step == 0 ? number * width_ : (number - 1) * width_;
  if (step == kZero) return 0;
  if (step == kOne) return 1;
  return step < kZero ? (number - kSteps) / kSteps : (number - kZero - 1) / kSteps;
}

Spread::Count Spread::Step::all() const {
  Count sum;
  for (const Count& part : of) {
    sum.pairs += part.pairs;
    sum.different += part.different;
  }
  return sum;
}

void Spread::add(double value, std::uint64_t pairs, std::uint64_t different, std::size_t part) {
  const std::size_t step = step_of(value);
  if (step >= steps_.size()) steps_.resize(step + 1);
  const double offset = std::clamp((value - begin_of(step)) / width_, 0.0, 1.0);
  steps_[step].of[part % kParts].pairs += pairs;
  steps_[step].of[part % kParts].different += different;
  // Rounded into the step: a mean must not fall onto the end that belongs to the step before.
  const double rounded = distance_ ? std::ceil(offset * kFine) : std::floor(offset * kFine);
  steps_[step].offsets += static_cast<std::uint64_t>(rounded) * pairs;
}

void Spread::add(const Spread& other) {
  steps_.resize(std::max(steps_.size(), other.steps_.size()));
  for (std::size_t i = 0; i < other.steps_.size(); ++i) {
    for (std::size_t part = 0; part < kParts; ++part) {
      steps_[i].of[part].pairs += other.steps_[i].of[part].pairs;
      steps_[i].of[part].different += other.steps_[i].of[part].different;
    }
    steps_[i].offsets += other.steps_[i].offsets;
  }
}

std::uint64_t Spread::pairs() const {
  std::uint64_t sum = 0;
  for (const Step& step : steps_) sum += step.all().pairs;
  return sum;
}

double Spread::factor(double expected) const { return pairs() == 0 ? 0 : expected / static_cast<double>(pairs()); }

PairsAt Spread::scaled(std::size_t step, const Count& count, double factor) const {
  const double offset = static_cast<double>(steps_[step].offsets) / static_cast<double>(steps_[step].all().pairs) / kFine;
  const double pairs = factor * static_cast<double>(count.pairs);
  const double different = factor * static_cast<double>(count.different) / static_cast<double>(kDifferent);
  return {begin_of(step) + offset * width_, pairs, count.pairs, std::max(0.0, pairs - different)};
}

std::vector<PairsAt> Spread::scaled_to(double expected) const {
  std::vector<PairsAt> out;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Count all = steps_[i].all();
    if (all.pairs > 0) out.push_back(scaled(i, all, factor(expected)));
  }
  return out;
}

std::vector<std::vector<PairsAt>> Spread::parts_scaled_to(double expected, std::size_t parts) const {
  const double each = factor(expected) * static_cast<double>(parts);
  std::vector<std::vector<PairsAt>> out(parts);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].all().pairs == 0) continue;
    for (std::size_t part = 0; part < parts; ++part) out[part].push_back(scaled(i, steps_[i].of[part], each));
  }
  return out;
}

}  // namespace nearkin
