// --ignore and --ignore-common: shingles that do not count.
#pragma once

#include <optional>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

bool asks_to_ignore(const ParsedArgs& typed);
/// The shingles with what is to be ignored of them. What was read for it is read once, however often this is asked for.
ShinglePlan ignoring(const ParsedArgs& typed, const Input& input, const ShinglePlan& shingle);
/// For PassageOptions::ignored. Warns of templates that are too short.
std::vector<std::uint64_t> ignored_in_passages(const ParsedArgs& typed, const Input& input, const PassageOptions& options);
/// A plan that was given as a line, or (`made`) that sketches were made by: with the shingles that it ignores, which must be those of the
/// flags; to a line that ignores none they are added. Throws UsageError where they are others.
enum class Given { line, made };
Plan with_its_ignored(const ParsedArgs& typed, const Input& input, Plan plan, Given given);

/// Throws for --ignored where nothing is to be ignored, or the inputs cannot be read again: before the run, which would have been for
/// nothing.
void refuse_idle_ignored(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against);
/// --ignored.
void list_ignored(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against, const Plan& plan);
/// How many shingles were ignored; nothing where none was to be.
void say_ignored(const ParsedArgs& typed, const Plan& plan);

}  // namespace nearkin::cli
