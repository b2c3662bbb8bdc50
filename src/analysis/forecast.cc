// What a run by a plan is expected to need, before it is run.
#include "analysis/forecast.h"

#include <cmath>
#include <limits>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

#include "base/parallel.h"
#include "collect/collect.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

constexpr double kBytesAShingle = 6.5;  // of text, where no sample tells: a word and a blank
constexpr double kStartSeconds = 0.01;  // before the first record is read
constexpr double kStartBytes = 10e6;    // and what is not in proportion to the items
constexpr double kIdBytes = 16;         // of an id
constexpr double kSparseEntries = 128;  // of a vector
constexpr double kAgain = 2.5;          // to read a candidate again and sort its shingles, in times of shingling it once

/// Of the collection that is forecast, and of its items.
struct Scene {
  const Plan& plan;
  Choices choices;  ///< with the sample of so many items
  double items;
  double shingles = static_cast<double>(kCalibratedShingles);
  double bytes = 0;
};

Scene scene_of(const Plan& plan, const Choices& choices, std::uint64_t items) {
  Scene scene{.plan = plan, .choices = choices, .items = static_cast<double>(items)};
  scene.choices.sample = choices.sample ? scaled(*choices.sample, items) : DataSample{.items = items};
  const DataSample& sample = *scene.choices.sample;
  if (sample.shingles > 0) scene.shingles = sample.shingles;
  scene.bytes = sample.text_bytes > 0 ? sample.text_bytes : kBytesAShingle * scene.shingles;
  return scene;
}

bool has_curve(const Plan& plan) {
  return plan.sketch.hashes > 0 && plan.band.rows > 0 && plan.nearest == 0 && plan.measure != Measure::containment;
}

bool tells_of_pairs(const DataSample& sample) { return sample.asked > 0 || !sample.pairs.empty() || !sample.values.empty(); }

/// Pairs that are looked at, by what is done with them.
struct Looked {
  double dropped = 0, compared = 0;
};

Looked looked_at(const Scene& scene) {
  Looked looked;
  if (!has_curve(scene.plan)) return looked;
  for (const Neighbours& other : background(scene.plan, scene.choices)) {
    const double pairs = other.count * scene.items * found_probability(other.agreement, scene.plan.band.bands, scene.plan.band.rows);
    (other.dropped ? looked.dropped : looked.compared) += pairs;
  }
  return looked;
}

/// Nominal data has neighbours, but nobody knows how many of them are similar.
Expectation expected_of(const Scene& scene, const Looked& looked) {
  if (tells_of_pairs(*scene.choices.sample)) return expect(scene.plan, *scene.choices.sample);
  const double candidates = looked.dropped + looked.compared;
  return {.candidates = candidates, .dropped = candidates};
}

/// Items that are read again to be compared: those in any pair, were pairs thrown at random.
double compared_items(const Scene& scene, const Looked& looked) {
  return scene.items == 0 ? 0 : scene.items * -std::expm1(-2 * looked.compared / scene.items);
}

/// Nominal ns for the slots of a sketch alone, which grow faster than the slots where there are few shingles.
double slots_cost(std::uint32_t hashes, double shingles) {
  const Plan minhash;
  const Choices choices{.sample = DataSample{.items = std::numeric_limits<std::uint64_t>::max(), .shingles = shingles}};
  return sketch_cost(minhash, choices, hashes) - sketch_cost(minhash, choices, 0);
}

double nanoseconds_for_sets(const Scene& scene, const MachineCosts& costs, const Looked& looked) {
  const double slots =
      slots_cost(scene.plan.sketch.hashes, scene.shingles) / slots_cost(kCalibratedHashes, static_cast<double>(kCalibratedShingles));
  const double item = scene.bytes * costs.byte + slots * kCalibratedHashes * costs.slot + scene.plan.band.bands * costs.band;
  const double compared = costs.compared * scene.shingles / static_cast<double>(kCalibratedShingles);
  return scene.items * item + compared_items(scene, looked) * scene.bytes * costs.byte * kAgain + looked.dropped * costs.dropped +
         looked.compared * compared;
}

/// 0 where nobody knows: exact joins, whose work follows from how rare the shingles are, and containment and queries.
double nanoseconds(const Scene& scene, const MachineCosts& costs, const Looked& looked) {
  if (scene.plan.measure == Measure::exact) return scene.items * scene.bytes * costs.byte;
  if (!has_curve(scene.plan)) return 0;
  if (!compares_vectors(scene.plan)) return nanoseconds_for_sets(scene, costs, looked);
  return scene.items * work_of(scene.plan, scene.choices).total() * costs.band / band_cost(1);
}

double bytes_of_vector(const Scene& scene) {
  const double dimensions = scene.choices.sample->dimensions;
  if (scene.plan.kind == Kind::bits) return dimensions / 8;
  return dimensions > 0 ? sizeof(float) * dimensions : (sizeof(std::uint64_t) + sizeof(double)) * kSparseEntries;
}

double memory_bytes(const Scene& scene, const Looked& looked) {
  const double bytes =
      kStartBytes + scene.items * (static_cast<double>(bytes_an_item(scene.plan)) + kIdBytes) + looked.compared * sizeof(Pair);
  if (compares_vectors(scene.plan)) return bytes + scene.items * bytes_of_vector(scene);
  const double kept = scene.plan.exact_join() ? scene.items : compared_items(scene, looked);
  return bytes + kept * sizeof(std::uint64_t) * scene.shingles;
}

/// Of the files of a run that does not fit into memory: its segments, pairs and the shingle sets of its candidates (docs/architecture.md).
double scratch_bytes(const Scene& scene, const Looked& looked) {
  if (!can_use_files(scene.plan)) return 0;
  constexpr double kRiceBytes = 7.5;  // a shingle, compressed
  const double pairs = 2 * sizeof(std::uint64_t) * (looked.dropped + looked.compared);
  return scene.items * (static_cast<double>(bytes_in_files(scene.plan)) + kIdBytes) + pairs +
         compared_items(scene, looked) * kRiceBytes * scene.shingles;
}

}  // namespace

Forecast forecast(const Plan& plan, const Choices& choices, std::uint64_t items, const MachineCosts& costs, unsigned threads) {
  const Scene scene = scene_of(plan, choices, items);
  const Looked looked = looked_at(scene);
  const double work = nanoseconds(scene, costs, looked), memory = memory_bytes(scene, looked);
  return {.items = items,
          .expected = expected_of(scene, looked),
          .seconds = work > 0 ? kStartSeconds + work * 1e-9 / thread_count(threads) : 0,
          .memory_bytes = memory,
          .scratch_bytes = memory > static_cast<double>(default_memory()) ? scratch_bytes(scene, looked) : 0};
}

}  // namespace nearkin
