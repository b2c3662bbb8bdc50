// --thresholds and --radii: what other borders would give, from one run.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// Whether the command is to count only.
bool asks_what_if(const ParsedArgs& typed);

/// The values of --thresholds or --radii with their words; ascending, each once.
std::vector<std::pair<double, std::string>> borders_of(const ParsedArgs& typed);

/// The same goal with the widest of the borders: what the run is planned for. Where a plan is given, or that of sketch files, as typed.
ParsedArgs typed_for_widest(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against);

/// Prints, for each border, how many pairs, clusters and removals it would give. `plan` is for the widest. `removal`: the groups by which
/// dedup would remove items.
int run_what_if(const Command& command, const ParsedArgs& typed, const Input& input, const Plan& plan, Linkage linkage, Linkage removal);

}  // namespace nearkin::cli
