#include "family/bit_sampling.h"

#include <nearkin/error.h>

#include "base/hash.h"

namespace nearkin {

// FROZEN: the places.
BitSampler::BitSampler(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions) : places_(plan.hashes) {
  if (kind != Vectors::Kind::bits) {
    throw Error(ErrorCode::plan, "sketch", "bit-sampling takes strings of bits, not numbers; make them bits first");
  }
  if (dimensions == 0) throw Error(ErrorCode::plan, "sketch", "bit-sampling of 0 bits; items need at least one");
  SplitMix random(plan.seed);
  for (std::uint32_t& place : places_) place = static_cast<std::uint32_t>(multiply128(random(), dimensions).high);
}

void BitSampler::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) const {
  const std::uint64_t* const words = vectors.bits(i).data();
  for (std::size_t j = 0; j < places_.size(); ++j) slots[j] = static_cast<std::uint32_t>(words[places_[j] / 64] >> (places_[j] % 64) & 1);
}

}  // namespace nearkin
