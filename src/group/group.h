// Groups of a searched collection: for every item, copies included, the item that stays for it, and how similar the two are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "group/linkage.h"
#include "group/number_clusters.h"
#include "search/search.h"

namespace nearkin {

/// For each row the one that stays for it. Copies belong where their representative belongs.
std::vector<Row> keepers_of(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage);
/// The same for the matches that a plan with a stricter border leaves.
std::vector<Row> keepers_within(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                const Plan& plan, Linkage linkage);

/// The matches of the search, with those that keepers_of adds to them before it makes groups.
MatchStream completed_matches(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage);

/// For each row of the input, the item of `against` that is there in its place: the most similar, of equals the one most worth keeping;
/// itself, where there is none.
std::vector<Row> keepers_across(const Rows& rows, const Stage& stage, const SearchResult& found);
/// Items of `against` that stand for others.
std::uint64_t groups_across(std::span<const Row> keepers);

/// The match of each row with its keeper: found among the matches, or counted now.
class KeeperMatches {
 public:
  KeeperMatches(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers);
  /// a: the row, b: its keeper. A row that is its own keeper, or a copy of it, shares 1 of 1.
  Match operator()(Row row) const;

 private:
  void note(Row member, const Match& match);
  void count_the_others(const Rows& rows, const Stage& stage);

  const SearchResult& found_;
  std::span<const Row> keepers_;
  std::vector<std::uint32_t> shared_, total_;  // of each representative that is not its own keeper
  std::vector<double> value_;                  // vectors
  std::vector<bool> known_;
};

/// Pairs of items within the border, copies counted. `across`: between two inputs, where copies are no pairs. A containment counts in
/// each direction apart.
struct PairCounts {
  std::uint64_t all = 0;
  std::uint64_t found = 0;  ///< among the candidates: of different items, each once however many copies they have
};
inline void note_pairs(const PairCounts& counts, RunStats& stats) {
  stats.pairs = counts.all;
  stats.found = counts.found;
}
PairCounts count_pairs(const SearchResult& found, bool across, Measure measure);

}  // namespace nearkin
