// nearkin evaluate: plans against the exact answer.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/evaluate.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/report.h>

#include "errors.h"
#include "flags.h"
#include "options.h"
#include "progress.h"
#include "report_file.h"
#include "stats.h"
#include "sweep.h"
#include "talk.h"
#include "truth.h"

namespace nearkin::cli {
namespace {

/// A figure of an evaluation: its column; what a page and its plots call it; and itself, where there is anything to take it of.
struct Figure {
  const char* name;
  const char* title;
  std::optional<double> (*of)(const Evaluation&);
};

constexpr Figure kFigures[] = {
    {"recall", "recall", [](const Evaluation& e) { return e.recall; }},
    {"precision", "precision", [](const Evaluation& e) { return e.precision; }},
    {"search_length", "items looked at per query", [](const Evaluation& e) { return std::optional(e.search_length); }},
    {"error", "distance of the best answer, divided by the distance of the nearest item", [](const Evaluation& e) { return e.error; }},
    {"no_answer", "share of queries without an answer, though the exact search found one",
     [](const Evaluation& e) { return std::optional(e.no_answer); }},
    {"stopped_early", "share of queries stopped by --max-candidates", [](const Evaluation& e) { return std::optional(e.stopped_early); }},
    {"build_seconds", "seconds to build", [](const Evaluation& e) { return std::optional(e.build_seconds); }},
    {"query_seconds", "seconds per query", [](const Evaluation& e) { return std::optional(e.query_seconds); }},
    {"exact_seconds", "seconds per query, exact search", [](const Evaluation& e) { return std::optional(e.exact_seconds); }},
};

std::string figure_text(std::optional<double> value) {
  if (!value) return "-";
  return *value < 1e4 ? fmt::format("{:.4g}", *value) : fmt::format("{:.0f}", *value);
}

std::string plan_size(const Plan& plan) {
  if (plan.band.bands == 0) return "exact";
  return plan.band.rows == 0 ? fmt::format("{} tables", plan.band.bands) : fmt::format("{}x{}", plan.band.bands, plan.band.rows);
}

/// A heading, then a row a plan.
std::vector<std::vector<std::string>> cells_of(const std::vector<Sweep>& sweeps, const std::vector<SweepPoint>& points,
                                               const EvaluationResult& result) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Sweep& sweep : sweeps) rows[0].push_back("--" + sweep.name);  // apart from figures of the same name
  rows[0].emplace_back("plan");
  for (const Figure& figure : kFigures) rows[0].emplace_back(figure.name);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back(points[i].values);
    row.push_back(plan_size(result.rows[i].plan));
    for (const Figure& figure : kFigures) row.push_back(figure_text(figure.of(result.rows[i])));
  }
  return rows;
}

std::vector<std::vector<std::string>> with_titles(std::vector<std::vector<std::string>> cells) {
  const std::size_t others = cells[0].size() - std::size(kFigures);
  for (std::size_t i = 0; i < std::size(kFigures); ++i) cells[0][others + i] = kFigures[i].title;
  cells[0][others - 1] = "plan (bands x rows)";
  return cells;
}

/// Columns apart by blanks.
std::string as_table(const std::vector<std::vector<std::string>>& rows, std::size_t sweeps) {
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c < sweeps)
        out += fmt::format("{:<{}}  ", row[c], rows[0][c].size());
      else
        out += c == sweeps ? fmt::format("{:<10}", row[c]) : fmt::format("  {:>13}", row[c]);
    }
    out += '\n';
  }
  return out;
}

std::string as_json(const std::vector<Sweep>& sweeps, const std::vector<SweepPoint>& points, const EvaluationResult& result) {
  std::string out;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    JsonObject object;
    object.add("plan", to_string(result.rows[i].plan));
    JsonObject swept;
    for (std::size_t s = 0; s < sweeps.size(); ++s) swept.add(sweeps[s].name, points[i].values[s]);
    if (!sweeps.empty()) object.raw("sweep", swept.text());
    for (const Figure& figure : kFigures) {
      const std::optional<double> value = figure.of(result.rows[i]);
      object.raw(figure.name, value ? fmt::format("{}", *value) : "null");
    }
    out += object.text() + "\n";
  }
  return out;
}

/// Figures that depend on the plan and are worth a picture.
bool is_drawn(const Figure& figure, const EvaluationResult& result) {
  const std::string_view name = figure.name;
  if (name == "precision" || name == "build_seconds" || name == "exact_seconds" || name == "stopped_early") return false;
  return std::any_of(result.rows.begin(), result.rows.end(), [&](const Evaluation& row) { return figure.of(row).value_or(0) != 0; });
}

