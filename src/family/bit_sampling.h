// Bit sampling: a slot is one bit of the item, at a random place (Indyk, Motwani 1998).
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// P[slot of x == slot of y] = 1 − d/D, d the places of D in which they differ. Every slot draws its place by itself, so that the same one
/// may come twice in a band: only so is a band of r slots equal with probability (1 − d/D)^r exactly, which is what plans promise.
/// Different places in a band would make that less.
class BitSampler {
 public:
  /// Throws Error(plan) for anything but bits.
  BitSampler(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

  /// plan.hashes slots, each 0 or 1.
  void sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) const;

 private:
  std::vector<std::uint32_t> places_;
};

}  // namespace nearkin
