// For searches that run elsewhere, such as on a cluster of machines (nearkin.spark): everything that a search needs to know about each
// item. Copies are folded by their contents, items meet in buckets by their band keys, candidates are tested by their signatures.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

namespace nearkin {

/// The bucket of a sketch in each band. Two items share a bucket of a band if these numbers are equal. Throws Error(plan) if bands × rows
/// exceeds the slots.
std::vector<std::uint32_t> band_keys(std::span<const std::uint32_t> slots, const BandPlan& plan);

/// One byte per slot. Equal slots give equal bytes; different slots agree by chance in 1 of 256.
std::vector<std::uint8_t> signature(std::span<const std::uint32_t> slots);
/// The number of equal bytes that two signatures need for their pair to be verified: a pair at the threshold has them with probability
/// 1 − 10⁻⁶. 0 = the plan has no such test.
std::uint32_t least_equal_bytes(const Plan& plan);

/// Equal for items that certainly have similarity 1: the same shingles, each as often; under measure exact the same normalised text.
struct Content {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Content&) const = default;
};

/// Items as a search sees them.
struct Descriptions {
  std::vector<std::uint8_t> empty;       ///< one per item: 1 if it is EMPTY
  std::vector<Content> contents;         ///< one per item
  std::vector<std::uint32_t> keys;       ///< plan.band.bands per item, as band_keys
  std::vector<std::uint8_t> signatures;  ///< plan.sketch.hashes per item
};
/// For plans of shingles with bands, and for the measures exact and containment, which have contents only. Throws Error(plan) for other
/// plans. `scopes`: none, or one for each text; items of different scopes then have nothing in common, as where they are compared within
/// scopes.
Descriptions describe(std::span<const std::string_view> texts, const Plan& plan, std::span<const std::string_view> scopes = {});

/// The features of such items, by which their pairs are verified.
Features shingle(std::span<const std::string_view> texts, const ShinglePlan& plan, std::span<const std::string_view> scopes);

/// The rule for buckets with more than BandPlan::large_bucket items (docs/architecture.md, "Large buckets").
struct LargeBucketRule {
  static constexpr std::uint32_t kOtherBands = 4;  ///< the bucket is split by this many bands that follow its own, the first after the last
  static constexpr std::uint32_t kFew = 8;         ///< every pair of up to this many items that agree in such a band is a candidate
};

/// Stars over matches of which bands have missed some (docs/architecture.md, "A second look").
struct SecondLookRule {
  static constexpr std::uint32_t kMostRounds = 16;  ///< each leaves a small share of what the one before left
};

}  // namespace nearkin
