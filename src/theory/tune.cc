#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "theory/numbers.h"
#include "theory/plan_rules.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

void require_ranges(const Choices& choices) {
  if (choices.hashes) require_hashes(*choices.hashes);
  if (choices.bands) require_bands(*choices.bands);
  if (choices.rows) require_rows(*choices.rows);
  if (choices.probes) require_probes(*choices.probes);
  if (choices.width) require_width(*choices.width);
  if (choices.large_bucket) require_large_bucket(*choices.large_bucket);
  if (choices.dimensions && *choices.dimensions == 0) refuse_plan("dimensions", "0 is not a number of places; use 1 or more");
  if (choices.shingle && (choices.shingle->size < 1 || choices.shingle->size > kMostShingleSize)) {
    refuse_plan("shingle", "size " + std::to_string(choices.shingle->size) + " is not between 1 and " + std::to_string(kMostShingleSize));
  }
}

void refuse_sketch_choices(const Choices& choices, const std::string& with, const std::string& way_out) {
  const auto refuse_one = [&](const char* subject, const std::string& value) {
    refuse_plan(subject, value + " has no use with " + with + ", which needs no sketch; leave it out" + way_out);
  };
  if (choices.hashes) refuse_one("hashes", std::to_string(*choices.hashes));
  if (choices.bands) refuse_one("bands", std::to_string(*choices.bands));
  if (choices.rows) refuse_one("rows", std::to_string(*choices.rows));
  if (choices.width) refuse_one("width", shortest(*choices.width));
  if (choices.probes.value_or(1) > 1) refuse_one("probes", std::to_string(*choices.probes));
  if (choices.verify.value_or(Verify::exact) != Verify::exact) refuse_one("verify", std::string(name(*choices.verify)));
}

void refuse_choices_for_nearest_sets(const Plan& plan, const Choices& choices) {
  Plan asked = plan;
  asked.verify = choices.verify.value_or(Verify::exact);
  require_verify(asked);
  refuse_sketch_choices(choices, "a search for the nearest sets", ", or give both bands and rows, and a recall below 1");
}

/// A goal has a threshold, a radius, or `nearest`. A threshold that is left as it was cannot be told from one that was meant.
void settle_border(Plan& plan, const Goal& goal) {
  const std::string measure(name(goal.measure));
  const bool other_threshold = goal.threshold != Goal{}.threshold;
  if (goal.nearest > 0) {
    const std::string rest = " has no use with nearest, which takes any ";
    if (goal.radius) refuse_plan("radius", shortest(*goal.radius) + rest + "distance; leave one of them out");
    if (other_threshold) refuse_plan("threshold", shortest(goal.threshold) + rest + "similarity; leave one of them out");
    plan.nearest = goal.nearest;
  } else if (is_distance(goal.measure)) {
    if (other_threshold)
      refuse_plan("threshold", shortest(goal.threshold) + " has no use with " + measure + ", a distance; give a radius instead");
    if (!goal.radius) refuse_plan("radius", "missing; " + measure + " needs one: the greatest distance of the pairs to find");
    require_radius(goal.measure, *goal.radius);
    plan.radius = *goal.radius;
  } else {
    if (goal.radius)
      refuse_plan("radius", shortest(*goal.radius) + " has no use with " + measure + ", a similarity; give a threshold instead");
    plan.threshold = threshold_ratio(goal.threshold);
  }
}

void settle_features(Plan& plan, const Choices& choices) {
  require_kind(plan.measure, plan.kind);
  const bool bag = choices.shingle && choices.shingle->bag;
  // A bag is what weighted Jaccard compares: whichever of the two was asked for brings the other.
  if (bag && plan.measure == Measure::jaccard) plan.measure = Measure::weighted_jaccard;
  if (bag && plan.measure != Measure::weighted_jaccard) {
    refuse_plan("bag", "counted shingles have no use with " + std::string(name(plan.measure)) + "; leave it out, or use weighted-jaccard");
  }
  plan.shingle = choices.shingle.value_or(usual_shingle(plan.measure, plan.kind));
  require_normalise(plan.shingle);
  plan.shingle.bag = plan.measure == Measure::weighted_jaccard && plan.kind == Kind::shingles;
  require_ignoring(plan);
  if (!is_text(plan.kind) && plan.shingle != ShinglePlan{}) {
    const std::string kind(name(plan.kind));
    refuse_plan("shingle", shingle_name(plan.shingle) + " has no use with features=" + kind + ", which are no texts; leave it out");
  }
  plan.binarise = choices.binarise.value_or(Binarise::none);
  plan.levels = choices.levels.value_or(plan.binarise == Binarise::unary ? 8 : 0);
  require_binarise(plan.kind, plan.binarise, plan.levels);
  plan.tfidf = choices.tfidf.value_or(TfidfPlan{});
  require_tfidf(plan.kind, plan.tfidf);
}

