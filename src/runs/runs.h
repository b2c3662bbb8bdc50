// The ends of the runs, for a collection that was searched in memory or in files.
#pragma once

#include <optional>
#include <string>

#include <nearkin/run.h>

#include "collect/collect.h"
#include "io/bytes/output.h"
#include "match/candidates.h"

namespace nearkin {

/// How the files of a run are told from those of others.
Spill spill_of(const Keep& keep);
/// The input as a run collects it, in memory or in files (Collection::in_files). Throws Error(plan) for runs that cannot use files and are
/// asked to.
Collection collect_for(const Input& input, const Input* against, const Plan& plan, const Keep& keep, const RunOptions& options);

/// What in_memory() gives; where it meets more candidates than fit (TooManyCandidates), the collection is moved to files: then nothing.
template <typename InMemory>
auto unless_too_many(Collection& collection, const Input& input, const Input* against, const Plan& plan, const Keep& keep,
                     const RunOptions& options, InMemory&& in_memory) -> std::optional<decltype(in_memory())> {
  if (collection.in_files()) return std::nullopt;
  try {
    return in_memory();
  } catch (const TooManyCandidates&) {
    move_to_files(collection, input, against, plan, options, spill_of(keep));
  }
  return std::nullopt;
}

PairsResult pairs_of(Collection& collection, const Input& input, const Input* against, const Plan& plan, const RunOptions& options);
ClusterResult cluster_of(Collection& collection, const Input& input, const Plan& plan, const ClusterOptions& options,
                         const RunOptions& run);

/// Throws Error(plan) for more than options.max_pairs.
void require_listable(std::uint64_t pairs, const RunOptions& options);

/// The same rows from a collection in files.
RunStats list_pairs_spilled(Collection collection, const Plan& plan, const PairsOutput& output, const RunOptions& options);
ClustersListed list_clusters_spilled(Collection collection, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options,
                                     const RunOptions& run);

/// All outputs of `dedup` are opened before the work, and none is put in place before all are complete.
struct DedupOutputs {
  OutputFile kept;
  std::optional<OutputFile> removed, skipped;

  DedupOutputs(const std::string& output, const DedupOptions& options);
  void commit();
};
DedupResult dedup_spilled(Collection collection, const Plan& plan, const DedupOptions& options, const RunOptions& run,
                          DedupOutputs& outputs);

}  // namespace nearkin
