#include "family/weighted_minhash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <nearkin/error.h>

#include "base/hash.h"
#include "base/portable_math.h"

namespace nearkin {
namespace {

// Weights are cut at powers of two into rows, ranks into layers. Row ν (weights 2^ν to 2^(ν+1)) and the ranks 2^(l−ν) to 2^(l−ν+1), which
// are the layer l of that row, have area 2^l. From layer 0 upwards a layer is 2^l cells of area 1. The layers below 0 have area 1 together
// and seldom a dart far down, so that one random number, the gate, says first how far down the lowest one lies. FROZEN, all of it.
constexpr int kLowestLayer = -32;
// Low rows are left out where all of them together would bring less than 2^-12 of the darts thrown.
constexpr int kLeftOut = 12;
constexpr std::uint64_t kWholeRow = std::uint64_t{1} << 32;
constexpr int kRankBits = 52;       // of a rank within its layer
constexpr int kRankOffset = 2048;   // makes exponents of ranks, within ±1200, positive numbers of 12 bits
constexpr int kNoExponent = -4096;  // below that of any rank
constexpr std::uint64_t kNoRank = UINT64_MAX;
constexpr std::size_t kMostInCell = 16;

double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

struct Chances {
  std::array<std::uint64_t, 33> below;          // [j]: 2^32·P[a dart in the layers under −j], whose area is 2^−j
  std::array<double, 33> area, none;            // [j]: 2^−j, and P[no dart in it]
  std::array<std::uint64_t, kMostInCell> cell;  // [n]: 2^64·P[at most n darts in an area of 1]
};

Chances make_chances() {
  Chances chances{};
  for (std::size_t j = 0; j < chances.area.size(); ++j) {
    const double area = 1 / static_cast<double>(std::uint64_t{1} << j), none = portable::exp(-area);
    chances.area[j] = area;
    chances.none[j] = none;
    // 1 − e^−a = a − a²/2 + … where the difference would cancel.
    chances.below[j] = static_cast<std::uint64_t>((j < 20 ? 1 - none : area - area * area / 2) * 0x1p32);
  }
  double term = chances.none[0], sum = 0;
  for (std::size_t n = 0; n < kMostInCell; ++n) {
    sum += term;
    term /= static_cast<double>(n + 1);
    chances.cell[n] = sum < 1 ? static_cast<std::uint64_t>(sum * 0x1p64) : UINT64_MAX;
  }
  return chances;
}

const Chances kChances = make_chances();

// Darts in an area of 2^−j, by inversion.
std::uint32_t darts_in_area(std::size_t j, double chance) {
  double term = kChances.none[j], sum = term;
  std::uint32_t darts = 0;
  while (chance >= sum && darts < kMostInCell) {
    ++darts;
    term *= kChances.area[j] / darts;
    sum += term;
  }
  return darts;
}

// The same for an area of 1, from 64 random bits.
std::uint32_t darts_in_cell(std::uint64_t bits) {
  std::uint32_t darts = 0;
  for (std::size_t n = 0; n < 4; ++n) darts += bits >= kChances.cell[n];
  while (darts >= 4 && darts < kMostInCell && bits >= kChances.cell[darts]) ++darts;
  return darts;
}

// The layer of the lowest dart below layer 0; 0 where there is none.
int lowest_layer(std::uint32_t gate) {
  int layer = 0;
  while (layer > kLowestLayer && gate < kChances.below[static_cast<std::size_t>(-layer)]) --layer;
  return layer;
}

}  // namespace

WeightedMinHasher::WeightedMinHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t)
    : hashes_(plan.hashes), key_(SplitMix(plan.seed)()), best_(plan.hashes) {
  if (kind == Vectors::Kind::bits) {
    throw Error(ErrorCode::plan, "sketch", "weighted-minhash takes weights, not bits; use family bit-sampling");
  }
}

void WeightedMinHasher::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  keep_weights(vectors, i);
  std::fill_n(slots, hashes_, 0u);
  if (weights_.empty()) return;
  std::fill(best_.begin(), best_.end(), Best{kNoRank, 0});
  // A slot that has a dart keeps it when higher ranks follow; so ranks are doubled until every slot has one.
  Reach reach = first_reach();
  throw_darts(reach);
  const auto has_none = [](const Best& best) { return best.rank == kNoRank; };
  while (std::any_of(best_.begin(), best_.end(), has_none)) {
    reach = {reach.end, reach.end + 1, reach.least_area};
    throw_darts(reach);
  }
  for (std::uint32_t j = 0; j < hashes_; ++j) slots[j] = best_[j].dart;
}

void WeightedMinHasher::keep_weights(const Vectors& vectors, std::size_t i) {
  weights_.clear();
  const auto keep = [&](std::uint64_t index, double weight) {
    if (!(weight > 0)) return;
    const int below_normal = weight < 0x1p-1022 ? 64 : 0;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(below_normal != 0 ? weight * 0x1p64 : weight);
    const int row = static_cast<int>(bits >> 52) - 1023 - below_normal;
    weights_.push_back({mix64(mix64(index + kGoldenStep) ^ key_), bits << 12 >> 32, row});
  };
  if (vectors.kind == Vectors::Kind::sparse) {
    const SparseView x = vectors.sparse(i);
    for (std::size_t k = 0; k < x.indices.size(); ++k) keep(x.indices[k], x.values[k]);
  } else {
    const std::span<const float> x = vectors.dense(i);
    for (std::size_t d = 0; d < x.size(); ++d) keep(d, double{x[d]});
  }
}

