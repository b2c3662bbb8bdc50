// What pairs, cluster, dedup and what-if have in common: rows are collected, searched, examined as the options ask, and their files removed
// at the end.
#pragma once

#include <optional>

#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

/// The input, and `against` where there is one, as a run collects it: in memory, or in files where the bound or the options ask for it.
/// `keeps_ids`: Spill::keeps_ids.
Rows collect_for_run(const Input& input, const Input* against, const Stage& stage, const Keep& keep, bool keeps_ids = false);

/// What a run does with its matches.
enum class Use {
  pairs,
  chosen_pairs,  ///< some of them, by a rule or a person's decisions; a report is then to be told which (show_found)
  groups,
  decided_groups,  ///< a person's decisions are applied to the matches, so the run needs all of them
  removals,
  decided_removals,  ///< likewise
};

/// The search, its recall, and what the options ask to be examined (an audit, a report). Fills rows.stats. `removal`: what dedup
/// removes, or would, for the report; absent: all but one item of each group, as other runs say it of dedup by default.
SearchResult find_matches(Rows& rows, const Stage& stage, const Keep& keep, Linkage linkage, Use use, const Removal& removal = {});

/// Notes the memory and files that the run used. Call when everything except the outputs is done.
void note_resources(const Rows& rows, RunStats& stats);

/// The run is done and its outputs are in place: its files are not needed any more.
void remove_files(Rows& rows);

}  // namespace nearkin
