// nearkin evaluate --truth: precision, recall and F1 by threshold.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/report.h>

#include "errors.h"
#include "options.h"
#include "partners.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "score.h"
#include "sketch_plan.h"
#include "stats.h"
#include "talk.h"
#include "truth.h"
#include "what_if.h"

namespace nearkin::cli {
namespace {

constexpr double kLowestThreshold = 0.1;
constexpr int kSteps = 100, kShownSteps = 20;  // of thresholds from 0 to 1: those that are tried, and those that are printed

/// The goal of the one run: the widest of the borders, and all pairs within it unless something typed says otherwise.
ParsedArgs typed_for_truth(const ParsedArgs& typed, const Input& input) {
  ParsedArgs one = typed;
  if (typed.plan) return one;
  const Measure measure = outline_of(typed, input).measure;
  if (measure == Measure::exact) {
    if (asks_what_if(typed)) throw UsageError("--thresholds: has no use with --measure exact, which finds equal texts; leave it out");
    return one;
  }
  const bool shaped = typed.recall || typed.bands || typed.rows || typed.hashes;
  if (!shaped) one.recall = "1";
  if (is_distance(measure)) {
    if (typed.thresholds) throw UsageError(fmt::format("--thresholds: measure {} is a distance; use --radii", name(measure)));
    if (typed.radii) one.radius = borders_of(typed).back().second;
    return one;
  }
  if (typed.radii) throw UsageError(fmt::format("--radii: measure {} is a similarity; use --thresholds", name(measure)));
  if (typed.thresholds)
    one.threshold = borders_of(typed).front().second;
  else if (!typed.threshold)
    one.threshold = fmt::format("{}", kLowestThreshold);
  return one;
}

/// Ascending; those of --thresholds or --radii, or steps from the plan's own border.
std::vector<double> borders_to_try(const ParsedArgs& typed, const Plan& plan) {
  std::vector<double> borders;
  if (plan.measure == Measure::exact) return {1};
  if (asks_what_if(typed)) {
    for (const auto& [border, word] : borders_of(typed)) borders.push_back(border);
    return borders;
  }
  if (!is_distance(plan.measure)) {
    const double lowest = plan.threshold.value();
    borders.push_back(lowest);
    for (int step = 1; step <= kSteps; ++step) {
      const double threshold = static_cast<double>(step) / kSteps;
      if (threshold > lowest) borders.push_back(threshold);
    }
    return borders;
  }
  const bool whole = plan.measure == Measure::hamming && plan.radius >= 1;
  for (int step = 1; step <= kShownSteps; ++step) {
    const double radius = plan.radius * step / kShownSteps;
    borders.push_back(whole ? std::floor(radius) : radius);
  }
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

/// The greatest by `figure`; where neighbours are equally good, the one in the middle, which is the farthest from what is worse.
template <typename Figure>
std::size_t best_of(const std::vector<TruthAt>& rows, Figure figure) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (figure(rows[i]) > figure(rows[first])) first = i;
  }
  std::size_t end = first;
  while (end < rows.size() && figure(rows[end]) == figure(rows[first])) ++end;
  return first + (end - 1 - first) / 2;
}

struct Shown {
  const ParsedArgs& typed;
  const Plan& plan;
  const TruthResult& result;
  std::size_t best = 0;                ///< by F1 of pairs
  std::size_t best_clusters = 0;       ///< by F1 of B-cubed, where there are clusters
  std::vector<std::size_t> rows = {};  ///< to be printed

  Shown(const ParsedArgs& given, const Plan& by, const TruthResult& compared) : typed(given), plan(by), result(compared) {
    best = best_of(result.rows, [](const TruthAt& row) { return row.pairs.f1(); });
    if (has_clusters()) best_clusters = best_of(result.rows, [](const TruthAt& row) { return row.clusters->b_cubed.f1(); });
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      if (is_step(i) || i == best || (has_clusters() && i == best_clusters)) rows.push_back(i);
    }
  }
  bool has_clusters() const { return result.rows.front().clusters.has_value(); }
  const char* border_name() const { return is_distance(plan.measure) ? "radius" : "threshold"; }

 private:
  bool is_step(std::size_t i) const {
    if (asks_what_if(typed) || is_distance(plan.measure) || i == 0) return true;
    const double steps = result.rows[i].border * kShownSteps;
    return std::abs(steps - std::round(steps)) < 1e-9;
  }
};

