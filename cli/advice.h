// What `tune` advises on shingles: what was seen, why it matters, and what to type next.
#pragma once

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/tools/sample.h>

#include "flags.h"

namespace nearkin::cli {

/// The way out when the plan's shingles do not fit the data.
void say_advice(const ParsedArgs& typed, const Input& input, const Plan& plan, const ShingleAdvice& advice);

}  // namespace nearkin::cli
