// What every plan obeys, whether it was tuned or read from a line.
#pragma once

#include <cstdint>
#include <string>

#include <nearkin/plan.h>

namespace nearkin {

inline constexpr std::uint32_t kMostHashes = 4096;
inline constexpr std::uint32_t kMostBands = 4096;
inline constexpr std::uint32_t kMostShingleSize = 1000;
inline constexpr std::uint32_t kLeastLargeBucket = 2;

/// Each throws Error(plan) naming the part at fault.
void require_hashes(std::uint64_t hashes);
void require_bands(std::uint64_t bands);
void require_rows(std::uint64_t rows);
void require_large_bucket(std::uint64_t items);
void require_recall(double recall);
void require_threshold(double threshold);

/// Bands of rows fit into the hashes.
void require_fit(std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes);

/// The fraction of a threshold in (0, 1]; one that is too small to be written in nine digits is refused.
Ratio threshold_ratio(double threshold);

/// Parts of a plan that have no say in measure exact, set to one fixed value each, so that equal plans compare equal.
void settle_exact(Plan& plan);

}  // namespace nearkin
