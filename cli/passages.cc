// nearkin passages: every run of equal tokens that occurs in two places.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "errors.h"
#include "flags.h"
#include "options.h"
#include "passage_options.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

std::string share_text(const ParsedArgs& typed, const PassageStats& found) {
  const double share = found.tokens == 0 ? 0 : static_cast<double>(found.repeated) / static_cast<double>(found.tokens);
  return fmt::format("{:.3g} % of the text {}", 100 * share, typed.against ? "occurs in both collections" : "repeats");
}

/// What --stats has of the result itself.
JsonObject told_of(const PassageStats& found) {
  return JsonObject()
      .add("tokens", found.tokens)
      .add("passages", found.passages)
      .add("records", found.records)
      .add("ignored", found.ignored)
      .add("repeated", found.repeated);
}

int run_passages(const ParsedArgs& typed) {
  const Input input = input_of(typed);
  const PassageOptions options = passage_options(typed, typed.least, "--least");
  RunOptions run = resources_of(typed);
  refuse_little_memory(typed);
  Progress progress(typed);
  run.progress = progress.callback();
  say_reading_terminal(typed, input);
  Report report;
  add_report(typed, run, report, report_of(typed));
  PassagesOutput output{.path = output_of(typed), .style = style_of(typed)};
  output.on_result = [&](const PassageStats& found) { write_stats(typed, nullptr, found.stats, told_of(found)); };
  const PassageStats found = list_passages(input, output, options, run);
  progress.clear();
  say_faults(typed, found.stats.faults);
  say(typed, fmt::format("{}, {}{}, found {} in {}, {}; {}", read_text(found.stats), counted(found.tokens, "token"),
                         ignored_text(typed, found.ignored), counted(found.passages, "passage"), counted(found.records, "record"),
                         share_text(typed, found), cost_text(found.stats)));
  if (found.stats.one_side) {
    say_one_side(typed);
  } else if (found.passages == 0 && found.stats.items > 1) {
    say_no_passage(typed, options);
  }
  say_scratch(typed, found.stats);
  return exit_status(typed, found.stats.faults);
}

}  // namespace

const Command kPassagesCommand{
    .bit = kPassages,
    .name = "passages",
    .arguments = "[INPUT ...]",
    .summary = "list every passage that occurs more than once",
    .about =
        "Lists every sequence of T or more tokens (words) that occurs in two places, in one record or in two; --least sets T. Columns,\n"
        "separated by tabs:\n"
        "  id, begin, end         the record, and the place in its text, in bytes\n"
        "  in, in_begin, in_end   the record where the same tokens occur for the first time, and the place there, in bytes\n"
        "  tokens                 the number of tokens\n"
        "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are recognised by their content.",
    .examples =
        "nearkin passages docs.jsonl --id url --text body --least 50           # passages of 50 words and more\n"
        "nearkin passages essay.txt --against sources/ --least 12 --gap 2      # allow two changed words between passages",
    .run = run_passages,
};

}  // namespace nearkin::cli
