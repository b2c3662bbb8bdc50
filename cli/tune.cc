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

double border_of(const Plan& plan) { return is_distance(plan.measure) ? plan.radius : plan.threshold.value(); }

/// Similarities around the threshold, or distances around the radius, ascending, the border itself among them.
std::vector<double> points_around(const Plan& plan) {
  std::vector<double> points;
  if (is_distance(plan.measure)) {
    const bool whole = plan.measure == Measure::hamming && plan.radius >= 1;  // places
    for (const double times : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0}) {
      const double x = whole ? std::round(plan.radius * times) : plan.radius * times;
      const double most = plan.measure != Measure::hamming ? x : whole ? plan.sketch.dimensions : 1;
      if (x <= most && (points.empty() || points.back() < x)) points.push_back(x);
    }
    return points;
  }
  const double threshold = plan.threshold.value();
  for (const double step : {-0.4, -0.3, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2}) {
    const double s = step == 0.0 ? threshold : std::round((threshold + step) * 1e9) / 1e9;
    if (s > 0 && s <= 1) points.push_back(s);
  }
  return points;
}

std::string plan_table(const Plan& plan) {
  if (plan.measure == Measure::exact) return "equal normalised texts, found by a hash table: every pair\n";
  if (plan.exact_join()) return fmt::format("an exact join: every pair {}\n", is_distance(plan.measure) ? "within the radius" : "at or above the threshold");
  if (plan.nearest > 0 && plan.band.rows == 0) {
    return fmt::format("the {} nearest of a query, each with a chance of {} or more: {} tables of prefixes, searched until that is reached\n",
                       plan.nearest, plan.recall, plan.band.bands);
  }
  if (plan.measure == Measure::containment) return "containment: bands are chosen for each pair of size classes when the sizes are known\n";
  std::string out = curve_table(plan, points_around(plan), border_of(plan));
  out += "\n" + curve_points(plan);
  out += fmt::format("hashes      {}\n", plan.sketch.hashes);
  if (plan.kind != Kind::shingles) return out + fmt::format("memory      about {} bytes an item, and the vectors\n", bytes_an_item(plan));
  return out + fmt::format("memory      about {} bytes an item, and 8 for each shingle of a candidate\n", bytes_an_item(plan));
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
  object.add("plan", to_string(plan)).add("measure", name(plan.measure));
  if (plan.nearest > 0) object.add("nearest", plan.nearest);
  else if (is_distance(plan.measure)) object.add("radius", plan.radius);
  else object.raw("threshold", to_string(plan.threshold));
  object.add("recall", plan.recall);
  if (plan.kind == Kind::shingles || plan.kind == Kind::tfidf) {
    object.add("shingle", shingle_name(plan.shingle)).add("bag", plan.shingle.bag).add("normalise", name(plan.shingle.normalise));
  }
  if (plan.kind != Kind::shingles) object.add("features", name(plan.kind)).add("family", name(plan.sketch.family));
  if (plan.sketch.width > 0) object.add("width", plan.sketch.width);
  if (plan.sketch.dimensions > 0) object.add("dimensions", plan.sketch.dimensions);
  object.add("hashes", plan.sketch.hashes).add("bands", plan.band.bands);
  object.add("rows", plan.band.rows).add("large_bucket", plan.band.large_bucket).add("verify", name(plan.verify));
  object.add("seed", plan.sketch.seed).add("bytes_an_item", bytes_an_item(plan));
  const bool has_curve = plan.band.bands > 0 && plan.band.rows > 0 && plan.nearest == 0 && plan.measure != Measure::containment;
  if (has_curve) object.raw("curve", curve_json(plan, points_around(plan)));
  if (advice) object.raw("shingle_advice", advice_json(*advice));
  return object.text();
}

int run_sample_size(const Typed& typed) {
  const double error = open_share(*typed.error, "--error");
  const double failure = typed.failure ? open_share(*typed.failure, "--failure") : 0.05;
  const double above = typed.above ? open_share(*typed.above, "--above") : goal_of(typed, {}).threshold;
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
  // Sets have no order, and in them longer shingles mean nothing.
  const bool has_order = plan.measure != Measure::hamming && plan.shingle.unit != Unit::element;
  if (reads && plan.kind == Kind::shingles && has_order) {
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
             "With INPUT it also measures on the data how long a shingle should be; for vectors it tunes for a sample of them.",
    .example = "nearkin tune docs.jsonl --threshold 0.7 --recall 0.99",
    .run = run,
};

}  // namespace nearkin::cli
