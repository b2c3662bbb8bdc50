// nearkin sketch: sketches in a file, for later runs.
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "errors.h"
#include "flags.h"
#include "ignore.h"
#include "options.h"
#include "progress.h"
#include "resources.h"
#include "sketch_plan.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

std::string sketch_file_of(const ParsedArgs& typed) {
  if (!typed.output) throw UsageError("--output: missing; sketch needs a file to write to, such as -o part.sketch");
  const std::string& path = *typed.output;
  if (path == "-" || path == "/dev/stdout") {
    throw UsageError("--output: a sketch file is read by position and cannot go to standard output; name a file");
  }
  if (path.ends_with(".gz") || path.ends_with(".zst")) {
    throw UsageError(fmt::format("--output: {} would not be compressed; give it another name, such as part.sketch", path));
  }
  return path;
}

std::string number_of(const std::string& typed) {
  const Keep keep = parse_keep(typed);
  if (keep.field.empty())
    throw UsageError(fmt::format("--keep: {} needs no numbers, so there is nothing to store for it; leave it out", typed));
  return keep.field;
}

void refuse_without_sketches(const Plan& plan) {
  const std::pair<bool, const char*> without[] = {{plan.kind != Kind::shingles, "vectors"},
                                                  {plan.measure == Measure::containment, "--measure containment"},
                                                  {plan.measure == Measure::exact, "--measure exact"},
                                                  {plan.exact_join(), "--recall 1"}};
  for (const auto& [is_so, what] : without) {
    if (is_so)
      throw UsageError(fmt::format("{}: no sketches that could be kept; sketch is for texts and sets, and a recall below 1", what));
  }
}

int run_sketch(const ParsedArgs& typed) {
  const std::string output = sketch_file_of(typed);
  Input input = input_of(typed);
  if (typed.keep) input.number = number_of(*typed.keep);
  RunOptions options = resources_of(typed);
  promise_resume(typed);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = plan_of_run(typed, input, {});
  options.planned_seconds = seconds_since(begin);
  refuse_without_sketches(plan);
  refuse_little_memory(typed);
  Progress progress(typed);
  options.progress = watched(typed, progress);
  warn_of_weak_bands(typed, plan);
  say_reading_terminal(typed, input);

  const RunStats stats = write_sketches(input, output, plan, options);
  progress.clear();
  list_ignored(typed, input, {}, plan);
  const std::uintmax_t size = std::filesystem::file_size(output);
  write_stats(typed, nullptr, stats, JsonObject().add("plan", to_string(plan)).add("sketch_bytes", size));
  say_faults(typed, stats.faults);
  say(typed, to_string(plan));
  say_ignored(typed, plan);
  say(typed,
      fmt::format("{}, wrote {} of sketches to {}; {}", read_text(stats), size_text(static_cast<double>(size)), output, cost_text(stats)));
  say_scratch(typed, stats);
  if (!typed.plan) say(typed, fmt::format("to compare other data with them, sketch it with the same plan: --plan @{}", output));
  return exit_status(typed, stats.faults);
}

}  // namespace

const Command kSketchCommand{
    .bit = kSketch,
    .name = "sketch",
    .arguments = "[INPUT ...]",
    .summary = "write short summaries of the items (sketches) to a file, for pairs, cluster and dedup",
    .about =
        "Writes sketches of texts and sets to a file. A sketch is a short summary, made of hashes. Give the file to pairs, cluster or\n"
        "dedup as an INPUT, alone or beside others, as in 'nearkin dedup part1.sketch part2.sketch'.\n"
        "The files that were sketched must stay where they are, unchanged; the texts of standard input and of compressed files are\n"
        "stored in the sketch file. Several machines can each sketch a part of a shared folder; a later\n"
        "run reads all of their sketch files.",
    .examples = "nearkin sketch part1.jsonl --text body --plan @plan.txt -o part1.sketch",
    .run = run_sketch,
};

}  // namespace nearkin::cli