Plan settled(const Goal& goal, const Choices& choices) {
  Plan plan;
  plan.measure = goal.measure;
  plan.kind = choices.kind.value_or(usual_kind(goal.measure));
  if (goal.measure == Measure::exact) {
    require_kind(plan.measure, plan.kind);
    const std::string rest = " has no use with measure exact, which finds equal texts; leave it out";
    if (goal.nearest > 0) refuse_plan("nearest", std::to_string(goal.nearest) + rest);
    if (goal.radius) refuse_plan("radius", shortest(*goal.radius) + rest);
    if (goal.recall_at != RecallAt::threshold) refuse_plan("recall_at", std::string(name(goal.recall_at)) + rest);
    plan.shingle = choices.shingle.value_or(ShinglePlan{});
    require_ignoring(plan);
    settle_exact(plan);
    return plan;
  }
  settle_border(plan, goal);
  require_recall(goal.recall);
  const bool banded = choices.bands && choices.rows;
  plan.recall = always_exact(goal.measure) || (finds_nearest_sets(plan) && !banded) ? 1 : goal.recall;
  plan.recall_at = goal.recall_at;
  settle_features(plan, choices);
  return plan;
}

/// The dimensions of the items; 0 if they are not known.
std::uint32_t settled_dimensions(const Choices& choices) {
  const std::uint32_t sampled = choices.sample ? choices.sample->dimensions : 0;
  if (choices.dimensions && sampled > 0 && sampled != *choices.dimensions) {
    refuse_plan("dimensions",
                std::to_string(*choices.dimensions) + " are not the " + std::to_string(sampled) + " of the data; leave them out");
  }
  return choices.dimensions.value_or(sampled);
}

/// Where too little was seen to know an average, the plan promises what can be known: a recall at the threshold. Bands and rows that were
/// both chosen promise nothing: the plan holds what was asked for.
void settle_recall_at(Plan& plan, const Choices& choices) {
  if (plan.recall_at == RecallAt::threshold || (choices.bands && choices.rows)) return;
  if (!choices.sample) refuse_plan("recall_at", "average needs data to average over; name an input, or use threshold");
  if (seen(similar_pairs(plan, *choices.sample)) < kLeastSeen) plan.recall_at = RecallAt::threshold;
}

void settle_sketch(Plan& plan, const Choices& choices) {
  plan.verify = choices.verify.value_or(Verify::exact);
  require_verify(plan);
  plan.sketch.family = family_of(plan.measure, plan.kind);
  plan.sketch.seed = choices.seed.value_or(plan.sketch.seed);
  if (plan.measure == Measure::hamming) plan.sketch.dimensions = settled_dimensions(choices);
  if (choices.width && plan.sketch.family != Family::gaussian && plan.sketch.family != Family::cauchy) {
    refuse_plan("width", shortest(*choices.width) + " has no use with measure " + std::string(name(plan.measure)) + "; leave it out");
  }
  plan.band.probes = choices.probes.value_or(1);
  const bool tables = plan.nearest > 0 && !(choices.bands && choices.rows);
  plan.band.rows = tables ? 0 : 1;
  require_probing(plan);
  settle_recall_at(plan, choices);
  if (!tables) plan.band.large_bucket = choices.large_bucket.value_or(plan.band.large_bucket);
  const Shape shape = tables ? choose_tables(plan, choices) : choose_shape(plan, choices);
  plan.band.bands = shape.bands;
  plan.band.rows = shape.rows;
  plan.sketch.hashes = shape.hashes;
  plan.sketch.width = shape.width;
}

bool has_bands(const Plan& plan) { return plan.sketch.hashes > 0 && plan.band.rows > 0 && plan.nearest == 0; }

}  // namespace

Plan tune(const Goal& goal, const Choices& choices) {
  require_ranges(choices);
  Plan plan = settled(goal, choices);
  if (goal.measure == Measure::exact) {
    refuse_sketch_choices(choices, "measure exact", "");
    return plan;
  }
  const bool sketched = plan.recall < 1;
  require_dimensions(plan, settled_dimensions(choices), sketched);
  require_recall_at(plan, sketched);
  if (sketched)
    settle_sketch(plan, choices);
  else if (always_exact(plan.measure))
    refuse_sketch_choices(choices, "containment", "");
  else if (finds_nearest_sets(plan))
    refuse_choices_for_nearest_sets(plan, choices);
  else
    refuse_sketch_choices(choices, "recall 1", " or ask for a recall below 1");
  return plan;
}

Work work_of(const Plan& plan, const Choices& choices) {
  if (!has_bands(plan)) return {};
  BandChance chance(true);
  return {.sketch = sketch_cost(plan, choices, plan.sketch.hashes),
          .bands = band_cost(plan.band.bands),
          .candidates = looking_cost(plan, background(plan, choices), chance)};
}

std::vector<PlanWork> alternatives(const Goal& goal, const Choices& choices, std::uint32_t around) {
  const Plan chosen = tune(goal, choices);
  if (!has_bands(chosen)) return {};
  std::vector<PlanWork> found = {{chosen, work_of(chosen, choices)}};
  Choices others = choices;
  others.bands = std::nullopt;
  const std::uint32_t rows = chosen.band.rows;
  const std::uint32_t most = std::min(rows + std::min(around, kMostTunedRows), kMostTunedRows);
  for (std::uint32_t other = rows - std::min(around, rows - 1); other <= most; ++other) {
    others.rows = other;
    try {
      const Plan plan = tune(goal, others);
      if (plan != chosen) found.push_back({plan, work_of(plan, choices)});
    } catch (const Error&) {
      break;  // with more rows it would take no fewer bands
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const PlanWork& a, const PlanWork& b) { return a.plan.band.rows < b.plan.band.rows; });
  return found;
}

}  // namespace nearkin
