#include <algorithm>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

#include "theory/tune_cost.h"

namespace nearkin {
namespace {

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

class Tally {
 public:
  Tally(const Plan& plan, const DataSample& sample) : plan_(plan), sample_(sample) {
    // A plan whose radius is a share may do without the places that the sample counts in.
    if (plan_.measure == Measure::hamming && plan_.sketch.dimensions == 0) plan_.sketch.dimensions = sample.dimensions;
  }

  /// `repeated` of the pairs are not looked at: copies are folded before.
  void add(double x, double pairs, double repeated) {
    const bool within = is_within(plan_, sample_, x);
    if (within) result_.similar += pairs;
    if (within && are_copies(plan_, x)) {
      result_.copies += pairs;
      return;
    }
    // An exact join has no S-curve: it finds what is similar, and what it looks at beside that follows from the shingles, not from pairs.
    const double found = plan_.exact_join() ? (within ? 1 : 0) : found_probability(plan_, x);
    const double looked_at = (pairs - repeated) * found;
    result_.candidates += looked_at;
    if (within)
      result_.missed += pairs * (1 - found);
    else
      result_.dropped += looked_at;
    if (!plan_.exact_join()) meetings_ += (pairs - repeated) * chance_(plan_, x, plan_.band.rows);
  }

  Expectation result() const {
    Expectation result = result_;
    if (sample_.items == 0) return result;
    const double share = looked_at_share(2 * meetings_ / static_cast<double>(sample_.items), plan_.band.large_bucket);
    result.candidates *= share;
    result.dropped *= share;
    return result;
  }

 private:
  Plan plan_;
  const DataSample& sample_;
  BandChance chance_{false};
  double meetings_ = 0;  ///< of pairs, in one band
  Expectation result_;
};

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

DataSample scaled(const DataSample& sample, std::uint64_t items) {
  DataSample result = sample;
  const double before = all_pairs(static_cast<double>(sample.items)), after = all_pairs(static_cast<double>(items));
  const double factor = before > 0 ? after / before : 0;
  const auto scale = [&](std::vector<PairsAt>& pairs) {
    for (PairsAt& step : pairs) step.pairs *= factor, step.repeated *= factor;
  };
  scale(result.pairs);
  for (std::vector<PairsAt>& part : result.parts) scale(part);
  result.complete = sample.complete && items == sample.items;
  result.items = items;
  return result;
}

Expectation expect(const Plan& plan, const DataSample& sample) {
  if (plan.nearest > 0 || plan.measure == Measure::exact) return {};
  Tally tally(plan, sample);
  for (const PairsAt& step : sample.pairs) tally.add(step.at, step.pairs, step.repeated);
  if (!sample.pairs.empty() || sample.values.empty()) return tally.result();
  const double each = all_pairs(static_cast<double>(sample.items)) / static_cast<double>(sample.values.size());
  for (const double x : sample.values) tally.add(x, each, 0);
  return tally.result();
}

}  // namespace nearkin
