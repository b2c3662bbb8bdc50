// nearkin distinct: how many different items there are.
#include <cmath>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include "errors.h"
#include "flags.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

int run_distinct(const ParsedArgs& typed) {
  const Input input = input_of(typed);
  const Normalise normalise = typed.normalise ? parse_normalise(*typed.normalise) : Normalise::text;
  const auto precision = typed.precision ? static_cast<unsigned>(whole(*typed.precision, "--precision", 4, 18)) : 14U;
  Progress progress(typed);
  say_reading_terminal(typed, input);
  const Distinct result = distinct(input, normalise, precision, {.threads = threads_of(typed), .progress = progress.callback()});
  progress.clear();
  const auto count = static_cast<std::uint64_t>(std::llround(result.distinct));
  const std::string json = JsonObject().add("distinct", count).add("error", result.error).text();
  write_stats(typed, nullptr, result.stats, JsonObject().add("distinct", count).add("error", result.error));
  write_text((typed.json ? json : std::to_string(count)) + "\n", output_of(typed));
  say_faults(typed, result.stats.faults);
  say(typed, fmt::format("{}, about {} different, standard error {:.2g} %; {}", read_text(result.stats), counted(count), result.error * 100,
                         cost_text(result.stats)));
  return exit_status(typed, result.stats.faults);
}

}  // namespace

const Command kDistinctCommand{
    .bit = kDistinct,
    .name = "distinct",
    .arguments = "[INPUT ...]",
    .summary = "estimate the number of different texts in little memory",
    .about = "Estimates the number of different items with HyperLogLog, in little memory. Texts are normalised first.",
    .examples = "nearkin distinct docs.jsonl --text body",
    .run = run_distinct,
};

}  // namespace nearkin::cli
