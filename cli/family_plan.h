// A family of hashes by itself, without bands: for `curve` and `tune --sensitive`.
#pragma once

#include <nearkin/plan.h>

#include "flags.h"

namespace nearkin::cli {

/// A plan with no more in it than one hash depends on: measure, family, --width and --dimensions. Throws UsageError where one of them is
/// missing, and for measures without hashes.
Plan family_plan(const ParsedArgs& typed);

}  // namespace nearkin::cli
