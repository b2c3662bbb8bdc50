#include <ostream>

#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/unicode.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

std::string goal_text(const Plan& plan) {
  std::string line(name(plan.measure));
  if (plan.nearest == 0) line += is_distance(plan.measure) ? "<=" + shortest(plan.radius) : ">=" + to_string(plan.threshold);
  line += " recall=" + shortest(plan.recall);
  if (plan.recall_at != RecallAt::threshold) line += " recall_at=" + std::string(name(plan.recall_at));
  if (plan.nearest > 0) line += " nearest=" + std::to_string(plan.nearest);
  return line;
}

std::string feature_text(const Plan& plan) {
  std::string line;
  if (is_vector(plan.kind) || usual_kind(plan.measure) != plan.kind) line += " features=" + std::string(name(plan.kind));
  if (is_text(plan.kind)) line += " shingle=" + shingle_name(plan.shingle) + " normalise=" + std::string(name(plan.shingle.normalise));
  if (plan.binarise != Binarise::none) line += " binarise=" + std::string(name(plan.binarise));
  if (plan.binarise == Binarise::unary) line += ":" + std::to_string(plan.levels);
  return line;
}

std::string search_text(const Plan& plan) {
  const auto& [hashes, seed, family, width, dimensions] = plan.sketch;
  if (hashes == 0) return " join=exact";
  std::string line = " sketch=" + std::string(name(family)) + ":" + std::to_string(hashes);
  if (width > 0) line += " width=" + shortest(width);
  if (dimensions > 0) line += " dimensions=" + std::to_string(dimensions);
  if (plan.band.rows == 0) return line + " tables=" + std::to_string(plan.band.bands);
  line += " bands=" + std::to_string(plan.band.bands) + "x" + std::to_string(plan.band.rows);
  if (plan.band.probes > 1) line += " probes=" + std::to_string(plan.band.probes);
  return line + " bucket=" + std::to_string(plan.band.large_bucket);
}

}  // namespace

std::string to_string(const Plan& plan) {
  const std::string unicode = " unicode=" + unicode_version();
  if (plan.measure == Measure::exact) return "exact normalise=" + std::string(name(plan.shingle.normalise)) + unicode;
  std::string line = goal_text(plan) + feature_text(plan) + search_text(plan) + " verify=" + std::string(name(plan.verify));
  if (plan.sketch.hashes > 0) line += " seed=" + std::to_string(plan.sketch.seed);
  return is_text(plan.kind) ? line + unicode : line;
}

std::ostream& operator<<(std::ostream& out, const Plan& plan) { return out << to_string(plan); }

}  // namespace nearkin
