// Rehearsals of a run: how much the share of the pairs that it finds varies if its hash functions are drawn again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

namespace nearkin {

/// In which hashes of a pool pairs agree.
class Agreements {
 public:
  Agreements(std::size_t pairs, std::size_t hashes);
  std::size_t pairs() const { return pairs_; }
  std::size_t hashes() const { return hashes_; }
  /// Sets where a pair agrees: where the slots of its two items (`hashes` each) are equal. Threads may set pairs of different blocks of
  /// kBlock at the same time.
  void set(std::size_t pair, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  static constexpr std::size_t kBlock = 64;
  /// One bit per pair: whether it agrees in this hash.
  std::span<const std::uint64_t> column(std::size_t hash) const { return std::span(bits_).subspan(hash * words_, words_); }

 private:
  std::size_t pairs_, hashes_, words_;
  std::vector<std::uint64_t> bits_;
};

/// In 95 of 100 rehearsals, the share of the pairs that is missed is between these multiples of its mean.
struct Straying {
  double least = 1, most = 1;
};

/// Each rehearsal draws plan.rows hashes for each of plan.bands bands from the pool. Pair i counts count/probability. `pairs` are a sample,
/// in whole groups, of `times` as many pairs. Variation that the pairs of one group share is reduced accordingly; variation that all pairs
/// share is not.
Straying rehearse(const Agreements& agreements, std::span<const FoundPairs> pairs, const BandPlan& plan, double times, std::uint64_t seed);

}  // namespace nearkin
