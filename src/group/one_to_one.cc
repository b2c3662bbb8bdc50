#include "group/one_to_one.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "collect/row_vectors.h"
#include "group/assignment.h"
#include "group/linkage.h"
#include "match/space.h"

namespace nearkin {
namespace {

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
        most_remembered_(std::max<std::uint64_t>(1024, what.memory() / (8 * sizeof(Match)))) {}

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
    last_.reset();
  }

  /// How many items of a representative have no partner yet.
  std::uint32_t free(Row group) const { return static_cast<std::uint32_t>(what_.copies[group].size()) - taken_[group]; }
  /// Takes so many pairs of items that the match stands for, both of which are free.
  void take(const Match& match, std::uint32_t many) {
    for (; many > 0; --many) {
      const Match pair = what_.pair(first_free(match.a), first_free(match.b), match);
      chosen_.add(std::span(&pair, 1));
      ++taken_[match.a];
      ++taken_[match.b];
    }
  }

 private:
  struct Waiting {
    Matches partners;  // b: the partner
    bool queued = false;
  };
  using Turn = std::pair<Row, Row>;  // the item, and its group

  bool has_free(Row group) const { return free(group) > 0; }
  Row first_free(Row group) const { return what_.copies[group][taken_[group]]; }

  /// The matches of the group are complete, but for those with groups before it that are remembered.
  void take_turn_of(Row group) {
    take_turns_before(group);
    if (has_free(group) && !partners_.empty()) {
      const bool later = first_free(group) != group || waiting_.contains(group);
      if (later || take_first(group, partners_)) remember(group);
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
      if (first_free(group) == item && !take_first(group, waiting.partners)) continue;
      queue(group);
    }
  }

  /// The first free item of the group takes the first free one of its partners. False where there is none.
  bool take_first(Row group, Matches& partners) {
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

/// What the pairs of a match count in the sum, in units of 10^-9: the similarity; for distances 1 at 0, falling evenly to 1/2 at the
/// radius.
class Gains {
 public:
  explicit Gains(const Choosing& what)
      : measure_(what.plan.measure), radius_(is_distance(measure_) ? Border(what.plan, places_of(what.rows, what.plan)).limit() : 0) {}
  std::int64_t operator()(const Match& match) const {
    double share = measured(match, measure_);
    if (is_distance(measure_)) share = radius_ > 0 ? 1 - share / (2 * radius_) : 1;
    return std::max<std::int64_t>(1, std::llround(share * 1e9));
  }

 private:
  Measure measure_;
  double radius_;
};

/// A connected group of matches as sides and offers, and its solution.
class OptimalGroup {
 public:
  explicit OptimalGroup(const Choosing& what) : gains_(what) {}

  /// `group`: ascending by rows. False: it takes too many steps, and nothing is taken.
  bool match(const Matches& group, OneToOne& matching) {
    number_sides(group, matching);
    const auto taken = greatest_sum(offers_, left_free_, right_free_, largest_group.steps);
    if (!taken) return false;
    for (std::size_t i = 0; i < group.size(); ++i) matching.take(group[i], (*taken)[i]);
    return true;
  }

 private:
  void number_sides(const Matches& group, const OneToOne& matching) {
    offers_.clear();
    left_free_.clear();
    right_free_.clear();
    rights_.clear();
    for (const Match& match : group) rights_.push_back(match.b);
    std::sort(rights_.begin(), rights_.end());
    rights_.erase(std::unique(rights_.begin(), rights_.end()), rights_.end());
    for (const Row right : rights_) right_free_.push_back(matching.free(right));
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (i == 0 || group[i].a != group[i - 1].a) left_free_.push_back(matching.free(group[i].a));
      const auto right = std::lower_bound(rights_.begin(), rights_.end(), group[i].b) - rights_.begin();
      offers_.push_back({static_cast<std::uint32_t>(left_free_.size() - 1), static_cast<std::uint32_t>(right), gains_(group[i])});
    }
  }

  Gains gains_;
  std::vector<Row> rights_;
  std::vector<std::uint32_t> left_free_, right_free_;
  std::vector<Offer> offers_;
};

/// The connected groups of the matches.
class Groups {
 public:
  explicit Groups(const Choosing& what) : what_(what), of_(what.found.items()) {
    Components components(of_.size());
    what.for_each_match([&](const Match& match) { components.unite(match.a, match.b); });
    for (Row row = 0; row < of_.size(); ++row) of_[row] = components.root(row);
  }

