// What is looked at after a search, where it was asked for: an audit, and what a report shows.
#pragma once

#include <nearkin/run.h>
#include <nearkin/tools/report.h>

#include "search/search.h"

namespace nearkin {

/// What a run does with what it found.
struct Ending {
  Linkage linkage = Linkage::star;
  bool removes = false;  ///< all but one item of each group
  /// It removes items by matches with their keepers that were compared, so that an audit tells their recall as well.
  bool by_keepers = false;
};
/// Fills rows.stats.audit and *options.report, as the options ask; the report's stats are left to whoever finishes the run.
void audit_and_report(Rows& rows, const Stage& stage, const SearchResult& found, const Ending& ending);

/// Takes out of the list of pairs which items were kept.
void forget_what_was_kept(Report& report);

/// The rest of *options.report, where there is one: what is known when the run is done.
void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& options);

/// The parts of a report that are made of groups and texts. `keepers`: for each row of the input, the one that stays for it.
void show_clusters(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, Report& report);
void show_buckets(const Rows& rows, const Plan& plan, const SearchResult& found, Report& report);
/// `removes`: what is not its own keeper was removed.
void show_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, bool removes,
                Report& report);

}  // namespace nearkin