void add_cells(std::vector<std::string>& row, const Agreement& agreement) {
  for (const double figure : {agreement.precision, agreement.recall, agreement.f1()}) row.push_back(fmt::format("{:.4f}", figure));
}

/// A heading, then a row a threshold.
std::vector<std::vector<std::string>> cells_of(const Shown& shown) {
  std::vector<std::vector<std::string>> rows{{shown.border_name(), "pairs", "right", "precision", "recall", "f1"}};
  if (shown.has_clusters()) {
    for (const char* const name : {"cluster_precision", "cluster_recall", "cluster_f1", "b3_precision", "b3_recall", "b3_f1"})
      rows[0].emplace_back(name);
  }
  for (const std::size_t i : shown.rows) {
    const TruthAt& at = shown.result.rows[i];
    std::vector<std::string>& row = rows.emplace_back();
    row = {fmt::format("{}", at.border), std::to_string(at.found), std::to_string(at.right)};
    add_cells(row, at.pairs);
    if (!at.clusters) continue;
    add_cells(row, at.clusters->pairs);
    add_cells(row, at.clusters->b_cubed);
  }
  return rows;
}

std::string as_table(const Shown& shown, const std::vector<std::vector<std::string>>& cells) {
  std::string out;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::size_t c = 0; c < cells[r].size(); ++c) {
      const std::size_t width = c < 3 ? 10 : cells[0][c].size();
      out += c == 0 ? fmt::format("{:<10}", cells[r][c]) : fmt::format("  {:>{}}", cells[r][c], std::max<std::size_t>(width, 6));
    }
    if (r > 0 && shown.rows[r - 1] == shown.best && shown.result.rows[shown.best].right > 0) out += "  <- best F1";
    if (r > 0 && shown.has_clusters() && shown.rows[r - 1] == shown.best_clusters) out += "  <- best B-cubed F1";
    out += '\n';
  }
  return out;
}

JsonObject agreement_json(const Agreement& agreement) {
  return JsonObject().add("precision", agreement.precision).add("recall", agreement.recall).add("f1", agreement.f1());
}

std::string as_json(const Shown& shown) {
  std::string out;
  for (const std::size_t i : shown.rows) {
    const TruthAt& at = shown.result.rows[i];
    JsonObject object;
    object.add(shown.border_name(), at.border).add("pairs", at.found).add("right", at.right).append(agreement_json(at.pairs));
    if (at.clusters) {
      object.raw("clusters", agreement_json(at.clusters->pairs).text()).raw("b_cubed", agreement_json(at.clusters->b_cubed).text());
    }
    object.add("best", i == shown.best);
    if (at.clusters) object.add("best_b_cubed", i == shown.best_clusters);
    out += object.text() + "\n";
  }
  return out;
}

/// What the plots are about: data, items, labels and plan.
std::string words_of_data(const Shown& shown) {
  const ParsedArgs& typed = shown.typed;
  std::string out = typed.inputs.empty() ? *typed.files_from : fmt::format("{}", fmt::join(typed.inputs, ", "));
  if (typed.against) out += " against " + *typed.against;
  out += fmt::format(": {}, {} in {}; ", counted(shown.result.stats.items, "item"), counted(shown.result.notes.labels, "true pair"),
                     *typed.truth);
  out += typed.score ? "score: " + *typed.score : "plan: " + to_string(shown.plan);
  if (shown.rows.size() == shown.result.rows.size()) return out;
  return out + fmt::format(". Measured at {} {}s; signs mark those of the table", shown.result.rows.size(), shown.border_name());
}

/// `best`: the row that is best by this agreement, if one is told.
Plot plot_of(const Shown& shown, const std::string& title, std::optional<std::size_t> best, const Agreement& (*of)(const TruthAt&)) {
  Plot plot{.title = title, .x = shown.border_name(), .y = "share", .series = {{"precision", {}}, {"recall", {}}, {"F1", {}}}};
  plot.note = words_of_data(shown);
  if (shown.rows.size() < shown.result.rows.size()) {
    for (PlotSeries& series : plot.series) series.marked = shown.rows;
  }
  if (best && of(shown.result.rows[*best]).f1() > 0) {
    const TruthAt& at = shown.result.rows[*best];
    plot.marks.push_back({at.border, fmt::format("best F1 {:.4f} at {}", of(at).f1(), at.border)});
  }
  for (const TruthAt& at : shown.result.rows) {
    const Agreement& agreement = of(at);
    const double figures[] = {agreement.precision, agreement.recall, agreement.f1()};
    for (std::size_t i = 0; i < 3; ++i) plot.series[i].points.emplace_back(at.border, figures[i]);
  }
  return plot;
}

