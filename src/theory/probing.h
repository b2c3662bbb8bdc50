// The probability that one band finds a pair, with the neighbouring buckets that a query looks at counted in.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "base/probe_sequence.h"

namespace nearkin {

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

}  // namespace nearkin
