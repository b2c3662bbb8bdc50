// From rows to matches: copies folded, candidates found, each verified as the plan says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <nearkin/run.h>

#include "collect/features_again.h"
#include "collect/rows.h"
#include "collect/stage.h"
#include "match/candidates.h"
#include "match/pair_rule.h"
#include "match/space.h"
#include "search/local_join.h"
#include "search/match_stream.h"
#include "search/set_files.h"

namespace nearkin {

/// The shingle sets of the rows that were candidates (of all rows, for the exact join), in memory or in files.
class CandidateSets {
 public:
  CandidateSets() = default;
  /// The features of a row are features.items[place[row]], or features.items[row] if `place` is empty.
  CandidateSets(FeatureBlocks features, std::vector<std::uint32_t> place) : held_(InMemory{std::move(features), std::move(place)}) {}
  explicit CandidateSets(SetFiles files) : held_(std::move(files)) {}

  /// As 64-bit hashes, ascending. Good while this is.
  RowBytes bytes(unsigned threads) const;

 private:
  struct InMemory {
    FeatureBlocks features;
    std::vector<std::uint32_t> place;
  };
  std::variant<InMemory, SetFiles> held_;
};

/// What a person's decisions changed in a SearchResult (group/decisions.h).
struct Decided {
  std::vector<std::uint64_t> accepted;  ///< pairs that are matches: a << 32 | b with a < b, ascending
  std::vector<std::uint64_t> rejected;  ///< pairs that are none
  std::vector<Row> loose;               ///< rows that became representatives only by decisions, ascending; `sets` may lack their sets
};

/// The matches of a collection between items that are not copies of one another, and which items are copies of which.
struct SearchResult {
  std::vector<Row> order, rank;     ///< all rows, the one most worth keeping first, and its inverse; both empty for input order
  std::vector<Row> representative;  ///< for each row, the first row in order with the same content; EMPTY items represent themselves
  Column<std::uint8_t> empty;       ///< 1 for EMPTY items
  Column<std::uint64_t> scopes;     ///< Rows::scopes_to_cross
  MatchStream matches;              ///< between representatives
  CandidateSets sets;
  std::vector<BigBucket> buckets;  ///< the largest first; of searches by bands
  RowSet in_large{0};              ///< rows in large buckets; made for no rows if there is no large bucket
  TestedMeetings meetings;         ///< sampled pairs of large buckets, which the rule for these may have left out; `sets` has their sets
  std::optional<Decided> decided;  ///< if there were decisions; `representative` and `matches` then include them
  /// Where matches are not by the plan, as with a score: the match of each of these pairs of rows (a << 32 | b). Else empty.
  std::function<Matches(std::span<const std::uint64_t> pairs)> compare;

  std::size_t items() const { return representative.size(); }
  /// The pairs that are searched for. Valid as long as this object.
  PairRule rule(const Rows& rows) const { return {rows.split, scopes.values()}; }
  Row at_place(Row place) const { return order.empty() ? place : order[place]; }
  Row rank_of(Row row) const { return rank.empty() ? row : rank[row]; }
  /// Whether, of two matches of the same row a, the first has the nearer row b, or one equally near and earlier in the order of keeping.
  bool stands_before(const Match& x, const Match& y, Measure measure) const;
};

/// Which matches a run needs. An exact search finds no more than that: its work and memory then follow the items, not the pairs. Other
/// searches find all that their bands meet.
enum class Wanted {
  pairs,       ///< all of them
  stars,       ///< for each removed item, its match with its keeper
  components,  ///< enough to connect what is connected
  best,        ///< for each item of the input, its match with the most similar item of `against`
};

/// Order of keeping, and representatives of copies: what every search begins with.
SearchResult fold_copies(const Rows& rows, const Stage& stage, const Keep& keep);

/// The whole search. Rows in memory are moved to files if their candidates do not fit. Fills rows.stats.
SearchResult search(Rows& rows, const Stage& stage, const Keep& keep, Wanted wanted = Wanted::pairs);

/// Whole sketches of the rows, for plans that keep them.
RowBytes sketch_rows(const Rows& rows, const Plan& plan, unsigned threads);

/// Whether a verified match lies within the plan's border.
class WithinBorder {
 public:
  WithinBorder(const Plan& plan, const Rows& rows);
  bool operator()(const Match& match) const {
    return match.total == 0 ? border_.inside(match.value) : match.shared * least_.denominator >= least_.numerator * match.total;
  }

 private:
  Ratio least_;
  Border border_;
};

/// The share of shingles that a pair must have in common: the threshold; for tables with this many columns, the share that the radius
/// leaves.
Ratio least_share(const Plan& plan, std::uint32_t columns);

/// The equal bytes of their signatures that a pair must have to be verified; 0: no such test.
std::uint32_t least_signature(const Plan& plan, Ratio threshold);

/// For each representative, how many items it stands for; 0 for other rows.
std::vector<std::uint32_t> copies_of(const SearchResult& found);

/// Calls use(i, value) for the similarity or distance of the vectors of each pair (a << 32 | b, ascending), in any order; where they are in
/// files, many threads at once. Holds about `memory` bytes of vectors that are in files.
void for_each_value(const Rows& rows, const Stage& stage, std::span<const std::uint64_t> pairs, std::uint64_t memory,
                    const std::function<void(std::size_t i, double value)>& use);

/// Calls use(i, match) for each of the pairs of representatives (packed as a << 32 | b, ascending): the exact match of the two, or the
/// estimated one where the plan verifies by estimates; any order, many threads at once. For containment the caller decides both directions:
/// match.shared is |A∩B|, match.total is |A∪B|.
void match_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const std::uint64_t> pairs,
                 const std::function<void(std::size_t i, const Match& match)>& use);

}  // namespace nearkin
