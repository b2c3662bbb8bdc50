// nearkin query: the near neighbours of each query item.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>

#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "index_folder.h"
#include "index_query.h"
#include "options.h"
#include "progress.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

std::uint64_t stopped_early(const QueryResult& result) {
  return static_cast<std::uint64_t>(std::count(result.stopped_early.begin(), result.stopped_early.end(), 1));
}

void say_stopped(const ParsedArgs& typed, const QueryResult& result) {
  const std::uint64_t stopped = stopped_early(result);
  if (stopped == 0) return;
  // Neighbours may be missing from the result: that is said even with --quiet.
  warn(Warning::stopped_early, fmt::format("{} of {} queries stopped early, after --max-candidates {}: nearer items may be missing",
                                           counted(stopped), counted(result.stopped_early.size()), *typed.max_candidates));
}

void say_result(const ParsedArgs& typed, const Plan& plan, const QueryResult& result) {
  say_faults(typed, result.stats.faults);
  say_faults(typed, result.query_stats.faults);
  say_stopped(typed, result);
  if (result.hits.empty() && result.query_ids.size() > 0)
    warn(typed, Warning::no_neighbour, "no query has a neighbour; see 'nearkin tune'");
  say(typed, to_string(plan));
  const double queries = std::max<double>(1, static_cast<double>(result.query_ids.size()));
  say(typed, fmt::format("{}; asked {}{}{}, looked at {:.1f} items per query, found {}; {}", read_text(result.stats),
                         counted(result.query_ids.size()), result.query_ids.size() == 1 ? " query" : " queries",
                         skipped_text(result.query_stats.faults), static_cast<double>(result.stats.candidates) / queries,
                         counted(result.hits.size(), "neighbour"), cost_text(result.stats)));
  say_ignored(typed, plan);
}

void refuse_index_flags(const ParsedArgs& typed) {
  refuse_typed({{!typed.where.empty(), "--where"}, {typed.with_metadata, "--with-metadata"}},
               fmt::format("only the items of an index have metadata, and {} is not an index; leave it out", typed.inputs[0]));
}

int run_query(const ParsedArgs& typed) {
  if (!typed.like.empty()) {
    if (typed.inputs.size() == 1 && is_index(typed.inputs[0])) return query_an_index(typed);
    throw UsageError("--like: asks an INDEX with items of its own; give INDEX alone, made by 'nearkin index create'");
  }
  if (typed.inputs.size() != 2)
    throw UsageError(fmt::format("query: takes COLLECTION or INDEX, and QUERIES, {} given", typed.inputs.size()));
  if (is_index(typed.inputs[0])) return query_an_index(typed);
  refuse_index_flags(typed);
  const Input collection = input_at(typed, 0), queries = input_at(typed, 1);
  refuse_idle_ignored(typed, collection, queries);
  const Plan plan = plan_of(typed, collection);
  Ask ask{.limit = limit_of(typed)};
  ask.share_of = share_of(typed, plan);
  if (typed.max_candidates) ask.max_candidates = max_candidates_of(*typed.max_candidates, plan);
  Progress progress(typed);
  warn_of_weak_bands(typed, plan);

  const QueryResult result = query(collection, queries, plan, ask, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  list_ignored(typed, collection, queries, plan);
  write_stats(typed, &plan, result.stats, JsonObject().add("queries", result.query_ids.size()).add("stopped_early", stopped_early(result)),
              Searched::neighbours);
  write_hits(result, output_of(typed), style_of(typed));
  say_result(typed, plan, result);
  return std::max(exit_status(typed, result.stats.faults), exit_status(typed, result.query_stats.faults));
}

}  // namespace

const Command kQueryCommand{
    .bit = kQuery,
    .name = "query",
    .arguments = "COLLECTION|INDEX QUERIES | INDEX --like ID",
    .summary = "list the near neighbours of each query item",
    .about =
        "For each item of QUERIES, lists its neighbours in COLLECTION, nearest first: query <tab> id <tab> similarity or distance.\n"
        "With a COLLECTION and --threshold or --radius, it lists all neighbours within it; with --limit K alone, the K nearest, however\n"
        "far away.\n"
        "An INDEX is a folder made by 'nearkin index create'. With it, query lists all neighbours within its own threshold or\n"
        "radius, or within a higher --threshold or a smaller --radius that you give; with --limit K, only the K nearest of these.",
    .examples =
        "nearkin query docs.jsonl asked.jsonl --threshold 0.7                  # all neighbours\n"
        "nearkin query vectors.fvecs asked.fvecs --measure euclidean --limit 10 --recall 0.9\n"
        "nearkin query docs.nearkin asked.jsonl --limit 3                      # in an index\n"
        "nearkin query docs.nearkin --like doc-17                              # what is like this item of the index?",
    .run = run_query,
};

}  // namespace nearkin::cli
