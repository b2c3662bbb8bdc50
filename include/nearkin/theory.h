// The arithmetic behind a plan: no data, only numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// P(s) = 1 − (1 − s^rows)^bands: the probability that a pair of similarity s shares a bucket.
double found_probability(double similarity, std::uint32_t bands, std::uint32_t rows);
/// (1/bands)^(1/rows): where the S-curve is about steepest.
double curve_threshold(std::uint32_t bands, std::uint32_t rows);
/// (1 − 2^(−1/bands))^(1/rows): where exactly half of the pairs are found.
double half_point(std::uint32_t bands, std::uint32_t rows);
/// Fewest bands of `rows` rows that find a pair at `similarity` with probability `recall` at least. For other families than minhash the
/// similarity is the agreement of one hash.
std::uint32_t bands_needed(double similarity, std::uint32_t rows, double recall);

/// The probability that one hash of the plan's family agrees for two items of similarity, or distance, x: 1 − θ/π for cosine, 1 − d/D for
/// bits, (D−d)/(D+d) for the rows of a table, which are sets of D answers each. Where a Hamming radius is a share, an x below 1 is a share
/// too and needs no D; a count needs the plan's `dimensions` (Error(plan) without). Containment: that of two sets of equal size, x/(2−x);
/// the more unequal the sizes, the less it is, which is why the sketch only proposes, with other bands for each class of sizes.
double agreement(const Plan& plan, double x);
/// The S-curve of a plan, over similarity or distance: 1 − (1 − agreement(x)^rows)^bands. With `probing` as a query sees it: the plan's
/// probes are counted in, by a seeded simulation of where the query lies in its slots. 1 for plans without a sketch, and for tables of
/// prefixes (rows 0), which are looked at as far as the recall asks for.
double found_probability(const Plan& plan, double x, bool probing = false);

/// The probability that ⌊(a·x+b)/w⌋ is the same for two points at a distance, a Gaussian (Euclidean) or Cauchy (Manhattan).
double gaussian_agreement(double distance, double width);
double cauchy_agreement(double distance, double width);
/// 1 − θ/π for a cosine of −1 to 1.
double hyperplane_agreement(double cosine);

/// Smallest whole k above 2·δ⁻²·c⁻¹·ln(1/ε): hashes for which, with probability 1−ε, a pair of similarity s ≥ c is estimated at
/// (1−δ)s or more, and one below c at (1+δ)c or less.
std::uint64_t hashes_for_error(double delta, double epsilon, double above);

/// The least number of equal slots, of `slots` in all with a false agreement rate of 2^-bits a slot, that a pair of similarity
/// `similarity` reaches with probability 1 − `miss` at least (binomial). Below it a candidate may be dropped unverified.
std::uint32_t least_agreement(double similarity, std::uint32_t slots, std::uint32_t bits, double miss);

/// The share of the pairs at or above the threshold that a run found, with a 95 % interval.
struct Recall {
  double estimate = 1, low = 1, high = 1;
};

/// Pairs that were found and verified.
struct FoundPairs {
  double probability = 1;   ///< with which the plan finds a pair of their similarity
  double count = 1;         ///< how many pairs this stands for (copies of the same two items)
  std::uint32_t group = 0;  ///< pairs of one group share items, so that they may be missed together
};

/// By inverse-probability weighting (Horvitz and Thompson): a pair found with probability p stands for 1/p pairs. The interval takes the
/// pairs of a group as found or missed together, which makes it wide rather than narrow. Groups are numbered from 0.
/// Valid only where every candidate was verified. 1 where nothing was found.
Recall estimate_recall(std::span<const FoundPairs> found);

/// k-shingles over an alphabet: symbols^k.
double possible_shingles(double symbols, std::uint32_t k);
/// n(n−1)/2.
double all_pairs(double items);

/// For learning and for tests: min-hashing by explicit permutations. `columns[c]` lists the rows (from 0) in set c;
/// `ranks[p][row]` is the place of the row in permutation p. Returns signature[p][c] = least rank of the column's rows.
std::vector<std::vector<std::uint32_t>> minhash_by_permutations(std::span<const std::vector<std::uint32_t>> columns,
                                                                std::span<const std::vector<std::uint32_t>> ranks);
/// One pass with hash functions (a·x + b) mod m in place of permutations: signature[f][c].
struct LinearHash {
  std::uint64_t a, b, m;
};
std::vector<std::vector<std::uint64_t>> minhash_by_functions(std::span<const std::vector<std::uint32_t>> columns,
                                                             std::span<const LinearHash> functions);

/// Positions in which two equally long bit strings ("1011101") differ. Throws Error(data) for unequal lengths.
std::uint32_t hamming_distance(std::string_view a, std::string_view b);

}  // namespace nearkin
