// Projections cut into slots of one width: Gaussian for Euclidean, Cauchy for Manhattan distance (Datar, Immorlica, Indyk, Mirrokni 2004).
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "family/projector.h"

namespace nearkin {

/// P[slot of x == slot of y] = gaussian_agreement(|x−y|, width) or cauchy_agreement(|x−y|₁, width) (tools/theory.h). One for each thread.
class StableHasher {
 public:
  /// plan.family gaussian or cauchy, dense or sparse vectors. Throws Error(plan) for bits and for a width that is not above 0.
  StableHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

  /// plan.hashes slots ⌊(a·x+b)/w⌋, as int32 in the bits of a uint32. Positions beyond ±2^31 are taken for the outermost.
  void sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots);
  /// (a·x+b)/w before the floor, plan.hashes of them: where in its slot an item lies. slot == ⌊position⌋ for every item.
  void positions(const Vectors& vectors, std::size_t i, float* out);

 private:
  std::uint32_t hashes_;
  double width_;
  Projector projector_;
  std::vector<double> shifts_;  // b/w, evenly from 0 to 1
  std::vector<float> projections_, positions_;
};

}  // namespace nearkin
