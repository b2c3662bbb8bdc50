#include "index_dedup.h"

#include <utility>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "cutting.h"
#include "errors.h"
#include "index_folder.h"
#include "options.h"
#include "progress.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// What needs the whole input at once: with an index each record is decided when it is met.
void refuse_idle_flags(const ParsedArgs& typed) {
  refuse_typed({{typed.against.has_value(), "--against"},
                {typed.linkage.has_value(), "--linkage"},
                {typed.keep.has_value() && *typed.keep != "first", "--keep"},
                {typed.annotate, "--annotate"},
                {typed.decisions.has_value(), "--decisions"},
                {typed.keep_at_most.has_value(), "--keep-at-most"},
                {typed.drop.has_value(), "--drop"},
                {typed.repeats == "none", "--repeats none"},
                {typed.size_field.has_value(), "--size-field"},
                {typed.share_field.has_value(), "--share-field"},
                {typed.bloom.has_value(), "--bloom"},
                {typed.ignored.has_value(), "--ignored"},
                {typed.thresholds.has_value(), "--thresholds"},
                {typed.radii.has_value(), "--radii"},
                {typed.audit.has_value(), "--audit"},
                {typed.report.has_value(), "--report"},
                {typed.memory.has_value(), "--memory"},
                {typed.scratch.has_value(), "--scratch"},
                {typed.resume, "--resume"}},
               "cannot be combined with --index, which decides about each record as it is read; leave one of them out");
  if (typed.same_id)
    throw UsageError("--same-id: has no use with --index, which adds a record whose id was used before as ID@ROW; leave it out");
}

std::string kept_text(const DedupResult& result) {
  if (result.kept == result.added) return "kept and added " + counted(result.kept);
  return fmt::format("kept {} and added {}", counted(result.kept), counted(result.added));
}

}  // namespace

int dedup_by_index(const ParsedArgs& typed) {
  refuse_idle_flags(typed);
  Index index = open_index(*typed.index, Index::Access::write);
  refuse_other_plan_than(typed, index);
  const Input input = input_of(typed);
  const bool in_units = index.info().unit.divides();
  DedupOptions options;
  set_cutting(typed, in_units, options);
  options.removed = typed.removed;
  options.removed_as_json = typed.json;
  options.skipped = typed.skipped;
  options.keep_faults = fault_rule(typed) == FaultRule::keep;
  Progress progress(typed);
  say_reading_terminal(typed, input);
  options.on_result = [&](const DedupResult& result) {
    JsonObject told = JsonObject().add("kept", result.kept).add("removed", result.removed);
    if (in_units) add_records(result.records, told);
    write_stats(typed, &index.plan(), result.stats, told);
  };

  const DedupResult result =
      dedup_with_index(index, input, output_of(typed), options, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  say_faults(typed, result.stats.faults);
  say(typed, to_string(index.plan()));
  say(typed, fmt::format("{}, looked at {} of {}, {}, removed {}{}; {}", read_text(result.stats), counted(result.stats.candidates, "item"),
                         *typed.index, kept_text(result), counted(result.removed), in_units ? records_text(result.records) : "",
                         cost_text(result.stats)));
  return exit_status(typed, result.stats.faults);
}

}  // namespace nearkin::cli
