#include <algorithm>
#include <optional>

#include <nearkin/error.h>
#include <nearkin/run.h>

#include "analysis/examine.h"
#include "base/parallel.h"
#include "group/group.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "runs/dedup_bloom.h"
#include "runs/runs.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

void write_removed(const Collection& collection, const SearchResult& found, const std::vector<Row>& keepers, const Plan& plan, bool as_json,
                   OutputFile& file) {
  std::string line;
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] == row) continue;
    line.clear();
    append_row(line, collection.ids[row], collection.ids[keepers[row]], match_between(row, keepers[row], collection, found, plan),
               {plan.verify, plan.measure}, as_json ? RowStyle::json : RowStyle::tsv, {"id", "keeper"});
    file.write(line);
  }
}

void check_options(const Plan& plan, const DedupOptions& options) {
  if (options.bloom && plan.measure != Measure::exact) {
    throw Error(ErrorCode::plan, "bloom", "a Bloom filter finds exact duplicates only; use it with measure exact");
  }
  if (options.annotate && options.against) {
    throw Error(ErrorCode::plan, "annotate", "does not go with against, which makes no clusters; use removed to list what was found");
  }
}

// A name that promises another layout of vectors than the input's would be read wrongly.
void check_layout(const Sources& sources, const std::string& output) {
  if (sources.size() == 0 || !sources.is_binary(0)) return;
  for (const char* const extension : {".npy", ".fvecs", ".bvecs", ".csv", ".tsv", ".jsonl", ".ndjson"}) {
    const bool named = output.ends_with(extension) || output.find(std::string(extension) + ".") != std::string::npos;
    if (!named || sources.name(0).find(extension) != std::string::npos) continue;
    throw Error(ErrorCode::plan, "output",
                output + " is named like another layout than " + sources.name(0) +
                    ", whose rows are written as they came; give it the same extension");
  }
}

// What is to become of each row of the input.
struct Decision {
  std::vector<Row> keepers;             // a row that stays is its own
  std::vector<std::uint32_t> clusters;  // empty with `against`
  std::uint64_t groups = 0;             // of two or more
  std::vector<Row> kept;
};

Decision decide_rows(const Collection& collection, const SearchResult& found, const Plan& plan, const DedupOptions& options) {
  Decision decision;
  if (options.against) {
    decision.keepers = keepers_across(collection, found, plan.measure);
    decision.groups = groups_across(decision.keepers);
  } else {
    Groups groups = group(collection, found, options.linkage, plan);
    decision.keepers = std::move(groups.keepers);
    decision.clusters = std::move(groups.clusters.cluster);
    decision.groups = groups.repeated;
  }
  for (Row row = 0; row < decision.keepers.size(); ++row) {
    if (decision.keepers[row] == row) decision.kept.push_back(row);
  }
  return decision;
}

// The figures of the input alone, where `against` was read as well.
void count_input_only(const Collection& collection, const SearchResult& found, std::size_t items, RunStats& stats) {
  stats.items = items;
  stats.empty = stats.copies = 0;
  for (Row row = 0; row < items; ++row) {
    stats.empty += collection.empty[row];
    stats.copies += found.representative[row] != row;
  }
}

}  // namespace

DedupOutputs::DedupOutputs(const std::string& output, const DedupOptions& options) : kept(output) {
  if (options.removed) removed.emplace(*options.removed);
  if (options.skipped) skipped.emplace(*options.skipped);
}

void DedupOutputs::commit() {
  kept.finish();
  if (removed) removed->finish();
  if (skipped) skipped->finish();
  kept.publish();
  if (removed) removed->publish();
  if (skipped) skipped->publish();
}

namespace {

DedupResult dedup_in_memory(Collection& collection, const Input& input, const Plan& plan, const DedupOptions& options,
                            const RunOptions& run, DedupOutputs& outputs) {
  const SearchResult found = search(collection, plan, options.keep, run);
  examine(collection, found, plan, options.linkage, run);
  StageClock clock;
  const Decision decision = decide_rows(collection, found, plan, options);
  DedupResult result;
  result.kept = decision.kept.size();
  result.removed = decision.keepers.size() - decision.kept.size();
  result.clusters = decision.groups;
  result.stats = collection.stats;
  count_input_only(collection, found, decision.keepers.size(), result.stats);
  result.stats.pairs = count_pairs(found, options.against.has_value(), plan.measure);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  if (run.progress) run.progress("write", 0, 0);
  if (options.annotate) {
    write_annotated(collection, decision.clusters, decision.keepers, outputs.kept);
  } else {
    write_records(collection, decision.kept, thread_count(run.threads), outputs.kept);
  }
  if (outputs.removed) write_removed(collection, found, decision.keepers, plan, options.removed_as_json, *outputs.removed);
  if (outputs.skipped) write_locations(collection.inputs.front(), collection.fault_locations, *outputs.skipped);
  result.stats.seconds.emplace_back("write", clock.lap());
  result.stats.peak_bytes = peak_memory();
  finish_report("dedup", input, options.against ? &*options.against : nullptr, result.stats, run);
  if (run.report != nullptr) {
    run.report->kept = result.kept;
    run.report->removed = result.removed;
  }
  if (run.before_output) run.before_output();
  outputs.commit();
  result.stats.seconds.back().second += clock.lap();
  return result;
}

}  // namespace

DedupRows dedup_rows(const Input& input, const Plan& plan, const DedupOptions& options, const RunOptions& run) {
  require_border(plan);
  check_options(plan, options);
  Input reading = input;
  if (!options.keep.field.empty()) reading.number = options.keep.field;
  const Input* const against = options.against ? &*options.against : nullptr;
  Collection collection = collect(reading, against, plan, run);
  const SearchResult found = search(collection, plan, options.keep, run);
  examine(collection, found, plan, options.linkage, run);
  StageClock clock;
  Decision decision = decide_rows(collection, found, plan, options);
  DedupRows result{.keeper = std::move(decision.keepers),
                   .to_keeper = {},
                   .cluster = std::move(decision.clusters),
                   .kept = decision.kept.size(),
                   .clusters = decision.groups,
                   .verify = plan.verify,
                   .measure = plan.measure,
                   .stats = collection.stats};
  result.to_keeper.reserve(result.keeper.size());
  for (Row row = 0; row < result.keeper.size(); ++row) {
    result.to_keeper.push_back(match_between(row, result.keeper[row], collection, found, plan));
  }
  count_input_only(collection, found, result.keeper.size(), result.stats);
  result.stats.pairs = count_pairs(found, against != nullptr, plan.measure);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  result.stats.peak_bytes = peak_memory();
  finish_report("dedup", input, against, result.stats, run);
  return result;
}

DedupResult dedup(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options, const RunOptions& run) {
  require_border(plan);
  require_records(input, "dedup");
  check_options(plan, options);
  if (options.bloom) return dedup_by_bloom(input, output, plan, options, run);
  DedupOutputs outputs(output, options);
  Input reading = input;
  if (!options.keep.field.empty()) reading.number = options.keep.field;
  const Input* const against = options.against ? &*options.against : nullptr;
  Collection collection = collect_for(reading, against, plan, options.keep, run);
  check_one_output(collection.inputs.front(), options.annotate);
  check_layout(collection.inputs.front(), output);
  std::optional<DedupResult> result = unless_too_many(collection, reading, against, plan, options.keep, run,
                                                      [&] { return dedup_in_memory(collection, input, plan, options, run, outputs); });
  return result ? *std::move(result) : dedup_spilled(std::move(collection), plan, options, run, outputs);
}

}  // namespace nearkin
