// What the data is like: samples to tune for, advice on the size of shingles, the number of distinct items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/run.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// sample_sets chooses from this many records at the beginning of the input.
inline constexpr std::uint64_t kSampledRecords = 16'384;

/// Sets and texts: how the pairs of a collection are spread over similarity, from random items compared exactly with others. Give it to
/// `tune` as Choices::sample. It looks only at some of the first 16,384 records, so it is cheap. The same records in the same order give
/// the same sample, whether they come from one file or many, compressed, from a pipe, or from memory. What was read from standard input or
/// a pipe is kept for the run that follows. If there are more records, the collection is assumed to have a million items. Only the plan's
/// measure, shingles and the like are used. `whole` reads the whole input; the result is then absent if the input can be read only once.
std::optional<DataSample> sample_sets(const Input& input, const Plan& plan, std::uint64_t seed = 1, bool whole = false);
/// Vectors: the similarity or distance of up to `pairs` random pairs, and of random items to their nearest neighbours.
DataSample sample_data(const Vectors& vectors, Measure measure, std::uint64_t seed = 1, std::size_t pairs = 20000);
/// The same for the first 16,384 items of an input, or as many as fit in 8 MiB, independent of the container, as above. `whole` reads the
/// whole input for a forecast: it also compares random items with all others and, for a plan with recall 1, joins parts of the input; the
/// result is then absent if the input can be read only once.
std::optional<DataSample> sample_data(const Input& input, const Plan& plan, const std::optional<std::uint64_t>& seed = {},
                                      bool whole = false);

/// How often a shingle of one item occurs in an unrelated item, by chance.
struct ShingleChance {
  std::uint32_t size;  ///< units per shingle
  double chance;       ///< mean share of an item's shingles that occur in an unrelated item
};
struct ShingleAdvice {
  std::vector<ShingleChance> chances;  ///< ascending by size
  std::uint32_t recommended = 0;       ///< the least size with a chance of at most kRare; 0 = none
  std::uint64_t sampled = 0;           ///< items in the sample
  std::uint64_t compared = 0;          ///< unrelated pairs from which the chances were computed
  std::uint64_t related = 0;           ///< pairs that share long passages; they are left out of the chances
  double tokens = 0;                   ///< mean units per item that is not EMPTY, in the first 16 KiB of each text
  static constexpr double kRare = 0.01;
};
/// Measures a seeded sample of the input, which is read to its end. `shingle.size` is not used. What was read is added to `stats`, if
/// given.
ShingleAdvice advise_shingle(const Input& input, const ShinglePlan& shingle, std::uint64_t seed = 1, RunStats* stats = nullptr);

struct Distinct {
  double distinct = 0;  ///< estimated number of different items
  double error = 0;     ///< standard error, as a share of that
  RunStats stats;
};
/// The number of different normalised texts, or vectors, by HyperLogLog. It needs 2^precision bytes; `precision` is 4 to 18 (else
/// Error(plan)), and 14 has a standard error of 0.8 %.
Distinct distinct(const Input& input, Normalise normalise, unsigned precision = 14, const RunOptions& run = {});

}  // namespace nearkin
