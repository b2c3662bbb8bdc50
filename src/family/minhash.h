// Bucketed MinHash: one operation for each element, then an exact fallback for the slots that stayed empty.
#pragma once

#include <span>

#include <nearkin/plan.h>

#include "kernel/kernel.h"

namespace nearkin {

/// One for each thread; it owns the scratch.
class MinHasher {
 public:
  explicit MinHasher(const SketchPlan& plan);

  /// Writes plan.hashes slots. `elements` are shingle hashes, at least one, in any order; repeated ones change nothing.
  /// P[slot of A == slot of B] = Jaccard(A, B), for every slot, whatever the sizes of the sets.
  void sketch(std::span<const std::uint64_t> elements, std::uint32_t* slots);

 private:
  void fill_first_round();
  void fill_later_round(std::span<const std::uint64_t> elements, std::uint32_t round);

  std::uint32_t hashes_;
  std::uint32_t rounds_;
  std::uint64_t key_;
  std::vector<std::uint32_t> multipliers_, addends_;  // of the fallback, one of each per slot
  std::vector<std::uint64_t> places_;                 // for each element, its slot << 32 | value
  std::vector<std::uint32_t> low_;                    // for each element, the low half
  std::vector<std::uint32_t> tables_, bins_, before_;
};

/// FROZEN. Also frozen: an element whose value happens to be this one leaves its slot empty.
inline constexpr std::uint32_t kEmptySlot = kernel::kEmptySlot;
/// Makes the throws of later rounds differ from those of the first. FROZEN.
inline constexpr std::uint64_t kLaterRound = 0x9e3779b97f4a7c15u;

/// Rounds of random bins before the fallback. FROZEN: it is part of the sketch's definition.
inline std::uint32_t minhash_rounds(std::uint32_t hashes) { return hashes <= 256 ? 1 : hashes <= 512 ? 2 : 4; }

/// The textbook MinHash, for comparison: slot j = min over x of (aj·x + bj) mod 2^32, x mixed first. Not the sketch of any plan.
void classic_minhash(std::span<const std::uint64_t> elements, const SketchPlan& plan, std::uint32_t* slots);

}  // namespace nearkin
