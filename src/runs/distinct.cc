#include <nearkin/run.h>

#include "base/hyperloglog.h"
#include "base/parallel.h"
#include "collect/collect.h"
#include "io/formats/vector_batch.h"

namespace nearkin {
namespace {

TextHash hash_vector(const Batch& batch, Row i) {
  Vectors one;
  append_vector(one, batch, i);
  return {content_of(one, 0), false};
}

}  // namespace

Distinct distinct(const Input& input, Normalise normalise, unsigned precision, const RunOptions& run) {
  const unsigned threads = thread_count(run.threads);
  StageClock clock;
  Sources sources(input, false);
  std::vector<HyperLogLog> counters(threads, HyperLogLog(precision));
  std::vector<std::string> buffers(threads);
  Distinct result;
  struct Counted {
    std::uint64_t items, empty;
    Faults faults;
  };
  ordered_pipeline(
      threads, [&] { return sources.next(); },
      [&](Chunk&& chunk, unsigned worker) {
        Batch batch;
        sources.parse(chunk, batch);
        Counted out{batch.items.size(), 0, batch.faults};
        for (Row i = 0; i < batch.items.size(); ++i) {
          const TextHash hashed = holds_vectors(sources.format(chunk.source)) ? hash_vector(batch, i)
                                                                              : hash_text(batch.items.text(i), normalise, buffers[worker]);
          if (!hashed.empty) counters[worker].add(hashed.hash.low);
          out.empty += hashed.empty;
        }
        return out;
      },
      [&](Counted&& part) {
        result.stats.items += part.items;
        result.stats.empty += part.empty;
        merge_faults(result.stats.faults, part.faults);
        if (run.progress) run.progress("read", sources.bytes_read(), sources.total_bytes());
      });
  for (unsigned worker = 1; worker < threads; ++worker) counters[0].merge(counters[worker]);
  result.distinct = counters[0].estimate();
  result.error = counters[0].standard_error();
  result.stats.seconds.emplace_back("read", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin
