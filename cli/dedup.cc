// nearkin dedup: the records without their extra copies.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "cutting.h"
#include "decisions.h"
#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "index_dedup.h"
#include "options.h"
#include "passage_options.h"
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

DedupOptions options_of(const ParsedArgs& typed, Measure measure) {
  DedupOptions options;
  if (typed.linkage && typed.against) throw UsageError("--linkage: has no use with --against, which makes no groups; leave it out");
  if (typed.linkage) options.linkage = parse_linkage(*typed.linkage);
  options.keep = keep_of(typed, measure);
  options.against = against_of(typed);
  options.removed = typed.removed;
  options.removed_as_json = typed.json;
  options.annotate = typed.annotate;
  options.skipped = typed.skipped;
  options.keep_faults = fault_rule(typed) == FaultRule::keep;
  set_cutting(typed, typed.unit.has_value(), options);
  options.decisions = decisions_of(typed);
  if (typed.bloom) {
    options.bloom = open_share(*typed.bloom, "--bloom");
    if (measure != Measure::exact) throw UsageError("--bloom: finds equal texts only; use it with --measure exact");
    if (typed.same_id) throw UsageError("--same-id: has no use with --bloom, which remembers no ids; leave it out");
  }
  return options;
}

std::string outcome_text(const DedupOptions& options, const DedupResult& result) {
  const char* done = options.annotate ? ", would keep {}, would remove {}" : ", kept {}, removed {}";
  return fmt::format(fmt::runtime(done), counted(result.kept), counted(result.removed));
}

void say_result(const ParsedArgs& typed, const Plan& plan, const Input& input, const DedupOptions& options, const DedupResult& result) {
  if (options.bloom) return say_bloom_run(typed, plan, input, result);
  say_keep(typed, options.keep, result.stats);
  say_decisions(typed, result.stats);
  say_run(typed, plan, input, result.stats,
          {.text = outcome_text(options, result) + (input.unit.divides() ? records_text(result.records, options.annotate) : ""),
           .removes = true});
}

/// What --stats has of the result itself.
JsonObject told_of(const Input& input, const DedupResult& result) {
  JsonObject told = JsonObject().add("clusters", result.clusters).add("kept", result.kept).add("removed", result.removed);
  if (input.unit.divides()) add_records(result.records, told);
  add_decisions(result.stats, told);
  return told;
}

int dedup_scored(const ParsedArgs& typed) {
  TypedScore by = score_of(typed);
  const Input input = input_of(typed);
  DedupOptions options = options_of(typed, Measure::jaccard);
  Progress progress(typed);
  by.run.progress = watched(typed, progress);
  std::vector<SearchedPart> parts;
  by.options.on_searched = [&](const std::vector<SearchedPart>& known) { parts = known; };
  options.on_result = [&](const DedupResult& result) { write_score_stats(typed, {by, parts, result.stats}, told_of(input, result)); };
  const auto [result, searched] = dedup_by_score(input, output_of(typed), by.score, by.options, options, by.run);
  progress.clear();
  const ScoreRun run{by, searched, result.stats};
  say_keep(typed, options.keep, result.stats);
  say_decisions(typed, result.stats);
  say_score_run(typed, run, {.text = outcome_text(options, result)});
  return exit_status(typed, result.stats.faults);
}

int run_dedup(const ParsedArgs& typed) {
  if (typed.json && !typed.removed && !asks_what_if(typed)) {
    throw UsageError(
        "--json: is for lists, and records keep their format; add --removed FILE to list what is removed, or leave --json out");
  }
  if (typed.score) return dedup_scored(typed);
  refuse_without_score(typed);
  if (typed.passages) return dedup_passages_of(typed);
  if (typed.index) return dedup_by_index(typed);
  if (typed.metadata) throw UsageError("--metadata: is stored in an index; add --index INDEX, or leave it out");
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  RunOptions run_options = resources_of(typed);
  promise_resume(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_of_run(asks_what_if(typed) ? typed_for_widest(typed, input, against) : typed, input, against);
  run_options.planned_seconds = seconds_since(begin);
  refuse_idle_scratch(typed, plan);
  DedupOptions options = options_of(typed, plan.measure);
  if (asks_what_if(typed)) return run_what_if(kDedupCommand, typed, input, plan, options.linkage, options.linkage);
  const std::optional<std::string> page = report_of(typed);
  if (page && options.bloom) throw UsageError("--report: a Bloom filter has no pairs to report; leave one of them out");
  Progress progress(typed);
  Report report;
  run_options.progress = watched(typed, progress);
  run_options.audit = audit_of(typed, plan);
  add_report(typed, run_options, report, page);
  hint_at_code_tokens(typed, plan);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  // The records may take the place of the input, so all else is written before.
  options.on_result = [&](const DedupResult& result) {
    progress.clear();
    list_ignored(typed, input, against, plan);
    write_stats(typed, &plan, result.stats, told_of(input, result));
  };
  const DedupResult result = dedup(input, output_of(typed), plan, options, run_options);
  progress.clear();
  say_result(typed, plan, input, options, result);
  return exit_status(typed, result.stats.faults);
}

}  // namespace

const Command kDedupCommand{
    .bit = kDedup,
    .name = "dedup",
    .arguments = "[INPUT ...]",
    .summary = "write the records without their extra copies",
    .about =
        "Writes one record of each group of similar records, unchanged and in input order. If INPUT is a folder of texts, writes\n"
        "the paths of those that are kept.\n"
        "With --unit, compares parts of texts and cuts repeated parts from the records.\n"
        "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are recognised by their content.\n"
        "With --index, writes only the records that are not similar to anything in INDEX or to an earlier record of INPUT,\n"
        "and adds them to INDEX. With --index and --unit, cuts the parts that INDEX has, and adds the others; INDEX must have been\n"
        "made with the same --unit.",
    .examples =
        "nearkin dedup docs.jsonl --text body -o kept.jsonl                    # one record of each group of similar ones\n"
        "nearkin dedup docs.jsonl --keep longest -o kept.jsonl.gz --removed removed.tsv\n"
        "nearkin dedup new.jsonl --against old.jsonl -o really-new.jsonl       # remove what another file already has\n"
        "nearkin dedup docs.jsonl --measure exact -o kept.jsonl                # exact copies only\n"
        "nearkin dedup people.csv --score 'name:jaccard(char:3)*2 + born:equal' -o kept.csv  # field by field\n"
        "nearkin dedup docs.jsonl --unit paragraph --least-unit 8 -o cut.jsonl # cut out paragraphs that repeat\n"
        "nearkin dedup docs.jsonl --thresholds 0.6,0.7,0.8                     # only count what would be removed\n"
        "nearkin dedup docs.jsonl -o kept.jsonl --report page.html             # look at pairs, mark them, save decisions.tsv\n"
        "nearkin dedup docs.jsonl -o kept.jsonl --decisions decisions.tsv      # apply these marks\n"
        "nearkin dedup crawl.jsonl -o kept.jsonl --memory 4GiB --scratch /tmp  # data that does not fit in memory",
    .run = run_dedup,
};

}  // namespace nearkin::cli
