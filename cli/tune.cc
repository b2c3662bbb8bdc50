// nearkin tune: Goal → Plan, and what the plan will do.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "curve_text.h"
#include "errors.h"
#include "flags.h"
#include "json.h"
#include "options.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// Similarities around the threshold, ascending, the threshold itself among them.
std::vector<double> points_around(double threshold) {
  std::vector<double> points;
  for (const double step : {-0.4, -0.3, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2}) {
    const double s = step == 0.0 ? threshold : std::round((threshold + step) * 1e9) / 1e9;
    if (s > 0 && s <= 1) points.push_back(s);
  }
  return points;
}

std::string plan_table(const Plan& plan) {
  if (plan.measure == Measure::exact) return "equal normalised texts, found by a hash table: every pair\n";
  if (plan.exact_join()) return "an exact join: every pair at or above the threshold\n";
  const auto [bands, rows, large] = plan.band;
  std::string out = curve_table(bands, rows, points_around(plan.threshold.value()), plan.threshold.value());
  out += "\n" + curve_points(bands, rows);
  return out + fmt::format("hashes      {}\nmemory      about {} bytes an item, and 8 for each shingle of a candidate\n", plan.sketch.hashes,
                           bytes_an_item(plan));
}

std::string advice_table(const Plan& plan, const ShingleAdvice& advice) {
  const std::string_view unit = name(plan.shingle.unit);
  std::string out = fmt::format("shingle     chance    that a shingle of one item stands in another ({} sampled)\n",
                                counted(advice.sampled, "item"));
  for (const ShingleChance& row : advice.chances) {
    out += fmt::format("{:<10}  {:.6f}{}\n", fmt::format("{}:{}", unit, row.size), row.chance,
                       row.size == advice.recommended ? "  <- recommended" : "");
  }
  return out;
}

/// The way out when the plan's shingles do not fit the data.
void say_advice(const Typed& typed, const Plan& plan, const ShingleAdvice& advice) {
  const std::string_view unit = name(plan.shingle.unit);
  if (advice.recommended == 0) {
    say(typed, fmt::format("no size of {} shingle is rare enough in this input; long shared passages are common in it", unit));
  } else if (advice.recommended != plan.shingle.size) {
    say(typed, fmt::format("the plan has {}, this input suggests --shingle {}:{}", shingle_name(plan.shingle), unit, advice.recommended));
  }
}

std::string advice_json(const ShingleAdvice& advice) {
  JsonObject object;
  object.add("recommended", advice.recommended).add("sampled", advice.sampled);
  object.raw("chances", json_array(advice.chances, [](const ShingleChance& row) {
               return JsonObject().add("size", row.size).add("chance", row.chance).text();
             }));
  return object.text();
}

std::string plan_json(const Plan& plan, const std::optional<ShingleAdvice>& advice) {
  JsonObject object;
  object.add("plan", to_string(plan)).add("measure", name(plan.measure)).raw("threshold", to_string(plan.threshold));
  object.add("recall", plan.recall).add("shingle", shingle_name(plan.shingle)).add("bag", plan.shingle.bag);
  object.add("normalise", name(plan.shingle.normalise)).add("hashes", plan.sketch.hashes).add("bands", plan.band.bands);
  object.add("rows", plan.band.rows).add("large_bucket", plan.band.large_bucket).add("verify", name(plan.verify));
  object.add("seed", plan.sketch.seed).add("bytes_an_item", bytes_an_item(plan));
  if (plan.band.bands > 0) object.raw("curve", curve_json(plan.band.bands, plan.band.rows, points_around(plan.threshold.value())));
  if (advice) object.raw("shingle_advice", advice_json(*advice));
  return object.text();
}

int run_sample_size(const Typed& typed) {
  const double error = open_share(*typed.error, "--error");
  const double failure = typed.failure ? open_share(*typed.failure, "--failure") : 0.05;
  const double above = typed.above ? open_share(*typed.above, "--above") : goal_of(typed).threshold;
  const std::uint64_t hashes = hashes_for_error(error, failure, above);
  const std::string json = JsonObject().add("error", error).add("failure", failure).add("above", above).add("hashes", hashes).text();
  write_text(typed.json ? json + "\n" : fmt::format("{}\n", hashes), output_of(typed));
  say(typed, fmt::format("{} hashes estimate a similarity of {} or more within {} of it, but for {} of the pairs", counted(hashes), above,
                         error, failure));
  return 0;
}

int run(const Typed& typed) {
  if (typed.error) return run_sample_size(typed);
  if (typed.failure || typed.above) throw UsageError(fmt::format("{}: needs --error", typed.failure ? "--failure" : "--above"));
  const bool reads = !typed.inputs.empty() || typed.files_from;
  const Input input = input_of(typed);
  const Plan plan = plan_of(typed, input);
  warn_of_weak_bands(typed, plan);
  RunStats stats;
  std::optional<ShingleAdvice> advice;
  if (reads) {
    say_reading_terminal(typed, input);
    advice = advise_shingle(input, plan.shingle, plan.sketch.seed, &stats);
  }
  const std::string table = to_string(plan) + "\n\n" + plan_table(plan) + (advice ? "\n" + advice_table(plan, *advice) : "");
  write_text(typed.json ? plan_json(plan, advice) + "\n" : table, output_of(typed));
  say_faults(typed, stats.faults);
  if (advice) say_advice(typed, plan, *advice);
  return exit_status(stats.faults);
}

}  // namespace

const Command kTuneCommand{
    .bit = kTune,
    .name = "tune",
    .arguments = "[INPUT ...]",
    .summary = "turn a goal into a plan and show what it will find",
    .about = "Prints the plan for a goal, one line, then what it finds and misses around the threshold and what it costs.\n"
             "With INPUT it also measures on the data how long a shingle should be.",
    .example = "nearkin tune docs.jsonl --threshold 0.7 --recall 0.99",
    .run = run,
};

}  // namespace nearkin::cli
