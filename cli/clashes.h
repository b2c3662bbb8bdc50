// Names that must not meet on one command line.
#pragma once

#include "flags.h"

namespace nearkin::cli {

/// Looks before any work at every name typed. Throws UsageError for an empty one, for two outputs that are one file, for standard input
/// read twice, and for an output that is an input, in a folder or a list that is one, or a file that a sketch file was made of (-o of dedup
/// may be a file of records that is named: it is put in place when complete); Error(file) for an output that cannot be written, and for an
/// input that is a damaged sketch file.
void refuse_clashes(const Command& command, const ParsedArgs& typed);

/// Throws Error(plan) for a flag on how to read (--id, --text, --separator, --no-header, --directed) that no input has a use for.
void refuse_idle_reading(const Command& command, const ParsedArgs& typed);

}  // namespace nearkin::cli
