// Stars over matches that bands may have missed in part.
#pragma once

#include <vector>

#include "group/linkage.h"
#include "search/search.h"

namespace nearkin {

struct CompletedStars {
  std::vector<Row> keepers;
  Matches added;  ///< between keepers, ascending; none of them was found by the search
};
/// The stars (keepers_star) of the matches that bands found, without the splits that missed matches cause. If a match connects two stars,
/// their keepers are compared: bands miss few pairs, so an item that did not meet its keeper has met many items that the keeper took.
/// Keepers that match are added to the matches, and the stars are computed again, until no more are found. The result depends only on the
/// matches and the items. `plan` has the border that counts; `found` has the sets of the candidates and the order.
CompletedStars stars_looked_at_again(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches,
                                     const Plan& plan, const KeepingOrder& keeping);

}  // namespace nearkin
