#include "index_query.h"

#include <algorithm>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "index_folder.h"
#include "options.h"
#include "progress.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// "lang=en": what follows the first sign is the value, whatever it is.
MetadataTest where_of(const std::string& typed) {
  const std::size_t sign = typed.find('=');
  if (sign == std::string::npos || sign == 0) throw UsageError(fmt::format("--where: \"{}\" is not FIELD=VALUE, such as lang=en", typed));
  return {typed.substr(0, sign), typed.substr(sign + 1)};
}

/// --threshold or --radius, whichever the measure has.
std::optional<double> border_of(const ParsedArgs& typed, const Plan& plan) {
  if (is_distance(plan.measure) ? typed.threshold.has_value() : typed.radius.has_value()) {
    throw UsageError(fmt::format("{}: measure {} is a {}; use {}", typed.threshold ? "--threshold" : "--radius", name(plan.measure),
                                 is_distance(plan.measure) ? "distance" : "similarity", typed.threshold ? "--radius" : "--threshold"));
  }
  if (typed.threshold) return parse_ratio(*typed.threshold, "threshold").value();
  return typed.radius ? std::optional(positive(*typed.radius, "--radius")) : std::nullopt;
}

Ask ask_of(const ParsedArgs& typed, const Plan& plan) {
  Ask ask{.limit = limit_of(typed), .threshold = border_of(typed, plan)};
  ask.share_of = share_of(typed, plan);
  if (typed.max_candidates) ask.max_candidates = max_candidates_of(*typed.max_candidates, plan);
  for (const std::string& test : typed.where) ask.where.push_back(where_of(test));
  if (typed.with_metadata && !typed.json) throw UsageError("--with-metadata: a row of three columns has no place for metadata; add --json");
  ask.metadata = typed.with_metadata;
  return ask;
}

void say_result(const ParsedArgs& typed, const Plan& plan, const HitsListed& result) {
  say_faults(typed, result.stats.faults);
  if (result.stopped_early > 0) {
    // Neighbours may be missing from the result: that is said even with --quiet.
    warn(Warning::stopped_early, fmt::format("{} of {} queries stopped early, after --max-candidates {}: nearer items may be missing",
                                             counted(result.stopped_early), counted(result.queries), *typed.max_candidates));
  }
  if (result.hits == 0 && result.queries > 0)
    warn(typed, Warning::no_neighbour, fmt::format("no query has a neighbour{}", typed.where.empty() ? "" : " that matches --where"));
  say(typed, to_string(plan));
  const double queries = std::max<double>(1, static_cast<double>(result.queries));
  say(typed, fmt::format("asked {}{}{}, looked at {:.1f} items per query, found {}; {}", counted(result.queries),
                         result.queries == 1 ? " query" : " queries", skipped_text(result.stats.faults),
                         static_cast<double>(result.looked_at) / queries, counted(result.hits, "neighbour"), cost_text(result.stats)));
}

HitsListed answers_to_items(const ParsedArgs& typed, const Index& index, const Ask& ask) {
  const std::string_view flag = typed.format ? "--format" : given_input_flag(kQueryCommand, typed);
  if (!flag.empty()) throw UsageError(fmt::format("{}: says how QUERIES are read, and --like has none; leave it out", flag));
  return query_index_like(index, typed.like, output_of(typed), style_of(typed), ask);
}

HitsListed answers_to_inputs(const ParsedArgs& typed, const Index& index, const Ask& ask) {
  Progress progress(typed);
  const RunOptions run{.threads = threads_of(typed), .progress = progress.callback()};
  HitsListed result = query_index(index, input_at(typed, 1), output_of(typed), style_of(typed), ask, run);
  progress.clear();
  return result;
}

}  // namespace

int query_an_index(const ParsedArgs& typed) {
  const Index index = open_index(typed.inputs[0], Index::Access::read);
  ParsedArgs of_plan = typed;  // these two ask for less than the plan promises
  of_plan.threshold.reset();
  of_plan.radius.reset();
  refuse_other_plan_than(of_plan, index);
  const Ask ask = ask_of(typed, index.plan());
  const HitsListed result = typed.like.empty() ? answers_to_inputs(typed, index, ask) : answers_to_items(typed, index, ask);
  write_stats(typed, &index.plan(), result.stats,
              JsonObject().add("queries", result.queries).add("with_hits", result.with_hits).add("stopped_early", result.stopped_early),
              Searched::neighbours);
  say_result(typed, index.plan(), result);
  return exit_status(typed, result.stats.faults);
}

}  // namespace nearkin::cli
