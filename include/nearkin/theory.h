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
  std::uint32_t group = 0;  ///< pairs of one group are joined by items that they share, so that they may be missed together
};

/// What else the interval rests on.
struct Finding {
  double at_threshold = 1;  ///< probability with which a pair exactly at the threshold is found
  /// Mean correlation of the finding of two pairs of one group: 0 where each is found for itself, 1 where both are found or missed as one.
  double together = 1;
};

/// By inverse-probability weighting (Horvitz and Thompson): a pair found with probability p stands for 1/p pairs. Groups are numbered
/// from 0. Valid only where every candidate was verified. 1 where nothing was found.
Recall estimate_recall(std::span<const FoundPairs> found, const Finding& finding = {});

/// One randomly chosen item of an audit, compared with all others exactly.
struct AuditedItem {
  std::uint64_t true_pairs = 0;  ///< its pairs at or above the threshold
  std::uint64_t found = 0;       ///< those of them that the run found
};

/// Σ found / Σ true_pairs over items drawn without replacement from `population`, whatever the run did and however pairs hang together. The
/// 95 % interval is a seeded bootstrap over the items, the same on every machine; a point where all were drawn. Where no item has a true
/// pair the recall is 1, and nothing is known of it: the interval is 0 to 1.
Recall audited_recall(std::span<const AuditedItem> items, std::uint64_t population, std::uint64_t seed = 1);

/// What a plan is expected to do with a collection.
struct Expectation {
  double similar = 0;     ///< pairs at or above the threshold, or within the radius
  double missed = 0;      ///< of these, not found: false negatives
  double candidates = 0;  ///< pairs looked at
  double dropped = 0;     ///< of these, below the threshold: false positives, which verifying takes out
  double copies = 0;  ///< of the similar, those of similarity 1 (distance 0): found for certain, before the search, and so no candidates
};
/// By the S-curve of the plan over the pairs of the sample. A sample that tells nothing of pairs gives zeros. Containment by sketches: what
/// is similar alone, as its bands follow from the sizes of the two items.
Expectation expect(const Plan& plan, const DataSample& sample);
/// The sample of a collection of so many items that are like these: pairs grow with the square of the items.
DataSample scaled(const DataSample& sample, std::uint64_t items);

/// The work of a plan, as `tune` counts it: nominal nanoseconds an item, the same on every machine.
struct Work {
  double sketch = 0;      ///< to shingle and sketch it
  double bands = 0;       ///< to key and sort its bands
  double candidates = 0;  ///< to look at its candidates
  double total() const { return sketch + bands + candidates; }
};
struct PlanWork {
  Plan plan;
  Work work;
};
/// Of a plan for this data (Choices::sample) or for nominal data.
Work work_of(const Plan& plan, const Choices& choices);
/// What else could be chosen: for `around` fewer and more rows than `tune` takes, as far as there are any, the cheapest plan that keeps the
/// goal's recall, those included that take more hashes than `tune` takes of itself; the chosen one among them. Ascending by rows. Empty for
/// plans without bands of rows.
std::vector<PlanWork> alternatives(const Goal& goal, const Choices& choices, std::uint32_t around = 3);

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
