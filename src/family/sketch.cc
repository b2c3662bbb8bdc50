#include <string>

#include <nearkin/error.h>
#include <nearkin/stages.h>

#include "base/misuse.h"
#include "family/minhash.h"

namespace nearkin {

Sketches sketch(const Features& features, const SketchPlan& plan) {
  require_consistent(features);
  require_sketch(plan);
  Sketches result{.hashes = plan.hashes, .slots = {}, .empty = {}};
  result.slots.resize(features.size() * plan.hashes);
  result.empty.resize(features.size());
  MinHasher hasher(plan);
  for (std::size_t i = 0; i < features.size(); ++i) {
    result.empty[i] = features[i].empty();
    if (!features[i].empty()) hasher.sketch(features[i], result.slots.data() + i * plan.hashes);
  }
  return result;
}

double estimate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.size() != b.size()) {
    throw Error(
        ErrorCode::plan, "estimate",
        "sketches of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " slots have none in common; use one plan");
  }
  const std::size_t slots = a.size();
  std::size_t equal = 0;
  for (std::size_t i = 0; i < slots; ++i) equal += a[i] == b[i];
  return slots == 0 ? 0.0 : static_cast<double>(equal) / static_cast<double>(slots);
}

}  // namespace nearkin
