// Stars over matches of which some are missing.
#pragma once

#include <vector>

#include "group/linkage.h"
#include "search/search.h"

namespace nearkin {

struct CompletedStars {
  std::vector<Row> keepers;
  Matches added;  ///< between keepers, ascending; none of them was found by the search
};
/// The stars (keepers_star) of the matches that bands found, without the splits that their gaps make. Where a match runs between two stars,
/// their keepers are compared: bands miss few pairs, so that an item which did not meet its keeper has met many that its keeper took.
/// Keepers that turn out to match are added to the matches, and the stars are made again, until no more are found. It follows from the
/// matches and the items alone. `plan` has the border that counts; `found` has the sets of the candidates and the order.
CompletedStars stars_looked_at_again(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                     const Plan& plan, const KeepingOrder& keeping);

}  // namespace nearkin
