// --report: the page about a result.
#pragma once

#include <optional>
#include <string>

#include "flags.h"

namespace nearkin::cli {

/// The path of --report, absent when it was not given. To be asked for before the work: throws UsageError for a name that no browser would
/// open as a page, and Error(file) where it cannot be written.
std::optional<std::string> report_of(const Typed& typed);

}  // namespace nearkin::cli
