// A person's decisions: from ids to rows.
#pragma once

#include <nearkin/run.h>

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

}  // namespace nearkin
