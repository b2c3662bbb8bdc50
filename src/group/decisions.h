// What a person decided about pairs, brought into what a search found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/linkage.h"
#include "search/search.h"

namespace nearkin {

/// Packed as a << 32 | b with a < b, ascending, each once; no pair is in both.
struct DecidedPairs {
  std::vector<std::uint64_t> accepted, rejected;
};

/// The search result as it would be if these pairs were, or were not, matches, for groups of this linkage. Every match must be in `found`
/// (Wanted::pairs). A decision is about two items and not about their copies: an item that has been decided about stands for itself from
/// now on, and matches its copies and all that they match.
void follow_decisions(const Rows& rows, const Stage& stage, const DecidedPairs& pairs, Linkage linkage, SearchResult& found);

/// Whether one of two rows stands for itself only since decisions were followed.
bool is_loose(const SearchResult& found, std::uint64_t pair);

/// In groups of connected rows a chain may lead from an item to one that it was rejected with. Such an item goes for the first, in order of
/// keeping, of those that stay in its group and that it was not rejected with; it stays if there is none. `keepers`: of each row, the first
/// of its group.
void part_rejected(std::span<const std::uint64_t> rejected, const KeepingOrder& keeping, std::vector<Row>& keepers);

}  // namespace nearkin
