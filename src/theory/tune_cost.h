// The cost model behind `tune`: nominal times, so that the same goal and choices give the same plan on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/tools/theory.h>

#include "theory/probing.h"

namespace nearkin {

inline constexpr std::uint32_t kMostTunedRows = 64;

/// Other items of the collection, for each item: how near, how many, and what it costs to look at one. A pair of items counts once.
struct Neighbours {
  double x;          ///< similarity or distance
  double agreement;  ///< of one hash
  double count;
  double each;   ///< ns
  bool dropped;  ///< by its signature, without a look at the item itself
};
/// Those a run would rather not look at: of the sample where the choices have one, else of a nominal collection.
std::vector<Neighbours> background(const Plan& plan, const Choices& choices);
/// Those that a sample of sets may have failed to show: the nominal ones. Nothing where there is no such sample.
std::vector<Neighbours> unseen(const Plan& plan, const Choices& choices);
/// How many times the cost of the cheapest for the sample a shape may cost, to be cheap for what the sample failed to show as well. A small
/// collection sets no limit: any plan takes a moment for it, and one that is tuned for a few items is often meant for many.
double spare_cost(const Plan& plan, const Choices& choices);

/// Nominal ns for the `hashes` hashes of one item.
double sketch_cost(const Plan& plan, const Choices& choices, std::uint32_t hashes);

/// Nominal ns to key and sort the bands of one item.
double band_cost(std::uint32_t bands);

/// Nominal ns to look at those of the others that share a bucket.
double candidate_cost(const Plan& plan, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows, BandChance& chance);

/// Nominal ns for one item of a run: its sketch, its band keys and their sorting, and the candidates it brings.
double run_cost(const Plan& plan, double sketch, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                BandChance& chance);

}  // namespace nearkin
