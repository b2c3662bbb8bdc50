#include <nearkin/run.h>

#include "analysis/examine.h"
#include "group/group.h"
#include "runs/runs.h"

namespace nearkin {

ClusterResult cluster(const Input& input, const Plan& plan, const ClusterOptions& options, const RunOptions& run) {
  require_border(plan);
  Input reading = input;
  if (!options.keep.field.empty()) reading.number = options.keep.field;
  Collection collection = collect(reading, nullptr, plan, run);
  return cluster_of(collection, input, plan, options, run);
}

ClusterResult cluster_of(Collection& collection, const Input& input, const Plan& plan, const ClusterOptions& options,
                         const RunOptions& run) {
  const SearchResult found = search(collection, plan, options.keep, run);
  examine(collection, found, plan, options.linkage, run);
  StageClock clock;
  Groups groups = group(collection, found, options.linkage, plan);
  ClusterResult result{
      .ids = {}, .clusters = std::move(groups.clusters), .to_keeper = {}, .verify = plan.verify, .measure = plan.measure, .stats = {}};
  result.to_keeper.reserve(collection.size());
  for (Row row = 0; row < collection.size(); ++row) {
    result.to_keeper.push_back(match_between(row, groups.keepers[row], collection, found, plan));
  }
  result.ids = std::move(collection.ids);
  result.stats = std::move(collection.stats);
  result.stats.pairs = count_pairs(found, false, plan.measure);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  result.stats.peak_bytes = peak_memory();
  finish_report("cluster", input, nullptr, result.stats, run);
  return result;
}

}  // namespace nearkin