std::vector<Plot> plots_of(const Shown& shown) {
  std::vector<Plot> plots{
      plot_of(shown, "precision, recall and F1 of pairs", shown.best, [](const TruthAt& at) -> const Agreement& { return at.pairs; })};
  if (!shown.has_clusters()) return plots;
  plots.push_back(plot_of(shown, "precision, recall and F1 of pairs of one cluster", std::nullopt,
                          [](const TruthAt& at) -> const Agreement& { return at.clusters->pairs; }));
  plots.push_back(plot_of(shown, "precision, recall and F1 by B-cubed", shown.best_clusters,
                          [](const TruthAt& at) -> const Agreement& { return at.clusters->b_cubed; }));
  return plots;
}

/// Whether the best F1 is at the end of what was tried.
bool is_widest(const Shown& shown) {
  const double best = shown.result.rows[shown.best].border;
  const bool distance = is_distance(shown.plan.measure);
  return std::all_of(shown.result.rows.begin(), shown.result.rows.end(),
                     [&](const TruthAt& at) { return distance ? at.border <= best : at.border >= best; });
}

std::string best_text(const Shown& shown) {
  const TruthAt& at = shown.result.rows[shown.best];
  if (at.right == 0 && shown.typed.score) return "no true pair was found at any of these; try a lower --threshold, or other parts";
  if (at.right == 0) {
    if (is_distance(shown.plan.measure)) return "no true pair was found at any of these; try a larger --radius";
    if (shown.plan.kind != Kind::shingles || shown.plan.shingle.token == Token::element)
      return "no true pair was found at any of these; try a lower --threshold";
    return "no true pair was found at any of these; try a lower --threshold, shorter shingles such as --shingle char:3, or let 'nearkin "
           "tune --truth' choose";
  }
  std::string out = fmt::format("best F1 {:.4f} at {} {} (precision {:.4f}, recall {:.4f})", at.pairs.f1(), shown.border_name(), at.border,
                                at.pairs.precision, at.pairs.recall);
  if (shown.result.rows.size() > 1 && at.pairs.f1() < 1 && is_widest(shown))
    out += fmt::format(", the {} that was tried; a {} one may be better", is_distance(shown.plan.measure) ? "largest" : "lowest",
                       is_distance(shown.plan.measure) ? "larger" : "lower");
  if (!shown.has_clusters()) return out;
  const TruthAt& clusters = shown.result.rows[shown.best_clusters];
  return out + fmt::format("; best B-cubed F1 {:.4f} at {} {}", clusters.clusters->b_cubed.f1(), shown.border_name(), clusters.border);
}

/// Why true pairs were not found.
std::string not_found_text(const Shown& shown) {
  const Plan& plan = shown.plan;
  if (plan.measure == Measure::exact) return "of texts that differ";
  const std::string border =
      is_distance(plan.measure) ? fmt::format("beyond radius {}", plan.radius) : "below threshold " + to_string(plan.threshold);
  const bool partners = shown.typed.best || shown.typed.top || shown.typed.one_to_one;
  return border + (partners ? ", or listed with another partner" : "") +
         (plan.exact_join() ? "" : fmt::format(", or missed (recall {})", plan.recall));
}

Report report_on(const Shown& shown, const std::vector<std::vector<std::string>>& cells) {
  Report report{.command = "evaluate", .inputs = shown.typed.inputs, .plan = shown.plan, .stats = shown.result.stats};
  if (shown.typed.against) report.against = {*shown.typed.against};
  report.plots = plots_of(shown);
  report.table = cells;
  report.truth = *shown.typed.truth;
  report.figures = {{"true pairs", counted(shown.result.notes.labels)},
                    {"true pairs not found (" + not_found_text(shown) + ")", counted(shown.result.not_found)},
                    {"best", best_text(shown)}};
  return report;
}

