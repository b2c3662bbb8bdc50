#include "analysis/examine.h"

#include <algorithm>
#include <cmath>

#include "analysis/narrow.h"
#include "analysis/scan.h"
#include "base/parallel.h"

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
      for (double border = plan.radius; border > -1e-9 * width; border -= width) borders.insert(borders.begin(), std::max(0.0, border));
    }
    if (borders.size() <= kFinestSteps && static_cast<double>(borders.size()) * work_of_one <= kMostWork) break;
  }
  return borders;
}

void fill_report(const Collection& collection, const SearchResult& found, const Plan& plan, Linkage linkage, const Scan* scan,
                 Report& report) {
  report.plan = plan;
  if (scan != nullptr) {
    report.sample = scan->sample;
    if (plan.band.bands > 0 && plan.measure != Measure::containment) report.expected = expect(plan, scan->sample);
  }
  const bool valued = plan.measure != Measure::exact && (plan.verify == Verify::exact || plan.exact_join());
  if (valued) {
    const auto work = static_cast<double>(found.matches.size() + collection.size());
    report.what_if = narrow(collection, found, plan, borders_to_show(plan, work), linkage);
  }
  show_clusters(collection, found, plan, linkage, report);
  show_buckets(collection, found, plan, report);
  show_pairs(collection, found, plan, report);
}

}  // namespace

void examine(Collection& collection, const SearchResult& found, const Plan& plan, Linkage linkage, const RunOptions& run) {
  if (run.audit == 0 && run.report == nullptr) return;
  StageClock clock;
  if (run.progress) run.progress(run.audit > 0 ? "audit" : "report", 0, 0);
  std::optional<Scan> looked;
  // Equal texts are always found, and have no similarity to be spread over. An input without items has no pairs with `against`.
  const bool nothing = collection.inputs.size() > 1 && collection.split == 0;
  if (plan.measure != Measure::exact && !nothing) {
    const std::vector<Row> asked = rows_to_ask(collection, run.audit > 0 ? run.audit : usual_questions(collection), plan.sketch.seed);
    looked = scan(collection, found, plan, asked, thread_count(run.threads));
    if (run.audit > 0) collection.stats.audit = audit_of(*looked, collection, plan);
  }
  collection.stats.seconds.emplace_back(run.audit > 0 ? "audit" : "sample", clock.lap());
  if (run.report == nullptr) return;
  fill_report(collection, found, plan, linkage, looked ? &*looked : nullptr, *run.report);
  collection.stats.seconds.emplace_back("report", clock.lap());
}

void finish_report(const char* command, const Input& input, const Input* against, const RunStats& stats, const RunOptions& run) {
  if (run.report == nullptr) return;
  run.report->command = command;
  run.report->inputs = input.memory ? std::vector{input.memory->name} : input.paths;
  if (against != nullptr) run.report->against = against->paths;
  run.report->stats = stats;
}

}  // namespace nearkin
