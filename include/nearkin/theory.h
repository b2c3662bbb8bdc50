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
/// Fewest bands of `rows` rows that find a pair at `similarity` with probability `recall` at least.
std::uint32_t bands_needed(double similarity, std::uint32_t rows, double recall);

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
