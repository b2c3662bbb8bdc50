// nearkin tune: Goal → Plan, and what the plan will do.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/sample.h>
#include <nearkin/tools/theory.h>

#include "advice.h"
#include "curve_text.h"
#include "errors.h"
#include "flags.h"
#include "json.h"
#include "options.h"
#include "outlook.h"
#include "report_file.h"
#include "resources.h"
#include "sensitive.h"
#include "talk.h"
#include "truth.h"

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

/// Bands of rows, and so an S-curve.
bool has_curve(const Plan& plan) { return plan.band.bands > 0 && plan.band.rows > 0 && plan.nearest == 0; }

std::string plan_table(const Plan& plan) {
  if (plan.measure == Measure::exact) return "equal normalised texts, found by a hash table: every pair\n";
  if (plan.exact_join() && plan.nearest > 0) return fmt::format("an exact search: the {} nearest of a query\n", plan.nearest);
  if (plan.exact_join())
    return fmt::format("an exact join: every pair {}\n", is_distance(plan.measure) ? "within the radius" : "at or above the threshold");
  if (plan.nearest > 0 && plan.band.rows == 0) {
    return fmt::format(
        "the {} nearest of a query, each found with a chance of {} or more: {} tables of prefixes, searched until that is reached\n",
        plan.nearest, plan.recall, plan.band.bands);
  }
  std::string out = curve_table(plan, points_around(plan), border_of(plan));
  out += "\n" + curve_points(plan);
  out += fmt::format("hashes      {}\n", plan.sketch.hashes);
  if (plan.kind != Kind::shingles) return out + fmt::format("memory      about {} bytes per item, and the vectors\n", bytes_per_item(plan));
  return out + fmt::format("memory      about {} bytes per item, and 8 for each shingle of a candidate\n", bytes_per_item(plan));
}

std::string advice_table(const Plan& plan, const ShingleAdvice& advice) {
  const std::string_view token = name(plan.shingle.token);
  std::string out =
      fmt::format("shingle     chance    that a shingle of one item occurs in another ({} sampled)\n", counted(advice.sampled, "item"));
  for (const ShingleChance& row : advice.chances) {
    out += fmt::format("{:<10}  {:.6f}{}\n", fmt::format("{}:{}", token, row.size), row.chance,
                       row.size == advice.recommended ? "  <- recommended" : "");
  }
  return out;
}

std::string advice_json(const ShingleAdvice& advice) {
  JsonObject object;
  object.add("recommended", advice.recommended).add("sampled", advice.sampled);
  object.raw("chances", json_array(advice.chances, [](const ShingleChance& row) {
               return JsonObject().add("size", row.size).add("chance", row.chance).text();
             }));
  return object.text();
}

/// All that `tune` tells.
struct Told {
  Plan plan;
  std::optional<Outlook> outlook = {};
  std::optional<ShingleAdvice> advice = {};
  RunStats stats = {};  ///< of reading for the advice
};

void add_parts(JsonObject& object, const Plan& plan) {
  object.add("plan", to_string(plan)).add("measure", name(plan.measure));
  if (plan.nearest > 0)
    object.add("nearest", plan.nearest);
  else if (is_distance(plan.measure))
    object.add("radius", plan.radius);
  else
    object.raw("threshold", to_string(plan.threshold));
  object.add("recall", plan.recall);
  if (plan.recall_at != RecallAt::threshold) object.add("recall_at", name(plan.recall_at));
  if (plan.kind == Kind::shingles || plan.kind == Kind::tfidf) {
    object.add("shingle", shingle_name(plan.shingle)).add("bag", plan.shingle.bag).add("normalise", name(plan.shingle.normalise));
  }
  if (plan.kind != Kind::shingles) object.add("features", name(plan.kind)).add("family", name(plan.sketch.family));
  if (plan.sketch.width > 0) object.add("width", plan.sketch.width);
  if (plan.sketch.dimensions > 0) object.add("dimensions", plan.sketch.dimensions);
  object.add("hashes", plan.sketch.hashes).add("bands", plan.band.bands);
  object.add("rows", plan.band.rows).add("large_bucket", plan.band.large_bucket).add("verify", name(plan.verify));
  object.add("seed", plan.sketch.seed).add("bytes_per_item", bytes_per_item(plan));
}

