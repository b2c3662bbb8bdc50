// From a collection to its matches: copies folded, candidates found, each verified as the plan says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "collect/collect.h"
#include "match/candidates.h"

namespace nearkin {

/// The matches of a collection between items that are not copies of one another, and which are copies of which.
struct SearchResult {
  std::vector<Row> order;            ///< all rows, the one most worth keeping first
  std::vector<Row> representative;   ///< for each row the first in `order` with the same content; EMPTY items stand for themselves
  Matches matches;                   ///< between representatives, ascending
  FeatureBlocks features;            ///< of the rows that were candidates (of all rows, for the exact join)
  std::vector<std::uint32_t> place;  ///< where in features.items a row's are; empty: at the row itself

  std::vector<BigBucket> buckets;  ///< the largest first; of searches by bands

  std::span<const std::uint64_t> features_of(Row row) const { return features.items[place.empty() ? row : place[row]]; }
};

/// For each row the first in `order` with the same content, on the same side of a split; EMPTY items stand for themselves.
std::vector<Row> fold_copies(const Collection& collection, std::span<const Row> order);

SearchResult search(Collection& collection, const Plan& plan, const Keep& keep, const RunOptions& options);

/// Pairs of items at or above the threshold, copies counted. `across`: between two collections, where copies are no pairs.
/// A containment counts in each direction apart.
std::uint64_t count_pairs(const SearchResult& found, bool across, Measure measure);

/// The share of shingles that a pair must have in common: the threshold; for tables of so many columns, what the radius leaves.
Ratio least_share(const Plan& plan, std::uint32_t columns);

/// The equal bytes of their signatures that a pair must have to be verified; 0: no such test.
std::uint32_t least_signature(const Plan& plan, Ratio threshold);

/// For each representative, how many items it stands for; 0 for other rows.
std::vector<std::uint64_t> copies_of(const SearchResult& found);

/// The recall of a search that verified all its candidates, from the matches within the border alone (see RunStats::recall).
std::optional<Recall> recall_of(const Collection& collection, const SearchResult& found, const Matches& matches, const Plan& plan);

/// What an estimate of the recall rests on, wherever the matches are.
using FeaturesOf = std::function<std::span<const std::uint64_t>(Row)>;
struct RecallBasis {
  const Matches& matches;                                ///< between representatives, ascending
  std::function<double(Row)> copies;                     ///< items that a representative stands for
  std::function<bool(const Match&)> are_copies;          ///< of one content, in two inputs
  std::function<FeaturesOf(std::span<const Row>)> load;  ///< makes the features of these rows ready
};
std::optional<Recall> recall_from(const Collection& collection, const RecallBasis& basis, const Plan& plan);

/// The match of two representatives among matches in ascending order, or nothing.
const Match* find_match(const Matches& matches, Row a, Row b, bool directed);

/// The pair of any two items that are in the same group: found, or counted now.
Match match_between(Row a, Row b, const Collection& collection, const SearchResult& found, const Plan& plan);

}  // namespace nearkin
