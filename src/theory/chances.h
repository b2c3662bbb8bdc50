// The chances that hashes agree and bands find a pair, beyond theory.h: computed to the same bits on every machine, with probes, and for
// tables of prefixes.
#pragma once

#include <map>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "base/probe_sequence.h"

namespace nearkin {

/// As `agreement(plan, x)` (tools/theory.h), within 1e-12. Hamming distances are counts, not shares.
double portable_agreement(const Plan& plan, double x);

/// cos(π·x) for x in [0, 1], within 1e-15.
double portable_cos_pi(double x);

/// A band of `rows` Gaussian projections of which a query searches `probes` buckets. The position of the query in its slots is simulated
/// from a seed. Given that, the rows of the other point are independent, so the chance of each bucket is computed as a product.
class ProbedBand {
 public:
  ProbedBand(std::uint32_t rows, std::uint32_t probes);
  /// The chance that a point at this distance lies in one of the buckets.
  double chance(double distance, double width) const;

 private:
  struct Move {
    std::uint32_t place;  ///< of the row's fraction, in steps
    std::int32_t step;
  };
  std::uint32_t rows_, trials_;
  std::vector<std::uint32_t> places_;   ///< `rows` per trial: the position of the query in its slot, in steps
  std::vector<Move> moves_;             ///< of all buckets but the query's own
  std::vector<std::uint32_t> ends_;     ///< of the moves of a bucket
  std::vector<std::uint32_t> buckets_;  ///< number of buckets of each trial, without the query's own
};

/// The chance that one band of `rows` rows finds two items of similarity, or distance, x: agreement^rows, or with `probing` that of the
/// plan's probes. Caches its simulations.
class BandChance {
 public:
  explicit BandChance(bool probing) : probing_(probing) {}
  double operator()(const Plan& plan, double x, std::uint32_t rows);
  /// The same where the agreement at x is known already.
  double operator()(const Plan& plan, double x, double agreement, std::uint32_t rows);

 private:
  bool probing_;
  std::map<std::uint32_t, ProbedBand> probed_;  ///< by rows; one plan's probes
};

/// Bits of one digit, made from one hash. FROZEN with the keys of tables.
constexpr std::uint32_t prefix_digit_bits(Family family) {
  switch (family) {
    case Family::minhash:
    case Family::weighted_minhash: return 8;
    case Family::hyperplane:
    case Family::bit_sampling: return 1;
    case Family::gaussian:
    case Family::cauchy: return 2;
  }
  return 1;
}

/// The number of digits of a key, which is also the number of hashes per table. A key has at most 64 bits. 24 hashes of one bit distinguish
/// 16 million items; more digits would be hashed but never used.
constexpr std::uint32_t prefix_depth(Family family) {
  switch (prefix_digit_bits(family)) {
    case 8: return 8;
    case 2: return 16;
    default: return 24;
  }
}

}  // namespace nearkin
