#include "report_file.h"

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/report.h>

#include "errors.h"

namespace nearkin::cli {

std::optional<std::string> report_of(const ParsedArgs& typed) {
  if (!typed.report) return std::nullopt;
  std::string name = *typed.report;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (!name.ends_with(".html") && !name.ends_with(".htm")) {
    throw UsageError(fmt::format("--report: \"{}\" does not end in .html; the report is a page for a browser", *typed.report));
  }
  check_output(*typed.report);
  return typed.report;
}

void add_report(RunOptions& options, Report& report, const std::optional<std::string>& page) {
  if (!page) return;
  options.report = &report;
  options.before_output = [&report, path = *page] { write_text(report_html(report), path); };
}

}  // namespace nearkin::cli