std::string told_json(const Told& told) {
  JsonObject object;
  add_parts(object, told.plan);
  if (has_curve(told.plan)) object.raw("curve", curve_json(told.plan, points_around(told.plan)));
  if (told.outlook) object.append(outlook_json(*told.outlook));
  if (told.advice) object.raw("shingle_advice", advice_json(*told.advice));
  return object.text();
}

double far_of(const Plan& plan) { return is_distance(plan.measure) ? points_around(plan).back() : 1; }

std::string told_text(const Told& told, bool draws) {
  std::string out = to_string(told.plan) + "\n\n" + plan_table(told.plan);
  if (draws && has_curve(told.plan)) out += "\n" + plot_characters(curve_picture({told.plan}, far_of(told.plan)));
  if (told.outlook) out += outlook_text(*told.outlook);
  return out + (told.advice ? "\n" + advice_table(told.plan, *told.advice) : "");
}

Report report_on(const ParsedArgs& typed, const Told& told) {
  Report report{.command = "tune", .inputs = typed.inputs, .plan = told.plan};
  report.skipped = told.stats.faults.count;
  if (!told.outlook) return report;
  report.sample = told.outlook->sample;
  if (report.sample) report.sample = scaled(*report.sample, told.outlook->items);
  if (report.sample) report.expected = told.outlook->forecast.expected;
  for (const Neighbour& neighbour : told.outlook->neighbours) report.alternatives.push_back(neighbour.planned);
  report.figures = outlook_figures(*told.outlook);
  return report;
}

int run_sample_size(const ParsedArgs& typed) {
  const Measure measure = outline_of(typed, {}).measure;
  if (measure != Measure::jaccard && measure != Measure::weighted_jaccard)
    throw UsageError(
        fmt::format("--error: is about estimates of jaccard and weighted-jaccard, not of {}; leave --measure out", name(measure)));
  const double error = open_share(*typed.error, "--error");
  const double failure = typed.failure ? open_share(*typed.failure, "--failure") : 0.05;
  const double above = typed.above ? open_share(*typed.above, "--above") : goal_of(typed, {}).threshold;
  const std::uint64_t hashes = hashes_for_error(error, failure, above);
  if (hashes == UINT64_MAX) throw UsageError(fmt::format("--error: {} needs more than 10^18 hashes; give a larger one", *typed.error));
  const std::string json = JsonObject().add("error", error).add("failure", failure).add("above", above).add("hashes", hashes).text();
  write_text(typed.json ? json + "\n" : fmt::format("{}\n", hashes), output_of(typed));
  say(typed, fmt::format("{} hashes: a similarity of {} or more is estimated at {:g} times its value or more, a lower one at {:g} or less, "
                         "each except for a share {} of the pairs",
                         counted(hashes), above, 1 - error, above * (1 + error), failure));
  return 0;
}

/// --items: of a collection that is not here.
std::optional<std::uint64_t> items_of(const ParsedArgs& typed) {
  if (!typed.items) return {};
  constexpr double kMost = 1e15;
  const std::string& text = *typed.items;
  const std::optional<double> items = decimal(text);
  const bool whole = items && *items >= 1 && *items <= kMost && std::floor(*items) == *items;
  if (!whole) throw UsageError(fmt::format("--items: \"{}\" is not a whole number from 1 to 1e15, such as 1000000 or 1e9", text));
  return static_cast<std::uint64_t>(*items);
}

bool reads(const ParsedArgs& typed) { return !typed.inputs.empty() || typed.files_from; }

