// Every similar pair of a collection, as a value or as lines of a file.
#include <string>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

#include "analysis/audit_report.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/find_matches.h"
#include "runs/write_results.h"

namespace nearkin {
namespace {

// Pairs that are to be listed, counted.
std::uint64_t count_listable(const Rows& rows, const Stage& stage, const SearchResult& found) {
  const std::uint64_t pairs = count_pairs(found, rows.across(), stage.plan.measure);
  if (pairs <= stage.options.max_pairs) return pairs;
  throw Error(ErrorCode::plan, "max_pairs",
              std::to_string(pairs) + " pairs to list, the limit is " + std::to_string(stage.options.max_pairs) +
                  "; use 'cluster' or 'dedup', which do not list pairs, or raise the limit");
}

}  // namespace

PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options, const Input* against) {
  require_border(plan);
  const Stage stage(plan, options);
  Rows rows = collect_for_run(input, against, stage, {});
  const SearchResult found = find_matches(rows, stage, {}, Linkage::connected, Use::pairs);
  StageClock clock;
  PairsResult result{.ids = {}, .matches = {}, .verify = plan.verify, .measure = plan.measure, .stats = rows.stats};
  result.stats.pairs = count_listable(rows, stage, found);
  result.matches.reserve(result.stats.pairs);
  for_each_pair(rows, stage, found, result.stats.pairs, [&](const Match& match) { result.matches.push_back(match); });
  result.ids = take_ids(rows);
  result.stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, result.stats);
  finish_report("pairs", input, against, result.stats, options);
  remove_files(rows);
  return result;
}

RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options, const Input* against) {
  require_border(plan);
  OutputFile file(output.path);
  const Stage stage(plan, options);
  Rows rows = collect_for_run(input, against, stage, {});
  const SearchResult found = find_matches(rows, stage, {}, Linkage::connected, Use::pairs);
  StageClock clock;
  RunStats stats = rows.stats;
  stats.pairs = count_listable(rows, stage, found);
  LineWriter lines(file);
  RowReader first(rows), second(rows);
  for_each_pair(rows, stage, found, stats.pairs, [&](const Match& match) {
    append_row(lines.text(), first.id(match.a), second.id(match.b), match, {plan.verify, plan.measure}, output.style, {"a", "b"});
  });
  lines.flush();
  stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, stats);
  finish_report("pairs", input, against, stats, options);
  if (options.before_output) options.before_output();
  file.commit();
  remove_files(rows);
  return stats;
}

}  // namespace nearkin
