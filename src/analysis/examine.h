// What is looked at after a search, where it was asked for: an audit, and what a report shows.
#pragma once

#include <nearkin/report.h>
#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

/// Fills collection.stats.audit and *run.report, as `run` asks for; the report's stats are left to whoever finishes the run.
void examine(Collection& collection, const SearchResult& found, const Plan& plan, Linkage linkage, const RunOptions& run);

/// The rest of *run.report, where there is one: what is known when the run is done.
void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& run);

/// The parts of a report that are made of groups and texts.
void show_clusters(const Collection& collection, const SearchResult& found, const Plan& plan, Linkage linkage, Report& report);
void show_buckets(const Collection& collection, const SearchResult& found, const Plan& plan, Report& report);
void show_pairs(const Collection& collection, const SearchResult& found, const Plan& plan, Report& report);

}  // namespace nearkin
