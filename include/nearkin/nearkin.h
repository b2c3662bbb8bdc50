// Everything a program needs to find near-duplicates. Start with plan.h (Goal, Plan, tune), then run.h (whole runs, one call each) or
// stages.h (step by step); query.h and index.h find the neighbours of an item. nearkin/tools/tools.h has the rest: the theory, forecasts,
// reports and what front ends need.
#pragma once

#include <nearkin/decontaminate.h>
#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/index.h>
#include <nearkin/items.h>
#include <nearkin/passages.h>
#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/run.h>
#include <nearkin/score.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {
/// The version of the library: "0.1.0".
const char* version();
}  // namespace nearkin
