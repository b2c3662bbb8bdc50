#include <algorithm>
#include <cmath>

#include <nearkin/tools/theory.h>

namespace nearkin {
namespace {

/// Distances are shares of the places if the radius is one.
double found_of_pairs_at(const Plan& plan, double x) {
  return has_share_radius(plan) ? found_at_share(plan, x) : found_probability(plan, x);
}

/// The similarity or distance at which this share of the pairs is found: by halving, because the curve rises with similarity and falls with
/// distance.
double where_found(const Plan& plan, double share) {
  const bool distance = is_distance(plan.measure);
  double low = plan.measure == Measure::cosine ? -1 : 0, high = 1;
  while (distance && !has_share_radius(plan) && found_of_pairs_at(plan, high) > share && high < 1e12) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (found_of_pairs_at(plan, middle) < share) == distance ? high = middle : low = middle;
  }
  return low;
}

/// The agreement of one hash is the similarity itself, so the formulas of textbooks hold.
bool agrees_like_similarity(const Plan& plan) {
  return !is_distance(plan.measure) && (plan.sketch.family == Family::minhash || plan.sketch.family == Family::weighted_minhash);
}

/// Between the points where 1 and 99 of 100 pairs are found. Absent if the curve is steepest at one of these ends, for then it only gets
/// steeper towards it.
std::optional<double> steepest_by_search(const Plan& plan) {
  constexpr double kEnd = 0.01;
  constexpr int kSteps = 256;
  const double few = where_found(plan, kEnd), most_pairs = where_found(plan, 1 - kEnd);
  const double low = std::min(few, most_pairs), high = std::max(few, most_pairs);
  const double step = (high - low) / kSteps;
  if (!(step > 0)) return {};
  const auto slope = [&](double x) { return std::abs(found_of_pairs_at(plan, x + step / 4) - found_of_pairs_at(plan, x - step / 4)); };
  int best = 0;
  double most = slope(low);
  for (int i = 1; i <= kSteps; ++i) {
    const double here = slope(low + i * step);
    if (here > most) best = i;
    most = std::max(most, here);
  }
  if (best == 0 || best == kSteps) return {};
  double left = low + (best - 1) * step, right = low + (best + 1) * step;
  for (int i = 0; i < 60; ++i) {  // the slope has one summit between the neighbours of the steepest step
    const double third = (right - left) / 3;
    slope(left + third) < slope(right - third) ? left += third : right -= third;
  }
  return (left + right) / 2;
}

}  // namespace

double half_point(const Plan& plan) {
  return agrees_like_similarity(plan) ? half_point(plan.band.bands, plan.band.rows) : where_found(plan, 0.5);
}

std::optional<double> steepest_point(const Plan& plan) {
  if (plan.band.bands == 0 || plan.band.rows < 2) return {};
  const double agreement = curve_threshold(plan.band.bands, plan.band.rows);
  if (agrees_like_similarity(plan)) return agreement;
  if (plan.sketch.family == Family::bit_sampling) return (has_share_radius(plan) ? 1 : plan.sketch.dimensions) * (1 - agreement);
  return steepest_by_search(plan);
}

}  // namespace nearkin
