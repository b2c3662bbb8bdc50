// Joins of bit strings: by blocks of bits that two near ones must nearly share, or by looking at all pairs.
#pragma once

#include <cstdint>
#include <span>

#include "match/join_parts.h"

namespace nearkin {

enum class BitRoad {
  cheapest,    ///< chosen by estimated cost, and by the true number of agreements once it is known
  scan,        ///< all pairs whose numbers of ones are near enough
  pigeonhole,  ///< always blocks; the scan if there are not enough bits for the blocks
};

/// The join of bit strings. Every road gives the same matches. Pigeonhole: the bits are divided into blocks, each with a reach, with
/// Σ(reach + 1) = radius + 1. A pair within the radius then differs in at least one block by at most that block's reach. Pairs that do are
/// found by sorting a block's values, and for a reach of 1 or 2 by looking up the values with that many bits flipped. Memory: a copy of the
/// codes, and about 20 bytes per item.
void join_bits(const VectorTask& task, BitRoad road, MatchOutlet& outlet);
/// The same with all matches as a list, ascending.
VectorJoinResult join_bits(const Vectors& vectors, std::span<const Row> members, Row split, const Border& border, unsigned threads,
                           BitRoad road = BitRoad::cheapest);

}  // namespace nearkin
