// The groups of a collection, as a value or as lines of files.
#include <optional>

#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

#include "analysis/audit_report.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/decided.h"
#include "runs/run_search.h"
#include "runs/write_results.h"
#include "theory/score.h"

namespace nearkin {
namespace {

// What was found, with what a person decided, and the keeper of each row.
struct Grouped {
  SearchResult found;
  PairCounts counts;  // before decisions
  std::vector<Row> keepers;
};

// All but the groups, and what a report shows of them, is told of the search itself.
Grouped group_rows(RunSearch& search, Rows& rows, const ClusterOptions& options) {
  const Stage& stage = search.stage();
  const bool decided = !options.decisions.empty();
  Grouped all{
      .found = search.find(rows, options.keep, options.linkage, decided ? Use::decided_groups : Use::groups), .counts = {}, .keepers = {}};
  all.counts = count_pairs(all.found, false, stage.plan.measure);
  std::optional<ResolvedDecisions> resolved;
  if (decided) resolved = resolve(options.decisions, rows);
  if (resolved && !rows.nothing_to_pair()) follow_decisions(rows, stage, resolved->pairs, options.linkage, all.found);
  all.keepers = keepers_of(rows, stage, all.found, options.linkage);
  if (!resolved) return all;
  show_found(rows, stage, all.found, all.keepers, false);
  show_decisions(options.decisions, resolved->notes, stage.options.report);
  rows.stats.decisions = std::move(resolved->notes);
  return all;
}

ClusterResult cluster_by(RunSearch& search, const Input& input, const ClusterOptions& options, const RunOptions& run) {
  const Plan& plan = search.plan();
  const Stage& stage = search.stage();
  require_whole_records(options.decisions, input);
  Rows rows = search.collect(input, nullptr, options.keep);
  const auto& [found, counts, keepers] = group_rows(search, rows, options);
  StageClock clock;
  NumberedClusters numbered = number_clusters(keepers);
  ClusterResult result{.ids = {}, .clusters = {}, .to_keeper = {}, .verify = plan.verify, .measure = plan.measure, .stats = rows.stats};
  const KeeperMatches similarity(rows, stage, found, keepers);
  for (Row row = 0; row < keepers.size(); ++row) {
    result.clusters.cluster.push_back(numbered.number[keepers[row]]);
    result.to_keeper.push_back(similarity(row));
  }
  result.clusters.keeper = std::move(numbered.keepers);
  note_pairs(counts, result.stats);
  result.ids = take_ids(rows);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  note_resources(rows, result.stats);
  finish_report("cluster", input, nullptr, result.stats, run);
  remove_files(rows);
  return result;
}

ClustersListed list_clusters_by(RunSearch& search, const Input& input, const ClustersOutput& output, const ClusterOptions& options,
                                const RunOptions& run) {
  require_whole_records(options.decisions, input);
  OutputFile file(output.path);
  std::optional<OutputFile> summary;
  if (output.summary) summary.emplace(*output.summary);
  const Plan& plan = search.plan();
  const Stage& stage = search.stage();
  Rows rows = search.collect(input, nullptr, options.keep);
  const auto& [found, counts, keepers] = group_rows(search, rows, options);
  StageClock clock;
  const NumberedClusters numbered = number_clusters(keepers);
  const Shown shown{plan.verify, plan.measure};
  std::optional<KeeperMatches> similarity;
  if (output.style == RowStyle::json || summary) similarity.emplace(rows, stage, found, keepers);
  write_clusters(rows, keepers, numbered, similarity ? &*similarity : nullptr, shown, output, file);
  if (summary) write_summary(rows, keepers, numbered, *similarity, shown, output, *summary);
  ClustersListed result{.clusters = numbered.repeated, .stats = rows.stats};
  note_pairs(counts, result.stats);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  note_resources(rows, result.stats);
  finish_report("cluster", input, nullptr, result.stats, run);
  if (run.before_output) run.before_output();
  if (output.on_result) output.on_result(result);
  file.finish();
  if (summary) summary->finish();
  file.publish();
  if (summary) summary->publish();
  remove_files(rows);
  return result;
}

}  // namespace

ClusterResult cluster(const Input& input, const Plan& plan, const ClusterOptions& options, const RunOptions& run) {
  require_border(plan);
  RunSearch search(plan, run);
  return cluster_by(search, input, options, run);
}

ScoreClusters cluster_by_score(const Input& input, const Score& score, const ScoreOptions& by, const ClusterOptions& options,
                               const RunOptions& run) {
  require_no_partners(by);
  RunSearch search(score, by, run);
  ClusterResult result = cluster_by(search, input, options, run);
  return {std::move(result), search.score()->searched()};
}

ClustersListed list_clusters(const Input& input, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options,
                             const RunOptions& run) {
  require_border(plan);
  RunSearch search(plan, run);
  return list_clusters_by(search, input, output, options, run);
}

ScoreClustersListed list_score_clusters(const Input& input, const Score& score, const ClustersOutput& output, const ScoreOptions& by,
                                        const ClusterOptions& options, const RunOptions& run) {
  require_no_partners(by);
  RunSearch search(score, by, run);
  ClustersOutput told = output;
  told.on_result = [&](const ClustersListed& result) {
    if (by.on_searched) by.on_searched(search.score()->searched());
    if (output.on_result) output.on_result(result);
  };
  ClustersListed listed = list_clusters_by(search, input, told, options, run);
  return {std::move(listed), search.score()->searched()};
}

}  // namespace nearkin