  /// Throws Error(plan) if the memory is too little for the largest one that is matched optimally.
  void require_memory() const {
    std::vector<std::uint32_t> sizes(of_.size());
    what_.for_each_match([&](const Match& match) {
      std::uint32_t& size = sizes[of_[match.a]];
      if (size <= largest_group.matches) ++size;
    });
    std::uint64_t largest = 0;
    for (const std::uint32_t size : sizes) largest = size <= largest_group.matches ? std::max<std::uint64_t>(largest, size) : largest;
    const std::uint64_t memory = what_.memory(), needed = 2 * kBytesPerMatch * largest, all = what_.stage.memory;
    if (needed <= memory) return;
    const std::uint64_t enough = std::max(all, memory) - memory + needed + needed / 10;
    throw Error(ErrorCode::plan, "memory",
                bytes_text(all) + " are too little for an optimal matching of " + std::to_string(largest) +
                    " pairs that are connected; give about " + bytes_text(((enough >> 20) + 1) << 20) + ", or leave optimal out");
  }

  /// Calls use(match, is_first) for every match that nobody accepted, one connected group after the other, and in it by rows.
  template <typename Use>
  void for_each(Use&& use) const {
    MatchSorter sorter = what_.sorter(
        "groups", [this](const Match& x, const Match& y) { return of_[x.a] != of_[y.a] ? of_[x.a] < of_[y.a] : by_rows(x, y); });
    what_.for_each_match([&](const Match& match) {
      if (!is_accepted(what_.found, match)) sorter.add(std::span(&match, 1));
    });
    Row last = kNoRow;
    sorter.finish().for_each([&](const Match& match) {
      use(match, of_[match.a] != last);
      last = of_[match.a];
    });
  }

 private:
  static constexpr std::uint64_t kBytesPerMatch = 96;  // the match, its offer, and what is known of them and their rows
  const Choosing& what_;
  std::vector<Row> of_;  // of each row, the first row of its group
};

/// Matches one connected group after the other. Groups that are too large wait for the end and are matched as choose_one_to_one does.
class Optimal {
 public:
  Optimal(const Choosing& what, OneToOne& matching) : matching_(matching), optimal_(what), large_(what.nearest_first("nearest")) {}

  void add(const Match& match, bool is_first) {
    if (is_first) finish_group();
    group_.push_back(match);
    if (is_large_) {
      pass_on();
    } else if (group_.size() > largest_group.matches) {
      leave_as_large();
    }
  }
  /// After the last.
  TooLargeGroups finish() {
    finish_group();
    large_.finish().for_each([&](const Match& match) { matching_.add(match); });
    matching_.finish();
    return too_large_;
  }

 private:
  void finish_group() {
    if (!is_large_ && !group_.empty() && !optimal_.match(group_, matching_)) leave_as_large();
    group_.clear();
    is_large_ = false;
  }
  void leave_as_large() {
    is_large_ = true;
    ++too_large_.groups;
    pass_on();
  }
  void pass_on() {
    too_large_.pairs += group_.size();
    large_.add(group_);
    group_.clear();
  }

  OneToOne& matching_;
  OptimalGroup optimal_;
  MatchSorter large_;
  Matches group_;
  bool is_large_ = false;
  TooLargeGroups too_large_;
};

void take_accepted(const Choosing& what, OneToOne& matching) {
  if (!what.found.decided) return;
  MatchSorter accepted = what.nearest_first("accepted");
  what.for_each_match([&](const Match& match) {
    if (is_accepted(what.found, match)) accepted.add(std::span(&match, 1));
  });
  accepted.finish().for_each([&](const Match& match) { matching.add(match); });
  matching.finish();
}

}  // namespace

thread_local LargestGroup largest_group;

MatchStream choose_one_to_one(const Choosing& what) {
  MatchSorter nearest = what.nearest_first("nearest");
  what.for_each_match([&](const Match& match) { nearest.add(std::span(&match, 1)); });
  what.add_copies(nearest);
  MatchSorter chosen = what.sorter("chosen");
  OneToOne matching(what, chosen);
  nearest.finish().for_each([&](const Match& match) { matching.add(match); });
  matching.finish();
  return chosen.finish();
}

MatchStream choose_optimal(const Choosing& what, TooLargeGroups& too_large) {
  const Groups groups(what);
  groups.require_memory();
  MatchSorter chosen = what.sorter("chosen");
  OneToOne matching(what, chosen);
  take_accepted(what, matching);
  Optimal optimal(what, matching);
  groups.for_each([&](const Match& match, bool is_first) { optimal.add(match, is_first); });
  too_large = optimal.finish();
  return chosen.finish();
}

}  // namespace nearkin
