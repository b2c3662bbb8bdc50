#pragma once

#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "base/advance.h"

namespace nearkin {

struct VerifyResult {
  Matches matches;           ///< in the order of the pairs
  double closest_below = 0;  ///< the highest similarity of the fully counted pairs below the threshold (0: none)
};

/// Decides one pair: appends a match, or notes the similarity of a pair that was fully counted and is below the threshold.
void decide(Row a, Row b, std::span<const std::uint64_t> features_a, std::span<const std::uint64_t> features_b, Ratio threshold,
            VerifyResult& result);

/// The features of one item, ascending.
using FeatureSpan = std::span<const std::uint64_t>;

/// features[place[row]] are the row's; an empty `place` means features[row].
VerifyResult verify_pairs(const Pairs& pairs, std::span<const FeatureSpan> features, std::span<const std::uint32_t> place, Ratio threshold,
                          unsigned threads, Advance* advance = nullptr);

/// The pair with its exact similarity, whatever it is.
Match exact_match(Row a, Row b, std::span<const std::uint64_t> features_a, std::span<const std::uint64_t> features_b);

}  // namespace nearkin
