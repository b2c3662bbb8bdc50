// Names that must not meet on one command line.
#pragma once

#include "flags.h"

namespace nearkin::cli {

/// Looks before any work at every name typed. Throws UsageError for an empty one, for two outputs that are one file, for an output
/// beside -o that is an input (-o may be, but for sketches: it is put in place when complete), and for standard input read twice; Error(file) for an output
/// that cannot be written.
void refuse_clashes(const Command& command, const Typed& typed);

}  // namespace nearkin::cli
