#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <nearkin/error.h>
#include <nearkin/theory.h>

#include "theory/numbers.h"
#include "theory/plan_rules.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kMostTunedHashes = 512;  // unless the caller asks for more
// The signature test and estimates look at all slots, so that a sketch is never smaller than this, however few the bands need.
constexpr std::uint32_t kLeastTunedHashes = 128;

struct Shape {
  std::uint32_t bands = 0;
  std::uint32_t rows = 0;
};

std::string at_threshold(const Plan& plan) { return " at threshold " + to_string(plan.threshold); }

/// Six decimals, and more where the share is so small that they would leave nothing of it.
std::string rounded_down(double share) {
  double scale = 1e6;
  while (share * scale < 100) scale *= 10;
  return shortest(std::floor(share * scale) / scale);
}

[[noreturn]] void refuse_recall(const Plan& plan, std::uint32_t limit) {
  const double threshold = plan.threshold.value();
  const std::uint32_t needed = bands_needed(threshold, 1, plan.recall);  // one row needs fewest hashes
  const std::string reachable = rounded_down(found_probability(threshold, limit, 1));
  const bool possible = needed <= kMostHashes;
  const std::string how_many = possible ? std::to_string(needed) : "more than " + std::to_string(kMostHashes);
  throw Error(ErrorCode::plan, "recall",
              shortest(plan.recall) + at_threshold(plan) + " needs " + how_many + " hashes, " + std::to_string(limit) + " reach " +
                  reachable + "; ask for recall " + reachable + " or less" +
                  (possible ? ", or for " + std::to_string(needed) + " hashes" : ", for a higher threshold, or for recall 1"));
}

Shape cheapest(const Plan& plan, const std::optional<std::uint32_t>& hashes) {
  const double threshold = plan.threshold.value();
  const std::uint32_t limit = hashes.value_or(kMostTunedHashes);
  Shape best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t rows = 1; rows <= kMostTunedRows; ++rows) {
    const std::uint32_t bands = bands_needed(threshold, rows, plan.recall);
    if (std::uint64_t{bands} * rows > limit) continue;
    const double cost = nominal_cost(threshold, bands, rows, hashes.value_or(std::max(bands * rows, kLeastTunedHashes)));
    if (cost < least || (cost == least && bands * rows < best.bands * best.rows)) {
      least = cost;
      best = {bands, rows};
    }
  }
  if (best.bands == 0) refuse_recall(plan, limit);
  return best;
}

Shape with_rows(const Plan& plan, std::uint32_t rows, std::uint32_t limit) {
  const std::uint32_t bands = bands_needed(plan.threshold.value(), rows, plan.recall);
  if (std::uint64_t{bands} * rows <= limit) return {bands, rows};
  throw Error(ErrorCode::plan, "rows",
              std::to_string(rows) + " need " + (bands <= kMostBands ? std::to_string(bands) : "more than " + std::to_string(kMostBands)) +
                  " bands for recall " + shortest(plan.recall) + at_threshold(plan) +
                  ", more than fit into " + std::to_string(limit) + " hashes; use fewer rows or a lower recall");
}

Shape with_bands(const Plan& plan, std::uint32_t bands, std::uint32_t limit) {
  require_fit(bands, 1, limit);
  const double threshold = plan.threshold.value();
  std::uint32_t rows = std::min(limit / bands, kMostTunedRows);
  while (rows > 0 && bands_needed(threshold, rows, plan.recall) > bands) --rows;
  if (rows > 0) return {bands, rows};
  const std::uint32_t needed = bands_needed(threshold, 1, plan.recall);
  throw Error(ErrorCode::plan, "bands",
              std::to_string(bands) + (bands == 1 ? " reaches" : " reach") + " recall " + rounded_down(found_probability(threshold, bands, 1)) + at_threshold(plan) +
                  " at most, not " + shortest(plan.recall) + "; use " +
                  (needed <= kMostBands ? std::to_string(needed) + " bands" : "a higher threshold") + " or a lower recall");
}

Shape choose_shape(const Plan& plan, const Choices& choices) {
  const std::uint32_t limit = choices.hashes.value_or(kMostHashes);
  if (choices.bands && choices.rows) {
    require_fit(*choices.bands, *choices.rows, limit);
    return {*choices.bands, *choices.rows};
  }
  if (choices.rows) return with_rows(plan, *choices.rows, limit);
  if (choices.bands) return with_bands(plan, *choices.bands, limit);
  return cheapest(plan, choices.hashes);
}

void require_ranges(const Choices& choices) {
  if (choices.hashes) require_hashes(*choices.hashes);
  if (choices.bands) require_bands(*choices.bands);
  if (choices.rows) require_rows(*choices.rows);
  if (choices.large_bucket) require_large_bucket(*choices.large_bucket);
  if (choices.shingle && (choices.shingle->size < 1 || choices.shingle->size > kMostShingleSize)) {
    throw Error(ErrorCode::plan, "shingle",
                "size " + std::to_string(choices.shingle->size) + " is not between 1 and " + std::to_string(kMostShingleSize));
  }
}

void refuse_sketch_choices(const Choices& choices, const std::string& with, const std::string& way_out) {
  const auto refuse = [&](const char* subject, const std::string& value) {
    throw Error(ErrorCode::plan, subject, value + " has no use with " + with + ", which needs no sketch; leave it out" + way_out);
  };
  if (choices.hashes) refuse("hashes", std::to_string(*choices.hashes));
  if (choices.bands) refuse("bands", std::to_string(*choices.bands));
  if (choices.rows) refuse("rows", std::to_string(*choices.rows));
  if (choices.verify.value_or(Verify::exact) != Verify::exact) refuse("verify", std::string(name(*choices.verify)));
}

Plan settled(const Goal& goal, const Choices& choices) {
  Plan plan;
  plan.measure = goal.measure;
  plan.shingle = choices.shingle.value_or(ShinglePlan{});
  if (goal.measure == Measure::exact) {
    settle_exact(plan);
    return plan;
  }
  plan.threshold = threshold_ratio(goal.threshold);
  require_recall(goal.recall);
  plan.recall = goal.recall;
  // A bag is what weighted Jaccard compares: whichever of the two was asked for brings the other.
  plan.shingle.bag = plan.shingle.bag || goal.measure == Measure::weighted_jaccard;
  if (plan.shingle.bag) plan.measure = Measure::weighted_jaccard;
  return plan;
}

}  // namespace

Plan tune(const Goal& goal, const Choices& choices) {
  require_ranges(choices);
  Plan plan = settled(goal, choices);
  if (goal.measure == Measure::exact) {
    refuse_sketch_choices(choices, "measure exact", "");
    return plan;
  }
  if (plan.recall == 1) {
    refuse_sketch_choices(choices, "recall 1", " or ask for a recall below 1");
    return plan;
  }
  const Shape shape = choose_shape(plan, choices);
  plan.band.bands = shape.bands;
  plan.band.rows = shape.rows;
  plan.band.large_bucket = choices.large_bucket.value_or(plan.band.large_bucket);
  // Bands and rows given by the caller are all that is asked for.
  const std::uint32_t least = choices.bands && choices.rows ? 0 : kLeastTunedHashes;
  plan.sketch.hashes = choices.hashes.value_or(std::max(shape.bands * shape.rows, least));
  plan.sketch.seed = choices.seed.value_or(plan.sketch.seed);
  plan.verify = choices.verify.value_or(Verify::exact);
  return plan;
}

}  // namespace nearkin
