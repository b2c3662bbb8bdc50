// The recall of items: of those that exact mode would remove, the share that `dedup` removed.
#include <algorithm>

#include <nearkin/tools/describe.h>

#include "analysis/left_out.h"
#include "analysis/recall_basis.h"
#include "analysis/run_recall.h"
#include "collect/sketcher.h"
#include "group/group.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

/// Items that were removed and are no copies of their keepers.
class RemovedItems {
 public:
  RemovedItems(const Rows& rows, const SearchResult& found, std::span<const Row> keepers)
      : rows_(rows), found_(found), keepers_(keepers), reader_(rows) {}
  bool operator()(Row row) {
    const Row keeper = keepers_[row];
    if (keeper == row || found_.representative[row] != row) return false;
    return !rows_.across() || reader_.content(row) != other_.content(keeper);
  }

 private:
  const Rows& rows_;
  const SearchResult& found_;
  std::span<const Row> keepers_;
  RowReader reader_, other_{rows_};
};

// What large buckets cost: kept items that met another kept one, similar to them, and were not compared with it. Each such pair may stand
// for an item that exact mode removes.
LeftOut kept_apart(const RecallBasis& basis, std::span<const Row> keepers) {
  const auto kept = [&](Row row) { return row >= keepers.size() || keepers[row] == row; };
  const LeftOut all = left_out_of(basis);
  LeftOut out{.matches = {}, .counts = {}, .each = all.each};
  for (std::size_t i = 0; i < all.matches.size(); ++i) {
    if (!kept(all.matches[i].a) || !kept(all.matches[i].b)) continue;
    out.matches.push_back(all.matches[i]);
    out.counts.push_back(all.counts[i]);
  }
  return out;
}

// Kept items that large buckets can have cost a removal: one of them at least stays.
double most_apart(const SearchResult& found, std::span<const Row> keepers, bool across) {
  if (found.in_large.empty()) return 0;
  double kept = 0;
  for (Row row = 0; row < keepers.size(); ++row)
    kept += keepers[row] == row && found.representative[row] == row && found.in_large.holds(row);
  return across ? kept : std::max(0.0, kept - 1);
}

/// take(row, keeper, match) for the matches of a row with keepers that come before it.
template <typename Take>
void for_each_taker(const SearchResult& found, std::span<const Row> keepers, Take&& take) {
  found.matches.for_each([&](const Match& match) {
    const bool a_first = found.rank_of(match.a) < found.rank_of(match.b);
    const Row first = a_first ? match.a : match.b, second = a_first ? match.b : match.a;
    if (keepers[first] == first) take(second, first, match);
  });
}

// The chance of each item that was removed, but for copies, to be removed: that bands find its match with its keeper, or, since keepers of
// stars between which a match runs are compared, that they find its match with another that the keeper took, and that the other is removed.
// Such ways are followed outward from the keeper, so that none runs in a circle. Only those that were found are known, so that the chance
// is rather higher. Between two inputs: that one of its matches is found.
class RemovalChances {
 public:
  RemovalChances(const RecallBasis& basis, std::span<const Row> keepers, const Plan& plan)
      : found_(basis.found),
        plan_(plan),
        keepers_(keepers),
        matches_(basis.rows, basis.stage, basis.found, keepers),
        chance_(plan),
        missed_(keepers.size(), 1) {
    const Rows& rows = basis.rows;
    const SearchResult& found = basis.found;
    RemovedItems removed(rows, found, keepers);
    if (rows.across()) {
      found.matches.for_each([&](const Match& match) { missed_[match.a] *= static_cast<float>(1 - chance_(match)); });
    } else {
      for (Row row = 0; row < keepers.size(); ++row) {
        if (removed(row)) missed_[row] = static_cast<float>(1 - chance_(matches_(row)));
      }
      follow_ways();
      meet_other_keepers();
    }
    for (Row row = 0; row < keepers.size(); ++row) {
      if (removed(row)) missed_[row] = std::max(missed_[row], missed_by_itself(matches_(row)));
    }
  }
  /// 0 where no way is known.
  double operator()(Row row) const { return 1 - static_cast<double>(missed_[row]); }
  /// That no keeper but its own takes it, where there is one input.
  double elsewhere_missed(Row row) const { return static_cast<double>(elsewhere_[row]); }
  /// Whether bands found its match with its keeper, or with an item of the other input.
  bool met(Row row) const { return steps_.empty() || steps_[row] == 1; }
  /// The match of the row with its keeper; its rows ascend.
  Match match(Row row) const {
    Match match = matches_(row);
    if (match.a > match.b) std::swap(match.a, match.b);
    return match;
  }

