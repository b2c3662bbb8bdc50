// The folder of an index among the arguments.
#pragma once

#include <string>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// A folder that is an index, or what is left of one.
bool is_index(const std::string& path);

/// index, serve: moves what to do, and INDEX, from the INPUTs to where they belong. Throws UsageError where they are missing.
void take_leading_arguments(const Command& command, ParsedArgs& typed);
/// Throws UsageError for an index among the INPUTs of a command that has no use for one there.
void refuse_indexes(const Command& command, const ParsedArgs& typed);

/// From now on a read beyond the end of a file that was cut, or into damage, ends the process with one line.
Index open_index(const std::string& folder, Index::Access access);
/// Throws UsageError for a flag of goal or plan that says another thing than the index, whose plan is its own.
void refuse_other_plan_than(const ParsedArgs& typed, const Index& index);

}  // namespace nearkin::cli
