#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>

#include "theory/tune_cost.h"

namespace nearkin {
namespace {

bool has_bands(const Plan& plan) {
  return plan.sketch.hashes > 0 && plan.band.rows > 0 && plan.nearest == 0 && plan.measure != Measure::containment;
}

}  // namespace

Work work_of(const Plan& plan, const Choices& choices) {
  if (!has_bands(plan)) return {};
  BandChance chance(true);
  const auto [bands, rows] = std::pair(plan.band.bands, plan.band.rows);
  return {.sketch = sketch_cost(plan, choices, plan.sketch.hashes),
          .bands = band_cost(bands),
          .candidates = candidate_cost(plan, background(plan, choices), bands, rows, chance)};
}

std::vector<PlanWork> alternatives(const Goal& goal, const Choices& choices, std::uint32_t around) {
  const Plan chosen = tune(goal, choices);
  if (!has_bands(chosen)) return {};
  std::vector<PlanWork> found = {{chosen, work_of(chosen, choices)}};
  Choices others = choices;
  others.bands = std::nullopt;
  const std::uint32_t rows = chosen.band.rows;
  for (std::uint32_t other = rows - std::min(around, rows - 1); other <= std::min(rows + std::min(around, kMostTunedRows), kMostTunedRows);
       ++other) {
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
