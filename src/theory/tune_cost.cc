#include "theory/tune_cost.h"

#include <cmath>
#include <limits>

#include "theory/plan_rules.h"

namespace nearkin {
namespace {

// The nominal item and machine. Measured orders of magnitude, rounded; changing one changes the plans that `tune` makes.
//
// Sets
//   item         200 shingles, or the mean of the sample, where that is of no small collection
//   sketch       0.9 ns a shingle + 1 ns a slot; a slot is left empty with probability e^(−shingles/hashes), and the exact fallback
//                that fills it costs 0.1 ns for each shingle
//   candidate    60 ns for the signature test, which drops it where it is 0.2 and more below the threshold; else 1440 more to compare
//                the sets, in proportion to the shingles
//   neighbours   for each item of the collection, that many others at that similarity:
//                100 at 0.2, 20 at 0.4, 8 at 0.6 (as far as these are below the threshold), 2 just below the threshold;
//                or those of the sample
constexpr double kShingles = 200;
constexpr double kShingleCost = 0.9;
constexpr double kSlotCost = 1.0;
constexpr double kFallbackCost = 0.1;
constexpr double kSignatureCost = 60;
constexpr double kComparedCost = 1440;
constexpr double kDroppedBelow = 0.2;
constexpr double kJustBelow = 2;
constexpr double kSmallCollection = 10'000;  // items
constexpr double kSpare = 1.25;
struct Share {
  double x, count;
};
constexpr Share kNearSets[] = {{0.2, 100}, {0.4, 20}, {0.6, 8}};

// Vectors
//   item         128 numbers, or as many that are not 0
//   hash         a bit: 3 ns from a dense vector (by transforms), 1 from bits; a projection: 0.2 ns a number; either of a sparse vector:
//                2 ns a number, as the coefficients are made on the way; a weighted minimum 500 ns
//   candidate    a cache miss, and 0.2 ns a number, 3 where sparse
//   collection   a million items, or as many as were said; for each item half of the others, spread around what random vectors have
constexpr double kNumbers = 128;
constexpr double kDenseBit = 3;
constexpr double kSampledBit = 1;
constexpr double kDenseNumber = 0.2;
constexpr double kSparseHash = 2;
constexpr double kSparseNumber = 3;
constexpr double kWeightedMinimum = 500;
constexpr double kMiss = 60;
constexpr double kItems = 1e6;
constexpr Share kWeights[] = {{0, 0.9}, {0.05, 0.09}, {0.1, 0.0099}, {0.2, 0.0001}};
constexpr Share kCosines[] = {{-0.1, 0.25}, {0, 0.45}, {0.1, 0.25}, {0.2, 0.045}, {0.3, 0.005}};
constexpr Share kBitsApart[] = {{0.5, 0.75}, {0.45, 0.2}, {0.4, 0.05}};  // as shares of the bits
constexpr Share kRadiiApart[] = {{3, 0.8}, {2.5, 0.17}, {2, 0.03}};      // in radii

constexpr double kBandCost = 17;  // 8 for the key, 9 for its share of the sort

std::uint32_t dimensions_of(const Choices& choices) {
  if (choices.dimensions) return *choices.dimensions;
  return choices.sample ? choices.sample->dimensions : 0;
}

bool is_sparse(const Plan& plan, const Choices& choices) {
  return plan.kind == Kind::tfidf ||
         (plan.kind == Kind::numbers && choices.sample && !choices.sample->values.empty() && dimensions_of(choices) == 0);
}

/// A sample of sets, which tells how their pairs are spread.
bool has_pairs(const Plan& plan, const Choices& choices) {
  if (plan.kind != Kind::shingles || !choices.sample) return false;
  return choices.sample->items > 0 && (choices.sample->asked > 0 || !choices.sample->pairs.empty());
}

bool is_small(const DataSample& sample) { return static_cast<double>(sample.items) < kSmallCollection; }

double shingles_of(const Choices& choices) {
  return choices.sample && choices.sample->shingles > 0 && !is_small(*choices.sample) ? choices.sample->shingles : kShingles;
}

double numbers_of(const Choices& choices) { return dimensions_of(choices) > 0 ? dimensions_of(choices) : kNumbers; }

/// Its signature tells that a candidate of this agreement is not of that at the border.
bool is_dropped(const Plan& plan, double agreement, double border) {
  return plan.kind == Kind::shingles && agreement < border - kDroppedBelow - kRounding;
}

/// The cost of a candidate with this agreement; `border` is the agreement at the border.
double look_cost(const Plan& plan, const Choices& choices, double agreement, double border) {
  if (is_dropped(plan, agreement, border)) return kSignatureCost;
  if (plan.kind == Kind::shingles) return kSignatureCost + kComparedCost * shingles_of(choices) / kShingles;
  return kMiss + vector_cost(plan, choices);
}

Neighbours neighbours_at(const Plan& plan, const Choices& choices, double x, double agreement, double count, double border) {
  return {x,
          agreement,
          count,
          look_cost(plan, choices, agreement, border),
          is_dropped(plan, agreement, border),
          agreement >= border - kRounding};
}

/// The sample in steps of agreement, so that a search over many shapes need not look at each of thousands of pairs. The few pairs that are
/// near count most and are kept apart from the many that are far.
std::vector<Neighbours> sampled(const Plan& plan, const Choices& choices, double border) {
  const std::size_t steps = plan.band.probes > 1 ? 16 : 256;
  struct Step {
    double sum = 0, count = 0;
  };
  std::vector<Step> at(steps + 1);
  for (const double x : choices.sample->values) {
    Step& step = at[static_cast<std::size_t>(agreement(plan, x) * static_cast<double>(steps))];
    step.sum += x;
    step.count += 1;
  }
  const double pairs = static_cast<double>(choices.sample->values.size()), others = static_cast<double>(choices.sample->items) / 2;
  std::vector<Neighbours> neighbours;
  for (const Step& step : at) {
    if (step.count == 0) continue;
    const double x = step.sum / step.count, agrees = agreement(plan, x);
    neighbours.push_back(neighbours_at(plan, choices, x, agrees, others * step.count / pairs, border));
  }
  return neighbours;
}

/// Copies are left out: they are folded before there are candidates.
std::vector<Neighbours> sampled_sets(const Plan& plan, const Choices& choices, double border) {
  const double items = static_cast<double>(choices.sample->items);
  std::vector<Neighbours> neighbours;
  for (const PairsAt& step : choices.sample->pairs) {
    const double agrees = agreement(plan, step.at);
    const double different = step.pairs - step.repeated;
    if (agrees >= 1 || different <= 0) continue;
    neighbours.push_back(neighbours_at(plan, choices, step.at, agrees, different / items, border));
  }
  return neighbours;
}

/// Their Jaccard similarity is their agreement.
std::vector<Neighbours> nominal_sets(const Plan& plan, const Choices& choices, double border) {
  std::vector<Neighbours> neighbours = {neighbours_at(plan, choices, border, border, kJustBelow, border)};
  neighbours.front().asked_for = false;  // just below it
  for (const auto& [agrees, count] : kNearSets) {
    if (agrees >= border - kRounding) continue;
    neighbours.push_back(neighbours_at(plan, choices, agrees, agrees, count, border));
  }
  return neighbours;
}

std::vector<Neighbours> nominal_vectors(const Plan& plan, const Choices& choices, double border) {
  const double items = choices.sample && choices.sample->items > 1 ? static_cast<double>(choices.sample->items) : kItems;
  std::vector<Neighbours> neighbours;
  const auto add = [&](double x, double agrees, double share) {
    if (agrees >= border - kRounding) return;
    neighbours.push_back(neighbours_at(plan, choices, x, agrees, share * items / 2, border));
  };
  if (plan.sketch.family == Family::weighted_minhash) {
    for (const auto& [similarity, share] : kWeights) add(similarity, similarity, share);
  } else if (plan.sketch.family == Family::hyperplane) {
    for (const auto& [cosine, share] : kCosines) add(cosine, hyperplane_agreement(cosine), share);
  } else if (plan.sketch.family == Family::bit_sampling) {
    for (const auto& [apart, share] : kBitsApart) add(apart, 1 - apart, share);
  } else {
    for (const auto& [radii, share] : kRadiiApart) add(radii * plan.radius, agreement(plan, radii * plan.radius), share);
  }
  return neighbours;
}

}  // namespace

std::vector<Neighbours> background(const Plan& plan, const Choices& choices) {
  const double border = agreement(plan, border_of(plan));
  if (has_pairs(plan, choices)) return sampled_sets(plan, choices, border);
  if (choices.sample && choices.sample->items > 0 && !choices.sample->values.empty()) return sampled(plan, choices, border);
  return is_vector(plan.kind) ? nominal_vectors(plan, choices, border) : nominal_sets(plan, choices, border);
}

std::vector<Neighbours> unseen(const Plan& plan, const Choices& choices) {
  if (!has_pairs(plan, choices)) return {};
  return nominal_sets(plan, choices, agreement(plan, border_of(plan)));
}

double spare_cost(const Plan& plan, const Choices& choices) {
  if (!has_pairs(plan, choices)) return 1;
  return is_small(*choices.sample) ? std::numeric_limits<double>::infinity() : kSpare;
}

double vector_cost(const Plan& plan, const Choices& choices) {
  if (plan.kind == Kind::bits) return 0;
  return is_sparse(plan, choices) ? kSparseNumber * kNumbers : kDenseNumber * numbers_of(choices);
}

double sketch_cost(const Plan& plan, const Choices& choices, std::uint32_t hashes) {
  const double shingles = shingles_of(choices);
  switch (plan.sketch.family) {
    case Family::minhash:
      return kShingleCost * shingles + kSlotCost * hashes + kFallbackCost * shingles * hashes * std::exp(-shingles / hashes);
    case Family::weighted_minhash: return kWeightedMinimum * hashes;
    case Family::bit_sampling: return kSampledBit * hashes;
    case Family::hyperplane: return (is_sparse(plan, choices) ? kSparseHash * kNumbers : kDenseBit) * hashes;
    case Family::gaussian:
    case Family::cauchy: return (is_sparse(plan, choices) ? kSparseHash * kNumbers : kDenseNumber * numbers_of(choices)) * hashes;
  }
  return 0;
}

double band_cost(std::uint32_t bands) { return kBandCost * bands; }

double looked_at_share(double mates, std::uint32_t large_bucket) {
  constexpr double kTaken = 9;  // pairs of a member of a large bucket: with the first, and two in each of four other bands
  return mates <= large_bucket ? 1 : std::min(1.0, kTaken / (mates / 2));
}

double candidate_cost(const Plan& plan, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                      BandChance& chance) {
  double cost = 0;
  for (const Neighbours& other : others) {
    if (other.asked_for) continue;
    cost += other.count * other.each * found_probability(chance(plan, other.x, other.agreement, rows), bands, 1);
  }
  return cost;
}

double looking_cost(const Plan& plan, const std::vector<Neighbours>& others, BandChance& chance) {
  double cost = 0, mates = 0;
  for (const Neighbours& other : others) {
    const double meets = chance(plan, other.x, other.agreement, plan.band.rows);
    mates += 2 * other.count * meets;
    cost += other.count * other.each * found_probability(meets, plan.band.bands, 1);
  }
  return cost * looked_at_share(mates, plan.band.large_bucket);
}

double run_cost(const Plan& plan, double sketch, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                BandChance& chance) {
  return sketch + band_cost(bands) + candidate_cost(plan, others, bands, rows, chance);
}

}  // namespace nearkin
