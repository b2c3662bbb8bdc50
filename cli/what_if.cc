#include "what_if.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/what_if.h>

#include "errors.h"
#include "options.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "sketch_plan.h"
#include "split.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

const char* flag_of(const ParsedArgs& typed) { return typed.thresholds ? "--thresholds" : "--radii"; }

/// Flags that have no meaning where nothing is listed or written.
void refuse_other_results(const ParsedArgs& typed) {
  refuse_typed({{typed.threshold.has_value(), "--threshold"},
                {typed.radius.has_value(), "--radius"},
                {typed.thresholds && typed.radii, "--radii"},
                {typed.removed.has_value(), "--removed"},
                {typed.skipped.has_value(), "--skipped"},
                {typed.decisions.has_value(), "--decisions"},
                {typed.annotate, "--annotate"},
                {typed.ignored.has_value(), "--ignored"},
                {typed.share_field.has_value(), "--share-field"},
                {typed.repeats.has_value(), "--repeats"},
                {typed.least_left.has_value(), "--least-left"},
                {typed.most_cut.has_value(), "--most-cut"},
                {typed.keep_at_most.has_value(), "--keep-at-most"},
                {typed.drop.has_value(), "--drop"},
                {typed.size_field.has_value(), "--size-field"},
                {typed.summary.has_value(), "--summary"},
                {typed.bloom.has_value(), "--bloom"},
                {typed.min_size.has_value(), "--min-size"},
                {typed.best, "--best"},
                {typed.top.has_value(), "--top"},
                {typed.one_to_one, "--one-to-one"},
                {typed.optimal, "--optimal"}},
               fmt::format("has no use with {}, which only counts; leave one of them out", flag_of(typed)));
}

std::string recall_cell(const WhatIf& row) {
  const auto cut = [](double share) { return std::floor(share * 1000 + 1e-9) / 1000; };
  return row.recall ? fmt::format("{:.3f}  ({:.3f} to {:.3f})", cut(row.recall->estimate), cut(row.recall->low), cut(row.recall->high))
                    : "unknown";
}

std::string as_table(const ParsedArgs& typed, const WhatIfResult& result) {
  std::string out =
      fmt::format("{:<9}  {:>12}  {:>12}  {:>12}  recall\n", typed.thresholds ? "threshold" : "radius", "pairs", "clusters", "removed");
  for (const WhatIf& row : result.rows) {
    out += fmt::format("{:<9}  {:>12}  {:>12}  {:>12}  {}\n", row.border, counted(row.pairs), counted(row.clusters), counted(row.removed),
                       recall_cell(row));
  }
  return out;
}

std::string as_json(const ParsedArgs& typed, const Plan& plan, const WhatIfResult& result) {
  std::string out;
  for (const WhatIf& row : result.rows) {
    JsonObject object;
    object.add(typed.thresholds ? "threshold" : "radius", row.border)
        .add("pairs", row.pairs)
        .add("clusters", row.clusters)
        .add("removed", row.removed);
    if (row.recall) object.raw("recall", recall_json(*row.recall, plan));
    out += object.text() + "\n";
  }
  return out;
}

}  // namespace

std::vector<std::pair<double, std::string>> borders_of(const ParsedArgs& typed) {
  std::vector<std::pair<double, std::string>> borders;
  for (const std::string& word : split(typed.thresholds ? *typed.thresholds : *typed.radii, ',')) {
    borders.emplace_back(typed.thresholds ? parse_ratio(word, "thresholds").value() : positive(word, "--radii"), word);
  }
  std::sort(borders.begin(), borders.end());
  const auto same = [](const auto& x, const auto& y) { return x.first == y.first; };
  borders.erase(std::unique(borders.begin(), borders.end(), same), borders.end());
  return borders;
}

bool asks_what_if(const ParsedArgs& typed) { return typed.thresholds || typed.radii; }

ParsedArgs typed_for_widest(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against) {
  refuse_other_results(typed);
  if (sketched_plan(input, against)) return typed;
  const Measure measure = outline_of(typed, input).measure;
  if (measure == Measure::exact) {
    throw UsageError(fmt::format("{}: has no use with --measure exact, which finds equal texts; leave it out", flag_of(typed)));
  }
  if (!typed.plan && is_distance(measure) != typed.radii.has_value()) {
    throw UsageError(fmt::format("{}: measure {} is a {}; use {}", flag_of(typed), name(measure),
                                 is_distance(measure) ? "distance" : "similarity", is_distance(measure) ? "--radii" : "--thresholds"));
  }
  ParsedArgs widest = typed;
  const auto borders = borders_of(typed);
  const bool shares = std::any_of(borders.begin(), borders.end(), [](const auto& border) { return border.first > 0 && border.first < 1; });
  if (measure == Measure::hamming && shares && borders.back().first >= 1) {
    throw UsageError("--radii: some are shares of the places (below 1) and some are counts; use one or the other");
  }
  if (is_distance(measure) && measure != Measure::hamming && borders.front().first == 0)
    throw UsageError("--radii: 0 is not above 0; use distances, such as 1,2,3.5");
  if (typed.plan) return widest;
  if (typed.thresholds)
    widest.threshold = borders.front().second;
  else
    widest.radius = borders.back().second;
  return widest;
}

int run_what_if(const Command& command, const ParsedArgs& typed, const Input& input, const Plan& plan, Linkage linkage, Linkage removal) {
  WhatIfOptions options{.borders = {}, .linkage = linkage, .removal = removal, .keep = keep_of(typed, plan.measure)};
  for (const auto& [border, word] : borders_of(typed)) options.borders.push_back(border);
  const std::optional<Input> against = against_of(typed);
  const std::optional<std::string> page = report_of(typed);
  Progress progress(typed);
  Report report;
  RunOptions run = resources_of(typed);
  run.progress = progress.callback();
  run.audit = audit_of(typed, plan);
  run.report = page ? &report : nullptr;
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);
  const WhatIfResult result = what_if(input, plan, options, run, against ? &*against : nullptr);
  progress.clear();
  report.command = command.name;
  if (page) write_report(typed, std::move(report), *page);
  write_stats(typed, &plan, result.stats);
  write_text(typed.json ? as_json(typed, plan, result) : as_table(typed, result), output_of(typed));
  say_run(typed, plan, input, result.stats, {.text = "; nothing was listed or removed"});
  return exit_status(typed, result.stats.faults);
}

}  // namespace nearkin::cli