 private:
  static constexpr std::uint8_t kFar = 255;

  // An item meets nobody in a band where the least of one of its hashes is an element that none of the others has: its ways are not
  // independent of one another. Of two sets of one size with similarity s, 2s/(1 + s) of either are in both.
  float missed_by_itself(const Match& match) const {
    if (match.total == 0 || plan_.measure == Measure::hamming) return 0;
    return static_cast<float>(1 - found_probability(plan_, 2.0 * match.shared / (static_cast<double>(match.total) + match.shared)));
  }

  // Steps from the keeper along matches within its star.
  std::vector<std::uint8_t> steps_to_keepers() const {
    std::vector<std::uint8_t> steps(keepers_.size(), kFar);
    for (Row row = 0; row < steps.size(); ++row) {
      if (keepers_[row] == row) steps[row] = 0;
    }
    for (std::uint8_t last = 0; last < SecondLookRule::kMostRounds; ++last) {
      bool any = false;
      const auto reach = [&](Row from, Row to) {
        if (steps[from] != last || steps[to] != kFar) return;
        steps[to] = static_cast<std::uint8_t>(last + 1);
        any = true;
      };
      found_.matches.for_each([&](const Match& match) {
        if (keepers_[match.a] != keepers_[match.b]) return;
        reach(match.a, match.b);
        reach(match.b, match.a);
      });
      if (!any) break;
    }
    return steps;
  }

  // Those one step away have ways through one another, each by its match with the keeper alone; those farther away through those before.
  void follow_ways() {
    steps_ = steps_to_keepers();
    const std::vector<std::uint8_t>& steps = steps_;
    std::uint8_t most = 1;
    for (const std::uint8_t count : steps) most = count == kFar ? most : std::max(most, count);
    const std::vector<float> direct = missed_;
    for (std::uint8_t at = 1; at <= most; ++at) {
      const auto note = [&](Row to, Row by, float found) {
        if (steps[to] != at || steps[by] == 0) return;
        if (at == 1 && steps[by] == 1) missed_[to] *= 1 - found * (1 - direct[by]);
        if (at > 1 && steps[by] < at) missed_[to] *= 1 - found * (1 - missed_[by]);
      };
      found_.matches.for_each([&](const Match& match) {
        if (keepers_[match.a] != keepers_[match.b]) return;
        const auto found = static_cast<float>(chance_(match));
        note(match.a, match.b, found);
        note(match.b, match.a, found);
      });
    }
  }

  // Had its keeper not been found, another that comes before it and that it matches would have taken it.
  void meet_other_keepers() {
    elsewhere_.assign(keepers_.size(), 1);
    for_each_taker(found_, keepers_, [&](Row row, Row keeper, const Match& match) {
      if (keepers_[row] != row && keepers_[row] != keeper) elsewhere_[row] *= static_cast<float>(1 - chance_(match));
    });
    for (Row row = 0; row < keepers_.size(); ++row) missed_[row] *= elsewhere_[row];
  }

  const SearchResult& found_;
  const Plan& plan_;
  std::span<const Row> keepers_;
  KeeperMatches matches_;
  Chances chance_;
  std::vector<float> missed_;        // by row
  std::vector<float> elsewhere_;     // by row: that no keeper but its own takes it; of one input
  std::vector<std::uint8_t> steps_;  // by row; of one input
};

