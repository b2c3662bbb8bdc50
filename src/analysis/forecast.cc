// What a run by a plan is expected to need, before it is run.
#include "analysis/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

#include "analysis/forecast_interval.h"
#include "base/parallel.h"
#include "collect/collect.h"
#include "collect/collector.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

constexpr double kBytesAShingle = 6.5;                          // of text, where no sample tells: a word and a blank
constexpr double kStartSeconds = 0.01;                          // before the first record is read
constexpr double kPlanning = 4;                                 // to look at a text to plan by it, in times of reading and shingling it
constexpr double kRecallSeconds = 0.03, kRecallOfPair = 15e-6;  // to say how much was found: at most, and for a pair
constexpr double kMatch = 350;                                  // nominal ns to sort and write a pair that was found
constexpr double kStartBytes = 10e6;                            // and what is not in proportion to the items
constexpr double kIdBytes = 16;                                 // of an id
constexpr double kSparseEntries = 128;                          // of a vector
constexpr double kAgain = 2.5;  // to read a candidate again and sort its shingles, in times of shingling it once

/// The collection that is forecast, and its items.
struct Scene {
  const Plan& plan;
  Choices choices;  ///< with the sample of so many items
  double items;
  double shingles = static_cast<double>(kCalibratedShingles);
  double compared_shingles = shingles;  ///< of the items that are compared
  double bytes = 0;
  bool is_sampled = false;  ///< the sample is of this collection, not of one like it
};

Scene scene_of(const Plan& plan, const Choices& choices, std::uint64_t items) {
  Scene scene{.plan = plan, .choices = choices, .items = static_cast<double>(items)};
  scene.is_sampled = choices.sample && choices.sample->items == items;
  scene.choices.sample = choices.sample ? scaled(*choices.sample, items) : DataSample{.items = items};
  const DataSample& sample = *scene.choices.sample;
  if (sample.shingles > 0) scene.shingles = sample.shingles;
  scene.compared_shingles = sample.compared_shingles > 0 ? sample.compared_shingles : scene.shingles;
  scene.bytes = sample.text_bytes > 0 ? sample.text_bytes : kBytesAShingle * scene.shingles;
  return scene;
}

bool has_curve(const Plan& plan) { return plan.sketch.hashes > 0 && plan.band.rows > 0 && plan.nearest == 0; }

bool tells_of_pairs(const DataSample& sample) { return sample.asked > 0 || !sample.pairs.empty() || !sample.values.empty(); }

/// Texts that a run looks at to choose its plan.
double texts_to_plan_by(const Scene& scene) {
  constexpr double kTexts = 2048, kBytesOfTexts = 8 << 20;
  if (scene.plan.exact_join() || compares_vectors(scene.plan)) return 0;
  return std::min({scene.items, kTexts, kBytesOfTexts / scene.bytes});
}

/// Pairs that are looked at, by what is done with them.
struct Looked {
  double dropped = 0, compared = 0;
  double passed = 0;  ///< of an exact join: entries of its index that are gone through
};

/// An exact join of so many items, by what was seen of parts of the collection. Pairs of random parts grow with the square of the items;
/// how many of them are looked at changes a little with the items too, as shingles that are rare in a part need not be so in the whole. So
/// the growth that was measured counts where enough was seen to measure it.
Looked joined(const std::vector<JoinedPart>& parts, double items) {
  constexpr double kSquare = 2, kLeast = 1.7, kMost = 2.3, kEnough = 2000;
  if (parts.empty()) return {};
  const JoinedPart &small = parts.front(), &large = parts.back();
  const auto grown = [&](double before, double after) {
    const bool known = before >= kEnough && large.items > small.items;
    const double growth = known ? std::clamp(std::log(after / before) / std::log(large.items / small.items), kLeast, kMost) : kSquare;
    return after * std::pow(items / large.items, growth);
  };
  return {.compared = grown(small.looked_at, large.looked_at), .passed = grown(small.passed, large.passed)};
}

