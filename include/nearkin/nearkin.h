// nearkin: the items of a collection that are nearly the same. Start with plan.h (Goal, Plan, tune), then run.h (whole runs)
// or stages.h (step by step).
#pragma once

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/query.h>
#include <nearkin/report.h>
#include <nearkin/run.h>
#include <nearkin/spelling.h>
#include <nearkin/stages.h>
#include <nearkin/theory.h>
#include <nearkin/vectors.h>

namespace nearkin {
/// "0.1.0"
const char* version();
}  // namespace nearkin
