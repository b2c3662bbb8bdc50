// Exact searches: every match, or as many as the groups of a run need.
#pragma once

#include <span>

#include "search/search.h"

namespace nearkin {

/// `members` in order of keeping. Fills found.matches, found.sets and rows.stats. Matches that do not fit in memory go to files of the run.
void search_exactly(Rows& rows, const Stage& stage, std::span<const Row> members, Wanted wanted, SearchResult& found);

}  // namespace nearkin
