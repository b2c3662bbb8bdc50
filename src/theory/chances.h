// How surely hashes agree and bands find, beyond theory.h: by arithmetic that gives the same bits on every machine, with probes, in tables
// of prefixes.
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

/// Bands of `rows` Gaussian projections of which `probes` buckets are looked at. Where the query lies in its slots is simulated, seeded;
/// given that, the rows of the other point are independent, so that the chance of each bucket is a product, and computed.
class ProbedBand {
 public:
  ProbedBand(std::uint32_t rows, std::uint32_t probes);
  /// That a point at the distance lies in one of the buckets.
  double chance(double distance, double width) const;

 private:
  struct Move {
    std::uint32_t place;  ///< of the row's fraction, in steps
    std::int32_t step;
  };
  std::uint32_t rows_, trials_;
  std::vector<std::uint32_t> places_;   ///< `rows` a trial: where in its slot the query lies, in steps
  std::vector<Move> moves_;             ///< of all buckets but the query's own
  std::vector<std::uint32_t> ends_;     ///< of the moves of a bucket
  std::vector<std::uint32_t> buckets_;  ///< of a trial, without its own: how many
};

/// The chance that one band of `rows` rows finds two items of similarity, or distance, x: agreement^rows, or with `probing` that of the
/// plan's probes. Keeps what it simulated.
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

/// Digits of a key, which is the hashes a table takes. A key has 64 bits at most; 24 hashes of one bit tell 16 million items apart, and
/// more digits would only be hashed and never be looked at.
constexpr std::uint32_t prefix_depth(Family family) {
  switch (prefix_digit_bits(family)) {
    case 8: return 8;
    case 2: return 16;
    default: return 24;
  }
}

}  // namespace nearkin
