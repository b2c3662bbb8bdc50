// nearkin tune --sensitive: a family of hashes as textbooks describe it.
#pragma once

#include <cstdint>
#include <optional>

#include "flags.h"

namespace nearkin::cli {

/// Throws UsageError for flags that have no use beside --sensitive, where it is given.
void refuse_beside_sensitive(const ParsedArgs& typed);
/// p1, p2 and ρ of one hash at two distances; with `items`, or -k and -L, the tables that ANDs and ORs make of it. Returns the exit status.
int run_sensitive(const ParsedArgs& typed, std::optional<std::uint64_t> items);

}  // namespace nearkin::cli
