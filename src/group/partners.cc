// Both rules work on matches between representatives, in an order that a sorter gives them, and turn to the copies last: a thousand copies
// on either side are one match, not a million.
#include "group/partners.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "collect/sketcher.h"
#include "group/copy_groups.h"
#include "group/decisions.h"
#include "group/linkage.h"
#include "io/formats/result_rows.h"
#include "search/match_sorter.h"

namespace nearkin {
namespace {

/// What both rules need to know of a search.
struct Choosing {
  Rows& rows;
  const Stage& stage;
  const SearchResult& found;
  CopyGroups copies;
  bool directed;   ///< a match is one of its first row alone
  bool symmetric;  ///< either row of a match may be called first

  Choosing(Rows& of, const Stage& by, const SearchResult& searched)
      : rows(of),
        stage(by),
        found(searched),
        copies(searched.representative),
        directed(by.plan.measure == Measure::containment),
        symmetric(!directed && !of.across()) {}

  MatchSorter sorter(const char* kind, MatchOrder before = {}) const {
    return {rows, share_of(rows, stage, 37) / 4, compares_vectors(stage.plan), kind, std::move(before)};
  }
  /// Copies are similar to one another, where they can be pairs: each of a group of them with itself.
  void add_copies(MatchSorter& sorter) const {
    if (rows.across()) return;
    for (Row row = 0; row < found.items(); ++row) {
      if (copies[row].size() < 2) continue;
      const Match match{row, row, 1, 1};
      sorter.add(std::span(&match, 1));
    }
  }
  /// Whether x comes before y by what a person accepted, or else by its similarity.
  bool comes_before(const Match& x, const Match& y) const {
    const bool accepted = is_accepted(found, x);
    return accepted == is_accepted(found, y) ? nearer(x, y, stage.plan.measure) : accepted;
  }
  Match pair(Row a, Row b, const Match& match) const {
    if (symmetric && b < a) std::swap(a, b);
    return {a, b, match.shared, match.total, match.value};
  }
};

/// Of the items of one representative, the partners that come first.
class BestOfEach {
 public:
  BestOfEach(const Choosing& what, std::size_t most, MatchSorter& chosen) : what_(what), most_(most), chosen_(chosen) {}

  /// By row a, the one that comes before the others first, of equals by row b.
  void add(const Match& match) {
    if (!matches_.empty() && matches_.front().a != match.a) finish();
    // Each of the others has an item, its representative, that comes before all of this one's; a group's own copies may lack one.
    if (matches_.size() <= most_) matches_.push_back(match);
  }
  /// After the last.
  void finish() {
    if (matches_.empty()) return;
    order_partners();
    for (const Row row : what_.copies[matches_.front().a]) list(row);
    matches_.clear();
  }

 private:
  struct Partner {
    Row row;
    const Match* match;
  };

  /// The first of them, one more than are wanted: an item is no partner of itself.
  void order_partners() {
    partners_.clear();
    for (std::size_t begin = 0, end = 0; begin < matches_.size() && partners_.size() <= most_; begin = end) {
      const std::size_t before = partners_.size();
      for (; end < matches_.size() && !what_.comes_before(matches_[begin], matches_[end]); ++end) {
        const std::span<const Row> rows = what_.copies[matches_[end].b];
        for (const Row row : rows.first(std::min(rows.size(), most_ + 1))) partners_.push_back({row, &matches_[end]});
      }
      std::sort(partners_.begin() + static_cast<std::ptrdiff_t>(before), partners_.end(),
                [](const Partner& x, const Partner& y) { return x.row < y.row; });
    }
  }

  void list(Row row) {
    std::size_t left = most_;
    for (const Partner& partner : partners_) {
      if (left == 0) return;
      if (partner.row == row) continue;
      const Match match = what_.pair(row, partner.row, *partner.match);
      chosen_.add(std::span(&match, 1));
      --left;
    }
  }

