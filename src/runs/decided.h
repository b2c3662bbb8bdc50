// A person's decisions: from ids to rows.
#pragma once

#include <nearkin/run.h>
#include <nearkin/tools/report.h>

#include "group/decisions.h"

namespace nearkin {

/// Throws Error(plan) if there are decisions and the items are parts of records.
void require_whole_records(const std::vector<PairDecision>& decisions, const Input& input);

struct ResolvedDecisions {
  DecidedPairs pairs;
  DecisionNotes notes;
};
/// Throws Error(data) for a pair of an item with itself, and for one that is both accepted and rejected.
ResolvedDecisions resolve(const std::vector<PairDecision>& decisions, const Rows& rows);

/// Tells the report, if there is one, which decisions the run followed. It holds them all, so that a file that is saved on its page can
/// replace the file that they came from; where there are more than 20,000, it holds their numbers only.
void show_decisions(const std::vector<PairDecision>& decisions, const DecisionNotes& notes, Report* report);

}  // namespace nearkin
