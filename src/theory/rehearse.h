// A run rehearsed: how the share of the pairs that it finds strays, when its hash functions are drawn anew again and again.
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
  /// The pair agrees where the slots of its two items are the same, `hashes` each. Threads may set pairs of different blocks of kBlock at a
  /// time.
  void set(std::size_t pair, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  static constexpr std::size_t kBlock = 64;
  /// Of one hash: a bit for each pair.
  std::span<const std::uint64_t> column(std::size_t hash) const { return std::span(bits_).subspan(hash * words_, words_); }

 private:
  std::size_t pairs_, hashes_, words_;
  std::vector<std::uint64_t> bits_;
};

/// The share of the pairs that 95 of 100 rehearsals miss is between these multiples of its mean.
struct Straying {
  double least = 1, most = 1;
};

/// Each rehearsal draws plan.rows hashes for each of plan.bands bands from the pool. Pair i counts count/probability; `pairs` are a sample
/// of `times` as many, in whole groups: what pairs of one group have in common then weighs less, what all pairs have in common does not.
Straying rehearse(const Agreements& agreements, std::span<const FoundPairs> pairs, const BandPlan& plan, double times, std::uint64_t seed);

}  // namespace nearkin
