// Reports: what a person wants to see of a run, as plain values, and the page that shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/run.h>

namespace nearkin {

/// A text with what it shares with another.
struct MarkedText {
  struct Stretch {
    std::size_t begin, end;  ///< bytes of `text`, on borders of characters
    bool operator==(const Stretch&) const = default;
  };
  std::string text;             ///< as it came; as the shingler saw it where `normalised`
  std::vector<Stretch> shared;  ///< ascending, apart from one another
  bool normalised = false;      ///< what is shared could not be traced back to the text as it came
  std::uint64_t left_out = 0;   ///< bytes of the text beyond those shown
};
struct MarkedPair {
  MarkedText a, b;
};
/// Both texts, each with the stretches that are covered by shingles of the other. Of long texts the first `most` bytes are kept.
MarkedPair mark_shared(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most = SIZE_MAX);

/// A pair that a report lists.
struct ShownPair {
  std::string a, b;       ///< ids
  std::string why;        ///< it is listed: "nearest to the threshold", "most similar", "in the largest cluster", "at random"
  Comparison comparison;  ///< its parts
  MarkedPair texts;       ///< empty for vectors
};

struct ShownCluster {
  std::string keeper;  ///< id
  std::uint64_t size = 0;
  double least = 0;                  ///< smallest similarity, or greatest distance, of a member with the keeper
  std::vector<std::string> members;  ///< ids of some others, in input order
};

/// Items that share a bucket in several bands count as one bucket.
struct ShownBucket {
  std::uint64_t size = 0;
  std::uint32_t bands = 0;                  ///< in which the same items meet
  std::vector<std::string> members;         ///< ids of some
  std::string passage;                      ///< the longest text that those looked at have in common: the boilerplate
  std::uint32_t having = 0, looked_at = 0;  ///< members that have it, of so many
};

struct SizeCount {
  std::uint64_t size = 0;      ///< items in a cluster
  std::uint64_t clusters = 0;  ///< of that size
};

/// Everything a page shows. What is empty or absent is not shown.
struct Report {
  std::string command;  ///< "dedup"
  std::vector<std::string> inputs = {};
  std::vector<std::string> against = {};  ///< the other collection, where there are two
  bool counted_only = false;              ///< other thresholds were asked for: nothing was listed or removed
  std::optional<Plan> plan = {};
  std::optional<RunStats> stats = {};
  std::optional<std::uint64_t> kept = {}, removed = {};
  std::optional<DataSample> sample = {};  ///< of the whole collection
  std::optional<Expectation> expected = {};
  std::vector<WhatIf> what_if = {};         ///< ascending by border
  std::vector<SizeCount> sizes = {};        ///< of clusters of two and more, ascending by size
  std::uint64_t clusters_in_all = 0;        ///< of two and more
  std::vector<ShownCluster> clusters = {};  ///< the largest first
  std::vector<ShownBucket> buckets = {};    ///< the largest first
  std::vector<ShownPair> pairs = {};
  std::uint64_t pairs_in_all = 0;
  std::vector<PlanWork> alternatives = {};
  std::vector<std::pair<std::string, std::string>> figures = {};  ///< further lines of a table, name and value
  std::vector<Plot> plots = {};                                   ///< of sweeps
  std::vector<std::vector<std::string>> table = {};               ///< of evaluate: the header row, then a row a plan
};

/// One page that needs nothing but itself: no network, light and dark, for phones and for screen readers. Everything that comes from the
/// data is escaped. The same report gives the same page.
std::string report_html(const Report& report);

}  // namespace nearkin
