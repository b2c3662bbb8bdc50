#include "family/hyperplane.h"

namespace nearkin {

HyperplaneHasher::HyperplaneHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions)
    : hashes_(plan.hashes), projector_(plan, Directions::gaussian, kind, dimensions), projections_(projector_.room()) {}

void HyperplaneHasher::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  projector_.project(vectors, i, projections_.data());
  for (std::uint32_t j = 0; j < hashes_; ++j) slots[j] = projections_[j] >= 0;
}

}  // namespace nearkin
