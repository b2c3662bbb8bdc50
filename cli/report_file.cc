#include "report_file.h"

#include <charconv>
#include <cstdlib>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/report.h>

#include "errors.h"
#include "shell.h"

namespace nearkin::cli {
namespace {

std::time_t time_of_page() {
  const char* const fixed = std::getenv("SOURCE_DATE_EPOCH");
  std::time_t time = 0;
  if (fixed == nullptr) return std::time(nullptr);
  const std::string_view digits = fixed;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), time);
  return error == std::errc() && end == digits.end() ? time : std::time(nullptr);
}

}  // namespace

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

void write_report(const ParsedArgs& typed, Report report, const std::string& path) {
  report.command_line = "nearkin " + report.command;
  for (const std::string& word : typed.words) report.command_line += ' ' + shell_word(word);
  report.made = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(time_of_page()));
  write_text(report_html(report), path);
}

void add_report(const ParsedArgs& typed, RunOptions& options, Report& report, const std::optional<std::string>& page) {
  if (!page) return;
  options.report = &report;
  options.before_output = [&typed, &report, path = *page] { write_report(typed, std::move(report), path); };
}

}  // namespace nearkin::cli
