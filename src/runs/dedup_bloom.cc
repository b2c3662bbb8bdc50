#include "runs/dedup_bloom.h"

#include <nearkin/error.h>

#include "base/bloom.h"
#include "base/parallel.h"
#include "collect/collect.h"
#include "io/bytes/output.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

// A filter of this many items to begin with; it grows.
constexpr std::uint64_t kFirstLayer = 1 << 16;

void check_options(const DedupOptions& options) {
  const auto refuse = [](const char* subject, const char* reason) {
    throw Error(ErrorCode::plan, subject, std::string(reason) + ", and a Bloom filter does not remember its items; leave out bloom");
  };
  if (options.removed) refuse("removed", "names the keeper of each removed item");
  if (options.annotate) refuse("annotate", "names the keeper of each item");
  if (options.against) refuse("against", "names the items already there");
  if (options.skipped) refuse("skipped", "reads records at fault again");
  if (options.keep.rule != Keep::Rule::first) refuse("keep", "chooses among the items of a group");
}

struct Hashed {
  Chunk chunk;
  Batch batch;
  std::vector<TextHash> hashes;
};

}  // namespace

DedupResult dedup_by_bloom(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options,
                           const RunOptions& run) {
  check_options(options);
  const unsigned threads = thread_count(run.threads);
  OutputFile file(output);
  Sources sources(input, false);
  BloomFilter filter(kFirstLayer, *options.bloom);
  std::vector<std::string> buffers(threads);
  DedupResult result;
  StageClock clock;
  bool header_written = false;
  RecordWriter writer(file);
  ordered_pipeline(
      threads, [&] { return file.reader_gone() ? std::nullopt : sources.next(); },
      [&](Chunk&& chunk, unsigned worker) {
        Hashed out{std::move(chunk), {}, {}};
        require_format(plan, sources.format(out.chunk.source), sources.name(out.chunk.source));
        sources.parse(out.chunk, out.batch);
        for (Row i = 0; i < out.batch.items.size(); ++i) {
          out.hashes.push_back(hash_text(out.batch.items.text(i), plan.shingle.normalise, buffers[worker]));
        }
        return out;
      },
      [&](Hashed&& part) {
        check_follows(sources, part.chunk.source);
        if (!header_written && !sources.header(part.chunk.source).empty()) {
          writer.write(sources.header(part.chunk.source));
          header_written = true;
        }
        for (Row i = 0; i < part.batch.items.size(); ++i) {
          ++result.stats.items;
          result.stats.empty += part.hashes[i].empty;
          if (!part.hashes[i].empty && filter.test_and_set(part.hashes[i].hash)) {
            ++result.removed;
            continue;
          }
          ++result.kept;
          const Location& location = part.batch.locations[i];
          if (sources.format(location.source) == Format::files) {
            writer.write(sources.name(location.source) + "\n");
          } else {
            writer.write(part.chunk.bytes.substr(location.offset - part.chunk.offset, location.length));
          }
        }
        merge_faults(result.stats.faults, part.batch.faults);
        if (run.progress) run.progress("read", sources.bytes_read(), sources.total_bytes());
      });
  // Files of a header alone have no chunk.
  check_one_output(sources, false);
  if (!header_written) writer.write(common_header(sources));
  file.commit();
  result.bloom_bytes = filter.bytes();
  result.bloom_rate = filter.expected_rate();
  result.stats.copies = result.removed;
  result.stats.seconds.emplace_back("read", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin
