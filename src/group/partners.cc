// Every rule works on matches between representatives, in an order that a sorter gives them, and turn to the copies last: a thousand copies
// on either side are one match, not a million.
#include "group/partners.h"

#include <algorithm>
#include <numeric>

#include <nearkin/error.h>

#include "group/choosing.h"
#include "group/one_to_one.h"

namespace nearkin {
namespace {

/// The best partners of the items of one representative.
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
  what.for_each_match([&](const Match& match) {
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

void require_partners(const Partners& partners, const Plan& plan, const Input* against) {
  if (partners.rule == Partners::Rule::all) return;
  if (partners.rule == Partners::Rule::best && partners.most == 0)
    throw Error(ErrorCode::plan, "partners", "0 partners per item are none; use 1 or more");
  if (partners.rule == Partners::Rule::optimal && against == nullptr)
    throw Error(ErrorCode::plan, "partners",
                "an optimal matching is between two inputs; give the other one, or take the most similar pair first");
  if (plan.verify == Verify::none && plan.sketch.hashes > 0)
    throw Error(ErrorCode::plan, "verify", "none computes no similarities, so no partner is known to be the best; use exact or estimate");
}

ChosenPairs choose_pairs(Rows& rows, const Stage& stage, const SearchResult& found, const Partners& partners, const Plan* narrower) {
  const Choosing what(rows, stage, found, narrower);
  if (partners.rule == Partners::Rule::best) return ChosenPairs(choose_best(what, partners.most));
  if (partners.rule == Partners::Rule::one_to_one) return ChosenPairs(choose_one_to_one(what));
  TooLargeGroups too_large;
  MatchStream chosen = choose_optimal(what, too_large);
  return {std::move(chosen), too_large};
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
