// nearkin pairs: every pair at or above the threshold.
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

/// A list of pairs should be whole where that is affordable; groups need far fewer of them.
constexpr std::uint32_t kLargeBucket = 10'000;

int run(const Typed& typed) {
  const Input input = input_of(typed);
  if (asks_what_if(typed)) return run_what_if(kPairsCommand, typed, input, plan_of(typed_for_widest(typed, input), input, kLargeBucket), Linkage::connected);
  const std::optional<Input> against = against_of(typed);
  const std::optional<std::string> page = report_of(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_of(typed, input, kLargeBucket);
  const double planned = seconds_since(begin);
  Progress progress(typed);
  Report report;
  RunOptions options{
      .threads = threads_of(typed), .progress = progress.callback(), .audit = audit_of(typed, plan), .report = page ? &report : nullptr,
      .planned_seconds = planned};
  if (typed.max_pairs) options.max_pairs = whole(*typed.max_pairs, "--max-pairs", 1);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  const PairsResult result = pairs(input, plan, options, against ? &*against : nullptr);
  progress.clear();
  if (page) write_text(report_html(report), *page);
  write_pairs(result, output_of(typed), style_of(typed));
  write_stats(typed, &plan, result.stats);
  say_run(typed, plan, input, result.stats, {.lists_pairs = true});
  return exit_status(result.stats.faults);
}

}  // namespace

const Command kPairsCommand{
    .bit = kPairs,
    .name = "pairs",
    .arguments = "[INPUT ...]",
    .summary = "list every pair of similar items",
    .about = "Lists every pair of items at or above the threshold: a <tab> b <tab> similarity, a before b in input order.\n"
             "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are known by their content.",
    .example = "nearkin pairs docs.jsonl --id url --text body --threshold 0.8",
    .run = run,
};

}  // namespace nearkin::cli
