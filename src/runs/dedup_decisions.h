// A person's decisions for dedup: from ids to rows.
#pragma once

#include <nearkin/run.h>

#include "group/decisions.h"

namespace nearkin {

/// Throws Error(plan) if the options combine decisions with something that cannot apply them.
void check_decisions(const Input& input, const DedupOptions& options);

struct ResolvedDecisions {
  DecidedPairs pairs;
  DecisionNotes notes;
};
/// Throws Error(data) for a pair of an item with itself, and for one that is both accepted and rejected.
ResolvedDecisions resolve(const std::vector<PairDecision>& decisions, const Rows& rows);

}  // namespace nearkin
