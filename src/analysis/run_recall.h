// The recall of a run, from the pairs that it found.
#pragma once

#include <optional>

#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

/// The recall of a search that verified all its candidates, estimated from `matches`, which are some or all of those of `found`
/// (RunStats::recall). If they do not fit in memory, the matches of some components are used.
std::optional<Recall> recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches);

/// RunStats::item_recall, of a `dedup` with these keepers.
std::optional<Recall> item_recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers);

}  // namespace nearkin
