// Random hyperplanes: on which side of each a vector lies (Charikar 2002).
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "family/projector.h"

namespace nearkin {

/// P[slot of x == slot of y] = 1 − θ/π, θ the angle between them. One for each thread.
class HyperplaneHasher {
 public:
  /// Dense or sparse vectors. Throws Error(plan) for bits.
  HyperplaneHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

  /// plan.hashes slots: 1 where the projection onto the direction is 0 or more, else 0.
  void sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots);

 private:
  std::uint32_t hashes_;
  Projector projector_;
  std::vector<float> projections_;
};

}  // namespace nearkin
