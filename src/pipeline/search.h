// From a collection to its matches: copies folded, candidates found, each verified as the plan says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "pipeline/collect.h"

namespace nearkin {

/// The matches of a collection between items that are not copies of one another, and which are copies of which.
struct Found {
  std::vector<Row> order;           ///< all rows, the one most worth keeping first
  std::vector<Row> representative;  ///< for each row the first in `order` with the same content; EMPTY items stand for themselves
  Matches matches;                  ///< between representatives, ascending
  FeatureBlocks features;           ///< of the rows that were candidates (of all rows, for the exact join)
  std::vector<std::uint32_t> place; ///< where in features.items a row's are; empty: at the row itself

  std::span<const std::uint64_t> features_of(Row row) const { return features.items[place.empty() ? row : place[row]]; }
};

Found search(Collection& collection, const Plan& plan, const Keep& keep, const RunOptions& options);

/// Pairs of items at or above the threshold, copies counted. `across`: between two collections, where copies are no pairs.
/// A containment counts in each direction apart.
std::uint64_t count_pairs(const Found& found, bool across, Measure measure);

/// The pair of any two items that are in the same group: found, or counted now.
Match match_between(Row a, Row b, const Collection& collection, const Found& found, const Plan& plan);

}  // namespace nearkin
