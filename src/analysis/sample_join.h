// What an exact join does with parts of a collection, for telling what it would do with the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "search/search.h"

namespace nearkin {

/// Joins random items, of copies one, and twice as many again and again until that is work enough to tell by, or all are joined. Of these
/// parts the last two; none where there are fewer than two items to compare. Their texts are read again.
std::vector<JoinedPart> sample_join(const Rows& rows, const Stage& stage, const SearchResult& folded, std::uint64_t seed);
/// The same for vectors, copies included.
std::vector<JoinedPart> sample_join(const Vectors& vectors, const Plan& plan, std::uint64_t seed);

}  // namespace nearkin
