// What was typed → what will be done: the library's Input, Plan and options.
#pragma once

#include <optional>
#include <string>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// INPUT ..., --files-from and the flags on how to read them. Nothing named: standard input.
Input input_of(const Typed& typed);
/// --against, read like the input.
std::optional<Input> against_of(const Typed& typed);

/// --plan, or the plan tuned for the goal and the single numbers. A number that contradicts --plan is refused, named.
/// `large_bucket` stands in for --large-bucket when neither it nor --plan is given.
Plan plan_of(const Typed& typed, const Input& input, std::optional<std::uint32_t> large_bucket = {});

Goal goal_of(const Typed& typed);
Keep keep_of(const Typed& typed);
RowStyle style_of(const Typed& typed);
/// 0 when --threads is not given: the library's own choice.
unsigned threads_of(const Typed& typed);
/// The path of -o, "-" by default.
std::string output_of(const Typed& typed);

}  // namespace nearkin::cli
