// The arithmetic behind a plan: S-curves, sample sizes, recall estimates. It needs no data. docs/theory.md has the derivations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// 1 − (1 − s^rows)^bands: the probability that a pair of similarity s shares a bucket. A similarity outside 0..1 is taken as 0 or 1.
double found_probability(double similarity, std::uint32_t bands, std::uint32_t rows);
/// (1/bands)^(1/rows): about where the S-curve is steepest. Throws Error(plan) for 0 bands or rows.
double curve_threshold(std::uint32_t bands, std::uint32_t rows);
/// (1 − 2^(−1/bands))^(1/rows): the similarity at which half of the pairs are found. Throws Error(plan) for 0 bands or rows.
double half_point(std::uint32_t bands, std::uint32_t rows);
/// The fewest bands of `rows` rows that find a pair of this similarity with probability `recall`. For families other than minhash, pass the
/// agreement in place of the similarity. 4294967295 if no number of bands does.
std::uint32_t bands_needed(double similarity, std::uint32_t rows, double recall);

/// The family that hashes items of this kind for the measure.
Family family_of(Measure measure, Kind kind);
/// The probability that one hash of the plan's family agrees for two items of similarity, or distance, x: s for minhash, 1 − θ/π for
/// cosine, 1 − d/D for bits, (D−d)/(D+d) for rows of a table with D columns. A Hamming distance is a number of places, and needs
/// plan.sketch.dimensions (Error(plan) without). Below 1 it is a share of the places if the plan's radius is one.
double agreement(const Plan& plan, double x);
/// The S-curve of a plan over similarity or distance: 1 − (1 − agreement(x)^rows)^bands. `probing`: for a query, which looks into several
/// buckets per band (computed by a seeded simulation). 1 for plans without a sketch and for plans with tables of prefixes (rows 0), which
/// search until they reach their recall.
double found_probability(const Plan& plan, double x, bool probing = false);
/// The same for a Hamming distance that is given as a share of the places, from 0 to 1.
double found_at_share(Plan plan, double share);
/// Whether the radius is a share of the places.
inline bool has_share_radius(const Plan& plan) { return plan.measure == Measure::hamming && plan.radius > 0 && plan.radius < 1; }
/// The similarity or distance at which the plan finds half of the pairs. A Hamming distance is a share of the places if the radius is one.
double half_point(const Plan& plan);
/// The similarity or distance at which the plan's curve is steepest, in the same unit: about (1/bands)^(1/rows) for Jaccard, likewise for
/// bits; for the other families it is searched for on the curve. Absent for a single row, which makes no S, and for curves that only get
/// steeper towards an end.
std::optional<double> steepest_point(const Plan& plan);

/// The probability that ⌊(a·x+b)/width⌋ is equal for two points at this distance, for Gaussian a (Euclidean) and Cauchy a (Manhattan).
double gaussian_agreement(double distance, double width);
double cauchy_agreement(double distance, double width);
/// 1 − θ/π for a cosine from −1 to 1.
double hyperplane_agreement(double cosine);

/// The smallest whole k above 2·δ⁻²·c⁻¹·ln(1/ε). With k hashes and probability 1−ε, a pair of similarity s ≥ c is estimated at (1−δ)s or
/// more, and one below c at (1+δ)c or less. `delta` and `epsilon` are above 0 and below 1, `above` (c) is above 0 and at most 1, else
/// Error(plan).
std::uint64_t hashes_for_error(double delta, double epsilon, double above);

/// A pair of this similarity has at least this many equal slots with probability 1 − `miss` (binomial). `slots`: slots compared. `bits`:
/// bits kept of each slot; different slots agree by chance with probability 2^-bits. A candidate with fewer equal slots can be dropped
/// unverified.
std::uint32_t least_agreement(double similarity, std::uint32_t slots, std::uint32_t bits, double miss);

/// Pairs that were found and verified.
struct FoundPairs {
  double probability = 1;   ///< with which the plan finds such a pair; above 0, at most 1
  double count = 1;         ///< number of pairs that this stands for (copies of the same two items)
  std::uint32_t group = 0;  ///< pairs that are connected by shared items are in one group; numbered from 0
};

/// What the interval of a recall depends on, besides the pairs.
struct Finding {
  double at_threshold = 1;  ///< probability that a pair exactly at the threshold is found; above 0, at most 1
  /// The share missed by 95 of 100 runs with other hash functions is between these multiples of its mean. 1 and 1: no farther from the mean
  /// than for pairs that are found independently.
  double least_missed = 1, most_missed = 1;
};

/// Recall by inverse-probability weighting (Horvitz and Thompson): a pair found with probability p stands for 1/p pairs. Valid only if
/// every candidate was verified. 1 if nothing was found.
Recall estimate_recall(std::span<const FoundPairs> found, const Finding& finding = {});

/// One random item of an audit, compared with all others exactly.
struct AuditedItem {
  std::uint64_t true_pairs = 0;  ///< its pairs at or above the threshold
  std::uint64_t found = 0;       ///< those of them that the run found
};

/// Σ found / Σ true_pairs over items drawn at random, without replacement, from `population` items. The interval comes from a seeded
/// bootstrap over the items, the same on every machine. If no item has a true pair, the recall is 1 with the interval 0 to 1: nothing is
/// known. Throws Error(plan) for an item with more pairs found than it has, and for more items than the population.
Recall audited_recall(std::span<const AuditedItem> items, std::uint64_t population, std::uint64_t seed = 1);

/// The number of possible shingles of k symbols: symbols^k.
double possible_shingles(double symbols, std::uint32_t k);
/// The number of pairs of `items` items: n(n−1)/2.
double all_pairs(double items);

// For learning and for tests.

/// MinHash by explicit permutations. `columns[c]` lists the rows (from 0) in set c; `ranks[p][row]` is the place of the row in permutation
/// p. Returns signature[p][c], the least rank of the column's rows; 4294967295 for an empty column. Throws Error(data) for a row without a
/// rank.
std::vector<std::vector<std::uint32_t>> minhash_by_permutations(std::span<const std::vector<std::uint32_t>> columns,
                                                                std::span<const std::vector<std::uint32_t>> ranks);
/// The hash function (a·x + b) mod m.
struct LinearHash {
  std::uint64_t a, b, m;
};
/// MinHash in one pass, with hash functions in place of permutations. Returns signature[f][c]. Throws Error(data) for m = 0.
std::vector<std::vector<std::uint64_t>> minhash_by_functions(std::span<const std::vector<std::uint32_t>> columns,
                                                             std::span<const LinearHash> functions);

/// Positions in which two bit strings such as "1011101" differ. Throws Error(data) for unequal lengths.
std::uint32_t hamming_distance(std::string_view a, std::string_view b);

}  // namespace nearkin
