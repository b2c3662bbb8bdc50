// Vectors between reading and searching: what is computed over a whole collection before its items can be compared.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nearkin/vectors.h>

#include "base/hash.h"

namespace nearkin {

/// What the vectors of a collection were prepared with; queries are prepared with the same.
struct Preparation {
  std::vector<float> cuts;  ///< median, mean: one per place; unary: `levels` for every place together
  /// tfidf: in how many items each shingle occurs, ascending by shingle.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> occurrences;
  std::uint64_t items = 0;  ///< tfidf: number of items
};

/// Computed from the vectors as they were read (for tfidf: counts of shingles).
Preparation preparation_of(const Vectors& vectors, const Plan& plan);
/// Throws as the public `prepare` does.
Vectors prepare(Vectors vectors, const Plan& plan, const Preparation& preparation);

/// A collection that holds only item i.
Vectors one_of(const Vectors& vectors, std::size_t i);

/// Equal for vectors that are the same, place by place.
Hash128 content_of(const Vectors& vectors, std::size_t i);

/// Throws Error(data) where dense vectors lie so far from the origin that the plan's hashes, computed in floats, cannot keep its promise.
void require_resolution(const Vectors& vectors, const Plan& plan);

/// Band keys of every item, plan.band.bands each; those of EMPTY items mean nothing.
std::vector<std::uint32_t> vector_band_keys(const Vectors& vectors, std::span<const std::uint8_t> empty, const Plan& plan,
                                            unsigned threads);

}  // namespace nearkin
