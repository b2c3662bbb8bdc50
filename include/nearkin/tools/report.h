// Reports: what a person wants to see of a run, as plain values, and the page that shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/run.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/what_if.h>

namespace nearkin {

/// The numbers of two vectors, as they were compared.
struct ShownVectors {
  std::vector<double> a, b;             ///< of the same length; both empty where they are not shown
  std::uint32_t rows = 0, columns = 0;  ///< if each vector is a picture, its size; 0 = they are not pictures
};

/// A pair that a report shows in full.
struct ShownPair {
  std::string a, b;  ///< ids
  std::string why;   ///< why it is listed: "nearest to the threshold", "most similar", "in the largest cluster", "at random"
  Comparison comparison;
  MarkedPair texts;  ///< empty for vectors
  ShownVectors vectors = {};
};

/// One side of a pair in a list.
struct ListedItem {
  std::string id;
  std::string beginning;                    ///< of its text, on one line; empty for vectors
  std::optional<bool> kept = std::nullopt;  ///< whether the run kept it; absent if the run does not decide that
  std::string keeper = {};                  ///< if it was removed: the id of the item that was kept in its place
};
/// A row of the list of pairs.
struct ListedPair {
  ListedItem a, b;
  std::optional<double> value = std::nullopt;         ///< similarity or distance; absent where nothing was verified
  std::optional<std::uint32_t> shown = std::nullopt;  ///< its place in Report::pairs, if it is shown in full
  bool accepted = false;                              ///< by a person, in the decisions that the run followed
};

/// The text of an item that is named in a row or a cluster, and that no pair of Report::pairs shows.
struct ShownText {
  std::string id, beginning;   ///< as in the row or the cluster
  std::string text;            ///< its first part where it is long
  std::uint64_t left_out = 0;  ///< bytes of it that are not in `text`
};

struct ShownCluster {
  std::string keeper;                ///< id
  std::uint64_t size = 0;            ///< members, the keeper included
  double least = 0;                  ///< smallest similarity, or greatest distance, of a member and the keeper
  std::vector<std::string> members;  ///< ids of some others, in input order
  std::vector<double> values = {};   ///< similarity or distance of each of `members` and the keeper; empty where nothing was verified
  std::string beginning = {};        ///< of the keeper's text
  std::vector<std::string> beginnings = {};  ///< of the texts of `members`
};

/// A large bucket. Items that share a bucket in several bands are shown once.
struct ShownBucket {
  std::uint64_t size = 0;                   ///< items
  std::uint32_t bands = 0;                  ///< bands in which the same items meet
  std::vector<std::string> members;         ///< ids of some
  std::string passage;                      ///< the longest text that the members have in common, usually boilerplate
  std::uint32_t having = 0, looked_at = 0;  ///< members that have it, out of those looked at
};

struct SizeCount {
  std::uint64_t size = 0;      ///< items per cluster
  std::uint64_t clusters = 0;  ///< clusters of that size
};

/// Everything a page shows; runs fill it (RunOptions::report), and a front end may add to it. What is empty or absent is not shown.
struct Report {
  std::string command;            ///< "dedup"
  std::string command_line = {};  ///< as it was typed; a front end knows it
  std::string made = {};          ///< when: "2026-03-01 14:05 UTC"; a front end knows it
  std::vector<std::string> inputs = {};
  std::vector<std::string> against = {};  ///< the other collection, if there are two
  Scope scope = {};                       ///< which items were compared with which
  Unit unit = {};                         ///< what an item is
  bool annotated = false;                 ///< `dedup`: all records were written; `removed` are those that would have been removed
  bool counted_only = false;              ///< nothing was listed or removed: other thresholds were asked for
  std::optional<Plan> plan = {};
  std::optional<RunStats> stats = {};
  std::optional<std::uint64_t> kept = {}, removed = {};
  std::optional<std::uint64_t> records_cut = {};  ///< `dedup` of parts of records: those that lost some of them
  std::uint64_t records_removed = 0;              ///< and those that were removed, because too little was left
  std::uint64_t records_left_alone = 0;           ///< and those that stayed as they were, because too much would have been cut
  std::optional<DataSample> sample = {};          ///< of the whole collection
  std::optional<Expectation> expected = {};
  std::vector<WhatIf> what_if = {};                       ///< ascending by border; Hamming radii in places, if these are known
  Linkage linkage = Linkage::star;                        ///< of its clusters
  std::vector<SizeCount> sizes = {};                      ///< clusters of two or more, ascending by size
  std::uint64_t clusters_in_all = 0;                      ///< of two or more
  std::vector<ShownCluster> clusters = {};                ///< largest first
  std::vector<ShownBucket> buckets = {};                  ///< largest first
  std::vector<ShownPair> pairs = {};                      ///< some of them, in full
  std::vector<ListedPair> listed = {};                    ///< more of them, a row each; where there are none, `pairs` are listed
  std::vector<ShownText> texts = {};                      ///< of items that are in rows or clusters, but in none of `pairs`
  std::optional<DecisionNotes> decisions = std::nullopt;  ///< of a person, which the pairs, clusters and removals follow
  std::vector<PairDecision> decided = {};                 ///< the decisions themselves; empty where they are too many for a page
  bool sampled = false;  ///< `listed` is a sample; else it lacks only pairs that copies have because an item has them
  std::uint64_t pairs_in_all = 0;
  std::vector<PlanWork> alternatives = {};
  std::uint64_t skipped = 0, kept_unusable = 0;                   ///< records that cannot be used, where there are no stats to say so
  std::vector<std::pair<std::string, std::string>> figures = {};  ///< more lines for the table of figures: name and value
  std::vector<Plot> plots = {};                                   ///< of sweeps
  std::vector<std::vector<std::string>> table = {};               ///< of `evaluate`: a header, then one row per plan
  std::string truth = {};  ///< the file of labels that the table compares with; empty = it compares with the exact answer
};

/// One HTML page without any other files or network access, for light and dark screens, phones and screen readers. Everything that comes
/// from the data is escaped. The same report gives the same page.
std::string report_html(const Report& report);
/// The part of such a page about the chance of finding a pair: what the plan's curve shows in words, its picture, its numbers.
std::string curve_html(const Plan& plan);

}  // namespace nearkin
