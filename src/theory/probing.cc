#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "theory/chances.h"

namespace nearkin {
namespace {

// A slot is cut into so many places: their middles stand for all fractions, with an error of about 1/(12·kPlaces²) of the curvature.
constexpr std::uint32_t kPlaces = 128;
constexpr std::uint64_t kSeed = 0x70726f6265730001u;

double fraction_of(std::uint32_t place) { return (place + 0.5) / kPlaces; }

/// Fewer where there are many buckets, which cost time.
std::uint32_t trials_for(std::uint32_t probes) { return kPlaces * std::clamp(32 / std::max(probes, 1u), 1u, 8u); }

/// Row by row, every place equally often, in random order (Latin hypercube sampling): most of the error is what a single row adds to it,
/// and that vanishes.
std::vector<std::uint32_t> drawn_places(std::uint32_t rows, std::uint32_t trials) {
  SplitMix random(kSeed + rows);
  std::vector<std::uint32_t> places(std::size_t{rows} * trials);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      const auto other = static_cast<std::uint32_t>(random() % (trial + 1));
      places[std::size_t{trial} * rows + row] = places[std::size_t{other} * rows + row];
      places[std::size_t{other} * rows + row] = trial % kPlaces;
    }
  }
  return places;
}

double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// That a standard Gaussian step, `scale` slots long on average, from the fraction ends in the slot at `step` from the fraction's own.
double lands(double fraction, double step, double scale) { return below((step + 1 - fraction) / scale) - below((step - fraction) / scale); }

}  // namespace

ProbedBand::ProbedBand(std::uint32_t rows, std::uint32_t probes)
    : rows_(rows), trials_(trials_for(probes)), places_(drawn_places(rows, trials_)) {
  ProbeSequence sequence;
  std::vector<double> fractions(rows);
  for (std::uint32_t trial = 0; trial < trials_; ++trial) {
    const std::uint32_t* places = places_.data() + std::size_t{trial} * rows;
    for (std::uint32_t row = 0; row < rows; ++row) fractions[row] = fraction_of(places[row]);
    sequence.find(fractions, probes);
    buckets_.push_back(static_cast<std::uint32_t>(sequence.size() - 1));
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      for (const Shift& shift : sequence[i]) moves_.push_back({places[shift.row], shift.step});
      ends_.push_back(static_cast<std::uint32_t>(moves_.size()));
    }
  }
}

double ProbedBand::chance(double distance, double width) const {
  if (!(distance > 0)) return 1;
  if (!(width > distance * 1e-9)) return 0;     // differences of erfc would be rounding alone
  std::array<double, kPlaces> stays, down, up;  // the last two as multiples of the first
  for (std::uint32_t place = 0; place < kPlaces; ++place) {
    const double fraction = fraction_of(place), scale = distance / width;
    stays[place] = lands(fraction, 0, scale);
    down[place] = lands(fraction, -1, scale) / stays[place];
    up[place] = lands(fraction, 1, scale) / stays[place];
  }
  double sum = 0;
  std::size_t bucket = 0, move = 0;
  for (std::uint32_t trial = 0; trial < trials_; ++trial) {
    double own = 1, all = 1;
    for (std::uint32_t row = 0; row < rows_; ++row) own *= stays[places_[std::size_t{trial} * rows_ + row]];
    for (const std::size_t end = bucket + buckets_[trial]; bucket < end; ++bucket) {
      double multiple = 1;
      for (; move < ends_[bucket]; ++move) multiple *= (moves_[move].step < 0 ? down : up)[moves_[move].place];
      all += multiple;
    }
    sum += own * all;
  }
  return std::min(1.0, sum / trials_);
}

double BandChance::operator()(const Plan& plan, double x, std::uint32_t rows) { return (*this)(plan, x, agreement(plan, x), rows); }

double BandChance::operator()(const Plan& plan, double x, double agreement, std::uint32_t rows) {
  if (!probing_ || plan.band.probes <= 1 || plan.sketch.family != Family::gaussian || rows == 0) {
    return std::pow(agreement, static_cast<double>(rows));
  }
  auto found = probed_.find(rows);
  if (found == probed_.end()) found = probed_.emplace(rows, ProbedBand(rows, plan.band.probes)).first;
  return found->second.chance(x, plan.sketch.width);
}

}  // namespace nearkin
