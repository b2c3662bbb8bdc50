#include <algorithm>
#include <cmath>
#include <map>

#include <nearkin/tools/theory.h>

#include "report/chart.h"
#include "report/curve_chart.h"
#include "report/text.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

constexpr double kStep = 0.01;  // of similarity
constexpr double kStepsOfRadius = 20;
constexpr double kFewRadii = 4, kManyRadii = 40;  // shown at least, where there are pairs so far apart, and at most
constexpr double kHardlyFound = 0.01;             // pairs beyond where the curve falls below this are left out of the picture
constexpr int kMostBars = 100;
constexpr int kCurvePoints = 160;

/// The places of an item under a Hamming distance, 0 where they are not known.
double places_of(const Plan& plan, const DataSample* sample) {
  if (plan.sketch.dimensions > 0) return plan.sketch.dimensions;
  return sample == nullptr ? 0 : sample->dimensions;
}

bool is_share(const Plan& plan) { return plan.measure == Measure::hamming && plan.radius < 1; }

/// The width of a bar: a whole number of steps, so that the border lies between two bars.
double bar_width(const CurveData& data) {
  if (!data.distance) return kStep;
  const double step = data.whole ? 1 : data.border / kStepsOfRadius;
  double width = step;
  for (int steps = 2; (data.high - data.low) / width > kMostBars; ++steps) width = steps * step;
  return width;
}

/// Which bar a value belongs to, a whole step with the mean of its values; ends are computed, and may be a rounding off.
std::int64_t bar_of_value(const CurveData& data, double width, double at) {
  if (!data.distance) {
    const double last = std::round(1 / width);  // equal items alone
    return static_cast<std::int64_t>(at >= 1 ? last : std::min(std::floor(at / width + 1e-9), last - 1));
  }
  return static_cast<std::int64_t>(std::ceil((at - data.border) / width - 1e-6));
}

void add_bars(const DataSample& sample, CurveData& data) {
  const std::vector<PairsAt> spread = spread_of(sample);
  const double width = bar_width(data);
  data.counted = all_seen(sample);
  std::map<std::int64_t, HistogramBar> bars;
  for (const PairsAt& pairs : spread) {
    if (!can_be_shown(pairs.at) || !can_be_shown(pairs.pairs) || pairs.pairs <= 0) continue;
    if (pairs.at > data.high) {
      data.farther += pairs.pairs;
      continue;
    }
    HistogramBar& bar = bars[bar_of_value(data, width, pairs.at)];
    bar.pairs += pairs.pairs;
    bar.seen += pairs.seen;
    bar.mean += (pairs.at - bar.mean) * (pairs.pairs / bar.pairs);
  }
  for (auto& [number, bar] : bars) {
    const auto place = static_cast<double>(number);
    bar.low = data.distance ? data.border + (place - 1) * width : place * width;
    bar.high = bar.low + width;
    data.low = std::min(data.low, bar.low);
    data.high = std::max(data.high, bar.high);
    data.bars.push_back(bar);
  }
}

void set_range(const Plan& plan, const DataSample* sample, CurveData& data) {
  if (!data.distance) return;
  double farthest = 2 * data.border;
  if (sample != nullptr) {
    for (const PairsAt& pairs : spread_of(*sample)) farthest = can_be_shown(pairs.at) ? std::max(farthest, pairs.at) : farthest;
  }
  double seen = kFewRadii;
  while (has_curve(plan) && seen < kManyRadii && found_at(plan, sample, seen * data.border) >= kHardlyFound) ++seen;
  data.high = std::min(farthest, seen * data.border);
  if (const double places = places_of(plan, sample); plan.measure == Measure::hamming && places > 0) {
    data.high = std::min(data.high, data.whole ? places : 1.0);
  }
}

void add_curve(const Plan& plan, const DataSample* sample, CurveData& data) {
  const double first = data.distance ? 0 : data.low, last = data.distance ? data.high : 1;
  double before = -1;
  for (int i = 0; i <= kCurvePoints; ++i) {
    double x = first + (last - first) * i / kCurvePoints;
    if (data.whole) x = std::floor(x);
    if (x == before && i > 0) continue;
    before = x;
    data.curve.emplace_back(x, found_at(plan, sample, x));
  }
  if (data.farther > 0) data.farther_found = found_at(plan, sample, data.high);
  const double places = places_of(plan, sample);
  data.steepest = steepest_point(plan);
  if (data.steepest && is_share(plan) && places > 0) *data.steepest *= places;
  if (data.steepest && (*data.steepest < first || *data.steepest > last)) data.steepest.reset();
}

}  // namespace

bool has_curve(const Plan& plan) {
  return plan.sketch.hashes > 0 && plan.band.rows > 0 && plan.nearest == 0 && plan.measure != Measure::exact;
}

std::string why_no_curve(const Plan& plan) {
  if (plan.measure == Measure::exact) return "All equal texts are found, so there is no curve to draw.";
  if (plan.exact_join()) return "The search is exact and finds every pair, so there is no curve to draw.";
  if (plan.nearest == 0) return {};
  const std::string value = is_distance(plan.measure) ? "distance" : "similarity";
  return "The search is for the nearest items, whatever their " + value + ", so there is no curve to draw.";
}

double shown_border(const Plan& plan, const DataSample* sample) {
  const double places = places_of(plan, sample);
  return is_share(plan) && places > 0 ? plan.radius * places : border_of(plan);
}

double found_at(const Plan& plan, const DataSample* sample, double x) {
  const double places = places_of(plan, sample);
  return is_share(plan) ? found_at_share(plan, places > 0 ? x / places : x) : found_probability(plan, x);
}

std::pair<double, double> values_of(const CurveData& data, const HistogramBar& bar) {
  if (!data.distance) return {bar.low, std::min(1.0, bar.high)};
  if (!data.whole) return {std::max(0.0, bar.low), bar.high};
  const double first = std::max(0.0, std::floor(bar.low + 1e-6) + 1);
  return {first, std::max(first, std::floor(bar.high + 1e-6))};
}

std::string label_of(const CurveData& data, const HistogramBar& bar) {
  const auto [first, last] = values_of(data, bar);
  const std::string from = table_number(first), to = table_number(last);
  return first >= last || from == to ? from : from + " to " + to;
}

std::vector<PairsAt> spread_of(const DataSample& sample) {
  if (!sample.pairs.empty() || sample.values.empty()) return sample.pairs;
  const double each = all_pairs(static_cast<double>(sample.items)) / static_cast<double>(sample.values.size());
  std::vector<PairsAt> out;
  for (const double value : sample.values) out.push_back({value, each, 1});
  return out;
}

// Random pairs are different ones.
bool all_seen(const DataSample& sample) {
  if (!sample.pairs.empty()) return sample.complete;
  return static_cast<double>(sample.values.size()) >= all_pairs(static_cast<double>(sample.items));
}

CurveData curve_data(const Plan& plan, const DataSample* sample) {
  CurveData data;
  data.distance = is_distance(plan.measure);
  data.border = shown_border(plan, sample);
  data.whole = plan.measure == Measure::hamming && (!is_share(plan) || places_of(plan, sample) > 0);
  set_range(plan, sample, data);
  if (sample != nullptr) add_bars(*sample, data);
  if (has_curve(plan)) add_curve(plan, sample, data);
  return data;
}

}  // namespace nearkin::page
