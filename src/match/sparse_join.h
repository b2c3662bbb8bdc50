#pragma once

#include <span>

#include "match/space.h"

namespace nearkin {

/// The join by an inverted index, for sparse vectors under cosine and weighted Jaccard, where can_join_sparse. `members` ascending.
/// Memory: about 28 bytes a number, and 12 bytes an item and thread.
VectorJoinResult join_sparse(const Vectors& vectors, std::span<const Row> members, Row split, Measure measure, const Border& border,
                             unsigned threads);
/// False where the index cannot be used: a border that vectors with nothing in common reach, or numbers near the end of their range.
bool can_join_sparse(const Vectors& vectors, std::span<const Row> members, Measure measure, const Border& border);

}  // namespace nearkin
