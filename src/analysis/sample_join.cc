#include "analysis/sample_join.h"

#include <algorithm>

#include "analysis/sample_rows.h"
#include "analysis/scan.h"
#include "match/containment.h"
#include "match/exact_join.h"
#include "match/space.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kFewestItems = 100, kFirst = 1000, kMost = 32'000;   // items
constexpr double kMostTextBytes = 32 << 20;                                  // of their texts
constexpr std::uint64_t kEnoughPairs = 200'000, kEnoughPassed = 20'000'000;  // to stop there

std::vector<Row> items_to_join(const SearchResult& folded) {
  std::vector<Row> members;
  for (Row row = 0; row < folded.items(); ++row) {
    if (folded.representative[row] == row && folded.empty[row] == 0) members.push_back(row);
  }
  return members;
}

std::uint64_t most_items(const Rows& rows) {
  return std::clamp(static_cast<std::uint64_t>(kMostTextBytes / mean_text_bytes(rows)), kFewestItems, kMost);
}

JoinNotes join(const FeatureBlocks& sets, std::span<const Row> places, const Stage& stage, Ratio threshold) {
  const RowBytes bytes = rows_in_memory(sets.items, stage.threads);
  const JoinLimits limits{.threads = stage.threads};
  const MatchSink none = [](std::span<const Match>) {};
  return stage.plan.measure == Measure::containment ? join_containment(bytes, places, 0, threshold, limits, none)
                                                    : join_exactly(bytes, places, 0, threshold, limits, none);
}

/// join(places) joins those of `all`, which stand for `times` as many items each.
template <typename Join>
std::vector<JoinedPart> growing_parts(std::size_t all, double times, std::uint64_t seed, Join&& join) {
  std::vector<JoinedPart> parts;
  for (std::uint64_t count = kFirst;; count *= 2) {
    const std::vector<Row> places = sample_rows(all, count, seed);
    const JoinNotes notes = join(places);
    parts.push_back({times * static_cast<double>(places.size()), static_cast<double>(notes.looked_at), static_cast<double>(notes.passed)});
    if (parts.size() > 2) parts.erase(parts.begin());
    if (places.size() == all || notes.looked_at > kEnoughPairs || notes.passed > kEnoughPassed) return parts;
  }
}

}  // namespace

std::vector<JoinedPart> sample_join(const Rows& rows, const Stage& stage, const SearchResult& folded, std::uint64_t seed) {
  const std::vector<Row> members = items_to_join(folded);
  if (members.size() < 2) return {};
  const std::vector<Row> drawn = sample_rows(members.size(), most_items(rows), seed);
  std::vector<Row> wanted;
  for (const Row place : drawn) wanted.push_back(members[place]);
  const FeatureBlocks sets = load_features(rows, wanted, stage.plan.shingle, stage.threads);
  const double copies = static_cast<double>(rows.size()) / static_cast<double>(members.size());
  return growing_parts(drawn.size(), copies, seed,
                       [&](std::span<const Row> places) { return join(sets, places, stage, least_share(stage.plan, rows.columns)); });
}

std::vector<JoinedPart> sample_join(const Vectors& vectors, const Plan& plan, std::uint64_t seed) {
  std::vector<Row> members;
  for (Row row = 0; row < vectors.size(); ++row) {
    if (!is_empty(vectors, row, plan.measure)) members.push_back(row);
  }
  if (members.size() < 2) return {};
  const double empty = static_cast<double>(vectors.size()) / static_cast<double>(members.size());
  const MatchSink none = [](std::span<const Match>) {};
  return growing_parts(members.size(), empty, seed, [&](std::span<const Row> places) {
    std::vector<Row> part;
    for (const Row place : places) part.push_back(members[place]);
    return join_vectors(vectors, part, 0, plan, 1, none);
  });
}

}  // namespace nearkin
