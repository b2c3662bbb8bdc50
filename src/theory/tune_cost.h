// The cost model behind `tune`: nominal times, so that the same goal and choices give the same plan on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>

#include "theory/probing.h"

namespace nearkin {

inline constexpr std::uint32_t kMostTunedRows = 64;

/// Other items of the collection, for each item: how near, how many, and what it costs to look at one.
struct Neighbours {
  double x;          ///< similarity or distance
  double agreement;  ///< of one hash
  double count;
  double each;       ///< ns
};
/// Those a run would rather not look at: of the sample where the choices have one, else of a nominal collection.
std::vector<Neighbours> background(const Plan& plan, const Choices& choices);

/// Nominal ns for the `hashes` hashes of one item.
double sketch_cost(const Plan& plan, const Choices& choices, std::uint32_t hashes);

/// Nominal ns for one item of a run: its sketch, its band keys and their sorting, and the candidates it brings.
double run_cost(const Plan& plan, double sketch, const std::vector<Neighbours>& others, std::uint32_t bands, std::uint32_t rows,
                BandChance& chance);

}  // namespace nearkin
