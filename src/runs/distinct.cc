#include <nearkin/run.h>
#include <nearkin/tools/sample.h>

#include "base/hyperloglog.h"
#include "collect/collect.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

TextHash hash_vector(const Batch& batch, Row i) {
  Vectors one;
  append_vector(one, batch, i);
  return {content_of(one, 0), false};
}

// What a thread has counted, and how many EMPTY items its last batch has.
struct Counter : ReadBatch {
  explicit Counter(unsigned precision) : seen(precision) {}
  HyperLogLog seen;
  std::string buffer;
  std::uint64_t empty = 0;
};

void count(Counter& counter, bool vectors, Normalise normalise) {
  counter.empty = 0;
  const Batch& batch = counter.batch;
  for (Row i = 0; i < batch.items.size(); ++i) {
    const TextHash hashed = vectors ? hash_vector(batch, i) : hash_text(batch.items.text(i), normalise, counter.buffer);
    if (!hashed.empty) counter.seen.add(hashed.hash.low);
    counter.empty += hashed.empty;
  }
}

}  // namespace

Distinct distinct(const Input& input, Normalise normalise, unsigned precision, const RunOptions& run) {
  require_no_scope(input, "distinct");
  require_unweighted(input, "distinct");
  StageClock clock;
  Sources sources(input, false);
  Distinct result;
  const auto counters = for_each_batch(
      sources, reading_of(run, &result.stats), [&](unsigned) { return Counter(precision); },
      [&](Counter& counter) { count(counter, holds_vectors(sources.format(counter.chunk.source)), normalise); },
      [&](const Counter& counter) { result.stats.empty += counter.empty; });
  HyperLogLog seen(precision);
  for (const auto& counter : counters) seen.merge(counter->seen);
  result.distinct = seen.estimate();
  result.error = seen.standard_error();
  result.stats.seconds.emplace_back("read", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin
