// Pairs of vectors, one after the other, compared as a plan would: with its value, its hashes and its bands.
#pragma once

#include <nearkin/tools/compare.h>

#include "family/family.h"

namespace nearkin {

/// Holds the random directions of the plan's hashes, which cost far more than a pair.
class VectorComparer {
 public:
  /// `plan` must outlive it. Throws Error(plan) if it cannot be run.
  explicit VectorComparer(const Plan& plan);

  /// As nearkin::compare of the same.
  Comparison compare(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j);

 private:
  void sketch(const Vectors& vectors, std::size_t i, std::vector<std::uint32_t>& slots);

  const Plan& plan_;
  std::optional<AnyVectorHasher> hasher_;
  Vectors::Kind kind_ = {};       ///< of the vectors that it is for
  std::uint32_t dimensions_ = 0;  ///< the same
  std::vector<std::uint32_t> of_a_, of_b_, keys_a_, keys_b_;
};

}  // namespace nearkin
