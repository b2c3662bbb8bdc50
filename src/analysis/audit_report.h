// What is looked at after a search, where it was asked for: an audit, and what a report shows.
#pragma once

#include <nearkin/run.h>
#include <nearkin/tools/report.h>

#include "search/search.h"

namespace nearkin {

/// Fills rows.stats.audit and *options.report, as the options ask; the report's stats are left to whoever finishes the run.
/// `removes`: the run removes items by stars, or against another input, so that an audit tells their recall as well.
void audit_and_report(Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage, bool removes);

/// The rest of *options.report, where there is one: what is known when the run is done.
void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& options);

/// The parts of a report that are made of groups and texts.
void show_clusters(const Rows& rows, const Stage& stage, const SearchResult& found, Linkage linkage, Report& report);
void show_buckets(const Rows& rows, const Plan& plan, const SearchResult& found, Report& report);
void show_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, Report& report);

}  // namespace nearkin
