#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

#include "theory/tune_pairs.h"

namespace nearkin {
namespace {

class Tally {
 public:
  Tally(const Plan& plan, const DataSample& sample) : plan_(plan), sample_(sample) {
    // A plan whose radius is a share may do without the places that the sample counts in.
    if (plan_.measure == Measure::hamming && plan_.sketch.dimensions == 0) plan_.sketch.dimensions = sample.dimensions;
  }

  void add(double x, double pairs) {
    const bool within = is_within(plan_, sample_, x);
    if (within) result_.similar += pairs;
    if (within && are_copies(plan_, x)) {
      result_.copies += pairs;
      return;
    }
    if (plan_.measure == Measure::containment && !plan_.exact_join()) return;
    // An exact join has no S-curve: it finds what is similar, and what it looks at beside that follows from the shingles, not from pairs.
    const double found = plan_.exact_join() ? (within ? 1 : 0) : found_probability(plan_, x);
    result_.candidates += pairs * found;
    if (within)
      result_.missed += pairs * (1 - found);
    else
      result_.dropped += pairs * found;
  }

  const Expectation& result() const { return result_; }

 private:
  Plan plan_;
  const DataSample& sample_;
  Expectation result_;
};

}  // namespace

DataSample scaled(const DataSample& sample, std::uint64_t items) {
  DataSample result = sample;
  const double before = all_pairs(static_cast<double>(sample.items)), after = all_pairs(static_cast<double>(items));
  for (PairsAt& step : result.pairs) step.pairs *= before > 0 ? after / before : 0;
  result.items = items;
  return result;
}

Expectation expect(const Plan& plan, const DataSample& sample) {
  if (plan.nearest > 0 || plan.measure == Measure::exact) return {};
  Tally tally(plan, sample);
  for (const PairsAt& step : sample.pairs) tally.add(step.at, step.pairs);
  if (!sample.pairs.empty() || sample.values.empty()) return tally.result();
  const double each = all_pairs(static_cast<double>(sample.items)) / static_cast<double>(sample.values.size());
  for (const double x : sample.values) tally.add(x, each);
  return tally.result();
}

}  // namespace nearkin
