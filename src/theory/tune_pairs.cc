#include "theory/tune_pairs.h"

#include <algorithm>

#include "theory/plan_rules.h"

namespace nearkin {
namespace {

constexpr double kRounding = 1e-9;
constexpr std::size_t kSteps = 64;

/// Values from `begin` to `end`, ascending, all within the border: in steps of the same number of them.
std::vector<PairsAt> in_steps(const Plan& plan, const double* begin, const double* end) {
  const auto count = static_cast<std::size_t>(end - begin);
  const std::size_t size = std::max<std::size_t>(1, (count + kSteps - 1) / kSteps);
  std::vector<PairsAt> steps;
  for (std::size_t first = 0; first < count; first += size) {
    const std::size_t last = std::min(first + size, count) - 1;
    const double farthest = is_distance(plan.measure) ? begin[last] : begin[first];
    steps.push_back({farthest, static_cast<double>(last - first + 1), last - first + 1});
  }
  return steps;
}

}  // namespace

bool is_within(const Plan& plan, const DataSample& sample, double x) {
  if (!is_distance(plan.measure)) return x >= plan.threshold.value() - kRounding;
  const bool share = plan.measure == Measure::hamming && plan.radius < 1;
  return x <= plan.radius * (share ? sample.dimensions : 1) * (1 + kRounding);
}

bool are_copies(const Plan& plan, double x) { return is_distance(plan.measure) ? x <= 0 : x >= 1; }

std::vector<PairsAt> similar_pairs(const Plan& plan, const DataSample& sample) {
  const auto asked_for = [&](double x) { return is_within(plan, sample, x) && !are_copies(plan, x); };
  if (!sample.pairs.empty()) {
    std::vector<PairsAt> pairs;
    std::copy_if(sample.pairs.begin(), sample.pairs.end(), std::back_inserter(pairs),
                 [&](const PairsAt& step) { return asked_for(step.at); });
    return pairs;
  }
  std::vector<double> within;
  std::copy_if(sample.values.begin(), sample.values.end(), std::back_inserter(within), asked_for);
  return in_steps(plan, within.data(), within.data() + within.size());
}

double seen(const std::vector<PairsAt>& pairs) {
  double sum = 0;
  for (const PairsAt& step : pairs) sum += static_cast<double>(step.seen);
  return sum;
}

}  // namespace nearkin
