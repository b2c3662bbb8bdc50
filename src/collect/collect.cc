#include "collect/collect.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <nearkin/error.h>

#include "base/parallel.h"
#include "collect/collector.h"
#include "collect/id_table.h"
#include "collect/memory_bound.h"
#include "collect/segment.h"
#include "feature/shingler.h"
#include "io/formats/vector_batch.h"

namespace nearkin {
namespace {

constexpr std::size_t kFeatureBlock = 256;      // items that one thread reads again in a row
constexpr std::uint64_t kBytesACandidate = 64;  // as a pair, while it is sorted, and as a match

// Rows of a table are compared answer by answer: all tables must ask the same number of questions.
void note_columns(Collection& collection, const Sources& sources, std::size_t source, const Plan& plan) {
  if (sources.format(source) != Format::table || sources.header(source).empty()) return;
  const std::uint32_t columns = sources.columns(source);
  const std::uint32_t wanted = collection.columns != 0 ? collection.columns : plan.sketch.dimensions;
  if (plan.measure == Measure::hamming && wanted != 0 && columns != wanted) {
    throw Error(ErrorCode::data, sources.name(source),
                fmt::format("has {} columns to compare, {} has {}; hamming needs the same columns", columns,
                            collection.columns != 0 ? "another table" : "the plan", wanted));
  }
  collection.columns = columns;
  const std::string_view header = sources.header(source);
  const std::string_view names = header.substr(0, header.find_last_not_of("\r\n") + 1);
  if (plan.measure == Measure::hamming && !collection.column_names.empty() && names != collection.column_names) {
    throw Error(ErrorCode::data, sources.name(source),
                fmt::format("asks \"{}\", another table asks \"{}\"; hamming needs the same columns in the same order", names,
                            collection.column_names));
  }
  collection.column_names = names;
}

// A plan may be changed in what sketches do not depend on.
bool shares_sketches(Plan a, const Plan& b) {
  a.band.large_bucket = b.band.large_bucket;
  return a == b;
}

void sketch_segment(const Chunk& chunk, const Plan& plan, Sketched& out) {
  const std::string& made = chunk.sketch->info().plan;
  if (!shares_sketches(parse_plan(made), plan)) {
    throw Error(ErrorCode::plan, chunk.sketch->path(),
                "was made with the plan " + made + ", the run has " + to_string(plan) + "; use one plan for both");
  }
  read_segment(*chunk.sketch, chunk.segment, plan, chunk.source, out);
  out.end = Position{.source = chunk.source, .segments = chunk.segment + 1};
}

// Runs that cannot use files.
void require_within(const RunOptions& options) {
  if (resident_memory() <= options.memory) return;
  throw Error(ErrorCode::plan, "memory",
              "this run is held in memory and needs more than " + bytes_text(options.memory) +
                  " (as runs over vectors, exact joins, containment, audits and reports do); raise it, or leave it out");
}

void read_on(Collection& collection, Collector& collector, Sources& sources, const Plan& plan, const RunOptions& options,
             const SpillRule& rule) {
  Reading reading = reading_of(options);
  reading.on_source = [&](std::size_t source) { require_format(plan, sources.format(source), sources.name(source)); };
  const bool held = options.memory > 0 && !rule.allows();
  for_each_chunk(
      sources, reading, [&](unsigned) { return Sketcher(plan); },
      [&](Chunk&& chunk, Sketcher& sketcher) {
        if (chunk.sketch) {
          sketch_segment(chunk, plan, sketcher.result());
        } else {
          sketcher.sketch(sources, chunk);
        }
      },
      [&](Sketcher& sketcher) {
        collector.add(sketcher.result(), sources);
        if (held) require_within(options);
      });
  collector.finish(sources);
  if (collection.in_files()) collection.scratch->note_size();
}

void collect_one(Collection& collection, Input input, const Plan& plan, const RunOptions& options, const SpillRule& rule) {
  input.all_answers = plan.measure == Measure::hamming;
  const auto number = static_cast<std::uint32_t>(collection.inputs.size());
  Sources& sources = collection.inputs.emplace_back(input, true);
  Collector collector(collection, plan, input, number, rule);
  const TakenOver taken = collector.take_over(sources);
  if (taken.complete) {
    sources.go_to({.source = static_cast<std::uint32_t>(sources.size())}, taken.records);
  } else {
    if (taken.any) sources.go_to(taken.position, taken.records);
    read_on(collection, collector, sources, plan, options, rule);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) note_columns(collection, sources, i, plan);
}

// Everything that decides what a run's units of work hold.
std::string input_identity(const Input& input) {
  std::string text;
  const auto add = [&](std::string_view value) { text.append(std::to_string(value.size())).append(":").append(value); };
  for (const std::string& path : input.paths) add(path == "-" ? path : std::filesystem::absolute(path).string());
  add(input.files_from ? std::filesystem::absolute(*input.files_from).string() : "");
  add(input.format ? name(*input.format) : "");
  for (const std::string& field : {input.id, input.text, input.number.value_or("")}) add(field);
  add(std::string(1, input.separator) + (input.header ? "h" : "-") + (input.strict ? "s" : "-") +
      std::to_string(static_cast<int>(input.directed)));
  return text;
}

SpillRule spill_rule(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Spill* spill) {
  SpillRule rule;
  const bool memory = input.memory || (against != nullptr && against->memory);
  if (spill == nullptr || memory || !can_spill(plan)) return rule;
  rule.memory = memory_bound(options);
  rule.threads = thread_count(options.threads);
  rule.segment_bytes = std::clamp<std::uint64_t>(rule.memory / 16, std::uint64_t{1} << 20, std::uint64_t{64} << 20);
  rule.from_the_start = options.scratch.has_value() || options.resume;
  const std::string line = to_string(plan);
  const std::string identity =
      line + "\n" + spill->identity + "\n" + input_identity(input) + "\n" + (against ? input_identity(*against) : "");
  const XXH128_hash_t hash = XXH3_128bits(identity.data(), identity.size());
  rule.scratch = {.folder = options.scratch, .run = {hash.low64, hash.high64}, .plan = line, .resume = options.resume};
  return rule;
}

// What needs all vectors: preparing and hashing them.
void finish_vectors(Collection& collection, const Plan& plan, unsigned threads, const Preparation* like) {
  collection.preparation = like != nullptr ? *like : preparation_of(collection.vectors, plan);
  collection.vectors = prepare(std::move(collection.vectors), plan, collection.preparation);
  const Vectors& vectors = collection.vectors;
  collection.empty.resize(vectors.size());
  collection.contents.resize(vectors.size());
  parallel_for(vectors.size(), 1024, threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      collection.empty[i] = is_empty(vectors, i, plan.measure);
      collection.contents[i] = content_of(vectors, i);
    }
  });
  for (const std::uint8_t empty : collection.empty) collection.stats.empty += empty;
  if (plan.sketch.hashes > 0) collection.keys = vector_band_keys(vectors, collection.empty, plan, threads);
}

}  // namespace

