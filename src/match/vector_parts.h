// Joins and stars of vectors that need not be in memory all at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "match/join_sink.h"
#include "match/star.h"

namespace nearkin {

/// Where vectors come from.
struct VectorRows {
  std::function<std::uint64_t(Row row)> size;              ///< bytes that a row takes in Vectors
  std::function<Vectors(std::span<const Row> rows)> load;  ///< the vectors of ascending rows, in their order
};

/// Those of `vectors`, by row, which must outlive the result.
VectorRows rows_in_memory(const Vectors& vectors);
/// The vectors of the rows, in their order.
Vectors gather(const Vectors& vectors, std::span<const Row> rows);
/// The vectors of both, which are of one kind and length.
Vectors joined(Vectors first, const Vectors& second);

/// Every pair of `members` (any order, EMPTY ones left out) inside the plan's border goes to `emit`; with `split` only pairs across it. If
/// not all fit into the memory allowed, they are processed part by part, two parts at a time. Parts do not change the matches, but may
/// change looked_at and closest_below.
JoinNotes join_vectors(const VectorRows& rows, std::span<const Row> members, Row split, const Plan& plan, const JoinLimits& limits,
                       const MatchSink& emit, const SkipPair& skip = {});

/// The stars of `order`, the members most worth keeping first, none of them EMPTY: what cluster(matches, ..., Linkage::star, order) gives
/// for all matches of join_vectors. Neither limits nor threads change what is removed; limits change looked_at and closest_below. The kept
/// items of the first half are joined with the second half, and so on within each half, so no item is compared with one that was removed
/// before.
StarResult star_vectors(const VectorRows& rows, std::span<const Row> order, const Plan& plan, const JoinLimits& limits);

}  // namespace nearkin
