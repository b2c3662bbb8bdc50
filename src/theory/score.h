// The arithmetic of scores: the mean of parts, and what a part must reach where the mean does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/score.h>

namespace nearkin {

/// A score of 1, in units of which all scores are whole numbers.
inline constexpr std::uint32_t kScoreUnits = 1'000'000'000;

/// Throws Error(plan) for a score that cannot be computed.
void require_score(const Score& score, const ScoreOptions& options);

/// Throws Error(plan) for partners, where a run needs all pairs.
void require_no_partners(const ScoreOptions& options);

/// The weighted mean of one value for each part, in units.
std::uint32_t score_units(const Score& score, std::span<const double> values);

/// Where no part of `parts` reaches this level, the score is below the threshold, whatever the others are; 0 or less: they cannot decide.
double level_of(const Score& score, std::span<const std::size_t> parts, double threshold);

/// The parts to look for candidates by: those that cost least. `equal_pairs`: of each part, the pairs of records that are equal in it.
std::vector<std::size_t> parts_to_search(const Score& score, double threshold, double items, std::span<const double> equal_pairs);

}  // namespace nearkin
