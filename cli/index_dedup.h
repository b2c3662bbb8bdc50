// dedup --index INDEX
#pragma once

#include "flags.h"

namespace nearkin::cli {

/// The command, where --index is given. Returns the exit status.
int dedup_by_index(const ParsedArgs& typed);

}  // namespace nearkin::cli