void require_records(const Input& input, const char* run) {
  if (!input.memory) return;
  throw Error(ErrorCode::plan, "input", "items in memory have no records to write; " + std::string(run) + " needs files (see dedup_rows)");
}

void require_border(const Plan& plan) {
  if (plan.nearest == 0) return;
  throw Error(ErrorCode::plan, "plan",
              "it is for queries of the " + std::to_string(plan.nearest) +
                  " nearest and has no threshold or radius for pairs; use it with 'query', or tune another");
}

// Of a sketch a run keeps a byte a slot, the whole of it where sketches themselves are compared, and nothing where vectors are.
static std::uint64_t sketch_bytes(const Plan& plan) {
  if (compares_vectors(plan)) return 0;
  const bool whole = plan.verify == Verify::estimate || plan.measure == Measure::containment;
  return (whole ? 5 : 1) * std::uint64_t{plan.sketch.hashes};
}

std::uint64_t bytes_an_item(const Plan& plan) {
  constexpr std::uint64_t kSearch = 3 * sizeof(Row);  // order, representative, place of the features
  constexpr std::uint64_t kId = sizeof(std::uint64_t), kSize = sizeof(std::uint64_t), kEmpty = 1;
  return kId + IdTable::kBytes + sizeof(Location) + sizeof(Hash128) + kSize + kEmpty + kSearch + 4 * plan.band.bands + sketch_bytes(plan);
}

std::uint64_t bytes_in_files(const Plan& plan) {
  constexpr std::uint64_t kIdEnd = sizeof(std::uint64_t), kSize = sizeof(std::uint64_t), kEmpty = 1;
  return sizeof(Location) + sizeof(Hash128) + kIdEnd + kSize + kEmpty + 4 * std::uint64_t{plan.band.bands} + sketch_bytes(plan);
}

bool can_spill(const Plan& plan) { return !compares_vectors(plan) && !plan.exact_join() && plan.measure != Measure::containment; }

