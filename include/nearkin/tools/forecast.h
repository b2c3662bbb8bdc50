// What a plan is expected to do and to need, before it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// What a plan is expected to do with a collection, in pairs.
struct Expectation {
  double similar = 0;     ///< at or above the threshold, or within the radius
  double missed = 0;      ///< similar and not found: false negatives
  double candidates = 0;  ///< looked at
  double dropped = 0;     ///< looked at and not similar: false positives, which verification removes
  double copies = 0;      ///< similar with similarity 1 (distance 0): always found, before the search, so they are not candidates
};
/// From the S-curve of the plan and the pairs of the sample. Zeros for a sample without pairs.
Expectation expect(const Plan& plan, const DataSample& sample);
/// The sample of a collection of `items` such items: the number of pairs grows with the square of the items.
DataSample scaled(const DataSample& sample, std::uint64_t items);

/// The work of a plan as `tune` counts it: nominal nanoseconds per item, the same on every machine.
struct Work {
  double sketch = 0;      ///< for shingles and sketch
  double bands = 0;       ///< for keys and sorting
  double candidates = 0;  ///< for looking at candidates
  double total() const { return sketch + bands + candidates; }
};
/// The work of the plan for Choices::sample, or for typical data. Zeros for plans without bands of rows.
Work work_of(const Plan& plan, const Choices& choices);
struct PlanWork {
  Plan plan;
  Work work;
};
/// The plan that `tune` chooses and its alternatives: for up to `around` fewer and more rows the cheapest plan that keeps the goal's
/// recall. Ascending by rows. Empty for plans without bands of rows. Throws what `tune` throws.
std::vector<PlanWork> alternatives(const Goal& goal, const Choices& choices, std::uint32_t around = 3);

/// What parts of a run take on this machine with one thread, in nanoseconds.
struct MachineCosts {
  double byte = 0;      ///< to read and shingle one byte of text
  double slot = 0;      ///< to fill and keep one slot of a sketch
  double band = 0;      ///< to key and sort one item in one band
  double dropped = 0;   ///< for a candidate that its signature rules out
  double compared = 0;  ///< for a candidate whose shingles are compared
};
/// Measures this machine in less than a second, on generated texts. For forecasts only: no plan depends on it.
MachineCosts calibrate();

struct Interval {
  double low = 0, high = 0;
};
/// 95 % intervals for the figures of a run. They cover the uncertainty of the sample and the measured errors of the model
/// (docs/performance.md). They do not cover a group of similar items of which none was sampled.
struct ForecastIntervals {
  Interval similar, candidates, dropped;  ///< pairs
  Interval seconds, memory_bytes;
};

/// What a run is expected to need.
struct Forecast {
  std::uint64_t items = 0;
  Expectation expected;
  double seconds = 0;  ///< 0 = not known (exact joins without a sample, queries)
  double memory_bytes = 0;
  double scratch_bytes = 0;                                   ///< on disk; 0 = the run stays in memory
  std::optional<ForecastIntervals> intervals = std::nullopt;  ///< absent: there is no sample in parts to derive them from
};
/// For a collection of `items` items like those of Choices::sample. Without a sample: typical items; how many are similar is unknown
/// (`similar` is 0). The candidates of an exact join are those of a run that wants all pairs. `threads`: 0 = one per core. `memory`: as
/// RunOptions::memory.
Forecast forecast(const Plan& plan, const Choices& choices, std::uint64_t items, const MachineCosts& costs, unsigned threads = 1,
                  std::uint64_t memory = 0);

/// About how many bytes of memory a run over plain files takes per item, besides the bytes of its id and 8 bytes per shingle of a candidate
/// (per shingle of every item, for an exact join).
std::uint64_t bytes_per_item(const Plan& plan);
/// False: runs with this plan need their items in memory, because every vector is prepared from all of them (tfidf features, and bits cut
/// by median, mean or levels).
bool can_use_files(const Plan& plan);
/// RunOptions::memory when it is 0: half of the memory that is free now, within the limits of this process (cgroup, address space). Bytes.
std::uint64_t default_memory();
/// The lowest RunOptions::memory that any run can keep, in bytes: buffers, and one unit of work per thread. `threads`: 0 = one per core.
std::uint64_t least_memory(unsigned threads);

}  // namespace nearkin
