#include <algorithm>
#include <bit>
#include <cmath>

#include "theory/recall.h"

namespace nearkin {
namespace {

using Values = std::vector<double>;  // by the number of slots that agree

// One slot more, the last of n: with a agreements in all it is one of them with probability a/n.
Values with_a_slot(const Values& where_it_agrees, const Values& where_it_differs) {
  const std::size_t n = where_it_agrees.size();
  Values values(n + 1);
  for (std::size_t a = 0; a <= n; ++a) {
    const double agrees = static_cast<double>(a) / static_cast<double>(n);
    if (a > 0) values[a] += agrees * where_it_agrees[a - 1];
    if (a < n) values[a] += (1 - agrees) * where_it_differs[a];
  }
  return values;
}

Values sum(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// Sizes that differ by less than an eighth share a table.
struct SizeClass {
  std::size_t place;
  double total;  // in the middle
};

SizeClass size_class(std::uint32_t total) {
  constexpr std::uint32_t kEighths = 8;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(total / kEighths));
  const std::uint32_t shift = bits > 0 ? bits - 1 : 0, top = total >> shift;
  return {shift * kEighths + top, std::ldexp(top, static_cast<int>(shift)) + (std::ldexp(1, static_cast<int>(shift)) - 1) / 2};
}

}  // namespace

std::vector<double> missed_by_agreements(const BandPlan& plan, std::uint32_t hashes) {
  Values missed{1};
  for (std::uint32_t band = 0; band < plan.bands; ++band) {
    // Not found before this band, which agrees so far (whole) or does not (broken). One that stays whole is found.
    Values whole = missed, broken(missed.size());
    for (std::uint32_t row = 0; row < plan.rows; ++row) {
      broken = with_a_slot(broken, sum(whole, broken));
      whole = with_a_slot(whole, Values(whole.size()));
    }
    missed = std::move(broken);
  }
  for (std::uint32_t slot = plan.bands * plan.rows; slot < hashes; ++slot) missed = with_a_slot(missed, missed);
  return missed;
}

FoundSets::FoundSets(const Plan& plan, std::uint32_t rounds)
    : hashes_(plan.sketch.hashes), rounds_(rounds), missed_with_(missed_by_agreements(plan.band, plan.sketch.hashes)) {}

// The standard deviation as a share of that of independent slots, whose variance is hashes·s(1−s). A round throws `total` elements into
// `hashes` bins; the f bins that it fills first are draws without replacement, of variance f·s(1−s)·(total−f)/(total−1). The rest is
// filled slot by slot, independently.
double FoundSets::spread(double total) const {
  const double hashes = hashes_, filled_by_a_round = -std::expm1(total * std::log1p(-1 / hashes));
  double left = hashes, variance = 0;
  for (std::uint32_t round = 0; round < rounds_; ++round) {
    const double filled = std::min(left * filled_by_a_round, total);
    variance += total > 1 ? filled * (total - filled) / (total - 1) : 0;
    left -= filled;
  }
  return std::sqrt((variance + left) / hashes);
}

// The mean of missed_with_ over the number of slots that agree: binomial around its mean, drawn together to the right deviation.
double FoundSets::missed(double similarity, double spread) const {
  const double mean = similarity * hashes_, odds = similarity / (1 - similarity);
  const auto mode = std::min(hashes_, static_cast<std::uint32_t>(mean));
  double sum = 0, weights = 0;
  const auto add = [&](std::uint32_t agreements, double weight) {
    const double place = mean + spread * (agreements - mean);
    const auto below = static_cast<std::size_t>(place);
    const double above = place - static_cast<double>(below);
    sum += weight * (missed_with_[below] * (1 - above) + (below < hashes_ ? missed_with_[below + 1] * above : 0));
    weights += weight;
  };
  constexpr double kNegligible = 1e-20;
  double weight = 1;
  for (std::uint32_t a = mode;; ++a) {
    add(a, weight);
    if (a == hashes_) break;
    weight *= odds * (hashes_ - a) / (a + 1);
    if (weight < kNegligible) break;
  }
  weight = 1;
  for (std::uint32_t a = mode; a > 0; --a) {
    weight *= a / (odds * (hashes_ - a + 1));
    if (weight < kNegligible) break;
    add(a - 1, weight);
  }
  return sum / weights;
}

double FoundSets::operator()(std::uint32_t shared, std::uint32_t total) {
  if (shared >= total) return 1;
  const SizeClass size = size_class(total);
  if (tables_.size() <= size.place) tables_.resize(size.place + 1);
  std::vector<double>& table = tables_[size.place];
  if (table.empty()) {
    table.assign(kSteps + 1, kUnknown);
    table[0] = 1;
    table[kSteps] = 0;
  }
  const double place = static_cast<double>(shared) * kSteps / total;
  const auto below = static_cast<std::size_t>(place);
  for (const std::size_t step : {below, below + 1}) {
    if (std::isnan(table[step])) table[step] = missed(static_cast<double>(step) / kSteps, spread(size.total));
  }
  return 1 - (table[below] + (place - static_cast<double>(below)) * (table[below + 1] - table[below]));
}

}  // namespace nearkin