// Ranks are looked at up to a power of two first that gives about as many darts as fill all slots, hashes·ln(hashes) and some.
WeightedMinHasher::Reach WeightedMinHasher::first_reach() const {
  int top = weights_.front().row;
  for (const Weight& weight : weights_) top = std::max(top, weight.row);
  double total = 0;
  for (const Weight& weight : weights_) {
    const int exponent = weight.row - top + 1023;
    if (exponent > 0) total += std::bit_cast<double>(static_cast<std::uint64_t>(exponent) << 52 | weight.above << 20);
  }
  const double wanted = hashes_ * (0.7 * std::bit_width(hashes_) + 0.25);
  const int least_area = std::ilogb(wanted / static_cast<double>(weights_.size())) - kLeftOut;
  return {kNoExponent, std::ilogb(wanted / total) + 1 - top, std::max(least_area, kLowestLayer)};
}

// Two are written in any case, as most often there are none, one or two, and the processor could not foresee which.
inline void WeightedMinHasher::add_darts(std::uint64_t cell, std::uint64_t rank, int drawn, std::uint64_t above, std::uint32_t count) {
  if (dart_count_ + kMostInCell + 2 > darts_.size()) darts_.resize(2 * darts_.size() + 256);
  Dart* const darts = darts_.data() + dart_count_;
  for (std::uint32_t n = 0; n < std::max(count, 2u); ++n) {
    darts[n].seed = cell + (n + 1) * kGoldenStep;
    darts[n].rank = rank;
    darts[n].above = above;
    darts[n].drawn = drawn;
  }
  dart_count_ += count;
}

void WeightedMinHasher::throw_darts(const Reach& reach) {
  dart_count_ = 0;
  for (const Weight& weight : weights_) {
    std::uint64_t above = weight.above, word = 0;
    for (int row = weight.row; row + reach.end >= reach.least_area; --row, above = kWholeRow) {
      const bool odd = (row & 1) != 0;
      if (odd || row == weight.row) word = mix64(weight.key + static_cast<std::uint64_t>(row >> 1) * kGoldenStep);  // gates of two rows
      const auto gate = static_cast<std::uint32_t>(odd ? word >> 32 : word);
      const int end = row + reach.end;
      if (end <= 0 && gate >= kChances.below[static_cast<std::size_t>(-end)]) continue;
      throw_strip(mix64(word + (odd ? 2 : 1)), gate, {row, std::max(row + reach.begin, kLowestLayer), end, above});
    }
  }
  settle_slots();
}

void WeightedMinHasher::throw_strip(std::uint64_t key, std::uint32_t gate, const Strip& strip) {
  if (strip.begin < 0) throw_low_layers(key, gate, strip);
  for (int layer = std::max(0, strip.begin); layer < strip.end; ++layer) {
    const std::uint64_t cells = std::uint64_t{1} << layer;
    const std::uint64_t rank = static_cast<std::uint64_t>(layer - strip.row + kRankOffset) << kRankBits;
    const int drawn = kRankBits - layer;
    for (std::uint64_t c = 0; c < cells; ++c) {
      const std::uint64_t cell = mix64(key + (cells + c) * kGoldenStep);
      add_darts(cell, rank | c << drawn, drawn, strip.above, darts_in_cell(cell));
    }
  }
}

void WeightedMinHasher::throw_low_layers(std::uint64_t key, std::uint32_t gate, const Strip& strip) {
  const int lowest = lowest_layer(gate);
  for (int layer = std::max(lowest, strip.begin); layer < std::min(strip.end, 0); ++layer) {
    const auto j = static_cast<std::size_t>(-layer);
    const std::uint64_t cell = mix64(key - j * kGoldenStep);
    const double none = kChances.none[j], chance = unit_interval(cell);
    const std::uint64_t rank = static_cast<std::uint64_t>(layer - strip.row + kRankOffset) << kRankBits;
    add_darts(cell, rank, kRankBits, strip.above, darts_in_area(j, layer == lowest ? none + (1 - none) * chance : chance));
  }
}

void WeightedMinHasher::settle_slots() {
  for (std::size_t i = 0; i < dart_count_; ++i) {
    const Dart& dart = darts_[i];
    const std::uint64_t place = mix64(dart.seed), rest = mix64(place + kGoldenStep);
    const std::uint64_t rank = static_cast<std::uint32_t>(place) < dart.above ? dart.rank | rest >> (64 - dart.drawn) : kNoRank;
    Best& best = best_[multiply128(place, hashes_).high];
    const bool lower = rank < best.rank;
    best.rank = lower ? rank : best.rank;
    best.dart = lower ? static_cast<std::uint32_t>(rest) : best.dart;
  }
}

}  // namespace nearkin
