// What other thresholds, or radii, would give.
#include <nearkin/run.h>
#include <nearkin/tools/what_if.h>

#include "analysis/audit_report.h"
#include "analysis/other_borders.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/find_matches.h"

namespace nearkin {

WhatIfResult what_if(const Input& input, const Plan& plan, const WhatIfOptions& options, const RunOptions& run, const Input* against) {
  require_border(plan);
  require_within(plan, options.borders);
  const Stage stage(plan, run);
  const Removal removal{.linkage = options.removal.value_or(options.linkage)};
  Rows rows = collect_for_run(input, against, stage, options.keep);
  const SearchResult found = find_matches(rows, stage, options.keep, options.linkage, Use::pairs, removal);
  StageClock clock;
  WhatIfResult result;
  result.rows = at_other_borders(rows, stage, found, options.borders, options.linkage, removal);
  result.stats = rows.stats;
  result.stats.seconds.emplace_back("what if", clock.lap());
  note_pairs(count_pairs(found, against != nullptr, plan.measure), result.stats);
  note_resources(rows, result.stats);
  finish_report("what_if", input, against, result.stats, run);
  if (run.report != nullptr) run.report->counted_only = true;
  remove_files(rows);
  return result;
}

}  // namespace nearkin