/// --format says of what kind the items are; the others are about what is read.
void refuse_without_input(const ParsedArgs& typed) {
  if (reads(typed)) return;
  if (const std::string_view flag = given_input_flag(kTuneCommand, typed); !flag.empty())
    throw UsageError(fmt::format("{}: is about INPUT; name an INPUT, or leave the flag out", flag));
}

/// What the plan is chosen by: what a run over the input would see of it, as large as it is said to be.
std::optional<DataSample> sample_to_tune_by(const ParsedArgs& typed, const std::optional<DataSample>& seen) {
  const std::optional<std::uint64_t> items = items_of(typed);
  if (!items) return seen;
  return seen ? scaled(*seen, *items) : DataSample{.items = *items};
}

/// What is told of the collection: more than a run would take the time to look at.
std::optional<DataSample> sample_to_show(const ParsedArgs& typed, const Input& input, const Plan& plan) {
  if (!reads(typed)) return {};
  if (plan.kind == Kind::shingles) return sample_sets(input, plan, plan.sketch.seed, true);
  return sample_data(input, plan, plan.sketch.seed, true);
}

Goal goal_of_plan(const Plan& plan) {
  Goal goal{.measure = plan.measure, .recall = plan.recall, .nearest = plan.nearest, .recall_at = plan.recall_at};
  if (is_distance(plan.measure))
    goal.radius = plan.radius;
  else
    goal.threshold = plan.threshold.value();
  return goal;
}

/// A plan that was given whole has the size of its sketch as well.
Choices choices_of_plan(const Plan& plan) {
  Choices choices{.hashes = plan.sketch.hashes,
                  .bands = plan.band.bands,
                  .rows = plan.band.rows,
                  .large_bucket = plan.band.large_bucket,
                  .verify = plan.verify,
                  .seed = plan.sketch.seed,
                  .kind = plan.kind,
                  .probes = plan.band.probes};
  if (plan.kind == Kind::shingles || plan.kind == Kind::tfidf) choices.shingle = plan.shingle;
  if (plan.binarise != Binarise::none) choices.binarise = plan.binarise, choices.levels = plan.levels;
  choices.tfidf = plan.tfidf;
  if (plan.sketch.dimensions > 0) choices.dimensions = plan.sketch.dimensions;
  return choices;
}

std::optional<Outlook> outlook_of(const ParsedArgs& typed, const Input& input, const Plan& plan) {
  const std::optional<std::uint64_t> items = items_of(typed);
  if (plan.nearest > 0 || (!items && !reads(typed))) return {};
  const std::optional<DataSample> sample = sample_to_show(typed, input, plan);
  if (!items && (!sample || sample->items < 2)) return {};  // there is nothing to compare
  Choices choices = typed.plan ? choices_of_plan(plan) : choices_of(typed, input, sample);
  choices.large_bucket = plan.band.large_bucket;
  choices.sample = sample;
  const unsigned asked = threads_of(typed), threads = asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
  return outlook(plan, typed.plan ? goal_of_plan(plan) : goal_of(typed, input), choices, items ? *items : sample->items, threads,
                 memory_of(typed));
}

void warn(const ParsedArgs& typed, const Told& told) {
  // Bands that were chosen for a sample need not answer for another.
  const bool given = typed.plan || (typed.bands && typed.rows);
  const bool known = told.outlook && told.outlook->sample;
  warn_of_weak_bands(typed, told.plan, given && known ? &told.outlook->forecast.expected : nullptr);
}

std::optional<std::uint32_t> large_bucket_of(const ParsedArgs& typed) {
  if (typed.command && typed.plan) throw UsageError("--for: chooses the rule for large buckets, and --plan has one; leave one of them out");
  if (!typed.command || *typed.command == "cluster" || *typed.command == "dedup") return {};
  if (*typed.command == "pairs") return BandPlan::kLargeBucketOfPairs;
  throw UsageError(fmt::format("--for: \"{}\" is not pairs, cluster or dedup", *typed.command));
}

