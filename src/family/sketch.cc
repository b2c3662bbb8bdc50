#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/stages.h>

#include "family/minhash.h"

namespace nearkin {

Sketches sketch(const Features& features, const SketchPlan& plan) {
  if (plan.hashes == 0) throw Error(ErrorCode::plan, "hashes", "0 slots make no sketch; the exact join (recall 1) needs none");
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
  const std::size_t slots = std::min(a.size(), b.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < slots; ++i) equal += a[i] == b[i];
  return slots == 0 ? 0.0 : static_cast<double>(equal) / static_cast<double>(slots);
}

}  // namespace nearkin