void refuse_idle(const ParsedArgs& typed) {
  refuse_beside_truth({{!typed.sweeps.empty(), "--sweep"},
                       {typed.queries.has_value(), "--queries"},
                       {typed.limit.has_value(), "--limit"},
                       {typed.max_candidates.has_value(), "--max-candidates"},
                       {typed.probes.has_value(), "--probes"}});
  if (typed.threshold && typed.thresholds)
    throw UsageError("--threshold: --thresholds lists the thresholds already; leave one of them out");
  if (typed.radius && typed.radii) throw UsageError("--radius: --radii lists the radii already; leave one of them out");
  if (typed.inputs.empty() && !typed.files_from)
    throw UsageError("evaluate: names no INPUT; give the file that the labels are about, or -");
}

void write_shown(const Shown& shown, const std::optional<std::string>& page) {
  const ParsedArgs& typed = shown.typed;
  const std::vector<std::vector<std::string>> cells = cells_of(shown);
  write_text(typed.json ? as_json(shown) : as_table(shown, cells), output_of(typed));
  if (typed.plot) write_text(plot_text(plots_of(shown), *typed.plot), *typed.plot);
  if (page) write_report(typed, report_on(shown, cells), *page);
}

JsonObject told_of(const TruthResult& result) {
  return JsonObject().add("true_pairs", result.notes.labels).add("not_found", result.not_found);
}

std::string outcome_text(const Shown& shown) {
  const TruthResult& result = shown.result;
  const std::string labels = fmt::format("; {}, ", counted(result.notes.labels, "true pair"));
  if (result.not_found == 0) return labels + "all found";
  return labels + fmt::format("{} not found ({})", counted(result.not_found), not_found_text(shown));
}

/// The widest of the thresholds, and all pairs within it unless a recall was typed.
TypedScore score_for_truth(const ParsedArgs& typed) {
  ParsedArgs one = typed;
  if (!typed.recall) one.recall = "1";
  if (typed.thresholds)
    one.threshold = borders_of(typed).front().second;
  else if (!typed.threshold)
    one.threshold = fmt::format("{}", kLowestThreshold);
  return score_of(one);
}

int evaluate_scored(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against) {
  TypedScore by = score_for_truth(typed);
  Plan plan = tune({.recall = by.options.recall});
  plan.threshold = ratio(by.options.threshold);
  const TruthTable truth = truth_of(typed);
  Progress progress(typed);
  by.run.progress = progress.callback();
  const TruthOptions options{.borders = borders_to_try(typed, plan), .partners = partners_of(typed)};
  const auto [result, searched] =
      evaluate_truth_by_score(input, truth, by.score, by.options, options, by.run, against ? &*against : nullptr);
  progress.clear();
  const Shown shown(typed, plan, result);
  const ScoreRun run{by, searched, result.stats};
  write_score_stats(typed, run, told_of(result));
  write_shown(shown, {});
  say_truth_notes(typed, result.notes);
  say_too_large(typed, result.stats);
  say_score_run(typed, run, {.text = outcome_text(shown), .lists_pairs = true});
  say(typed, best_text(shown));
  return exit_status(typed, result.stats.faults);
}

}  // namespace

int run_evaluate_truth(const ParsedArgs& typed) {
  refuse_idle(typed);
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  const std::optional<std::string> page = report_of(typed);
  if (typed.plot) plot_text({}, *typed.plot);  // a name it cannot have is refused before the work
  if (typed.score) return evaluate_scored(typed, input, against);
  refuse_without_score(typed);
  const TruthTable truth = truth_of(typed);
  const Plan plan = plan_of_run(typed_for_truth(typed, input), input, against, BandPlan::kLargeBucketOfPairs);
  refuse_idle_scratch(typed, plan);
  RunOptions run = resources_of(typed);
  Progress progress(typed);
  run.progress = progress.callback();
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);
  const TruthResult result = evaluate_truth(input, truth, plan, {.borders = borders_to_try(typed, plan), .partners = partners_of(typed)},
                                            run, against ? &*against : nullptr);
  progress.clear();
  const Shown shown(typed, plan, result);
  write_stats(typed, &plan, result.stats, told_of(result));
  write_shown(shown, page);
  say_truth_notes(typed, result.notes);
  say_too_large(typed, result.stats);
  say_run(typed, plan, input, result.stats, {.text = outcome_text(shown)});
  say(typed, best_text(shown));
  return exit_status(typed, result.stats.faults);
}

}  // namespace nearkin::cli