  const Choosing& what_;
  std::size_t most_;
  MatchSorter& chosen_;
  Matches matches_;
  std::vector<Partner> partners_;
};

MatchStream choose_best(const Choosing& what, std::uint32_t most) {
  MatchSorter sides = what.sorter("sides", [&what](const Match& x, const Match& y) {
    if (x.a != y.a) return x.a < y.a;
    if (what.comes_before(x, y)) return true;
    return !what.comes_before(y, x) && x.b < y.b;
  });
  what.found.matches.for_each([&](const Match& match) {
    const Match both[] = {match, {match.b, match.a, match.shared, match.total, match.value}};
    sides.add(std::span(both, what.symmetric ? 2 : 1));
  });
  what.add_copies(sides);
  MatchSorter chosen = what.sorter("chosen");
  BestOfEach best(what, most, chosen);
  sides.finish().for_each([&](const Match& match) { best.add(match); });
  best.finish();
  return chosen.finish();
}

/// Takes pairs of items from matches that come the most similar first, of equals by their rows. What a person accepted comes before, and
/// counts as more similar than all else.
///
/// Among matches of one similarity the items have their turns by their rows: one that is free takes the first free partner that it has.
/// The items of a group that are taken are always the first of it: whoever takes one takes the first that is free, and when an item finds
/// no partner the later ones of its group find none either. So a group is known by how many of it are taken, and its turn is that of its
/// first free item. A group of one item has its turn when its matches come. What must be remembered is the matches of groups of which
/// more are free, until no more of this similarity come.
class OneToOne {
 public:
  OneToOne(const Choosing& what, MatchSorter& chosen)
      : what_(what),
        chosen_(chosen),
        taken_(what.found.items()),
        most_remembered_(std::max<std::uint64_t>(1024, share_of(what.rows, what.stage, 37) / (8 * sizeof(Match)))) {}

  void add(const Match& match) {
    const bool new_similarity = last_ && what_.comes_before(*last_, match);
    if (last_ && (new_similarity || match.a != last_->a)) take_turn_of(last_->a);
    if (new_similarity) finish_similarity();
    last_ = match;
    if (has_free(match.b)) partners_.push_back(match);
  }
  /// After the last.
  void finish() {
    if (!last_) return;
    take_turn_of(last_->a);
    finish_similarity();
  }

 private:
  struct Waiting {
    Matches partners;  // b: the partner
    bool queued = false;
  };
  using Turn = std::pair<Row, Row>;  // the item, and its group

  bool has_free(Row group) const { return taken_[group] < what_.copies[group].size(); }
  Row first_free(Row group) const { return what_.copies[group][taken_[group]]; }

  /// The matches of the group are complete, but for those with groups before it that are remembered.
  void take_turn_of(Row group) {
    take_turns_before(group);
    if (has_free(group) && !partners_.empty()) {
      const bool later = first_free(group) != group || waiting_.contains(group);
      if (later || take(group, partners_)) remember(group);
    }
    partners_.clear();
  }

  void take_turns_before(Row row) {
    while (!turns_.empty() && turns_.top().first < row) {
      const auto [item, group] = turns_.top();
      turns_.pop();
      Waiting& waiting = waiting_[group];
      waiting.queued = false;
      if (!has_free(group)) continue;
      if (first_free(group) == item && !take(group, waiting.partners)) continue;
      queue(group);
    }
  }

  /// The first free item of the group takes the first free one of its partners. False where there is none.
  bool take(Row group, Matches& partners) {
    std::erase_if(partners, [&](const Match& match) { return !has_free(match.b); });
    const Match* best = nullptr;
    Row best_item = kNoRow;
    for (const Match& match : partners) {
      const std::uint32_t place = taken_[match.b] + (match.b == group ? 1 : 0);
      if (place >= what_.copies[match.b].size() || what_.copies[match.b][place] >= best_item) continue;
      best = &match;
      best_item = what_.copies[match.b][place];
    }
    if (best == nullptr) return false;
    const Match pair = what_.pair(first_free(group), best_item, *best);
    chosen_.add(std::span(&pair, 1));
    ++taken_[group];
    ++taken_[best->b];
    return true;
  }

