#include "io/source/for_each_batch.h"

namespace nearkin {

void merge_faults(Faults& all, const Faults& part) {
  for (const Fault& fault : part.first) {
    if (all.first.size() < Faults::kNamed) all.first.push_back(fault);
  }
  all.count += part.count;
  all.binary += part.binary;
}

Reading reading_of(const RunOptions& run, RunStats* stats) { return {.threads = run.threads, .progress = run.progress, .stats = stats}; }

std::optional<Chunk> ChunkReader::next() {
  if (reading_.enough && reading_.enough()) return std::nullopt;
  std::optional<Chunk> chunk = sources_.next();
  if (!chunk || chunk->sketch || source_ == chunk->source) return chunk;
  source_ = chunk->source;
  if (reading_.on_source) reading_.on_source(chunk->source);
  return chunk;
}

}  // namespace nearkin
