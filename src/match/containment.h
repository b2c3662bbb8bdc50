// Containment |A∩B| / |A|, which is directed: every ordered pair (a, b) at or above a threshold, and the decision on one pair.
#pragma once

#include <cstdint>
#include <span>

#include <nearkin/stages.h>

#include "match/exact_join.h"
#include "match/overlap.h"
#include "match/verify.h"

namespace nearkin {

/// The least |A∩B| with |A∩B| / |A| ≥ t for a set A of this size: ⌈t·size⌉.
inline std::uint64_t least_shared(std::uint64_t size, Ratio t) { return least_size(size, t); }

/// Every ordered pair (a, b) of different `members` with |A∩B| ≥ ⌈t·|A|⌉ and something shared, as Match{a, b, |A∩B|, |A|}, ascending by
/// (a, b); a may be the greater row. With `split` ≠ 0 only a < split ≤ b: passages of the input in documents of `against`.
/// looked_at: pairs counted feature by feature, after the filters.
/// Memory: the features, 12 to 16 bytes for each feature that occurs in more than one member (with `split`: for each of the members
/// from it on), 8 bytes a thread for each member, and the matches.
JoinResult join_containment(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads);

/// Decides directed pairs (a, b): how much of a stands in b. Matches in the order of the pairs; a pair that shares nothing is none.
/// features[place[row]] are the row's; an empty `place` means features[row].
VerifyResult verify_containment(const Pairs& pairs, std::span<const FeatureSpan> features, std::span<const std::uint32_t> place,
                                Ratio threshold, unsigned threads);

/// Decides one directed pair: a match is appended, the containment of one that was counted out below is noted.
void decide_containment(Row a, Row b, FeatureSpan features_a, FeatureSpan features_b, Ratio threshold, VerifyResult& result);

}  // namespace nearkin
