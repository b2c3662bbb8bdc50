// The parts of `tune`: the pairs that a sample tells of and a goal asks for, nominal costs, which give the same plan on every machine, and
// the search for bands, rows and slot width.
#pragma once

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "theory/chances.h"

namespace nearkin {

inline constexpr std::uint32_t kMostTunedRows = 64;
inline constexpr double kRounding = 1e-9;  ///< 0.6 is not under 0.8 − 0.2, whatever the binary fractions say

/// Other items of the collection, for each item: how near, how many, and what it costs to look at one. A pair of items counts once.
struct Neighbours {
  double x;          ///< similarity or distance
  double agreement;  ///< of one hash
  double count;
  double each;     ///< ns
  bool dropped;    ///< by its signature, without a look at the item itself
  bool asked_for;  ///< at the border or beyond it
};
/// Those of the sample where the choices have one, else of a nominal collection, which has none that is asked for.
std::vector<Neighbours> background(const Plan& plan, const Choices& choices);
/// Those that a sample of sets may have failed to show: the nominal ones. Nothing where there is no such sample.
std::vector<Neighbours> unseen(const Plan& plan, const Choices& choices);
/// How many times the cost of the cheapest for the sample a shape may cost, to be cheap for what the sample failed to show as well. A small
/// collection sets no limit: any plan takes a moment for it, and one that is tuned for a few items is often meant for many.
double spare_cost(const Plan& plan, const Choices& choices);

/// Nominal ns to compare two vectors that are at hand.
double vector_cost(const Plan& plan, const Choices& choices);

/// Nominal ns for the `hashes` hashes of one item.
double sketch_cost(const Plan& plan, const Choices& choices, std::uint32_t hashes);

/// Nominal ns to key and sort the bands of one item.
double band_cost(std::uint32_t bands);

/// Nominal ns to look at those of the others that share a bucket and are not asked for. What is to be found is no work that could be saved:
/// if it were counted, the shape that misses most would be the cheapest. The same holds of pairs that the rule for large buckets leaves
/// out.
double candidate_cost(const Plan& plan, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows, BandChance& chance);

/// Nominal ns for all of them that a run looks at, as the rule for large buckets has it.
double looking_cost(const Plan& plan, const std::vector<Neighbours>& others, BandChance& chance);

/// How much of the pairs that meet in buckets are looked at, where an item meets so many others in a band: all, until a bucket is large.
double looked_at_share(double mates, std::uint32_t large_bucket);

/// Nominal ns for one item of a run: its sketch, its band keys and their sorting, and the candidates that it need not have brought.
double run_cost(const Plan& plan, double sketch, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                BandChance& chance);

/// With fewer pairs of a sample within the border than this, their average says little of those that were not sampled.
inline constexpr double kLeastSeen = 30;

/// At or above the plan's threshold, or within its radius. A Hamming radius that is a share is one of the sample's dimensions.
bool is_within(const Plan& plan, const DataSample& sample, double x);

/// Of similarity 1, or distance 0: copies of one another, which are found for certain, before any search.
bool are_copies(const Plan& plan, double x);

/// The pairs within the border that are no copies, in the sample's steps; `values` in steps that stand for the farthest of theirs, so that
/// what is found of them on average is found of the values at least. Their `pairs` are in proportion, no more.
std::vector<PairsAt> similar_pairs(const Plan& plan, const DataSample& sample);

/// Pairs of the sample that these rest on.
double seen(const std::vector<PairsAt>& pairs);

struct Shape {
  std::uint32_t bands = 0, rows = 0;
  std::uint32_t hashes = 0;  ///< at least bands × rows
  double width = 0;          ///< gaussian, cauchy; else 0
};

/// The shape of least nominal cost that keeps the plan's recall, at its border or on average over the sample, under the choices; bands and
/// rows that were both chosen are taken as they are. For sampled sets, of the shapes that cost little more than the cheapest for the sample
/// (spare_cost), the one that costs least where the nominal neighbours are there as well: a sample shows no more than it saw.
/// The plan has all but its shape. Throws Error(plan) naming what cannot be met, and what could.
Shape choose_shape(const Plan& plan, const Choices& choices);

/// Tables of prefixes for a plan with `nearest`.
Shape choose_tables(const Plan& plan, const Choices& choices);

/// The slot width for a plan with `nearest`: a few times the distance to the nearest in the sample. 0 for families without.
double width_for_nearest(const Plan& plan, const Choices& choices);

}  // namespace nearkin