/// A line for each combination of the sweeps but the first. `point_of(i)` is the point of row i, where it has one.
template <typename PointOf>
std::vector<PlotSeries> series_by_sweep(const std::vector<Sweep>& sweeps, const std::vector<SweepPoint>& points, PointOf point_of) {
  std::vector<PlotSeries> series;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string line;
    for (std::size_t s = 1; s < sweeps.size(); ++s) line += fmt::format("{}{}={}", s > 1 ? ", " : "", sweeps[s].name, points[i].values[s]);
    const auto [place, is_new] = places.emplace(line, series.size());
    if (is_new) series.push_back({.name = line, .points = {}});
    if (const std::optional<std::pair<double, double>> point = point_of(i)) series[place->second].points.push_back(*point);
  }
  return series;
}

std::string run_words(const ParsedArgs& typed, const EvaluationResult& result) {
  const Plan& plan = result.rows.front().plan;
  std::string out = fmt::format("{}: {}, {}, {}", fmt::join(typed.inputs, ", "), counted(result.stats.items, "item"),
                                result.queries == 1 ? "1 query" : counted(result.queries) + " queries", name(plan.measure));
  if (plan.nearest > 0) return out + fmt::format(", {} nearest", plan.nearest);
  return out + (is_distance(plan.measure) ? fmt::format(" <= {}", plan.radius) : fmt::format(" >= {}", to_string(plan.threshold)));
}

/// What a query costs.
struct Cost {
  const char* title;
  const char* better;  ///< where on the plot against recall
  std::optional<double> (*of)(const Evaluation&);
};

constexpr Cost kCosts[] = {
    {"items looked at per query", "lower right", [](const Evaluation& e) { return std::optional(e.search_length); }},
    {"queries per second", "upper right",
     [](const Evaluation& e) { return e.query_seconds > 0 ? std::optional(1 / e.query_seconds) : std::nullopt; }},
};

/// What a query costs against what it finds: each point a plan, in the order of recall.
Plot cost_plot(const std::vector<Sweep>& sweeps, const std::vector<SweepPoint>& points, const EvaluationResult& result, const Cost& cost) {
  Plot plot{.title = fmt::format("{} against recall", cost.title), .x = "recall", .y = cost.title, .series = {}, .logarithmic = true};
  plot.note = fmt::format(". Each point is a plan; {} is better", cost.better);
  plot.series = series_by_sweep(sweeps, points, [&](std::size_t i) -> std::optional<std::pair<double, double>> {
    const std::optional<double> recall = result.rows[i].recall, value = cost.of(result.rows[i]);
    if (!recall || !value) return {};
    return std::pair(*recall, *value);
  });
  for (PlotSeries& series : plot.series) std::sort(series.points.begin(), series.points.end());
  return plot;
}

/// Recall against costs; then one picture a figure, the first sweep along the axis.
std::vector<Plot> plots_of(const ParsedArgs& typed, const std::vector<Sweep>& sweeps, const std::vector<SweepPoint>& points,
                           const EvaluationResult& result) {
  std::vector<Plot> plots;
  for (const Cost& cost : kCosts) plots.push_back(cost_plot(sweeps, points, result, cost));
  for (const Figure& figure : kFigures) {
    if (!is_drawn(figure, result)) continue;
    Plot& plot = plots.emplace_back(Plot{.title = figure.title, .x = "--" + sweeps.front().name, .y = figure.title, .series = {}});
    plot.series = series_by_sweep(sweeps, points, [&](std::size_t i) -> std::optional<std::pair<double, double>> {
      const std::optional<double> y = figure.of(result.rows[i]);
      if (!y) return {};
      return std::pair(positive(points[i].values.front(), "--plot"), *y);
    });
  }
  const std::string words = run_words(typed, result) + fixed_flags(typed, sweeps);
  for (Plot& plot : plots) plot.note = words + plot.note;
  return plots;
}

EvaluationPoint evaluation_point(const ParsedArgs& typed, const Input& input, const std::optional<DataSample>& sample) {
  EvaluationPoint point{.plan = plan_for(typed, input, sample)};
  if (typed.max_candidates) point.max_candidates = max_candidates_of(*typed.max_candidates, point.plan);
  return point;
}

std::vector<EvaluationPoint> evaluation_points(const ParsedArgs& typed, const Input& input, const std::vector<SweepPoint>& points) {
  const std::optional<DataSample> sample = sample_of(typed, input);
  std::vector<EvaluationPoint> plans;
  for (const SweepPoint& point : points) {
    try {
      plans.push_back(evaluation_point(point.typed, input, sample));
    } catch (const UsageError& error) {
      if (point.values.empty()) throw;
      throw UsageError(fmt::format("--sweep: value {}: {}", fmt::join(point.values, ", "), error.what()));
    }
  }
  return plans;
}

