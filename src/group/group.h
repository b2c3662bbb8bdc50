// Groups of a searched collection: for every item, including copies, its keeper, and how similar the two are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "group/linkage.h"
#include "group/number_clusters.h"
#include "search/search.h"

namespace nearkin {

/// The keeper of each row. Copies have the keeper of their representative.
std::vector<Row> keepers_of(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage);
/// The same for the matches within the border of a stricter plan.
std::vector<Row> keepers_within(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                const Plan& plan, Linkage linkage);

/// The matches of the search, with those that keepers_of adds to them before it makes groups.
MatchStream completed_matches(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage);

/// For each row of the input, the most similar item of `against`; of equally similar ones, the first in order of keeping. The row itself,
/// if none is similar.
std::vector<Row> keepers_across(const Rows& rows, const Stage& stage, const SearchResult& found);
/// The keeper of each row of the input: by keepers_across if there is `against`, else by keepers_of.
std::vector<Row> keepers_for(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage);
/// The number of items of `against` that are keepers of rows of the input.
std::uint64_t groups_across(std::span<const Row> keepers);

/// The match of each row with its keeper: taken from the matches, or computed here.
class KeeperMatches {
 public:
  KeeperMatches(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers);
  /// a: the row, b: its keeper. A row that is its own keeper, or a copy of it, shares 1 of 1.
  Match operator()(Row row) const;

 private:
  void note(Row member, const Match& match);
  void compare_the_others(const Rows& rows);
  void count_the_others(const Rows& rows, const Stage& stage);

  const SearchResult& found_;
  std::span<const Row> keepers_;
  std::vector<std::uint32_t> shared_, total_;  // of each representative that is not its own keeper
  std::vector<double> value_;                  // vectors
  std::vector<bool> known_;
};

/// Pairs of items within the border, including copies. `across`: pairs between two inputs, where copies within one input are not pairs. A
/// containment counts separately in each direction.
struct PairCounts {
  std::uint64_t all = 0;
  std::uint64_t found = 0;  ///< found among the candidates: pairs of different contents, each counted once, however many copies there are
};
inline void note_pairs(const PairCounts& counts, RunStats& stats) {
  stats.pairs = counts.all;
  stats.found = counts.found;
}
PairCounts count_pairs(const SearchResult& found, bool across, Measure measure);

}  // namespace nearkin
