// Groups of a collection that is in files, and how similar each item is to its keeper.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/run.h>

#include "search/spill_search.h"
#include "search/spilled_sets.h"

namespace nearkin {

/// For each row the one that stays for it, copies included; the same as `group` (group.h) finds.
std::vector<Row> keepers_spilled(const SpillSearch& search, Linkage linkage);
/// The same as keepers_across; `similarity`, where given, takes the match of each representative with its keeper.
struct KeeperMatches {
  std::vector<std::uint32_t> shared, total;  ///< of each representative that is not its own keeper
  /// The match of a row with its keeper, as match_between (search.h) tells it.
  Match match(const SpillSearch& search, Row row, Row keeper) const;
};
std::vector<Row> keepers_across_spilled(const SpillSearch& search, KeeperMatches* similarity);

/// SearchResult among the matches, or counted now. `keepers` is of keepers_spilled.
KeeperMatches match_keepers(const SpillSearch& search, const std::vector<Row>& keepers, const SpilledSets& sets);

/// As count_pairs (search.h).
std::uint64_t count_pairs_spilled(const SpillSearch& search, bool across);

/// For each representative, how many items it stands for.
std::vector<std::uint32_t> copies_spilled(const SpillSearch& search);

/// As recall_of (search.h); from some of the matches, where not all fit in memory.
std::optional<Recall> recall_spilled(const SpillSearch& search, const SpilledSets& sets);

}  // namespace nearkin
