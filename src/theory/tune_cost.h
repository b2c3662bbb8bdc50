// The parts of `tune`: the pairs of a sample that a goal asks for; nominal costs, which give the same plan on every machine; and the search
// for bands, rows and slot width.
#pragma once

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "theory/chances.h"

namespace nearkin {

inline constexpr std::uint32_t kMostTunedRows = 64;
inline constexpr double kRounding = 1e-9;  ///< tolerance: 0.6 is not below 0.8 − 0.2, despite binary fractions

/// Other items of the collection, for each item: how near, how many, and what it costs to look at one. A pair of items counts once.
struct Neighbours {
  double x;          ///< similarity or distance
  double agreement;  ///< of one hash
  double count;
  double each;     ///< ns
  bool dropped;    ///< by its signature, without a look at the item itself
  bool asked_for;  ///< at the border or beyond it
};
/// The neighbours of the sample, if the choices have one; else of a nominal collection, which has no pairs that are asked for.
std::vector<Neighbours> background(const Plan& plan, const Choices& choices);
/// The nominal neighbours, which a sample of sets may have missed. Empty without such a sample.
std::vector<Neighbours> unseen(const Plan& plan, const Choices& choices);
/// A shape may cost this many times as much as the cheapest one for the sample if it is cheaper for what the sample may have missed. No
/// limit for a small collection: any plan is fast for it, and a plan that is tuned for few items is often meant for many.
double spare_cost(const Plan& plan, const Choices& choices);

/// Nominal ns to compare two vectors in memory.
double vector_cost(const Plan& plan, const Choices& choices);

/// Nominal ns for the `hashes` hashes of one item.
double sketch_cost(const Plan& plan, const Choices& choices, std::uint32_t hashes);

/// Nominal ns to key and sort the bands of one item.
double band_cost(std::uint32_t bands);

/// Nominal ns to look at the other items that share a bucket and are not asked for. Pairs that are asked for do not count: otherwise the
/// shape that misses most would be the cheapest. The same holds for pairs that the rule for large buckets leaves out.
double candidate_cost(const Plan& plan, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows, BandChance& chance);

/// Nominal ns for all items that a run looks at, with the rule for large buckets.
double looking_cost(const Plan& plan, const std::vector<Neighbours>& others, BandChance& chance);

/// The share of the pairs in buckets that are looked at if an item meets `mates` others in a band: all, until a bucket is large.
double looked_at_share(double mates, std::uint32_t large_bucket);

/// Nominal ns for one item of a run: its sketch, its band keys and their sorting, and its candidates that are not asked for.
double run_cost(const Plan& plan, double sketch, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                BandChance& chance);

/// With fewer pairs within the border in the sample than this, their average says little about the pairs that were not sampled.
inline constexpr double kLeastSeen = 30;

/// At or above the plan's threshold, or within its radius. A Hamming radius that is a share is one of the sample's dimensions.
bool is_within(const Plan& plan, const DataSample& sample, double x);

/// Similarity 1, or distance 0: copies, which are always found, before any search.
bool are_copies(const Plan& plan, double x);

/// The pairs within the border that are not copies, in the sample's steps. For `values`, each step is represented by its farthest value, so
/// the average recall of the values is at least that of the steps. Their `pairs` are only proportional.
std::vector<PairsAt> similar_pairs(const Plan& plan, const DataSample& sample);

/// The number of pairs of the sample on which these are based.
double seen(const std::vector<PairsAt>& pairs);

struct Shape {
  std::uint32_t bands = 0, rows = 0;
  std::uint32_t hashes = 0;  ///< at least bands × rows
  double width = 0;          ///< gaussian, cauchy; else 0
};

/// The shape of least nominal cost that keeps the plan's recall, at its border or on average over the sample, under the choices; bands and
/// rows that were both chosen are taken as they are. For sampled sets: among the shapes that cost little more than the cheapest for the
/// sample (spare_cost), the one that costs least if the nominal neighbours exist as well, because a sample may miss some. The plan has
/// everything but its shape. Throws Error(plan) naming what cannot be met, and what could.
Shape choose_shape(const Plan& plan, const Choices& choices);

/// Tables of prefixes for a plan with `nearest`.
Shape choose_tables(const Plan& plan, const Choices& choices);

/// The slot width for a plan with `nearest`: a few times the distance to the nearest in the sample. 0 for families without.
double width_for_nearest(const Plan& plan, const Choices& choices);

}  // namespace nearkin
