#include "theory/recall.h"

#include <algorithm>
#include <cmath>

#include <nearkin/error.h>

#include "base/hash.h"

namespace nearkin {
namespace {

constexpr double kNinetyFive = 1.959964;  // standard deviations to either side

/// Of what a found pair adds to the number of pairs estimated.
double deviation(const FoundPairs& pairs) { return pairs.count * std::sqrt(1 - pairs.probability) / pairs.probability; }

void require_group(std::uint32_t group, std::size_t pairs) {
  constexpr std::size_t kGaps = 64, kFew = 4096;  // numbers that no pair has take memory all the same
  if (group < kGaps * pairs + kFew) return;
  throw Error(ErrorCode::plan, "group",
              std::to_string(group) + " is far above the number of pairs, " + std::to_string(pairs) + "; number the groups from 0");
}

/// Sums of deviations over each group.
struct GroupSums {
  std::vector<double> deviations, squares;
};

GroupSums group_sums(std::span<const FoundPairs> found) {
  std::uint32_t groups = 0;
  for (const FoundPairs& pairs : found) {
    require_group(pairs.group, found.size());
    groups = std::max(groups, pairs.group + 1);
  }
  GroupSums sums{std::vector<double>(groups), std::vector<double>(groups)};
  for (const FoundPairs& pairs : found) {
    const double d = deviation(pairs);
    sums.deviations[pairs.group] += d;
    sums.squares[pairs.group] += d * d;
  }
  return sums;
}

// Σ d² + together · Σ d·d' over the ordered pairs of different pairs d, d' of a group.
double variance_of(std::span<const FoundPairs> found, double together) {
  const GroupSums sums = group_sums(found);
  double variance = 0;
  for (std::size_t g = 0; g < sums.squares.size(); ++g) {
    const double others = std::max(0.0, sums.deviations[g] * sums.deviations[g] - sums.squares[g]);
    variance += sums.squares[g] + together * others;
  }
  return variance;
}

double uniform(SplitMix& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Where the second pair is to be drawn when the first is known: at which sum of deviations along its group.
struct HalfDrawn {
  std::uint32_t group;
  double at;
  std::size_t one;
};

// The first of two is drawn by d·(S − d), S being the sum of its group, and the second by its d among the others of the group. The draws
// are ordered, so that one walk over the pairs finds them all.
std::vector<HalfDrawn> draw_first(std::span<const FoundPairs> found, const GroupSums& sums, std::size_t count, SplitMix& random) {
  double all = 0;
  for (const FoundPairs& pairs : found) all += deviation(pairs) * std::max(0.0, sums.deviations[pairs.group] - deviation(pairs));
  std::vector<double> places(all > 0 ? count : 0);
  for (double& place : places) place = uniform(random) * all;
  std::sort(places.begin(), places.end());
  std::vector<HalfDrawn> drawn;
  std::vector<double> reached(sums.deviations.size());
  double sum = 0;
  for (std::size_t i = 0; i < found.size() && drawn.size() < places.size(); ++i) {
    const std::uint32_t group = found[i].group;
    const double d = deviation(found[i]), others = std::max(0.0, sums.deviations[group] - d);
    sum += d * others;
    while (drawn.size() < places.size() && places[drawn.size()] < sum) {
      const double at = uniform(random) * others;
      drawn.push_back({group, at < reached[group] ? at : at + d, i});
    }
    reached[group] += d;
  }
  return drawn;
}

}  // namespace

// A pair found with probability p stands for 1/p pairs, so that (1 − p)/p were missed for each that was found: in all
// missed = Σ count·(1−p)/p, with the variance Σ count²·(1−p)/p² where every pair is found for itself. One that was missed leaves no trace
// in the sums, not even in the variance; the low end counts half a pair more, found at the threshold, as Jeffreys would.
Recall estimate_recall(std::span<const FoundPairs> found, const Finding& finding) {
  double seen = 0, missed = 0;
  for (const FoundPairs& pairs : found) {
    seen += pairs.count;
    missed += pairs.count * (1 - pairs.probability) / pairs.probability;
  }
  if (seen == 0) return {};
  const double variance = variance_of(found, finding.together);
  const double p = finding.at_threshold, unseen = (1 - p) / p / 2;
  const double least = std::max(0.0, missed - kNinetyFive * std::sqrt(variance));
  const double most = missed + unseen + kNinetyFive * std::sqrt(variance + unseen / p);
  return {seen / (seen + missed), seen / (seen + most), seen / (seen + least)};
}

std::vector<TwoPairs> draw_two_pairs(std::span<const FoundPairs> found, std::size_t count, std::uint64_t seed) {
  const GroupSums sums = group_sums(found);
  SplitMix random(seed);
  std::vector<HalfDrawn> halves = draw_first(found, sums, count, random);
  std::sort(halves.begin(), halves.end(),
            [](const HalfDrawn& a, const HalfDrawn& b) { return a.group != b.group ? a.group < b.group : a.at < b.at; });
  std::vector<std::size_t> next(sums.deviations.size(), halves.size());  // of each group, the half that waits for its other one
  for (std::size_t i = halves.size(); i-- > 0;) next[halves[i].group] = i;
  std::vector<TwoPairs> drawn;
  std::vector<double> reached(sums.deviations.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t group = found[i].group;
    reached[group] += deviation(found[i]);
    for (std::size_t& half = next[group]; half < halves.size() && halves[half].group == group && halves[half].at < reached[group]; ++half) {
      // The same pair twice is what rounding may make of a group in which one outweighs all others.
      if (halves[half].one != i) drawn.push_back({halves[half].one, i});
    }
  }
  return drawn;
}

}  // namespace nearkin
