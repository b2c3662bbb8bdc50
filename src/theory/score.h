// The arithmetic of scores: the mean of parts, and what a part must reach if the mean reaches the threshold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/score.h>

namespace nearkin {

/// A score of 1 in units; all scores are whole numbers of units.
inline constexpr std::uint32_t kScoreUnits = 1'000'000'000;

/// Throws Error(plan) for a score that cannot be computed.
void require_score(const Score& score, const ScoreOptions& options);

/// Throws Error(plan) for partners, where a run needs all pairs.
void require_no_partners(const ScoreOptions& options);

/// The weighted mean of one value for each part, in units.
std::uint32_t score_units(const Score& score, std::span<const double> values);

/// If no part of `parts` reaches this level, the score is below the threshold, whatever the other parts are. 0 or less: these parts alone
/// cannot decide.
double level_of(const Score& score, std::span<const std::size_t> parts, double threshold);

/// The cheapest parts to search for candidates by. `equal_pairs`: for each part, the number of pairs of records that are equal in it.
std::vector<std::size_t> parts_to_search(const Score& score, double threshold, double items, std::span<const double> equal_pairs);

}  // namespace nearkin
