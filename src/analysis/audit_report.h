// What a run examines after its search if the options ask for it: an audit, and the contents of a report.
#pragma once

#include <nearkin/run.h>
#include <nearkin/tools/report.h>

#include "analysis/other_borders.h"
#include "search/search.h"

namespace nearkin {

/// What a run does with what it found.
struct Ending {
  Linkage linkage = Linkage::star;  ///< of its clusters
  Removal removal = {};             ///< what dedup removes, or would
  bool removes = false;             ///< the run removes all but one item of each group
  /// Items are removed only for a compared match with their keeper, so an audit can also measure the recall of removals.
  bool by_keepers = false;
  bool decided_later = false;  ///< a person's decisions are still to be applied; show_found is to be called then
};
/// Fills rows.stats.audit and *options.report, as the options ask; the report's stats are filled later, by finish_report.
void audit_and_report(Rows& rows, const Stage& stage, const SearchResult& found, const Ending& ending);

/// Fills the part of *options.report, if there is one, that shows clusters, buckets and pairs. `keepers`: of each row of the input.
void show_found(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, bool removes);

/// Removes from the list of pairs the notes on which items were kept.
void forget_what_was_kept(Report& report);

/// Fills the rest of *options.report, if there is one, at the end of the run.
void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& options);

/// Fill the parts of a report that show groups and texts. `keepers`: the keeper of each row of the input. Returns the rows of the clusters
/// that are shown.
std::vector<Row> show_clusters(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers,
                               Report& report);
void show_buckets(const Rows& rows, const Plan& plan, const SearchResult& found, Report& report);
/// `removes`: items that are not their own keepers were removed. `in_clusters`: the rows of the clusters that are shown.
void show_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, bool removes,
                std::span<const Row> in_clusters, Report& report);

}  // namespace nearkin
