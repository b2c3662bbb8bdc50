// Runs whose rows go to files.
#include <algorithm>
#include <filesystem>

#include <nearkin/error.h>
#include <nearkin/run.h>

#include "runs/runs.h"

namespace nearkin {
namespace {

/// Clusters of two or more.
std::uint64_t repeated(const Clusters& clusters) {
  std::vector<std::uint32_t> sizes(clusters.size(), 0);
  for (const std::uint32_t number : clusters.cluster) ++sizes[number];
  return static_cast<std::uint64_t>(std::count_if(sizes.begin(), sizes.end(), [](std::uint32_t size) { return size > 1; }));
}

/// Said before a long run and not after it. Pipes and devices are left alone: their readers would see the end of a first writer.
void check_new_file(const std::string& path) {
  const auto type = std::filesystem::status(path).type();
  if (path != "-" && (type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found)) check_output(path);
}

}  // namespace

Spill spill_of(const Keep& keep) { return {.identity = "keep=" + to_string(keep)}; }

Collection collect_for(const Input& input, const Input* against, const Plan& plan, const Keep& keep, const RunOptions& options) {
  const Spill spill = spill_of(keep);
  const bool held = options.audit > 0 || options.report != nullptr || !can_spill(plan);
  if (held && (options.scratch || options.resume)) {
    throw Error(ErrorCode::plan, options.scratch ? "scratch" : "resume",
                "this run is held in memory (as runs over vectors, exact joins, containment, audits and reports are) and uses no files; "
                "leave it out");
  }
  return collect(input, against, plan, options, nullptr, held ? nullptr : &spill);
}

RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options, const Input* against) {
  require_border(plan);
  check_new_file(output.path);
  Collection collection = collect_for(input, against, plan, {}, options);
  std::optional<PairsResult> result =
      unless_too_many(collection, input, against, plan, {}, options, [&] { return pairs_of(collection, input, against, plan, options); });
  if (!result) return list_pairs_spilled(std::move(collection), plan, output, options);
  if (options.before_output) options.before_output();
  write_pairs(*result, output.path, output.style);
  return std::move(result->stats);
}

ClustersListed list_clusters(const Input& input, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options,
                             const RunOptions& run) {
  require_border(plan);
  check_new_file(output.path);
  Input reading = input;
  if (!options.keep.field.empty()) reading.number = options.keep.field;
  Collection collection = collect_for(reading, nullptr, plan, options.keep, run);
  std::optional<ClusterResult> result = unless_too_many(collection, reading, nullptr, plan, options.keep, run,
                                                        [&] { return cluster_of(collection, input, plan, options, run); });
  if (!result) return list_clusters_spilled(std::move(collection), plan, output, options, run);
  if (run.before_output) run.before_output();
  write_clusters(*result, output.path, output.style, output.least);
  if (output.summary) write_cluster_summary(*result, *output.summary, output.style, std::max(output.least, 2u));
  return {repeated(result->clusters), std::move(result->stats)};
}

}  // namespace nearkin
