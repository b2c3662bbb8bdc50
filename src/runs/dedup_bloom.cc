#include "runs/dedup_bloom.h"

#include <nearkin/error.h>

#include "base/bloom.h"
#include "collect/collect.h"
#include "runs/dedup_outputs.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

// A filter of this many items to begin with; it grows.
constexpr std::uint64_t kFirstLayer = 1 << 16;

void check_options(const DedupOptions& options) {
  const auto refuse = [](const char* subject, const char* reason) {
    throw Error(ErrorCode::plan, subject, std::string(reason) + ", but a Bloom filter does not remember its items; leave out bloom");
  };
  if (options.removed) refuse("removed", "names the keeper of each removed item");
  if (options.annotate) refuse("annotate", "names the keeper of each item");
  if (options.keep_at_most != 1) refuse("keep_at_most", "counts the items of a group");
  if (options.drop_repeated) refuse("drop_repeated", "looks at a group as a whole");
  if (options.size_field) refuse("size_field", "counts the items of a group");
  if (options.against) refuse("against", "names the items already there");
  if (options.keep.rule != Keep::Rule::first) refuse("keep", "chooses among the items of a group");
}

struct Hashed : ReadBatch {
  std::vector<TextHash> hashes;
  std::string buffer;
};

void hash_texts(Hashed& part, Normalise normalise) {
  part.hashes.clear();
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    part.hashes.push_back(hash_text(part.batch.items.text(i), normalise, part.buffer));
  }
}

// Writes the records that the filter has not seen, and these records at fault.
void write_new(const Hashed& part, BloomFilter& filter, std::span<const Location> faults, RecordWriter& kept, DedupResult& result) {
  kept.meet(part.chunk.source + std::size_t{1});
  FaultCursor cursor(faults);
  const auto write_fault = [&](const Location& fault) { kept.write(part.chunk, fault); };
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    cursor.before(part.batch.locations[i], write_fault);
    const TextHash& hashed = part.hashes[i];
    const bool seen = !hashed.empty && filter.test_and_set(hashed.hash);
    if (!seen) kept.write(part.chunk, part.batch.locations[i]);
    ++(seen ? result.removed : result.kept);
    result.stats.empty += hashed.empty;
  }
  cursor.rest(write_fault);
}

}  // namespace

DedupResult dedup_by_bloom(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options,
                           const RunOptions& run) {
  check_options(options);
  require_no_scope(input, "a Bloom filter", "leave bloom out");
  require_unweighted(input, "a Bloom filter");
  DedupOutputs outputs(output, options);
  Sources sources(input, false);
  RecordWriter kept(sources, outputs.kept);
  std::optional<RecordWriter> skipped;
  if (outputs.skipped) skipped.emplace(sources, *outputs.skipped);
  BloomFilter filter(kFirstLayer, *options.bloom);
  DedupResult result;
  std::uint64_t kept_faults = 0, lost = 0;
  StageClock clock;
  Reading reading = reading_of(run, &result.stats);
  reading.on_source = [&](std::size_t i) { require_format(plan, sources.format(i), sources.name(i)); };
  reading.enough = [&] { return outputs.kept.reader_gone(); };
  for_each_batch(
      sources, reading, [](unsigned) { return Hashed(); }, [&](Hashed& part) { hash_texts(part, plan.shingle.normalise); },
      [&](Hashed& part) {
        if (skipped) write_skipped(part.chunk, part.batch, *skipped);
        const std::vector<Location> faults = faults_to_keep(sources, part.batch.fault_locations, options.keep_faults, lost);
        kept_faults += faults.size();
        outputs.note_faults(sources, part.batch.fault_locations, options.keep_faults);
        write_new(part, filter, faults, kept, result);
      });
  kept.meet(sources.size());  // files of a header alone have no chunk
  note_kept(result.stats.faults, kept_faults, lost);
  result.bloom_bytes = filter.bytes();
  result.bloom_rate = filter.expected_rate();
  result.stats.copies = result.removed;
  result.stats.seconds.emplace_back("read", clock.lap());
  result.stats.peak_bytes = peak_memory();
  if (run.before_output) run.before_output();
  if (options.on_result) options.on_result(result);
  outputs.commit(result.stats.faults);
  return result;
}

}  // namespace nearkin
