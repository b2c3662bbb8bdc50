// nearkin cluster: the groups of similar items.
#include <algorithm>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "errors.h"
#include "flags.h"
#include "options.h"
#include "progress.h"
#include "report_file.h"
#include "stats.h"
#include "talk.h"
#include "what_if.h"

namespace nearkin::cli {
namespace {

/// Clusters of two or more.
std::uint64_t groups(const Clusters& clusters) {
  std::vector<std::uint32_t> sizes(clusters.size(), 0);
  for (const std::uint32_t number : clusters.cluster) ++sizes[number];
  return static_cast<std::uint64_t>(std::count_if(sizes.begin(), sizes.end(), [](std::uint32_t size) { return size > 1; }));
}

int run(const Typed& typed) {
  const Input input = input_of(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_of(asks_what_if(typed) ? typed_for_widest(typed, input) : typed, input);
  const double planned = seconds_since(begin);
  ClusterOptions options{.keep = keep_of(typed, plan.measure)};
  if (typed.linkage) options.linkage = parse_linkage(*typed.linkage);
  if (asks_what_if(typed)) return run_what_if(kClusterCommand, typed, input, plan, options.linkage);
  const std::optional<std::string> page = report_of(typed);
  const auto least = typed.min_size ? static_cast<std::uint32_t>(whole(*typed.min_size, "--min-size", 1, 0xffffffff)) : 1;
  Progress progress(typed);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  Report report;
  const ClusterResult result = cluster(
      input, plan, options,
      {.threads = threads_of(typed), .progress = progress.callback(), .audit = audit_of(typed, plan), .report = page ? &report : nullptr,
       .planned_seconds = planned});
  progress.clear();
  if (page) write_text(report_html(report), *page);
  write_clusters(result, output_of(typed), style_of(typed), least);
  if (typed.summary) write_cluster_summary(result, *typed.summary, style_of(typed), std::max(least, 2U));
  const std::uint64_t found = groups(result.clusters);
  write_stats(typed, &plan, result.stats, JsonObject().add("clusters", found));
  say_keep(typed, options.keep, result.stats);
  say_run(typed, plan, input, result.stats, {.text = fmt::format(", {} of two or more", counted(found, "cluster"))});
  return exit_status(result.stats.faults);
}

}  // namespace

const Command kClusterCommand{
    .bit = kCluster,
    .name = "cluster",
    .arguments = "[INPUT ...]",
    .summary = "group the similar items",
    .about = "Groups similar items: id <tab> cluster, in input order; clusters are numbered from 0 by their first members.\n"
             "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are known by their content.",
    .example = "nearkin cluster notes/ --linkage star --min-size 2 --summary groups.tsv",
    .run = run,
};

}  // namespace nearkin::cli
