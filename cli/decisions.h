// --decisions: what a person decided about pairs.
#pragma once

#include <vector>

#include <nearkin/nearkin.h>

#include "flags.h"
#include "json.h"

namespace nearkin::cli {

/// Throws UsageError beside a flag that cannot follow decisions, and as read_decisions.
std::vector<PairDecision> decisions_of(const ParsedArgs& typed);
/// How many were followed, and which were left out.
void say_decisions(const ParsedArgs& typed, const RunStats& stats);
/// For --stats.
void add_decisions(const RunStats& stats, JsonObject& told);

}  // namespace nearkin::cli
