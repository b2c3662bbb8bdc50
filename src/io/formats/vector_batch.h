// The vectors of batches joined into one collection, an item at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/formats/batch.h"

namespace nearkin {

/// What all vectors of a collection have in common.
struct VectorShape {
  Vectors::Kind kind = Vectors::Kind::dense;
  std::uint32_t dimensions = 0;  ///< as Vectors::dimensions
};
/// Of item i of a batch.
VectorShape shape_of(const Batch& batch, std::size_t i);

/// Why item i of a batch cannot stand beside the first item of a collection: "5 numbers, the first item has 4". Empty when it can; where
/// there is no first item any can. Batches must be added in their order, so that "first" means the same on every road.
std::string unlike_first(const std::optional<VectorShape>& first, const Batch& batch, std::size_t i);

/// Adds item i of the batch to the end of `all`, whose kind and dimensions are those of its first item. unlike_first must be empty.
void append_vector(Vectors& all, const Batch& batch, std::size_t i);

/// The first number below zero of item i, dense or sparse.
std::optional<double> negative_number(const Batch& batch, std::size_t i);

}  // namespace nearkin
