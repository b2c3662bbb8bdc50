#include "analysis/audit_report.h"

#include <algorithm>
#include <cmath>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/report.h>

#include "analysis/other_borders.h"
#include "analysis/scan.h"
#include "group/group.h"

namespace nearkin {
namespace {

constexpr std::size_t kFinestSteps = 100;  // of a threshold, on a report's slider
constexpr double kMostWork = 3e7;          // matches and items that may be gone through for it

// From the plan's own border to the narrowest, in round steps, ascending.
std::vector<double> borders_to_show(const Plan& plan, double work_of_one) {
  std::vector<double> borders;
  const bool distance = is_distance(plan.measure);
  const bool whole = plan.measure == Measure::hamming && plan.radius >= 1;
  for (const double step : {0.01, 0.02, 0.05, 0.1, 0.25}) {
    borders.clear();
    if (!distance) {
      const double threshold = plan.threshold.value();
      borders.push_back(threshold);
      for (double k = std::floor(threshold / step + 1 + 1e-9); k * step <= 1 + 1e-9; ++k)
        borders.push_back(std::round(k * step * 100) / 100);
    } else {
      const double width = whole ? std::max(1.0, std::ceil(plan.radius * step)) : plan.radius * std::max(step, 0.05);
      for (double border = plan.radius; border > -1e-9 * width; border -= width)
        borders.insert(borders.begin(), border < 1e-9 * width ? 0 : border);
    }
    if (borders.size() <= kFinestSteps && static_cast<double>(borders.size()) * work_of_one <= kMostWork) break;
  }
  return borders;
}

// The number of places if the radius is a share of them (distances are counted in places); 1 for all other plans, and if the places are
// not known.
double places_of_share(const Plan& plan, const Scan* scan) {
  if (plan.measure != Measure::hamming || plan.radius >= 1) return 1;
  const std::uint64_t places = plan.sketch.dimensions > 0 ? plan.sketch.dimensions : scan != nullptr ? scan->sample.dimensions : 0;
  return places > 0 ? static_cast<double>(places) : 1;
}

// Counts at other borders, in the unit of the values that the report shows.
std::vector<WhatIf> what_if_rows(const Rows& rows, const Stage& stage, const SearchResult& found, const Ending& ending, double places) {
  const auto work = static_cast<double>(found.matches.count() + rows.size());
  if (places == 1) return at_other_borders(rows, stage, found, borders_to_show(stage.plan, work), ending.linkage, ending.removal);
  Plan in_places = stage.plan;
  in_places.radius = std::floor(stage.plan.radius * places + 1e-9);
  std::vector<double> borders = in_places.radius >= 1 ? borders_to_show(in_places, work) : std::vector<double>{0};
  for (double& border : borders) border = std::min(border / places, stage.plan.radius);
  std::vector<WhatIf> answer = at_other_borders(rows, stage, found, borders, ending.linkage, ending.removal);
  for (WhatIf& row : answer) row.border = std::round(row.border * places);
  return answer;
}

// Other thresholds are told of what was found alone: decisions hold at each of them.
void fill_report(const Rows& rows, const Stage& stage, const SearchResult& found, const Ending& ending, const Scan* scan, Report& report) {
  const Plan& plan = stage.plan;
  report.plan = plan;
  report.linkage = ending.linkage;
  if (scan != nullptr) {
    report.sample = scan->sample;
    if (plan.band.bands > 0) report.expected = expect(plan, scan->sample);
  }
  if (ending.decided_later) return;
  const bool valued = plan.measure != Measure::exact && (plan.verify == Verify::exact || plan.exact_join());
  if (valued) report.what_if = what_if_rows(rows, stage, found, ending, places_of_share(plan, scan));
  show_found(rows, stage, found, keepers_for(rows, stage, found, ending.linkage), ending.removes);
}

}  // namespace

void audit_and_report(Rows& rows, const Stage& stage, const SearchResult& found, const Ending& ending) {
  const RunOptions& options = stage.options;
  if (options.audit == 0 && options.report == nullptr) return;
  StageClock clock;
  const char* const name = options.audit > 0 ? "audit" : "report";
  stage.progress(name);
  Advance advance = stage.advance(name);
  std::optional<Scan> audited, sampled;
  std::vector<Row> keepers;
  if (options.audit > 0 && ending.by_keepers && !rows.nothing_to_pair()) keepers = keepers_for(rows, stage, found, ending.linkage);
  // Equal texts are always found, and have no similarity to be spread over. An input without items has no pairs with `against`.
  if (stage.plan.measure != Measure::exact && !rows.nothing_to_pair()) {
    const auto look = [&](std::uint64_t questions) {
      return scan(rows, stage, found, rows_to_ask(rows, found, questions, stage.plan.sketch.seed), keepers, &advance);
    };
    if (options.audit > 0) audited = look(options.audit);
    if (audited) rows.stats.audit = audit_of(*audited, stage);
    // A small audit is no sample to draw the pairs of the collection from.
    if (options.report != nullptr && options.audit < usual_questions(rows)) sampled = look(usual_questions(rows));
  }
  rows.stats.seconds.emplace_back(options.audit > 0 ? "audit" : "sample", clock.lap());
  if (options.report == nullptr) return;
  const std::optional<Scan>& shown = sampled ? sampled : audited;
  fill_report(rows, stage, found, ending, shown ? &*shown : nullptr, *options.report);
  rows.stats.seconds.emplace_back("report", clock.lap());
}

void show_found(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, bool removes) {
  if (stage.options.report == nullptr) return;
  Report& report = *stage.options.report;
  const std::vector<Row> in_clusters = show_clusters(rows, stage, found, keepers, report);
  show_buckets(rows, stage.plan, found, report);
  show_pairs(rows, stage, found, keepers, removes, in_clusters, report);
}

void forget_what_was_kept(Report& report) {
  for (ListedPair& pair : report.listed) {
    for (ListedItem* const item : {&pair.a, &pair.b}) {
      item->kept = std::nullopt;
      item->keeper.clear();
    }
  }
}

void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& options) {
  if (options.report == nullptr) return;
  options.report->command = command;
  options.report->inputs = input.memory ? std::vector{input.memory->name} : input.paths;
  if (against != nullptr) options.report->against = against->paths;
  options.report->scope = input.scope;
  options.report->unit = input.unit;
  options.report->stats = stats;
}

}  // namespace nearkin
