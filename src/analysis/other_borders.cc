#include "analysis/other_borders.h"

#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/what_if.h>

#include "analysis/run_recall.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "group/group.h"
#include "match/space.h"
#include "theory/numbers.h"

namespace nearkin {

Plan with_border(const Plan& plan, double border) {
  Plan other = plan;
  if (is_distance(plan.measure))
    other.radius = border;
  else
    other.threshold = ratio(border);
  return other;
}

namespace {

std::uint64_t count_removed_across(const std::vector<Row>& keepers) {
  std::uint64_t removed = 0;
  for (Row item = 0; item < keepers.size(); ++item) removed += keepers[item] != item;
  return removed;
}

std::uint64_t count_removed(const std::vector<Row>& keepers, std::uint32_t stay) {
  std::uint64_t removed = 0;
  std::vector<std::uint32_t> others(keepers.size());  // of each keeper
  for (Row item = 0; item < keepers.size(); ++item) {
    if (keepers[item] != item && (++others[keepers[item]] >= stay || stay == 0)) ++removed;
  }
  if (stay == 0) removed += static_cast<std::uint64_t>(std::count_if(others.begin(), others.end(), [](std::uint32_t n) { return n > 0; }));
  return removed;
}

// One row of the answer. `narrowed` has the order and the representatives of the search.
WhatIf what_remains(const Rows& rows, const Stage& stage, const SearchResult& found, SearchResult& narrowed, double border, Linkage linkage,
                    const Removal& removal) {
  const Plan plan = with_border(stage.plan, border);
  narrowed.matches = found.matches.where(WithinBorder(plan, rows));
  const Measure measure = stage.plan.measure;
  WhatIf row{.border = border, .pairs = count_pairs(narrowed, rows.across(), measure).all};
  std::vector<Row> keepers =
      rows.across() ? keepers_across(rows, stage, narrowed) : keepers_within(rows, stage, found, narrowed.matches, plan, linkage);
  row.clusters = rows.across() ? groups_across(keepers) : number_clusters(keepers).repeated;
  if (!rows.across() && removal.linkage != linkage) keepers = keepers_within(rows, stage, found, narrowed.matches, plan, removal.linkage);
  row.removed = rows.across() ? count_removed_across(keepers) : count_removed(keepers, removal.stay);
  row.recall = recall_of(rows, Stage(plan, stage.options), found, narrowed.matches);
  return row;
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
                    ": pairs there were not searched for; use a plan for the widest of them");
  }
}

std::vector<WhatIf> at_other_borders(const Rows& rows, const Stage& stage, const SearchResult& found, const std::vector<double>& borders,
                                     Linkage linkage, const Removal& removal) {
  SearchResult narrowed;
  narrowed.order = found.order;
  narrowed.rank = found.rank;
  narrowed.representative = found.representative;
  std::vector<WhatIf> answer;
  for (const double border : borders) answer.push_back(what_remains(rows, stage, found, narrowed, border, linkage, removal));
  return answer;
}

}  // namespace nearkin
