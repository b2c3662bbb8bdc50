#include "group/second_look.h"

#include <algorithm>

#include <nearkin/tools/describe.h>

#include "base/radix_sort.h"
#include "collect/row_vectors.h"
#include "match/space.h"

namespace nearkin {
namespace {

class SecondLook {
 public:
  SecondLook(const Rows& rows, const Stage& stage, const SearchResult& found, const Plan& plan)
      : rows_(rows),
        stage_(stage),
        found_(found),
        within_(plan, rows),
        rule_(found.rule(rows)),
        most_(share_of(rows, stage, 29) / (8 * sizeof(std::uint64_t))) {}

  // The keepers that match, of those pairs of stars between which a match runs and of which one is new.
  Matches run(const MatchStream& matches, std::span<const Row> keepers, const std::vector<bool>& is_new) {
    pairs_.clear();
    matching_.clear();
    matches.for_each([&](const Match& match) {
      const Row a = keepers[match.a], b = keepers[match.b];
      if (a != b && (is_new[a] || is_new[b]) && rule_.wants(a, b)) propose(std::min(a, b), std::max(a, b));
    });
    compare();
    sort_by_rows(matching_);
    const auto same = [](const Match& x, const Match& y) { return x.a == y.a && x.b == y.b; };
    matching_.erase(std::unique(matching_.begin(), matching_.end(), same), matching_.end());
    return std::move(matching_);
  }

 private:
  void propose(Row a, Row b) {
    pairs_.push_back(std::uint64_t{a} << 32 | b);
    if (pairs_.size() < most_) return;
    sort_pairs();
    if (pairs_.size() > most_ / 2) compare();
  }

  void sort_pairs() {
    radix_sort(pairs_, scratch_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }

  void compare() {
    sort_pairs();
    Matches compared(pairs_.size());
    match_pairs(rows_, stage_, found_, pairs_, [&](std::size_t i, const Match& match) { compared[i] = match; });
    std::copy_if(compared.begin(), compared.end(), std::back_inserter(matching_), within_);
    pairs_.clear();
  }

  const Rows& rows_;
  const Stage& stage_;
  const SearchResult& found_;
  WithinBorder within_;
  PairRule rule_;
  std::size_t most_;  // pairs that are held
  std::vector<std::uint64_t> pairs_, scratch_;
  Matches matching_;
};

// Stars that gained or lost a member.
std::vector<bool> changed_stars(std::span<const Row> before, std::span<const Row> after) {
  std::vector<bool> changed(before.size());
  for (std::size_t row = 0; row < before.size(); ++row) {
    if (before[row] != after[row]) changed[before[row]] = changed[after[row]] = true;
  }
  return changed;
}

}  // namespace

CompletedStars stars_looked_at_again(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                     const Plan& plan, const KeepingOrder& keeping) {
  const std::uint64_t memory = share_of(rows, stage, 29);
  std::vector<Row> keepers = keepers_star(matches, keeping, false, memory);
  std::vector<bool> is_new(keepers.size(), true);
  SecondLook look(rows, stage, found, plan);
  Matches added;
  for (std::uint32_t round = 0; round < SecondLookRule::kMostRounds; ++round) {
    const MatchStream all = added.empty() ? matches : matches.with(added);
    const Matches more = look.run(all, keepers, is_new);
    if (more.empty()) break;
    added.insert(added.end(), more.begin(), more.end());
    sort_by_rows(added);
    std::vector<Row> next = keepers_star(matches.with(added), keeping, false, memory);
    is_new = changed_stars(keepers, next);
    keepers = std::move(next);
  }
  return {std::move(keepers), std::move(added)};
}

}  // namespace nearkin