// How many items exact mode removes and a run keeps for each that it misses. A missed item is kept, and takes keepers behind it that it
// matches; the items of these, one like it each, are then kept too, unless another keeper takes them; and so on along a chain. Nothing
// where that has no end.
std::optional<double> lost_for_each_missed(const SearchResult& found, std::span<const Row> keepers, const RemovalChances& chances,
                                           const std::vector<Row>& members) {
  constexpr int kMostRounds = 12;
  constexpr double kEnough = 1.01;
  std::vector<float> lost(keepers.size(), 1), by_keeper(keepers.size());
  const auto all_lost = [&] {
    double sum = 0;
    for (const Row row : members) sum += (1 - chances(row)) / chances(row) * static_cast<double>(lost[row]);
    return sum;
  };
  const double first = all_lost();
  double last = first;
  for (int round = 0; round < kMostRounds && first > 0; ++round) {
    std::fill(by_keeper.begin(), by_keeper.end(), 0.0F);
    for (Row row = 0; row < keepers.size(); ++row) {
      if (keepers[row] != row && found.representative[row] == row)
        by_keeper[keepers[row]] += lost[row] * static_cast<float>(chances.elsewhere_missed(row));
    }
    std::fill(lost.begin(), lost.end(), 1.0F);
    found.matches.for_each([&](const Match& match) {
      const bool a_first = found.rank_of(match.a) < found.rank_of(match.b);
      const Row row = a_first ? match.a : match.b, behind = a_first ? match.b : match.a;
      if (keepers[row] != row && keepers[behind] == behind) lost[row] += by_keeper[behind];
    });
    const double now = all_lost();
    if (now <= kEnough * last) return now / first;
    last = now;
  }
  return first > 0 ? std::nullopt : std::optional(1.0);
}

// Matches of removed items with their keepers that fit, those of some keepers, which a hash chooses, where there are more.
double fitting_share(const RecallBasis& basis, std::span<const Row> keepers) {
  constexpr std::uint64_t kBytes = 2 * (sizeof(Match) + sizeof(FoundPairs));
  std::uint64_t count = 0;
  for (Row row = 0; row < keepers.size(); ++row) count += keepers[row] != row;
  const std::uint64_t most = share_of(basis.rows, basis.stage, 49) / 2 / kBytes;
  return static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, count));
}

}  // namespace

std::optional<Recall> item_recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers) {
  const Told told = told_by(stage.plan);
  if (told != Told::by_pairs) return told == Told::all ? std::optional(Recall{}) : std::nullopt;
  const RecallBasis basis{rows, stage, found, {}};
  const Plan plan = counted_plan(rows, stage.plan);
  const RemovalChances chances(basis, keepers, plan);
  const double share = fitting_share(basis, keepers);
  RemovedItems removed(rows, found, keepers);
  Matches matches;
  std::vector<Row> members;
  constexpr double kLeastChance = 0.01, kMostUntold = 0.02;
  double untold = 0;  // that would be missed by those who never met their keepers, if the ways that are known were all
  for (Row row = 0; row < keepers.size(); ++row) {
    if (!chosen(keepers[row], share) || !removed(row)) continue;
    const double chance = std::max(chances(row), kLeastChance);
    if (!chances.met(row)) untold += (1 - chance) / chance;
    if (chances(row) < kLeastChance) continue;
    matches.push_back(chances.match(row));
    members.push_back(row);
  }
  // In long chains there are many ways that were not found: what is known of them says too little.
  if (matches.empty() || untold > kMostUntold * static_cast<double>(matches.size())) return std::nullopt;
  const std::optional<double> lost = rows.across() ? 1 : lost_for_each_missed(found, keepers, chances, members);
  if (!lost) return std::nullopt;
  const std::vector<std::uint32_t> groups = groups_of(matches);
  std::vector<FoundPairs> items;
  for (std::size_t i = 0; i < matches.size(); ++i) items.push_back({.probability = chances(members[i]), .count = 1, .group = groups[i]});
  const Straying straying = rehearsed(basis, plan, matches, items);
  // Ways through items that were not found are not known, and where a keeper was missed, others are removed than by exact mode: on real
  // sets a fifth of what is missed, at most (bench/item_recall).
  constexpr double kFewer = 0.8, kMore = 1.2;
  const Recall met = estimate_recall(items, {.at_threshold = found_probability(plan, border_of(plan)),
                                             .least_missed = kFewer * straying.least,
                                             .most_missed = kMore * *lost * straying.most});
  if (found.meetings.each == 0) return met;
  const double part = std::min(1.0, share);
  return recall_with(kept_apart(basis, keepers).part(part), static_cast<double>(matches.size()), met,
                     part * most_apart(found, keepers, rows.across()));
}

}  // namespace nearkin