int run_tune(const ParsedArgs& typed) {
  refuse_beside_sensitive(typed);
  if (typed.truth) return run_tune_truth(typed);
  refuse_idle_truth(typed);
  if (typed.sensitive) return run_sensitive(typed, items_of(typed));
  if (typed.error) return run_sample_size(typed);
  if (typed.failure || typed.above) throw UsageError(fmt::format("{}: needs --error", typed.failure ? "--failure" : "--above"));
  refuse_without_input(typed);
  const std::optional<std::string> page = report_of(typed);
  const Input input = input_of(typed);
  const std::optional<DataSample> seen = reads(typed) ? sample_of(typed, input) : std::nullopt;
  Told told{.plan = plan_for(typed, input, sample_to_tune_by(typed, seen), large_bucket_of(typed))};
  refuse_little_memory(typed);
  if (typed.plot && !has_curve(told.plan)) throw UsageError("--plot: the plan has no S-curve to draw; leave it out");
  if (typed.plot) plot_text({}, *typed.plot);  // refuses a name that says nothing of the picture before the work, not after it
  if (reads(typed)) say_reading_terminal(typed, input);
  told.outlook = outlook_of(typed, input, told.plan);
  warn(typed, told);
  // Sets have no order, and in them longer shingles mean nothing.
  const bool has_order =
      told.plan.measure != Measure::hamming && told.plan.measure != Measure::exact && told.plan.shingle.token != Token::element;
  if (reads(typed) && told.plan.kind == Kind::shingles && has_order) {
    told.advice = advise_shingle(input, told.plan.shingle, told.plan.sketch.seed, &told.stats);
  }
  if (typed.plot) {
    Plot picture = curve_picture({told.plan}, far_of(told.plan), border_of(told.plan));
    picture.note += " Plan: " + to_string(told.plan);
    write_text(plot_text({picture}, *typed.plot), *typed.plot);
  }
  if (page) write_report(typed, report_on(typed, told), *page);
  const bool draws = !typed.output && ::isatty(STDOUT_FILENO) != 0;
  write_text(typed.json ? told_json(told) + "\n" : told_text(told, draws), output_of(typed));
  say_faults(typed, told.stats.faults);
  if (told.advice) say_advice(typed, input, told.plan, *told.advice);
  return exit_status(typed, told.stats.faults);
}

}  // namespace

const Command kTuneCommand{
    .bit = kTune,
    .name = "tune",
    .arguments = "[INPUT ...]",
    .summary = "choose the settings of a search, and forecast its recall and cost",
    .about =
        "For a recall and a threshold or radius, prints the plan (all search settings as one line), its cost, and the share of pairs near\n"
        "the threshold that the plan finds. With --bands and --rows, it does this for your bands and rows.\n"
        "With INPUT, it prints the plan that 'dedup' would use (or 'pairs', with --for pairs), how many pairs that plan will probably\n"
        "find and miss, its cost on this machine, these figures for other bands and rows, and which shingle length suits the texts.\n"
        "For students of locality-sensitive hashing (LSH): --sensitive prints p1, p2 and rho, which say how well one hash separates two\n"
        "distances (a similarity s is the distance 1 - s), and with --items the k and L that theory recommends for N items.",
    .examples =
        "nearkin tune docs.jsonl                                               # what a run would find and cost, and which shingles suit\n"
        "nearkin tune docs.jsonl --threshold 0.7 --recall 0.99                 # a plan for a threshold and a recall\n"
        "nearkin tune docs.jsonl --truth pairs.csv                             # the settings that agree best with labels\n"
        "nearkin tune --sensitive 0.2,0.5 --items 1000000                      # p1, p2, rho, k and L for one hash",
    .run = run_tune,
};

}  // namespace nearkin::cli
