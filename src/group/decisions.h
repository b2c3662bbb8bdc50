// Applies a person's decisions about pairs to the result of a search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "group/linkage.h"
#include "search/search.h"

namespace nearkin {

/// Packed as a << 32 | b with a < b, ascending, each once; no pair is in both.
struct DecidedPairs {
  std::vector<std::uint64_t> accepted, rejected;
};

/// Changes the search result as if the accepted pairs were matches and the rejected ones were not, for groups of this linkage; without a
/// linkage, for a list of pairs. `found` must hold every match (Wanted::pairs). A decision is about two items, not about their copies: a
/// decided item becomes its own representative, which matches its copies and everything that they match.
void follow_decisions(const Rows& rows, const Stage& stage, const DecidedPairs& pairs, std::optional<Linkage> linkage, SearchResult& found);

/// Whether one of the two rows became its own representative only because of decisions.
bool is_loose(const SearchResult& found, std::uint64_t pair);

/// Whether a person accepted these two rows as a pair.
bool is_accepted(const SearchResult& found, const Match& match);

/// In a group of connected rows, a chain may lead from an item to a keeper that it was rejected with. Such an item gets another keeper: the
/// first, in order of keeping, of the kept items of its group with which it was not rejected. If there is none, it is kept. `keepers`: for
/// each row, the first of its group.
void part_rejected(std::span<const std::uint64_t> rejected, const KeepingOrder& keeping, std::vector<Row>& keepers);

}  // namespace nearkin
