// query INDEX QUERIES
#pragma once

#include "flags.h"

namespace nearkin::cli {

/// The command, where the first argument is an index. Returns the exit status.
int query_an_index(const ParsedArgs& typed);

}  // namespace nearkin::cli
