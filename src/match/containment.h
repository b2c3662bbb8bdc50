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

/// Every ordered pair (a, b) of different `members` with |A∩B| ≥ ⌈t·|A|⌉ and something shared goes to `emit` as Match{a, b, |A∩B|, |A|}; a
/// may be the greater row. With `split` ≠ 0 only a < split ≤ b: passages of the input in documents of `against`. `components`: as in
/// join_exactly. looked_at: pairs compared feature by feature, after the filters; it and closest_below may differ if the join is done in
/// parts. If the containers and their index do not fit into the memory allowed, they are processed part by part, and all items are compared
/// with each part. Memory does not depend on the matches. Memory: 8 bytes per member, and for a part its sets, unless they are in memory
/// already, 12 to 20 bytes for each feature that occurs in more than one member (with `split`: for each of the members from it on), 16
/// bytes and 8 per thread for each set.
JoinNotes join_containment(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
                           const MatchSink& emit, const SharedComponents* components = nullptr);

/// The same for sets in memory, with all matches as a list, ascending by (a, b).
JoinResult join_containment(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads);

/// Decides one directed pair: appends a match, or notes the containment of a pair that was fully counted and is below the threshold.
void decide_containment(Row a, Row b, FeatureSpan features_a, FeatureSpan features_b, Ratio threshold, VerifyResult& result);

}  // namespace nearkin