Looked looked_at(const Scene& scene) {
  if (scene.plan.exact_join()) return joined(scene.choices.sample->joined, scene.items);
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
  const DataSample& sample = *scene.choices.sample;
  if (scene.plan.exact_join() && !sample.joined.empty()) {
    Expectation expected = expect(scene.plan, sample);
    const double found = expected.candidates;  // similar pairs, which are looked at for certain
    expected.candidates = std::max(found, looked.compared);
    expected.dropped = expected.candidates - found;
    return expected;
  }
  if (tells_of_pairs(sample)) return expect(scene.plan, sample);
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

/// Matches of an exact join, which `pairs` sorts and writes: the similar pairs that are no copies.
double exact_matches(const Scene& scene) { return expect(scene.plan, *scene.choices.sample).candidates; }

/// Reading is left out, as in other forecasts for vectors. Bits are looked up in tables, others compared with all that their norms leave.
double nanoseconds_of_vector_join(const Scene& scene, const MachineCosts& costs, const Looked& looked) {
  constexpr double kEach = 4;      // nominal ns for a pair, beside its numbers
  constexpr double kItem = 200.0;  // and for an item: its norm and its place
  const double nominal = looked.compared * (kEach + vector_cost(scene.plan, scene.choices)) + scene.items * kItem;
  return nominal * costs.band / band_cost(1);
}

/// Reading; then each shingle is counted and those of a set are put in order; then the index is gone through and pairs are compared. The
/// proportions were measured on the data of docs/performance.md.
double nanoseconds_of_join(const Scene& scene, const MachineCosts& costs, const Looked& looked) {
  constexpr double kItem = 100;       // an item, whatever its length, in times of keying and sorting it in a band
  constexpr double kOrder = 0.5;      // a shingle, in the same
  constexpr double kPassed = 0.05;    // an entry, in times of ruling a candidate out by its signature
  constexpr double kCompared = 0.25;  // a pair, in times of counting out all that two sets share: most are given up before
  const double compared = costs.dropped + kCompared * costs.compared * scene.shingles / static_cast<double>(kCalibratedShingles);
  return scene.items * (scene.bytes * costs.byte + (kItem + scene.shingles * kOrder) * costs.band) +
         looked.passed * costs.dropped * kPassed + looked.compared * compared;
}

/// 0 where nobody knows: exact joins of which nothing was seen, as their work follows from how rare the shingles are, and
/// queries.
double nanoseconds(const Scene& scene, const MachineCosts& costs, const Looked& looked) {
  const double writing = expect(scene.plan, *scene.choices.sample).similar * kMatch * costs.band / band_cost(1);
  if (scene.plan.exact_join() && !scene.choices.sample->joined.empty()) {
    const double join =
        compares_vectors(scene.plan) ? nanoseconds_of_vector_join(scene, costs, looked) : nanoseconds_of_join(scene, costs, looked);
    return join + writing;
  }
  if (scene.plan.measure == Measure::exact) return scene.items * scene.bytes * costs.byte;
  if (!has_curve(scene.plan)) return 0;
  if (!compares_vectors(scene.plan)) return nanoseconds_for_sets(scene, costs, looked) + writing;
  return scene.items * work_of(scene.plan, scene.choices).total() * costs.band / band_cost(1) + writing;
}

double bytes_of_vector(const Scene& scene) {
  const double dimensions = scene.choices.sample->dimensions;
  if (scene.plan.kind == Kind::bits) return dimensions / 8;
  return dimensions > 0 ? sizeof(float) * dimensions : (sizeof(std::uint64_t) + sizeof(double)) * kSparseEntries;
}

RowSums sums_of(const Scene& scene) {
  const auto whole = [](double number) { return static_cast<std::uint64_t>(number); };
  const double vectors = compares_vectors(scene.plan) ? bytes_of_vector(scene) : 0;
  return {whole(scene.items), whole(scene.items * scene.shingles), whole(scene.items * kIdBytes), whole(scene.items * vectors)};
}

/// The longest text is held as it was read, normalised and in shingles, and the shingles are sorted.
double longest_bytes(const Scene& scene) {
  constexpr double kTimes = 11;
  return kTimes * scene.choices.sample->longest_text;
}

/// Pairs of copies are listed beside those that were compared.
double listed_bytes(const Scene& scene) { return sizeof(Match) * expect(scene.plan, *scene.choices.sample).similar; }

/// A join holds the sets and an index of them, and `pairs` the matches, to sort them. What is not in proportion to the items is counted by
/// itself: the bound of a run is on the safe side there.
double memory_of_join(const Scene& scene) {
  const std::uint64_t fixed = bytes_in_memory(scene.plan, {}, 1), all = bytes_in_memory(scene.plan, sums_of(scene), 1);
  return kStartBytes + longest_bytes(scene) + static_cast<double>(all - fixed) + 2 * sizeof(Match) * exact_matches(scene) +
         listed_bytes(scene);
}

double memory_bytes(const Scene& scene, const Looked& looked) {
  const bool vectors = compares_vectors(scene.plan);
  if (scene.plan.exact_join() && !vectors) return memory_of_join(scene);
  // A candidate is held once for each band that brings it, until all are sorted.
  constexpr double kTimes = 4.5;
  const double pairs = scene.plan.exact_join() ? 2 * sizeof(Match) * exact_matches(scene) : looked.compared * sizeof(Pair) * kTimes;
  const double planning = texts_to_plan_by(scene) * (scene.bytes + sizeof(std::uint64_t) * scene.shingles);
  const double bytes =
      kStartBytes + planning + scene.items * (static_cast<double>(bytes_per_item(scene.plan)) + kIdBytes) + pairs + listed_bytes(scene);
  // A join holds them as they came, in the order of its parts, and once more while it makes these.
  if (vectors) return bytes + scene.items * bytes_of_vector(scene) * (scene.plan.exact_join() ? 3 : 1);
  return bytes + longest_bytes(scene) + compared_items(scene, looked) * sizeof(std::uint64_t) * scene.compared_shingles;
}

/// The size of the files of a run that does not fit into memory: segments, pairs, shingle sets of candidates (docs/architecture.md).
double scratch_bytes(const Scene& scene, const Looked& looked) {
  if (!can_use_files(scene.plan)) return 0;
  constexpr double kRiceBytes = 7.5;  // a shingle, compressed
  const double pairs = scene.plan.exact_join() ? 0 : 2 * sizeof(std::uint64_t) * (looked.dropped + looked.compared);
  const double sets = scene.plan.exact_join() ? scene.items : compared_items(scene, looked);
  return scene.items * (static_cast<double>(bytes_in_files(scene.plan)) + kIdBytes) + pairs +
         sets * kRiceBytes * (scene.plan.exact_join() ? scene.shingles : scene.compared_shingles);
}

/// If `times` as many pairs as expected are looked at.
Forecast forecast_of(const Scene& scene, const MachineCosts& costs, unsigned threads, double times = 1) {
  Looked looked = looked_at(scene);
  looked = {.dropped = times * looked.dropped, .compared = times * looked.compared, .passed = times * looked.passed};
  const double work = nanoseconds(scene, costs, looked);
  const Expectation expected = expected_of(scene, looked);
  const double told = scene.plan.exact_join() ? 0 : std::min(kRecallSeconds, kRecallOfPair * (expected.similar - expected.copies));
  const double planning = texts_to_plan_by(scene) * scene.bytes * costs.byte * kPlanning * 1e-9;
  return {.items = static_cast<std::uint64_t>(scene.items),
          .expected = expected,
          .seconds = work > 0 ? kStartSeconds + planning + told + work * 1e-9 / thread_count(threads) : 0,
          .memory_bytes = memory_bytes(scene, looked)};
}

double seen_of(const Scene& scene) {
  double seen = 0;
  for (const PairsAt& step : scene.choices.sample->pairs) {
    if (is_within(scene.plan, *scene.choices.sample, step.at)) seen += static_cast<double>(step.seen);
  }
  return seen;
}

/// What one more pair in the sample would add.
double one_pair(const DataSample& sample) {
  const double pairs = static_cast<double>(sample.asked) * static_cast<double>(sample.against);
  return pairs == 0 ? 0 : all_pairs(static_cast<double>(sample.items)) / pairs;
}

/// How far off the model is where the sample is right, as measured (docs/performance.md).
constexpr double kSecondsOff = 4, kMemoryOff = 1.6;
/// With bits, all pairs share the sampled places, and some places tell more than others. Sets of few elements fill many slots with
/// one of them, so that what meets in one band meets in others: fewer pairs are candidates than the S-curve says.
double candidates_off(const Scene& scene) {
  if (scene.plan.sketch.family == Family::bit_sampling) return 2.2;
  const bool few_elements = scene.plan.kind == Kind::shingles && scene.shingles * 8 < scene.plan.sketch.hashes;
  return few_elements ? 1.8 : 1.25;
}

std::optional<ForecastIntervals> intervals_of(const Scene& scene, const Forecast& whole, const MachineCosts& costs, unsigned threads) {
  const DataSample& sample = *scene.choices.sample;
  if (sample.parts.size() < 2) return std::nullopt;
  std::vector<Forecast> parts;
  for (const std::vector<PairsAt>& pairs : sample.parts) {
    Scene part = scene;
    part.choices.sample->pairs = pairs;
    parts.push_back(forecast_of(part, costs, threads));
  }
  const double left_out = scene.is_sampled ? std::max(0.0, 1 - static_cast<double>(sample.asked) / static_cast<double>(sample.against)) : 1;
  const auto factor = [&](auto&& figure) {
    std::vector<double> figures;
    for (const Forecast& part : parts) figures.push_back(figure(part));
    return sampling_factor(figures, left_out);
  };
  const auto similar = [](const Forecast& f) { return f.expected.similar; };
  const auto dropped = [](const Forecast& f) { return f.expected.dropped; };
  const auto found = [](const Forecast& f) { return f.expected.candidates - f.expected.dropped; };
  const auto seconds = [](const Forecast& f) { return f.seconds; };
  const auto memory = [](const Forecast& f) { return f.memory_bytes; };
  const double off = candidates_off(scene);
  const Forecast fewer = forecast_of(scene, costs, threads, 1 / off), more = forecast_of(scene, costs, threads, off);
  const auto around = [](double low, double high, double times) { return Interval{low / times, high * times}; };
  ForecastIntervals intervals{.similar = around(similar(whole), similar(whole), factor(similar)),
                              .candidates = around(found(whole), found(whole), factor(found)),
                              .dropped = around(dropped(whole), dropped(whole), off * factor(dropped)),
                              .seconds = around(seconds(fewer), seconds(more), kSecondsOff * factor(seconds)),
                              .memory_bytes = around(memory(fewer), memory(more), kMemoryOff * factor(memory))};
  // Which of the pairs below the threshold meet is chance too; nearly all that are similar do.
  if (dropped(whole) > 0) {
    intervals.dropped = {counted_interval(intervals.dropped.low).low, counted_interval(intervals.dropped.high).high};
  }
  intervals.candidates = {std::floor(intervals.candidates.low + intervals.dropped.low),
                          std::ceil(intervals.candidates.high + intervals.dropped.high)};
  if (left_out > 0) {
    const double seen = seen_of(scene), each = seen > 0 ? similar(whole) / seen : one_pair(sample);
    const Interval chance = counted_interval(seen);
    intervals.similar.low = std::min(intervals.similar.low, chance.low * each);
    intervals.similar.high = std::max(intervals.similar.high, chance.high * each);
    // What is similar is looked at, but for copies.
    intervals.candidates.high += intervals.similar.high - similar(whole);
  }
  const double all = all_pairs(scene.items) * (scene.plan.measure == Measure::containment ? 2 : 1);
  for (Interval* pairs : {&intervals.similar, &intervals.candidates, &intervals.dropped}) pairs->high = std::min(pairs->high, all);
  return intervals;
}

}  // namespace

Forecast forecast(const Plan& plan, const Choices& choices, std::uint64_t items, const MachineCosts& costs, unsigned threads,
                  std::uint64_t memory) {
  const Scene scene = scene_of(plan, choices, items);
  Forecast result = forecast_of(scene, costs, threads);
  // What a run reckons with, before it has seen the candidates.
  const bool in_files = bytes_in_memory(plan, sums_of(scene), thread_count(threads)) > (memory != 0 ? memory : default_memory());
  if (in_files) result.scratch_bytes = scratch_bytes(scene, looked_at(scene));
  result.intervals = intervals_of(scene, result, costs, threads);
  return result;
}

}  // namespace nearkin
