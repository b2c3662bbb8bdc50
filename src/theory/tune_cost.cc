#include "theory/tune_cost.h"

#include <cmath>

#include <nearkin/theory.h>

namespace nearkin {
namespace {

// The nominal item and machine. Measured orders of magnitude, rounded; changing one changes the plans that `tune` makes.
//
//   item         200 shingles
//   sketch       0.9 ns a shingle + 1 ns a slot; a slot is left empty with probability e^(−shingles/hashes), and the exact fallback
//                that fills it costs 0.1 ns for each shingle
//   band         17 ns: 8 for the key, 9 for its share of the sort
//   candidate    60 ns where the signature test drops it (0.2 and more below the threshold), 1500 ns where the sets are compared
//   neighbours   for each item of the collection, that many others at that similarity:
//                100 at 0.2, 20 at 0.4, 8 at 0.6 (as far as these are below the threshold), 2 just below the threshold
constexpr double kShingles = 200;
constexpr double kShingleCost = 0.9;
constexpr double kSlotCost = 1.0;
constexpr double kFallbackCost = 0.1;
constexpr double kBandCost = 17;
constexpr double kDroppedCost = 60;
constexpr double kComparedCost = 1500;
constexpr double kDroppedBelow = 0.2;
constexpr double kJustBelow = 2;
struct Neighbours {
  double similarity, count;
};
constexpr Neighbours kNeighbours[] = {{0.2, 100}, {0.4, 20}, {0.6, 8}};

double sketch_cost(double hashes) {
  return kShingleCost * kShingles + kSlotCost * hashes + kFallbackCost * kShingles * hashes * std::exp(-kShingles / hashes);
}

}  // namespace

double nominal_cost(double threshold, std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes) {
  constexpr double kRounding = 1e-9;  // 0.6 is not under 0.8 − 0.2, whatever the binary fractions say
  double cost = sketch_cost(hashes) + kBandCost * bands + kJustBelow * kComparedCost * found_probability(threshold, bands, rows);
  for (const auto& [similarity, count] : kNeighbours) {
    if (similarity >= threshold - kRounding) continue;
    const double each = similarity < threshold - kDroppedBelow - kRounding ? kDroppedCost : kComparedCost;
    cost += count * each * found_probability(similarity, bands, rows);
  }
  return cost;
}

}  // namespace nearkin
