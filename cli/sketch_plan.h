// Runs over sketch files: the plan is theirs.
#pragma once

#include <cstdint>
#include <optional>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// The plan of the sketch files that either input names; absent where there are none. Throws Error(plan) where two differ.
std::optional<Plan> sketched_plan(const Input& input, const std::optional<Input>& against);

/// That plan, where there is one, and else the one of `plan_of`. A flag that says another thing than the sketch files is refused, naming
/// one of them; but --large-bucket and the one of --plan, or else `large_bucket`, take the place of theirs, which is no part of a sketch.
Plan plan_of_run(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against,
                 std::optional<std::uint32_t> large_bucket = {});

/// Throws UsageError for a sketch file among the INPUTs of a command that has no use for one.
void refuse_sketches(const Command& command, const ParsedArgs& typed);

}  // namespace nearkin::cli
