// Stars without a list of pairs: in order of keeping, an item is removed exactly when it matches an earlier one that was kept, and the
// first of these is its keeper. So every item is compared only with the kept ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/join_sink.h"
#include "match/row_bytes.h"

namespace nearkin {

struct Removed {
  Row row;
  Row keeper;            ///< the first in order of keeping of the kept items that the row matches
  std::uint32_t shared;  ///< as in Match, of the row and its keeper; for containment of the row in its keeper
  std::uint32_t total;
  double value = 0;  ///< vectors: the similarity or the distance
  bool operator==(const Removed&) const = default;
};

struct StarResult : JoinNotes {  ///< looked_at: pairs of an item and a kept one, up to its keeper
  std::vector<Removed> removed;  ///< in order of keeping; every other member is kept
};

/// The stars of `order`, the members most worth keeping first, none of them EMPTY, under Jaccard similarity: what cluster(matches, ...,
/// Linkage::star, order) gives for all matches of join_exactly. Neither limits nor threads change the result. Work and memory grow with the
/// kept items, not with the pairs. If the kept items and their index do not fit into the memory allowed, all remaining items are compared
/// with those that fit, and the rest continues with a new index. Memory: 12 bytes per member, 28 for one that is removed; one byte for each
/// element, a quarter of what is allowed at the most; for a kept item its set, unless that is in memory already, 20 bytes and 4 per thread,
/// and about 20 for each element of a prefix.
StarResult star_exactly(const RowBytes& sets, std::span<const Row> order, Ratio threshold, const JoinLimits& limits);

/// The same under containment, which is directed: an item is removed if an earlier kept one contains it. The index holds all elements of
/// the kept items.
StarResult star_containment(const RowBytes& sets, std::span<const Row> order, Ratio threshold, const JoinLimits& limits);

}  // namespace nearkin
