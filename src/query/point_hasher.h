// PointHasher: the sketch of one item, whatever it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/query.h>

#include "family/family.h"

namespace nearkin {

/// One a thread, for items of one kind and dimensions. EMPTY items are not to be hashed. All write plan.hashes slots.
class PointHasher {
 public:
  explicit PointHasher(const SketchPlan& plan) : plan_(plan) {}
  /// Throws Error(plan) for a family that does not hash sets.
  void sketch(std::span<const std::uint64_t> features, std::uint32_t* slots);
  void sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots);
  void sketch(const Points& points, std::size_t i, std::uint32_t* slots);
  /// Family gaussian: where in each of its slots the vector lies, 0 to 1.
  void positions(const Vectors& vectors, std::size_t i, std::vector<double>& fractions);

 private:
  AnyVectorHasher& of_vectors(const Vectors& like);

  SketchPlan plan_;
  std::optional<MinHasher> sets_;
  std::optional<AnyVectorHasher> vectors_;
};

}  // namespace nearkin