  void remember(Row group) {
    if (!has_free(group)) return;
    for (const Match& match : partners_) {
      if (!has_free(match.b)) continue;
      add_partner(group, match);
      if (what_.symmetric && match.b != group) add_partner(match.b, {match.b, group, match.shared, match.total, match.value});
    }
  }

  void add_partner(Row group, const Match& match) {
    if (++remembered_ > most_remembered_) {
      throw Error(ErrorCode::plan, "memory",
                  bytes_text(what_.stage.memory) + " are too little to pair copies one to one: more than " +
                      std::to_string(most_remembered_) + " matches of one similarity have items with copies; give more");
    }
    waiting_[group].partners.push_back(match);
    queue(group);
  }

  void queue(Row group) {
    if (!has_free(group)) return;
    Waiting& waiting = waiting_[group];
    if (!waiting.queued) turns_.push({first_free(group), group});
    waiting.queued = true;
  }

  void finish_similarity() {
    take_turns_before(kNoRow);
    waiting_.clear();
    remembered_ = 0;
  }

  const Choosing& what_;
  MatchSorter& chosen_;
  std::vector<std::uint32_t> taken_;  // of each representative: how many of its items, the first of them
  std::optional<Match> last_;
  Matches partners_;  // of the row a of the last match
  std::unordered_map<Row, Waiting> waiting_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::uint64_t remembered_ = 0, most_remembered_;
};

MatchStream choose_one_to_one(const Choosing& what) {
  MatchSorter nearest = what.sorter("nearest", [&what](const Match& x, const Match& y) {
    if (what.comes_before(x, y)) return true;
    return !what.comes_before(y, x) && by_rows(x, y);
  });
  what.found.matches.for_each([&](const Match& match) { nearest.add(std::span(&match, 1)); });
  what.add_copies(nearest);
  MatchSorter chosen = what.sorter("chosen");
  OneToOne matching(what, chosen);
  nearest.finish().for_each([&](const Match& match) { matching.add(match); });
  matching.finish();
  return chosen.finish();
}

}  // namespace

void ChosenPairs::for_each(const std::function<void(const Match&)>& use) const {
  std::optional<Pair> last;
  pairs_.for_each([&](const Match& match) {
    const Pair pair{match.a, match.b};
    if (last != pair) use(match);
    last = pair;
  });
}

std::uint64_t ChosenPairs::count() const {
  std::uint64_t count = 0;
  for_each([&](const Match&) { ++count; });
  return count;
}

void require_partners(const Partners& partners, const Plan& plan) {
  if (partners.rule == Partners::Rule::all) return;
  if (partners.rule == Partners::Rule::best && partners.most == 0)
    throw Error(ErrorCode::plan, "partners", "0 partners per item are none; use 1 or more");
  if (plan.verify == Verify::none && plan.sketch.hashes > 0)
    throw Error(ErrorCode::plan, "verify", "none computes no similarities, so no partner is known to be the best; use exact or estimate");
}

ChosenPairs choose_pairs(Rows& rows, const Stage& stage, const SearchResult& found, const Partners& partners) {
  const Choosing what(rows, stage, found);
  return ChosenPairs(partners.rule == Partners::Rule::best ? choose_best(what, partners.most) : choose_one_to_one(what));
}

SearchResult only(const ChosenPairs& pairs, const Rows& rows) {
  Matches matches;
  pairs.for_each([&](const Match& match) { matches.push_back(match); });
  SearchResult alone;
  alone.representative.resize(rows.size());
  std::iota(alone.representative.begin(), alone.representative.end(), Row{0});
  alone.empty = rows.empty();
  alone.matches = MatchStream(std::move(matches));
  return alone;
}

}  // namespace nearkin