int run_evaluate(const ParsedArgs& typed) {
  if (typed.truth) return run_evaluate_truth(typed);
  refuse_idle_truth(typed, {{typed.files_from.has_value(), "--files-from"},
                            {typed.memory.has_value(), "--memory"},
                            {typed.score.has_value(), "--score"},
                            {typed.max_pairs.has_value(), "--max-pairs"}});
  if (typed.inputs.empty() || typed.inputs.size() > 2) {
    throw UsageError(fmt::format("evaluate: takes INPUT and perhaps QUERIES, {} given", typed.inputs.size()));
  }
  const Input input = input_at(typed, 0);
  std::optional<Input> queries;
  if (typed.inputs.size() == 2) queries = input_at(typed, 1);
  if (typed.limit && (typed.threshold || typed.radius)) {
    throw UsageError(fmt::format("--limit: has no use with {}, within which all neighbours are evaluated; leave one of them out",
                                 typed.threshold ? "--threshold" : "--radius"));
  }
  const std::optional<std::string> page = report_of(typed);
  const std::vector<Sweep> sweeps = sweeps_of(typed);
  if (typed.plot) {
    if (sweeps.empty()) throw UsageError("--plot: draws the curves of a sweep; give --sweep, such as --sweep rows=8:40:4");
    plot_text({}, *typed.plot);  // a name it cannot have is refused before the work
    check_output(*typed.plot);
  }
  const std::vector<SweepPoint> points = sweep_points(typed, sweeps);
  EvaluateOptions options;
  if (typed.queries) options.queries = whole(*typed.queries, "--queries", 1);
  if (limit_of(typed) > 0) options.limit = limit_of(typed);
  Progress progress(typed);
  const EvaluationResult result = evaluate(input, queries, evaluation_points(typed, input, points), options,
                                           {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  const std::vector<std::vector<std::string>> cells = cells_of(sweeps, points, result);
  write_stats(typed, result.rows.empty() ? nullptr : &result.rows.front().plan, result.stats, JsonObject().add("queries", result.queries),
              Searched::neighbours);
  write_text(typed.json ? as_json(sweeps, points, result) : as_table(cells, sweeps.size()), output_of(typed));
  if (typed.plot) write_text(plot_text(plots_of(typed, sweeps, points, result), *typed.plot), *typed.plot);
  if (page) {
    Report report{.command = "evaluate", .inputs = typed.inputs, .stats = result.stats, .plots = {}, .table = with_titles(cells)};
    if (result.rows.size() == 1) report.plan = result.rows.front().plan;
    report.figures = {{"queries", counted(result.queries) +
                                      (typed.inputs.size() == 2 ? "" : ", drawn from the items; an item does not count as its own answer")},
                      {"each asks for", !typed.limit          ? "all items within the threshold or radius"
                                        : *typed.limit == "1" ? "the nearest item"
                                                              : "the nearest items, up to " + *typed.limit}};
    if (!sweeps.empty()) report.plots = plots_of(typed, sweeps, points, result);
    write_report(typed, std::move(report), *page);
  }
  say_faults(typed, result.stats.faults);
  if (result.rows.size() == 1) say(typed, to_string(result.rows.front().plan));
  say(typed, fmt::format("{}; {} asked, each compared with the exact answer", read_text(result.stats),
                         result.queries == 1 ? "1 query" : counted(result.queries) + " queries"));
  return exit_status(typed, result.stats.faults);
}

}  // namespace

const Command kEvaluateCommand{
    .bit = kEvaluate,
    .name = "evaluate",
    .arguments = "INPUT [QUERIES] | INPUT ... --truth FILE",
    .summary = "measure what settings find, compared with an exact search",
    .about =
        "Runs a sample of QUERIES (or of INPUT's own items) and compares the answers with the exact ones. It prints, for each\n"
        "plan: recall; precision; how many items a query looked at; the distance of the best answer divided by the distance of the\n"
        "true nearest item; the share of all queries that got no answer although they have a true neighbour; and times. A \"-\" means\n"
        "that there was nothing to measure. --sweep tries many plans.\n"
        "With --truth FILE it compares the pairs found in INPUT (one or more files), or between INPUT and OTHER (--against), with\n"
        "the labels in FILE. Precision is the share of the found pairs that are true, recall the share of the true pairs that were\n"
        "found, F1 their harmonic mean. A found pair that is not among the labels counts as wrong.\n"
        "With --truth the search is exact, unless --recall, --bands or --plan is given.",
    .examples =
        "nearkin evaluate docs.jsonl --truth pairs.csv                         # precision and recall by threshold, from labels\n"
        "nearkin evaluate images.bvecs --binarise median --limit 1 --sweep rows=8:40:8 --sweep bands=10,20 --plot sweep.svg",
    .run = run_evaluate,
};

}  // namespace nearkin::cli
