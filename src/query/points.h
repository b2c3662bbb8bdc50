// Points: the items of an input as a plan compares them, in memory, and their sketches.
#pragma once

#include <nearkin/query.h>
#include <nearkin/run.h>

#include "collect/prepare_vectors.h"
#include "family/family.h"

namespace nearkin {

struct LoadedPoints {
  Strings ids;
  Points points;  ///< Features (ascending, distinct; EMPTY items have none) or Vectors, prepared
  Preparation preparation;
  std::uint32_t columns = 0;   ///< of tables
  std::string questions = {};  ///< Sources::questions of tables
  RunStats stats;
};

/// `like`: the collection that these are asked of. Its medians and document counts are used to prepare the vectors, and tables must have
/// its columns under hamming: otherwise throws Error(data). Absent: their own.
LoadedPoints load_points(const Input& input, const Plan& plan, const RunOptions& options, const LoadedPoints* like = nullptr);

/// One per thread, for items of one kind and dimensions. EMPTY items are not to be hashed. All write plan.hashes slots.
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