std::uint64_t memory_bound(const RunOptions& options) {
  const unsigned threads = thread_count(options.threads);
  const std::uint64_t least = least_memory(threads);
  if (options.memory == 0) return std::max(default_memory(), least);
  if (options.memory >= least) return options.memory;
  const std::string with = threads == 1 ? "one thread" : std::to_string(threads) + " threads, " + bytes_text(least_memory(1)) + " with one";
  throw Error(ErrorCode::plan, "memory",
              bytes_text(options.memory) + " is too little; the least is " + bytes_text(least) + " with " + with);
}

void move_to_files(Collection& collection, const Input& input, const Input* against, const Plan& plan, const RunOptions& options,
                   const Spill& spill) {
  const SpillRule rule = spill_rule(input, against, plan, options, &spill);
  const Input& last = against != nullptr ? *against : input;
  Collector collector(collection, plan, last, against != nullptr ? 1 : 0, rule);
  collector.move_to_files(collection.inputs.back());
}

Collection collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like,
                   const Spill* spill) {
  Collection collection;
  collection.inputs.reserve(2);
  if (options.planned_seconds > 0) collection.stats.seconds.emplace_back("plan", options.planned_seconds);
  StageClock clock;
  const SpillRule rule = spill_rule(input, against, plan, options, spill);
  if (rule.from_the_start) collection.scratch = std::make_unique<Scratch>(rule.scratch);
  collect_one(collection, input, plan, options, rule);
  if (against != nullptr) {
    collection.split = static_cast<Row>(collection.size());
    collect_one(collection, *against, plan, options, rule);
  }
  if (rule.memory > 0 && !collection.in_files()) {
    const std::uint64_t taken = bytes_in_memory(plan, collection.size(), collection.shingles, collection.ids.bytes(), rule.threads);
    collection.most_candidates = std::max(rule.memory / 8, rule.memory - std::min(rule.memory, taken)) / kBytesACandidate;
  }
  collection.stats.seconds.emplace_back("read", clock.lap());
  if (compares_vectors(plan)) {
    finish_vectors(collection, plan, thread_count(options.threads), like);
    collection.stats.seconds.emplace_back("hash", clock.lap());
  }
  return collection;
}

std::string_view text_at(const Sources& sources, const Location& location, std::string& buffer, Batch& batch) {
  batch.clear();
  sources.parse_again(location, buffer, batch);
  if (batch.items.size() != 1) throw Error(ErrorCode::file, sources.name(location.source), "changed while it was being read; run again");
  return batch.items.text(0);
}

std::string_view text_again(const Collection& collection, Row row, std::string& buffer, Batch& batch) {
  return text_at(collection.sources_of(row), collection.locations[row], buffer, batch);
}

void for_each_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads,
                       const std::function<void(unsigned worker, std::size_t i, std::span<const std::uint64_t> features)>& use) {
  std::vector<std::unique_ptr<Shingler>> shinglers(threads);
  parallel_for(rows.size(), kFeatureBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!shinglers[worker]) shinglers[worker] = std::make_unique<Shingler>(plan);
    std::string buffer;
    Batch batch;
    for (std::size_t i = begin; i < end; ++i) {
      use(worker, i, shinglers[worker]->features(text_again(collection, rows[i], buffer, batch)));
    }
  });
}

FeatureBlocks load_features(const Collection& collection, std::span<const Row> rows, const ShinglePlan& plan, unsigned threads) {
  FeatureBlocks result;
  result.blocks.resize((rows.size() + kFeatureBlock - 1) / kFeatureBlock);
  result.items.resize(rows.size());
  for_each_features(collection, rows, plan, threads, [&](unsigned, std::size_t i, std::span<const std::uint64_t> features) {
    const std::size_t begin = i - i % kFeatureBlock, end = std::min(begin + kFeatureBlock, rows.size());
    Features& block = result.blocks[i / kFeatureBlock];
    if (i == begin) {
      std::uint64_t text = 0;
      for (std::size_t k = begin; k < end; ++k) text += collection.text_sizes[rows[k]];
      block.hashes.reserve(text / 4);  // words are seldom shorter; pages that stay untouched cost nothing
    }
    block.hashes.insert(block.hashes.end(), features.begin(), features.end());
    block.ends.push_back(block.hashes.size());
    if (i + 1 < end) return;
    for (std::size_t k = begin; k < end; ++k) result.items[k] = block[k - begin];
  });
  return result;
}

StageClock::StageClock() : last_(0) { lap(); }

double StageClock::lap() {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now - std::exchange(last_, now);
}

std::uint64_t peak_memory() {
  // What getrusage tells may be the peak of a larger process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t resident_memory() {
  std::ifstream pages("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t least_memory(unsigned threads) { return (std::uint64_t{48} << 20) + thread_count(threads) * (std::uint64_t{16} << 20); }

}  // namespace nearkin
