#include "group/group.h"

#include <algorithm>

#include "collect/sketcher.h"
#include "group/compare_rows.h"
#include "group/decisions.h"
#include "group/second_look.h"
#include "io/formats/result_rows.h"

namespace nearkin {
namespace {

KeepingOrder keeping_of(const SearchResult& found) { return {.items = found.items(), .order = found.order, .rank = found.rank}; }

bool is_directed(const Plan& plan) { return plan.measure == Measure::containment; }

// Bands may have missed some of what is similar, and what a pair is can be counted.
bool misses_pairs(const Plan& plan) {
  return plan.sketch.hashes > 0 && plan.verify == Verify::exact && plan.measure != Measure::exact && !is_directed(plan);
}

}  // namespace

MatchStream completed_matches(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage) {
  if (rows.across() || linkage == Linkage::connected || !misses_pairs(stage.plan)) return found.matches;
  return found.matches.with(stars_looked_at_again(rows, stage, found, found.matches, stage.plan, keeping_of(found)).added);
}

std::vector<Row> keepers_of(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage) {
  return keepers_within(rows, stage, found, found.matches, stage.plan, linkage);
}

std::vector<Row> keepers_within(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                const Plan& plan, Linkage linkage) {
  const KeepingOrder keeping = keeping_of(found);
  std::vector<Row> of_representatives;
  if (linkage == Linkage::connected)
    of_representatives = keepers_connected(matches, keeping);
  else if (misses_pairs(plan) && !found.decided)  // decisions were made about the matches with what a second look adds
    of_representatives = stars_looked_at_again(rows, stage, found, matches, plan, keeping).keepers;
  else
    of_representatives = keepers_star(matches, keeping, is_directed(plan), share_of(rows, stage, 17));
  if (linkage == Linkage::connected && found.decided) part_rejected(found.decided->rejected, keeping, of_representatives);
  std::vector<Row> keepers(found.items());
  for (Row row = 0; row < keepers.size(); ++row) keepers[row] = of_representatives[found.representative[row]];
  return keepers;
}

std::vector<Row> keepers_for(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage) {
  return rows.across() ? keepers_across(rows, stage, found) : keepers_of(rows, stage, found, linkage);
}

std::vector<Row> keepers_across(const Rows& rows, const Stage& stage, const SearchResult& found) {
  std::vector<Match> best(rows.split, Match{kNoRow, kNoRow, 0, 1});
  found.matches.for_each([&](const Match& match) {
    Match& known = best[match.a];
    if (known.b == kNoRow || found.stands_before(match, known, stage.plan.measure)) known = match;
  });
  std::vector<Row> keepers(rows.split);
  for (Row row = 0; row < rows.split; ++row) {
    const Row keeper = best[found.representative[row]].b;
    keepers[row] = keeper == kNoRow ? row : keeper;
  }
  return keepers;
}

std::uint64_t groups_across(std::span<const Row> keepers) {
  std::vector<Row> used;
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] != row) used.push_back(keepers[row]);
  }
  std::sort(used.begin(), used.end());
  return static_cast<std::uint64_t>(std::unique(used.begin(), used.end()) - used.begin());
}

KeeperMatches::KeeperMatches(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers)
    : found_(found), keepers_(keepers), shared_(keepers.size()), total_(keepers.size()), known_(keepers.size()) {
  // Equal texts need no counting; decisions alone bring others together.
  if (stage.plan.measure == Measure::exact) total_.assign(keepers.size(), 1);
  if (compares_vectors(stage.plan)) value_.resize(keepers.size());
  const bool both_ways = !is_directed(stage.plan);
  found.matches.for_each([&](const Match& match) {
    if (match.a < keepers_.size() && keepers_[match.a] == match.b) note(match.a, match);
    if (both_ways && match.b < keepers_.size() && keepers_[match.b] == match.a) note(match.b, match);
  });
  if (stage.plan.measure == Measure::exact) {
    compare_the_others(rows);
  } else if (stage.plan.verify != Verify::none) {
    count_the_others(rows, stage);
  }
}

// Equal items of one scope make no pair, but may have a keeper in common.
void KeeperMatches::compare_the_others(const Rows& rows) {
  RowReader one(rows), other(rows);
  for (Row row = 0; row < keepers_.size(); ++row) {
    if (found_.representative[row] != row || keepers_[row] == row || known_[row]) continue;
    shared_[row] = one.content(row) == other.content(keepers_[row]);
  }
}

void KeeperMatches::note(Row member, const Match& match) {
  known_[member] = true;
  shared_[member] = match.shared;
  total_[member] = match.total;
  if (!value_.empty()) value_[member] = match.value;
}

// In a connected group not every member matches its keeper.
void KeeperMatches::count_the_others(const Rows& rows, const Stage& stage) {
  std::vector<std::uint64_t> pairs;
  for (Row row = 0; row < keepers_.size(); ++row) {
    const Row keeper = keepers_[row];
    if (found_.representative[row] != row || keeper == row || known_[row]) continue;
    pairs.push_back(std::uint64_t{std::min(row, keeper)} << 32 | std::max(row, keeper));
  }
  std::sort(pairs.begin(), pairs.end());
  // An accepted pair may join items of two scopes, whose features as they were searched for never agree.
  const bool within = rows.scope_rule() == Scope::Rule::within;
  RowReader one(rows), other(rows);
  const auto differ_in_scope = [&](std::uint64_t pair) {
    return within && one.scope(static_cast<Row>(pair >> 32)) != other.scope(static_cast<Row>(pair));
  };
  const auto searched = std::stable_partition(pairs.begin(), pairs.end(),
                                              [&](std::uint64_t pair) { return !is_loose(found_, pair) && !differ_in_scope(pair); });
  const std::vector<std::uint64_t> loose(searched, pairs.end());
  pairs.erase(searched, pairs.end());
  Matches counted(pairs.size());
  match_pairs(rows, stage, found_, pairs, [&](std::size_t i, const Match& match) { counted[i] = match; });
  const RowBytes sets = found_.sets.bytes(1);
  const auto member_of = [&](const Match& match) { return keepers_[match.a] == match.b ? match.a : match.b; };
  for (Match& match : counted) {
    const Row member = member_of(match);
    if (is_directed(stage.plan) && stage.plan.verify != Verify::estimate)
      match.total = static_cast<std::uint32_t>(sets.size(member) / sizeof(std::uint64_t));
    note(member, match);
  }
  for (const ComparedRows& compared : compare_rows(rows, stage, found_, loose))
    note(member_of(compared.match), is_directed(stage.plan) ? compared.contained(member_of(compared.match)) : compared.match);
}

Match KeeperMatches::operator()(Row row) const {
  const Row keeper = keepers_[row], representative = found_.representative[row];
  if (representative == found_.representative[keeper]) return {row, keeper, 1, 1};
  return {row, keeper, shared_[representative], total_[representative], value_.empty() ? 0 : value_[representative]};
}

PairCounts count_pairs(const SearchResult& found, bool across, Measure measure) {
  const std::vector<std::uint32_t> copies = copies_of(found);
  PairCounts counts;
  found.matches.for_each([&](const Match& match) {
    ++counts.found;
    counts.all += std::uint64_t{copies[match.a]} * copies[match.b];
  });
  for (const std::uint64_t n : copies) counts.all += across || n == 0 ? 0 : n * (n - 1) / (measure == Measure::containment ? 1 : 2);
  return counts;
}

}  // namespace nearkin
