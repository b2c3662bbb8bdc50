#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/run.h>

#include "analysis/examine.h"
#include "analysis/narrow.h"
#include "group/group.h"
#include "match/space.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

Plan with_border(const Plan& plan, double border) {
  Plan other = plan;
  if (is_distance(plan.measure))
    other.radius = border;
  else
    other.threshold = ratio(border);
  return other;
}

Matches matches_within(const Matches& matches, const Plan& plan, const Collection& collection) {
  Matches within;
  const Ratio least = compares_vectors(plan) ? Ratio{} : least_share(plan, collection.columns);
  const Border border(plan, compares_vectors(plan) ? collection.vectors.dimensions : collection.columns);
  for (const Match& match : matches) {
    const bool inside = match.total == 0 ? border.inside(match.value) : match.shared * least.denominator >= least.numerator * match.total;
    if (inside) within.push_back(match);
  }
  return within;
}

}  // namespace

void require_within(const Plan& plan, const std::vector<double>& borders) {
  const char* const subject = is_distance(plan.measure) ? "radii" : "thresholds";
  if (plan.measure == Measure::exact) {
    throw Error(ErrorCode::plan, subject, "measure exact finds equal texts, and has no other thresholds; leave them out");
  }
  if (plan.verify != Verify::exact && !plan.exact_join()) {
    throw Error(ErrorCode::plan, subject,
                "they need exact similarities, and verify " + std::string(name(plan.verify)) + " has none; use verify exact");
  }
  for (const double border : borders) {
    const bool within = is_distance(plan.measure) ? border <= plan.radius : border >= plan.threshold.value();
    if (within) continue;
    throw Error(ErrorCode::plan, subject,
                shortest(border) +
                    (is_distance(plan.measure) ? " is beyond the plan's radius, " + shortest(plan.radius)
                                               : " is below the plan's threshold, " + to_string(plan.threshold)) +
                    ": what lies there was not searched for; use a plan for the widest of them");
  }
}

std::vector<WhatIf> narrow(const Collection& collection, const SearchResult& found, const Plan& plan, const std::vector<double>& borders,
                           Linkage linkage) {
  const bool across = collection.inputs.size() > 1;
  SearchResult narrowed;
  narrowed.order = found.order;
  narrowed.representative = found.representative;
  std::vector<WhatIf> rows;
  for (const double border : borders) {
    const Plan other = with_border(plan, border);
    narrowed.matches = matches_within(found.matches, other, collection);
    WhatIf row{.border = border, .pairs = count_pairs(narrowed, across, plan.measure)};
    const Groups groups =
        across ? Groups{{}, keepers_across(collection, narrowed, plan.measure), 0} : group(collection, narrowed, linkage, plan);
    row.clusters = across ? groups_across(groups.keepers) : groups.repeated;
    for (Row item = 0; item < groups.keepers.size(); ++item) row.removed += groups.keepers[item] != item;
    row.recall = recall_of(collection, found, narrowed.matches, plan);
    rows.push_back(row);
  }
  return rows;
}

WhatIfResult what_if(const Input& input, const Plan& plan, const WhatIfOptions& options, const RunOptions& run, const Input* against) {
  require_border(plan);
  require_within(plan, options.borders);
  Input reading = input;
  if (!options.keep.field.empty()) reading.number = options.keep.field;
  Collection collection = collect(reading, against, plan, run);
  const SearchResult found = search(collection, plan, options.keep, run);
  StageClock clock;
  WhatIfResult result;
  result.rows = narrow(collection, found, plan, options.borders, options.linkage);
  collection.stats.seconds.emplace_back("what if", clock.lap());
  examine(collection, found, plan, options.linkage, run);
  result.stats = std::move(collection.stats);
  result.stats.pairs = count_pairs(found, against != nullptr, plan.measure);
  result.stats.peak_bytes = peak_memory();
  finish_report("what_if", input, against, result.stats, run);
  if (run.report != nullptr) run.report->counted_only = true;
  return result;
}

}  // namespace nearkin
