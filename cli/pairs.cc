// nearkin pairs: every pair at or above the threshold.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/report.h>

#include "decisions.h"
#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "options.h"
#include "partners.h"
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

int run_pairs(const ParsedArgs& typed) {
  if (typed.score) return pairs_by_score(typed);
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  RunOptions options = resources_of(typed);
  Partners partners = partners_of(typed);
  if (typed.max_pairs) options.max_pairs = whole(*typed.max_pairs, "--max-pairs", 1);
  promise_resume(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan =
      plan_of_run(asks_what_if(typed) ? typed_for_widest(typed, input, against) : typed, input, against, BandPlan::kLargeBucketOfPairs);
  options.planned_seconds = seconds_since(begin);
  refuse_idle_scratch(typed, plan);
  if (asks_what_if(typed)) return run_what_if(kPairsCommand, typed, input, plan, Linkage::connected, Linkage::star);
  partners.decisions = decisions_of(typed);
  const std::optional<std::string> page = report_of(typed);
  Progress progress(typed);
  Report report;
  options.progress = watched(typed, progress);
  options.audit = audit_of(typed, plan);
  add_report(typed, options, report, page);
  hint_at_code_tokens(typed, plan);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  PairsOutput output{.path = output_of(typed), .style = style_of(typed), .partners = partners};
  output.on_result = [&](const RunStats& stats) {
    progress.clear();
    list_ignored(typed, input, against, plan);
    JsonObject own;
    add_listed(stats, own);
    add_decisions(stats, own);
    write_stats(typed, &plan, stats, own);
  };
  const RunStats stats = list_pairs(input, plan, output, options, against ? &*against : nullptr);
  progress.clear();
  say_decisions(typed, stats);
  say_too_large(typed, stats);
  say_run(typed, plan, input, stats, {.text = listed_text(stats), .lists_pairs = true});
  return exit_status(typed, stats.faults);
}

}  // namespace

const Command kPairsCommand{
    .bit = kPairs,
    .name = "pairs",
    .arguments = "[INPUT ...]",
    .summary = "list pairs of similar items",
    .about =
        "Lists the pairs of items at or above the threshold: a <tab> b <tab> similarity, a before b in input order. --recall 1\n"
        "finds all of them. With --measure containment, the first column is the contained item.\n"
        "To match two tables, use --against, with --one-to-one if a row has at most one partner. --score compares rows field by field.\n"
        "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are recognised by their content.",
    .examples =
        "nearkin pairs docs.jsonl --id url --text body --threshold 0.8         # similar records\n"
        "nearkin pairs essays/ --report page.html                              # files of a folder, texts side by side\n"
        "nearkin pairs shop.csv --against supplier.csv --text name --against-text label --shingle char:3 --threshold 0.4 --one-to-one\n"
        "nearkin pairs a.csv --against b.csv --score 'name:jaccard(char:3)*2 + year:equal' --one-to-one  # field by field\n"
        "nearkin pairs a.csv --against b.csv --text name --shingle char:3 --decisions decisions.tsv  # apply the marks of a --report page\n"
        "nearkin pairs vectors.npy --measure cosine --threshold 0.95           # vectors",
    .run = run_pairs,
};

}  // namespace nearkin::cli
