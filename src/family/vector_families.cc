#include "family/vector_families.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nearkin/error.h>

#include "base/hash.h"

namespace nearkin {
namespace {

// FROZEN. Tells the shifts from everything else that is drawn from the seed.
constexpr std::uint64_t kShifts = 0x73686966745f6f66u;
// The outermost positions: floats that fit an int32.
constexpr double kLeast = -2147483648.0, kMost = 2147483520.0;

std::uint32_t floor_slot(float position) {
  const auto whole = static_cast<std::int32_t>(position);
  return static_cast<std::uint32_t>(whole - (static_cast<float>(whole) > position));
}

}  // namespace

HyperplaneHasher::HyperplaneHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions)
    : hashes_(plan.hashes), projector_(plan, Directions::gaussian, kind, dimensions), projections_(projector_.room()) {}

void HyperplaneHasher::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  projector_.project(vectors, i, projections_.data());
  for (std::uint32_t j = 0; j < hashes_; ++j) slots[j] = projections_[j] >= 0;
}

StableHasher::StableHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions)
    : hashes_(plan.hashes),
      width_(plan.width),
      projector_(plan, plan.family == Family::cauchy ? Directions::cauchy : Directions::gaussian, kind, dimensions),
      shifts_(plan.hashes),
      projections_(projector_.room()),
      positions_(plan.hashes) {
  if (!(width_ > 0) || !std::isfinite(width_)) {
    throw Error(ErrorCode::plan, "width", std::to_string(width_) + " is not the width of a slot; it must be above 0");
  }
  SplitMix random(plan.seed ^ kShifts);
  for (double& shift : shifts_) shift = static_cast<double>(random() >> 11) * 0x1p-53;
}

void StableHasher::positions(const Vectors& vectors, std::size_t i, float* out) {
  const double unit = projector_.project(vectors, i, projections_.data());
  const double scale = std::min(unit / width_, std::numeric_limits<double>::max());
  for (std::uint32_t j = 0; j < hashes_; ++j) {
    out[j] = static_cast<float>(std::clamp(double{projections_[j]} * scale + shifts_[j], kLeast, kMost));
  }
}

void StableHasher::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  positions(vectors, i, positions_.data());
  for (std::uint32_t j = 0; j < hashes_; ++j) slots[j] = floor_slot(positions_[j]);
}

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
