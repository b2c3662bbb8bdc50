// What an exact join does with parts of a collection, to predict what it would do with the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "search/search.h"

namespace nearkin {

/// Joins random items (one of each group of copies), doubling their number until the work is large enough for a prediction or all items are
/// joined. Returns the last two parts; none if there are fewer than two items to compare. Reads their texts again.
std::vector<JoinedPart> sample_join(const Rows& rows, const Stage& stage, const SearchResult& folded, std::uint64_t seed);
/// The same for vectors, copies included.
std::vector<JoinedPart> sample_join(const Vectors& vectors, const Plan& plan, std::uint64_t seed);

}  // namespace nearkin
