#include "analysis/left_out.h"

#include <algorithm>
#include <cmath>

#include "collect/sketcher.h"
#include "theory/recall.h"

namespace nearkin {
namespace {

// Some of the meetings drawn, each pair once.
struct Drawn {
  std::vector<std::uint64_t> pairs;  // ascending
  std::vector<double> times;
  double each = 0;
};

Drawn drawn_of(const TestedMeetings& meetings, std::size_t most) {
  const std::size_t count = std::min(most, meetings.pairs.size());
  std::vector<std::uint64_t> first(meetings.pairs.begin(), meetings.pairs.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(first.begin(), first.end());
  Drawn drawn;
  drawn.each = meetings.each * static_cast<double>(meetings.pairs.size()) / static_cast<double>(std::max<std::size_t>(1, count));
  for (const std::uint64_t pair : first) {
    if (drawn.pairs.empty() || drawn.pairs.back() != pair) {
      drawn.pairs.push_back(pair);
      drawn.times.push_back(0);
    }
    ++drawn.times.back();
  }
  return drawn;
}

// That a pair of the sample has, on average; 0 of vectors.
std::uint32_t elements_of_pairs(const RecallBasis& basis) {
  if (compares_vectors(basis.stage.plan)) return 0;
  const RowBytes sets = basis.found.sets.bytes(1);
  std::uint64_t bytes = 0;
  for (const std::uint64_t pair : basis.found.meetings.pairs)
    bytes += sets.size(static_cast<Row>(pair >> 32)) + sets.size(static_cast<Row>(pair));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / sizeof(std::uint64_t) / basis.found.meetings.pairs.size(), UINT32_MAX));
}

// Which of the pairs, ascending, are among the matches that were found.
std::vector<bool> found_among(const MatchStream& matches, std::span<const std::uint64_t> pairs) {
  std::vector<bool> found(pairs.size());
  matches.for_each([&](const Match& match) {
    const std::uint64_t pair = std::uint64_t{match.a} << 32 | match.b;
    const auto at = std::lower_bound(pairs.begin(), pairs.end(), pair);
    if (at != pairs.end() && *at == pair) found[static_cast<std::size_t>(at - pairs.begin())] = true;
  });
  return found;
}

// The bands in which the items of each match share a bucket: all of its meetings were in large ones, or it would have been compared.
std::vector<double> bands_shared(const RecallBasis& basis, const Matches& matches) {
  const Plan& plan = basis.stage.plan;
  const Agreements agreements = agreements_of(basis, matches, plan.sketch);
  std::vector<double> shared(matches.size());
  for (std::uint32_t band = 0; band < plan.band.bands; ++band) {
    for (std::size_t i = 0; i < matches.size(); ++i) {
      bool all = true;
      for (std::uint32_t row = 0; all && row < plan.band.rows; ++row)
        all = (agreements.column(band * plan.band.rows + row)[i / 64] >> (i % 64) & 1) != 0;
      shared[i] += all;
    }
  }
  return shared;
}

}  // namespace

LeftOut LeftOut::part(double share) && {
  each *= share;
  for (double& count : counts) count *= share;
  return std::move(*this);
}

double LeftOut::sum() const {
  double sum = 0;
  for (const double count : counts) sum += count;
  return sum;
}

double LeftOut::variance() const {
  double squares = 0;
  for (const double count : counts) squares += count * count;
  return squares;
}

LeftOut left_out_of(const RecallBasis& basis) {
  const TestedMeetings& meetings = basis.found.meetings;
  if (meetings.pairs.empty()) return {.matches = {}, .counts = {}, .each = meetings.each};
  const Plan& plan = basis.stage.plan;
  const Matches typical{{0, 1, 0, elements_of_pairs(basis)}};
  const Drawn drawn = drawn_of(meetings, static_cast<std::size_t>(most_sketched(basis, plan, typical, plan.sketch.hashes)));
  const std::vector<bool> found = found_among(basis.found.matches, drawn.pairs);
  Matches all(drawn.pairs.size());
  match_pairs(basis.rows, basis.stage, basis.found, drawn.pairs, [&](std::size_t i, const Match& match) { all[i] = match; });
  const WithinBorder within(plan, basis.rows);
  RowReader first(basis.rows), second(basis.rows);
  LeftOut out{.matches = {}, .counts = {}, .each = drawn.each};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Match& match = all[i];
    if (found[i] || !within(match) || (basis.rows.across() && first.content(match.a) == second.content(match.b))) continue;
    out.matches.push_back(match);
    out.counts.push_back(drawn.each * drawn.times[i] * basis.pairs_of(match));
  }
  const std::vector<double> bands = bands_shared(basis, out.matches);
  for (std::size_t i = 0; i < bands.size(); ++i) out.counts[i] /= std::max(1.0, bands[i]);
  return out;
}

// The recall is the share of pairs that meet, times the share of these that are compared. The squares of their errors add up.
Recall recall_with(const LeftOut& left_out, double found, const Recall& met, double bound) {
  if (found == 0) return {.estimate = 0, .low = 0, .high = 0};
  const double missed = std::min(bound, left_out.sum()), variance = left_out.variance(), unseen = left_out.each / 2;
  const double most = std::min(bound, missed + unseen + kNinetyFive * std::sqrt(variance + unseen * left_out.each));
  const double least = std::max(0.0, missed - kNinetyFive * std::sqrt(variance));
  const auto compared = [&](double left) { return found / (found + left); };
  const double estimate = met.estimate * compared(missed);
  const double below = std::hypot(1 - met.low / met.estimate, 1 - compared(most) / compared(missed));
  const double above = std::hypot(met.high / met.estimate - 1, compared(least) / compared(missed) - 1);
  return {.estimate = estimate, .low = estimate * std::max(0.0, 1 - below), .high = std::min(1.0, estimate * (1 + above))};
}

}  // namespace nearkin
