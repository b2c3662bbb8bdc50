#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/gaussian.h"
#include "base/hash.h"
#include "base/portable_math.h"

namespace nearkin {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr std::size_t kMostKinds = 1000;
constexpr double kTail = 0.025;
constexpr double kGaussPoint = 1.960;  // above which the tail of a Gaussian number begins

/// Audited items that are alike, or taken together.
struct AuditKind {
  double true_pairs = 0, found = 0;  // of one
  double items = 1;
};

/// Random numbers of the Gamma law, the same on every machine.
class GammaStream {
 public:
  explicit GammaStream(std::uint64_t seed) : uniform_(mix64(seed)), gaussian_(mix64(seed + 1)) {}

  /// Shape 1/2: half the square of a Gaussian number.
  double half() {
    const double x = gaussian_();
    return x * x / 2;
  }

  /// Shape 1 or more (Marsaglia and Tsang 2000): the sum of so many numbers of shape 1, in one go.
  double operator()(double shape) {
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = gaussian_(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root, u = (static_cast<double>(uniform_() >> 11) + 0.5) * 0x1p-53;
      if (portable::log(u) < x * x / 2 + d * (1 - v + portable::log(v))) return d * v;
    }
  }

 private:
  SplitMix uniform_;
  GaussianStream gaussian_;
};

// Items without a true pair weigh nothing in a ratio. Where the others are of very many kinds, they are dealt into random groups, each of
// which then counts as one item: the sum of the squares of the groups' deviations is expected to be that of the items'.
std::vector<AuditKind> kinds_of(std::span<const AuditedItem> items, std::uint64_t seed) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> counts;
  for (const AuditedItem& item : items) {
    if (item.true_pairs > 0) ++counts[{item.true_pairs, item.found}];
  }
  std::vector<AuditKind> kinds;
  if (counts.size() <= kMostKinds) {
    for (const auto& [kind, count] : counts) kinds.push_back({static_cast<double>(kind.first), static_cast<double>(kind.second), count});
    return kinds;
  }
  kinds.resize(kMostKinds);
  SplitMix random(seed);
  for (const AuditedItem& item : items) {
    if (item.true_pairs == 0) continue;
    AuditKind& group = kinds[multiply128(random(), kMostKinds).high];
    group.true_pairs += static_cast<double>(item.true_pairs);
    group.found += static_cast<double>(item.found);
  }
  std::erase_if(kinds, [](const AuditKind& kind) { return kind.true_pairs == 0; });
  return kinds;
}

/// Recalls of resamples, one list for each end of the interval.
struct Resamples {
  std::vector<double> for_low, for_high;
};

// The bootstrap of Rubin (1981): each item weighs a random number of the exponential law instead of 0, 1, 2 … times, so that many alike
// items are drawn in one go. A sample without a miss would always give 1. Half an item all of whose pairs are found and half an item all
// of whose pairs are missed are therefore added: with one pair an item that is the interval of Jeffreys, to the letter. How many pairs such
// an item has matters where items have many: to miss one in `usual` of them is too narrow and to miss all too wide when the misses of an
// item hang together in part. Measured over many kinds of collections, √usual is right for the low end and one pair for the high end.
Resamples resample(const std::vector<AuditKind>& kinds, double usual, std::uint64_t seed) {
  Resamples recalls;
  GammaStream random(seed);
  const double size = std::sqrt(usual);
  for (std::size_t i = 0; i < kResamples; ++i) {
    double all = 0, found = 0;
    for (const AuditKind& kind : kinds) {
      const double weight = random(kind.items);
      all += weight * kind.true_pairs;
      found += weight * kind.found;
    }
    const double more_found = random.half(), more_missed = random.half();
    recalls.for_low.push_back((found + size * more_found) / (all + size * (more_found + more_missed)));
    recalls.for_high.push_back((found + more_found) / (all + more_found + more_missed));
  }
  return recalls;
}

// The 97.5 % point of Student's t distribution, between the points of a table along 1/degrees.
double student_point(double degrees) {
  constexpr std::pair<double, double> kPoints[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},  {8, 2.306},
                                                   {10, 2.228}, {15, 2.131}, {20, 2.086}, {30, 2.042}, {60, 2.000}, {120, 1.980}};
  double inverse = 0, point = kGaussPoint;  // of infinitely many degrees
  for (std::size_t i = std::size(kPoints); i-- > 0;) {
    const double next = 1 / kPoints[i].first;
    if (1 / degrees <= next) return point + (kPoints[i].second - point) * (1 / degrees - inverse) / (next - inverse);
    inverse = next;
    point = kPoints[i].second;
  }
  return point;
}

// How much wider an interval must be because few items say how much items vary. Items that have most of the pairs count as few: n items of
// the same number of pairs would vary as these do. Of n, a bootstrap sees only (n − 1)/n of the variance, and itself varies.
double widening(std::span<const AuditedItem> items) {
  double sum = 0, squares = 0;
  for (const AuditedItem& item : items) {
    const auto pairs = static_cast<double>(item.true_pairs);
    sum += pairs;
    squares += pairs * pairs;
  }
  const double n = std::max(2.0, sum * sum / squares);
  return std::sqrt(n / (n - 1)) * student_point(n - 1) / kGaussPoint;
}

void require_drawn(std::size_t items, std::uint64_t population) {
  if (items <= population) return;
  throw Error(
      ErrorCode::plan, "population",
      std::to_string(population) + " are fewer than the " + std::to_string(items) + " items drawn from it; give the whole collection's");
}

double quantile(std::vector<double>& values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

// With f of the population drawn, what is not known is the rest alone: deviations shrink by √(1 − f).
Recall audited_recall(std::span<const AuditedItem> items, std::uint64_t population, std::uint64_t seed) {
  double all = 0, found = 0, drawn = 0;
  for (const AuditedItem& item : items) {
    if (item.found > item.true_pairs) {
      throw Error(
          ErrorCode::plan, "audit",
          std::to_string(item.found) + " pairs found of an item that has " + std::to_string(item.true_pairs) + "; it cannot be more");
    }
    all += static_cast<double>(item.true_pairs);
    found += static_cast<double>(item.found);
    drawn += item.true_pairs > 0;
  }
  require_drawn(items.size(), population);
  const bool all_drawn = items.size() == population;
  if (all == 0) return {1, all_drawn ? 1.0 : 0.0, 1};
  const double recall = found / all;
  if (all_drawn) return {recall, recall, recall};
  const double shrink = std::sqrt(1 - static_cast<double>(items.size()) / static_cast<double>(population));
  Resamples recalls = resample(kinds_of(items, seed), all / drawn, seed);
  const double stretch = shrink * widening(items);
  const double low = recall + stretch * (quantile(recalls.for_low, kTail) - recall);
  const double high = recall + stretch * (quantile(recalls.for_high, 1 - kTail) - recall);
  return {recall, found == 0 ? 0 : std::clamp(low, 0.0, recall), found == all ? 1 : std::clamp(high, recall, 1.0)};
}

}  // namespace nearkin
