#pragma once

#include <cstdint>
#include <span>

#include <nearkin/stages.h>

#include "match/verify.h"

namespace nearkin {

struct JoinResult : VerifyResult {  ///< matches ascending
  std::uint64_t looked_at = 0;      ///< pairs verified
};

/// Every pair of `members` at or above the threshold, by prefix filter; with `split` only pairs across it (CandidateSearch).
/// Memory: the features, one byte for each expected shingle, and about 16 bytes for each shingle of a prefix.
JoinResult join_exactly(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads);

}  // namespace nearkin
