// nearkin pairs --score: pairs by a similarity put together from several fields.
#pragma once

#include "flags.h"

namespace nearkin::cli {

/// The whole command, where --score is given. Returns the exit status.
int run_score(const ParsedArgs& typed);

}  // namespace nearkin::cli
