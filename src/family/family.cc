#include "family/family.h"

#include <nearkin/error.h>
#include <nearkin/stages.h>

#include "base/misuse.h"
#include "kernel/kernel.h"
#include "theory/chances.h"

namespace nearkin {

static_assert(VectorHasher<WeightedMinHasher> && VectorHasher<HyperplaneHasher> && VectorHasher<BitSampler> && VectorHasher<StableHasher>);

AnyVectorHasher vector_hasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions) {
  require_sketch(plan);
  switch (plan.family) {
    case Family::minhash: break;
    case Family::weighted_minhash: return WeightedMinHasher(plan, kind, dimensions);
    case Family::hyperplane: return HyperplaneHasher(plan, kind, dimensions);
    case Family::bit_sampling: return BitSampler(plan, kind, dimensions);
    case Family::gaussian:
    case Family::cauchy: return StableHasher(plan, kind, dimensions);
  }
  throw Error(ErrorCode::plan, "sketch", "minhash takes sets, not vectors; use family weighted-minhash, hyperplane, gaussian or cauchy");
}

void sketch_range(AnyVectorHasher& hasher, const Vectors& vectors, std::size_t begin, std::size_t end, std::uint32_t* slots,
                  std::uint32_t hashes) {
  std::visit(
      [&](auto& concrete) {
        for (std::size_t i = begin; i < end; ++i) concrete.sketch(vectors, i, slots + (i - begin) * hashes);
      },
      hasher);
}

std::uint32_t digit_bits(Family family) { return prefix_digit_bits(family); }

std::uint32_t digit(Family family, std::uint32_t slot) {
  const std::uint32_t bits = digit_bits(family);
  return bits == 8 ? slot * kernel::kSignatureFactor >> 24 : slot & ((1u << bits) - 1);
}

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
