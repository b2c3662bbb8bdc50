#pragma once

#include <span>

#include "match/join_parts.h"

namespace nearkin {

/// The join by an inverted index, for sparse vectors under cosine and weighted Jaccard, where can_join_sparse.
/// Memory: about 28 bytes per number, and 12 bytes per item and thread.
void join_sparse(const VectorTask& task, MatchOutlet& outlet);
/// False where the index cannot be used: a border that vectors with nothing in common reach, or numbers near the end of their range.
bool can_join_sparse(const Vectors& vectors, std::span<const Row> members, Measure measure, const Border& border);

}  // namespace nearkin
