// Labels against what a search finds, at many thresholds from one run.
#include <nearkin/error.h>
#include <nearkin/tools/truth.h>

#include "analysis/audit_report.h"
#include "analysis/other_borders.h"
#include "analysis/score.h"
#include "collect/collect.h"
#include "group/group.h"
#include "group/partners.h"
#include "runs/run_search.h"
#include "runs/write_results.h"
#include "theory/score.h"

namespace nearkin {
namespace {

TruthByRows truth_of(const Rows& rows, const TruthTable& table) {
  RowReader reader(rows);
  return truth_by_rows(table,
                       {.rows = static_cast<Row>(rows.size()), .split = rows.input_rows(), .across = rows.across(), .id = [&](Row row) {
                          return reader.id(row);
                        }});
}

void require_borders(const Plan& plan, const std::vector<double>& borders) {
  if (borders.empty()) throw Error(ErrorCode::plan, is_distance(plan.measure) ? "radii" : "thresholds", "none is given; give at least one");
  if (plan.measure != Measure::exact) require_within(plan, borders);
}

/// The border that all others are within.
std::size_t widest(const Plan& plan, const std::vector<double>& borders) {
  const auto place =
      is_distance(plan.measure) ? std::max_element(borders.begin(), borders.end()) : std::min_element(borders.begin(), borders.end());
  return static_cast<std::size_t>(place - borders.begin());
}

/// At each border, of the pairs that partners leave.
std::vector<TruthAt> score_chosen(Rows& rows, const Stage& stage, const SearchResult& found, const TruthByRows& truth,
                                  const TruthOptions& options, RunStats& stats) {
  const Partners::Rule rule = options.partners.rule;
  if (rule == Partners::Rule::all) return score(rows, stage, found, truth, options.borders);
  if (rule != Partners::Rule::optimal) {
    // The pairs of a stricter border are those of the widest that are within it: these rules go from the most similar pair down.
    return score(rows, stage, only(choose_pairs(rows, stage, found, options.partners), rows), truth, options.borders);
  }
  std::vector<TruthAt> at;
  for (const double border : options.borders) {
    const Plan narrower = with_border(stage.plan, border);
    const ChosenPairs chosen = choose_pairs(rows, stage, found, options.partners, &narrower);
    at.push_back(score(rows, stage, only(chosen, rows), truth, {border}).front());
    if (chosen.too_large().pairs > stats.too_large.pairs) stats.too_large = chosen.too_large();
  }
  return at;
}

TruthResult evaluate_by(RunSearch& search, const Input& input, const TruthTable& table, const TruthOptions& options, const Input* against) {
  const Plan& plan = search.plan();
  const Stage& stage = search.stage();
  require_partners(options.partners, plan, against);
  if (!options.partners.decisions.empty())
    throw Error(ErrorCode::plan, "decisions", "are about lists of pairs, which are not evaluated; leave them out");
  require_borders(plan, options.borders);
  Rows rows = search.collect(input, against, {});
  const TruthByRows truth = truth_of(rows, table);
  const SearchResult found = search.find(rows, {}, Linkage::connected, Use::pairs);
  StageClock clock;
  TruthResult result;
  result.stats = rows.stats;
  result.rows = score_chosen(rows, stage, found, truth, options, result.stats);
  result.not_found = truth.notes.labels - result.rows[widest(plan, options.borders)].right;
  result.notes = truth.notes;
  result.stats.seconds.emplace_back("compare with the truth", clock.lap());
  note_pairs(count_pairs(found, rows.across(), plan.measure), result.stats);
  note_resources(rows, result.stats);
  remove_files(rows);
  return result;
}

}  // namespace

TruthResult evaluate_truth(const Input& input, const TruthTable& table, const Plan& plan, const TruthOptions& options,
                           const RunOptions& run, const Input* against) {
  if (plan.measure != Measure::exact) require_border(plan);
  RunSearch search(plan, run);
  return evaluate_by(search, input, table, options, against);
}

ScoreTruth evaluate_truth_by_score(const Input& input, const TruthTable& table, const Score& score, const ScoreOptions& by,
                                   const TruthOptions& options, const RunOptions& run, const Input* against) {
  require_no_partners(by);
  RunSearch search(score, by, run);
  TruthResult result = evaluate_by(search, input, table, options, against);
  return {std::move(result), search.score()->searched()};
}

}  // namespace nearkin
