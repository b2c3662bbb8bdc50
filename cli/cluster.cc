// nearkin cluster: the groups of similar items.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "decisions.h"
#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "options.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "score.h"
#include "sketch_plan.h"
#include "stats.h"
#include "talk.h"
#include "what_if.h"

namespace nearkin::cli {
namespace {

ClustersOutput output_to(const ParsedArgs& typed) {
  ClustersOutput output{.path = output_of(typed), .style = style_of(typed), .summary = typed.summary};
  if (typed.min_size) output.least = static_cast<std::uint32_t>(whole(*typed.min_size, "--min-size", 1, 0xffffffff));
  return output;
}

ClusterOptions options_of(const ParsedArgs& typed, Measure measure) {
  ClusterOptions options{.keep = keep_of(typed, measure)};
  if (typed.linkage) options.linkage = parse_linkage(*typed.linkage);
  return options;
}

/// What --stats has of the result itself.
JsonObject told_of(const ClustersListed& result) {
  JsonObject told = JsonObject().add("clusters", result.clusters);
  add_decisions(result.stats, told);
  return told;
}

std::string outcome_text(std::uint64_t clusters) { return fmt::format(", {} of two or more", counted(clusters, "cluster")); }

int cluster_scored(const ParsedArgs& typed) {
  TypedScore by = score_of(typed);
  const Input input = input_of(typed);
  ClusterOptions options = options_of(typed, Measure::jaccard);
  options.decisions = decisions_of(typed);
  Progress progress(typed);
  by.run.progress = watched(typed, progress);
  std::vector<SearchedPart> parts;
  by.options.on_searched = [&](const std::vector<SearchedPart>& known) { parts = known; };
  ClustersOutput output = output_to(typed);
  output.on_result = [&](const ClustersListed& result) { write_score_stats(typed, {by, parts, result.stats}, told_of(result)); };
  const auto [result, searched] = list_score_clusters(input, by.score, output, by.options, options, by.run);
  progress.clear();
  const ScoreRun run{by, searched, result.stats};
  say_keep(typed, options.keep, result.stats);
  say_decisions(typed, result.stats);
  say_score_run(typed, run, {.text = outcome_text(result.clusters)});
  return exit_status(typed, result.stats.faults);
}

int run_cluster(const ParsedArgs& typed) {
  if (typed.score) return cluster_scored(typed);
  refuse_without_score(typed);
  const Input input = input_of(typed);
  RunOptions run_options = resources_of(typed);
  promise_resume(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_of_run(asks_what_if(typed) ? typed_for_widest(typed, input, {}) : typed, input, {});
  run_options.planned_seconds = seconds_since(begin);
  refuse_idle_scratch(typed, plan);
  ClusterOptions options = options_of(typed, plan.measure);
  if (asks_what_if(typed)) return run_what_if(kClusterCommand, typed, input, plan, options.linkage, Linkage::star);
  options.decisions = decisions_of(typed);
  const std::optional<std::string> page = report_of(typed);
  ClustersOutput output = output_to(typed);
  Progress progress(typed);
  Report report;
  run_options.progress = watched(typed, progress);
  run_options.audit = audit_of(typed, plan);
  add_report(typed, run_options, report, page);
  hint_at_code_tokens(typed, plan);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  output.on_result = [&](const ClustersListed& result) {
    progress.clear();
    list_ignored(typed, input, {}, plan);
    write_stats(typed, &plan, result.stats, told_of(result));
  };
  const ClustersListed result = list_clusters(input, plan, output, options, run_options);
  progress.clear();
  say_keep(typed, options.keep, result.stats);
  say_decisions(typed, result.stats);
  say_run(typed, plan, input, result.stats, {.text = outcome_text(result.clusters)});
  return exit_status(typed, result.stats.faults);
}

}  // namespace

const Command kClusterCommand{
    .bit = kCluster,
    .name = "cluster",
    .arguments = "[INPUT ...]",
    .summary = "group the similar items",
    .about =
        "Groups similar items. Prints id <tab> cluster, in input order. Clusters are numbered from 0 in the order of their first items.\n"
        "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are recognised by their content.",
    .examples =
        "nearkin cluster notes/ --min-size 2                                   # the groups of similar files\n"
        "nearkin cluster docs.jsonl --linkage star --summary groups.tsv        # every member similar to its keeper\n"
        "nearkin cluster people.csv --score 'name:jaccard(char:3)*2 + born:equal'  # field by field",
    .run = run_cluster,
};

}  // namespace nearkin::cli
