// The families that hash dense and sparse vectors and strings of bits into slots, except weighted minhash.
#pragma once

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "family/projector.h"

namespace nearkin {

/// Random hyperplanes: on which side of each a vector lies (Charikar 2002). P[slot of x == slot of y] = 1 − θ/π, θ the angle between them.
/// One for each thread.
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

/// Projections cut into slots of one width: Gaussian for Euclidean, Cauchy for Manhattan distance (Datar, Immorlica, Indyk, Mirrokni 2004).
/// P[slot of x == slot of y] = gaussian_agreement(|x−y|, width) or cauchy_agreement(|x−y|₁, width) (tools/theory.h). One for each thread.
class StableHasher {
 public:
  /// plan.family gaussian or cauchy, dense or sparse vectors. Throws Error(plan) for bits and for a width that is not above 0.
  StableHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

  /// plan.hashes slots ⌊(a·x+b)/w⌋, as int32 in the bits of a uint32. Positions beyond ±2^31 fall into the outermost slot.
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

/// Bit sampling: a slot is one bit of the item, at a random place (Indyk, Motwani 1998). P[slot of x == slot of y] = 1 − d/D, d the places
/// of D in which they differ. Every slot draws its place independently, so the same place may occur twice in a band. Only then is a band of
/// r slots equal with probability exactly (1 − d/D)^r, which is what plans promise; with distinct places it would be less.
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
