// Which pairs are listed: --best, --top, --one-to-one, --optimal.
#pragma once

#include <string>

#include <nearkin/run.h>

#include "flags.h"
#include "json.h"

namespace nearkin::cli {

/// Throws UsageError for flags that do not go together.
Partners partners_of(const ParsedArgs& typed);

/// ", listed 12", or nothing where all pairs are listed.
std::string listed_text(const RunStats& stats);
void add_listed(const RunStats& stats, JsonObject& told);
/// Says how many groups were too large for --optimal, if there are any.
void say_too_large(const ParsedArgs& typed, const RunStats& stats);

}  // namespace nearkin::cli
