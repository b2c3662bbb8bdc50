// Plans that a caller may have made by hand, checked before a run relies on them.
#pragma once

#include <nearkin/plan.h>

namespace nearkin {

/// Checks that the numbers of the plan fit together: each is in its range, the family belongs to measure and kind, and the bands fit into
/// the sketch. Throws Error(plan) naming the first that does not fit. What tune and parse_plan return always passes.
void require_plan(const Plan& plan);
/// The same for a search of all pairs, which needs bands where there is a sketch.
void require_searchable(const Plan& plan);

}  // namespace nearkin
