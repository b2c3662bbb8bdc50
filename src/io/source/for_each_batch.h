// The one loop that reads an input: chunks are read in order, worked on by any thread, and used in order.
#pragma once

#include <type_traits>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>

#include "base/parallel.h"
#include "io/source/source.h"

namespace nearkin {

/// Adds the faults of one part of an input to those of the whole.
void merge_faults(Faults& all, const Faults& part);

/// Throws Error(data) if records were skipped and none is left: a wrong field name must not look like an empty input.
void require_usable(std::uint64_t items, const Faults& faults);

/// How an input is read, and callbacks.
struct Reading {
  unsigned threads = 1;                                    ///< 0: one per core
  const char* stage = "read";                              ///< the name under which progress is told
  decltype(RunOptions::progress) progress = {};            ///< told after each chunk is used
  RunStats* stats = nullptr;                               ///< for_each_batch adds the number of items and the faults here
  std::function<void(std::size_t source)> on_source = {};  ///< called in order before the first chunk of a source is parsed; may throw
  bool needs_records = false;                              ///< with stats: require_usable at the end
  std::function<bool()> enough = {};                       ///< asked before each chunk is read; true ends the loop
};
/// With the threads and the progress of a run.
Reading reading_of(const RunOptions& run, RunStats* stats = nullptr);

/// Hands out the chunks of a reading. on_source is not called for sketch files.
class ChunkReader {
 public:
  ChunkReader(Sources& sources, const Reading& reading) : sources_(sources), reading_(reading) {}
  std::optional<Chunk> next();
  /// Whether no chunk is left.
  bool at_end() const { return at_end_; }

 private:
  Sources& sources_;
  const Reading& reading_;
  std::optional<std::uint32_t> source_;  ///< of the last chunk
  bool at_end_ = false;
};

/// Calls work(Chunk&&, tools) for each chunk on any thread, and use(tools) in the order of the input, one call at a time. `make(worker)`
/// makes the tools of a worker before its first chunk; what `work` leaves in them stays until `use` has returned. The first error in the
/// order of the input ends the loop and is thrown, as is Error(stopped) when the stop flag is set. Returns the tools that were used.
template <typename Make, typename Work, typename Use>
auto for_each_chunk(Sources& sources, const Reading& reading, Make make, Work work, Use use) {
  using Tools = std::invoke_result_t<Make&, unsigned>;
  const unsigned threads = thread_count(reading.threads);
  std::vector<std::unique_ptr<Tools>> tools(threads);
  sources.use_threads(threads);
  ChunkReader reader(sources, reading);
  ordered_pipeline(
      threads, [&] { return reader.next(); },
      [&](Chunk&& chunk, unsigned worker) {
        if (!tools[worker]) tools[worker].reset(new Tools(make(worker)));
        work(std::move(chunk), *tools[worker]);
        return tools[worker].get();
      },
      [&](Tools* done) {
        use(*done);
        if (reading.progress) reading.progress(reading.stage, sources.bytes_read(), sources.total_bytes());
      });
  if (reader.at_end()) sources.require_fields_met();
  std::erase(tools, nullptr);
  return tools;
}

/// A chunk and its records. The tools of for_each_batch are derived from it.
struct ReadBatch {
  Chunk chunk;
  Batch batch;
};

/// As for_each_chunk, with each chunk parsed into the worker's ReadBatch: work(tools) on any thread, use(tools) in order. Both may move
/// the chunk and the batch away. Throws Error(plan) for a sketch file, which has no records.
template <typename Make, typename Work, typename Use>
auto for_each_batch(Sources& sources, const Reading& reading, Make make, Work work, Use use) {
  using Tools = std::invoke_result_t<Make&, unsigned>;
  auto used = for_each_chunk(
      sources, reading, make,
      [&](Chunk&& chunk, Tools& tools) {
        tools.chunk = std::move(chunk);
        tools.batch.clear();
        sources.parse(tools.chunk, tools.batch);
        work(tools);
      },
      [&](Tools& tools) {
        if (reading.stats != nullptr) {
          reading.stats->items += tools.batch.items.size();
          merge_faults(reading.stats->faults, tools.batch.faults);
        }
        use(tools);
        tools.chunk = {};  // its buffer may be the next to be filled
      });
  if (reading.needs_records) require_usable(reading.stats->items, reading.stats->faults);
  return used;
}

/// The same, if only parsing is done on other threads.
template <typename Use>
void for_each_batch(Sources& sources, const Reading& reading, Use use) {
  for_each_batch(
      sources, reading, [](unsigned) { return ReadBatch(); }, [](ReadBatch&) {}, use);
}

}  // namespace nearkin
