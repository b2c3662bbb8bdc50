// Joins of bit strings: by blocks of bits that two near ones must nearly share, or by looking at all pairs.
#pragma once

#include <cstdint>
#include <span>

#include "match/join_parts.h"

namespace nearkin {

enum class BitRoad {
  cheapest,    ///< by the estimated cost, and by the true number of agreements once it is known
  scan,        ///< all pairs whose numbers of ones are near enough
  pigeonhole,  ///< blocks, whatever it costs; the scan where there are not enough bits for the blocks
};

/// The join of bit strings. Every road gives the same matches.
/// Pigeonhole: of blocks of bits with Σ(reach + 1) = radius + 1, a pair within the radius differs in some block in at most its reach. Pairs
/// that do are found by sorting a block's values, and for a reach of 1 or 2 by looking up the values with that many bits flipped.
/// Memory: a copy of the codes, and about 20 bytes per item.
void join_bits(const VectorTask& task, BitRoad road, MatchOutlet& outlet);
/// The same with all matches as a list, ascending.
VectorJoinResult join_bits(const Vectors& vectors, std::span<const Row> members, Row split, const Border& border, unsigned threads,
                           BitRoad road = BitRoad::cheapest);

}  // namespace nearkin
