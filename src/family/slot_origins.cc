// Apart from minhash.cc: inlined for single elements, g++ 12 takes its buffers for endless (at -O3).
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/hash.h"
#include "base/misuse.h"
#include "family/minhash.h"

namespace nearkin {

std::vector<SlotOrigin> slot_origins(std::span<const std::uint64_t> elements, const SketchPlan& plan) {
  require_sketch(plan);
  if (elements.empty()) throw Error(ErrorCode::plan, "elements", "0 elements give no slot its value; use one or more");
  const std::uint64_t key = SplitMix(plan.seed)();
  const std::uint32_t rounds = minhash_rounds(plan.hashes);
  std::vector<SlotOrigin> origins(plan.hashes);
  constexpr std::uint64_t kNone = UINT64_MAX;
  std::vector<std::uint64_t> least(plan.hashes, kNone);  // round << 32 | value
  const auto offer = [&](std::uint64_t slot, std::uint64_t element, std::uint32_t round, std::uint32_t value) {
    const std::uint64_t offered = std::uint64_t{round} << 32 | value;
    if (offered >= least[slot]) return;
    least[slot] = offered;
    origins[slot] = {element, round < rounds ? std::optional(round) : std::nullopt};
  };
  for (const std::uint64_t element : elements) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint64_t mixed = mix64(element ^ key);
      const Product128 place = multiply128(round == 0 ? mixed : mix64(mixed + round * kLaterRound), plan.hashes);
      const auto value = static_cast<std::uint32_t>(place.low >> 32);
      if (value != kEmptySlot) offer(place.high, element, round, value);
    }
  }
  if (std::find(least.begin(), least.end(), kNone) == least.end()) return origins;
  // The fallback is what an element has by itself in the slots it was not thrown into; in the others it is too late for it.
  MinHasher hasher(plan);
  std::vector<std::uint32_t> alone(plan.hashes);
  for (const std::uint64_t element : elements) {
    hasher.sketch({&element, 1}, alone.data());
    for (std::uint32_t slot = 0; slot < plan.hashes; ++slot) offer(slot, element, rounds, alone[slot]);
  }
  return origins;
}

}  // namespace nearkin
