// --report: the page about a result.
#pragma once

#include <optional>
#include <string>

#include <nearkin/tools/report.h>

#include "flags.h"

namespace nearkin {
struct Report;
struct RunOptions;
}  // namespace nearkin

namespace nearkin::cli {

/// The path of --report, absent when it was not given. To be asked for before the work: throws UsageError for a name that no browser would
/// open as a page, and Error(file) where it cannot be written.
std::optional<std::string> report_of(const ParsedArgs& typed);

/// Writes the page, with the command line and the time: now, or what SOURCE_DATE_EPOCH says, so that a page can be made again byte by byte.
void write_report(const ParsedArgs& typed, Report report, const std::string& path);

/// Where there is a page, has the run fill `report`, and writes it before the run puts its outputs in place. `typed` and `report` must
/// outlive the run.
void add_report(const ParsedArgs& typed, RunOptions& options, Report& report, const std::optional<std::string>& page);

}  // namespace nearkin::cli
