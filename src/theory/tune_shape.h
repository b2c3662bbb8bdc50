// Bands, rows and slot width: the search behind `tune`.
#pragma once

#include <cstdint>

#include <nearkin/plan.h>

namespace nearkin {

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
