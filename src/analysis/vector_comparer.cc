#include "analysis/vector_comparer.h"

#include <nearkin/stages.h>
#include <nearkin/tools/theory.h>

#include "base/misuse.h"
#include "collect/prepare_vectors.h"
#include "match/band.h"
#include "theory/plan_check.h"

namespace nearkin {

VectorComparer::VectorComparer(const Plan& plan) : plan_(plan) { require_plan(plan); }

void VectorComparer::sketch(const Vectors& vectors, std::size_t i, std::vector<std::uint32_t>& slots) {
  const Vectors one = one_of(vectors, i);
  require_sketch(plan_.sketch);
  require_resolution(one, plan_);
  if (!hasher_ || kind_ != one.kind || dimensions_ != one.dimensions)
    hasher_.emplace(vector_hasher(plan_.sketch, one.kind, one.dimensions));
  kind_ = one.kind;
  dimensions_ = one.dimensions;
  slots.resize(plan_.sketch.hashes);
  sketch_range(*hasher_, one, 0, 1, slots.data(), plan_.sketch.hashes);
}

Comparison VectorComparer::compare(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j) {
  require_item(a, i);
  require_item(b, j);
  const auto size_of = [](const Vectors& vectors, std::size_t row) -> std::uint64_t {
    return vectors.kind == Vectors::Kind::sparse ? vectors.sparse(row).indices.size() : vectors.dimensions;
  };
  Comparison result;
  result.a_size = size_of(a, i);
  result.b_size = size_of(b, j);
  const bool empty = is_empty(a, i, plan_.measure) || is_empty(b, j, plan_.measure);
  result.similarity = empty ? 0 : value_between(a, i, b, j, plan_.measure);
  if (plan_.sketch.hashes == 0 && !empty) {  // every pair is looked at
    result.found = 1;
    result.candidate = true;
  }
  if (plan_.sketch.hashes == 0 || plan_.band.rows == 0 || empty) return result;
  sketch(a, i, of_a_);
  sketch(b, j, of_b_);
  result.estimate = estimate(of_a_, of_b_);
  result.found = found_probability(plan_, result.similarity);
  keys_a_.resize(plan_.band.bands);
  keys_b_.resize(plan_.band.bands);
  band_keys(of_a_.data(), plan_.band, keys_a_.data());
  band_keys(of_b_.data(), plan_.band, keys_b_.data());
  for (std::uint32_t band = 0; band < plan_.band.bands; ++band) result.candidate = result.candidate || keys_a_[band] == keys_b_[band];
  return result;
}

}  // namespace nearkin
