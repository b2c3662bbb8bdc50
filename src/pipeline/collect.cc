#include "pipeline/collect.h"

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <nearkin/error.h>

#include "base/parallel.h"
#include "family/minhash.h"
#include "io/vector_batch.h"
#include "feature/normalise.h"
#include "feature/shingler.h"
#include "match/band.h"

namespace nearkin {
namespace {

constexpr std::size_t kFeatureBlock = 256;  // items that one thread reads again in a row

// What one chunk of records became.
struct Sketched {
  void clear() {
    batch.clear();
    empty.clear();
    contents.clear();
    slots.clear();
    features.hashes.clear();
    features.ends.clear();
    set_sizes.clear();
  }

  Batch batch;
  std::vector<std::uint8_t> empty;
  std::vector<Hash128> contents;
  std::vector<std::uint32_t> keys;
  std::vector<std::uint8_t> signatures;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> set_sizes;
  Features features;
};

[[noreturn]] void refuse_format(const Plan& plan, Format format, const std::string& path) {
  const std::string what = "is " + std::string(name(format)) + ", which measure " + std::string(name(plan.measure)) + " does not compare; ";
  if (plan.measure == Measure::hamming) {
    throw Error(ErrorCode::plan, path, what + "use format bits, table, or dense with binarise");
  }
  if (plan.kind == Kind::tfidf) throw Error(ErrorCode::plan, path, "is " + std::string(name(format)) + ", and features tfidf are made of texts; leave features out");
  if (compares_vectors(plan)) throw Error(ErrorCode::plan, path, what + "use format dense or sparse, or turn texts into vectors by features tfidf");
  throw Error(ErrorCode::plan, path, what + (format == Format::bits ? "use measure hamming" : "use measure cosine, euclidean or manhattan"));
}

// One thread's tools.
class Sketcher {
 public:
  explicit Sketcher(const Plan& plan) : plan_(plan), shingler_(plan.shingle), slots_(plan.sketch.hashes) {
    if (!compares_vectors(plan)) hasher_.emplace(plan.sketch);
  }

  /// Good until the next call.
  const Sketched* sketch(const Sources& sources, const Chunk& chunk) {
    Sketched& out = out_;
    out.clear();
    require_format(plan_, sources.format(chunk.source), sources.name(chunk.source));
    sources.parse(chunk, out.batch);
    if (compares_vectors(plan_)) {
      if (plan_.kind == Kind::tfidf) count_shingles(out.batch);
      return &out;  // vectors are hashed once all are there
    }
    const std::size_t items = out.batch.items.size();
    out.keys.resize(items * plan_.band.bands);
    out.signatures.resize(items * plan_.sketch.hashes);
    out.contents.reserve(items);
    out.empty.reserve(items);
    for (Row i = 0; i < items; ++i) add(i, out.batch.items.text(i), out);
    return &out;
  }

 private:
  void add(Row i, std::string_view text, Sketched& out) {
    if (plan_.measure == Measure::exact) {
      const TextHash hashed = hash_text(text, plan_.shingle.normalise, buffer_);
      out.contents.push_back(hashed.hash);
      out.empty.push_back(hashed.empty);
      return;
    }
    const bool sorted = plan_.shingle.bag || plan_.exact_join() || plan_.measure == Measure::containment;
    const std::span<const std::uint64_t> shingles = sorted ? shingler_.features(text) : shingler_.shingles(text);
    out.contents.push_back(content_hash(shingles));
    out.empty.push_back(shingles.empty());
    if (plan_.exact_join()) {
      out.features.hashes.insert(out.features.hashes.end(), shingles.begin(), shingles.end());
      out.features.ends.push_back(out.features.hashes.size());
    } else {
      add_sketch(i, shingles, out);
    }
  }

  // Each text as a sparse vector: how often each of its shingles occurs.
  void count_shingles(Batch& batch) {
    batch.vectors.kind = Vectors::Kind::sparse;
    for (Row i = 0; i < batch.items.size(); ++i) {
      const std::span<const std::uint64_t> shingles = shingler_.shingles(batch.items.text(i));
      sorted_.assign(shingles.begin(), shingles.end());
      sort_hashes(sorted_, scratch_);
      for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
        while (end < sorted_.size() && sorted_[end] == sorted_[begin]) ++end;
        batch.vectors.indices.push_back(sorted_[begin]);
        batch.vectors.values.push_back(static_cast<double>(end - begin));
      }
      batch.vectors.ends.push_back(batch.vectors.indices.size());
      ++batch.vectors.count;
    }
  }

  void add_sketch(Row i, std::span<const std::uint64_t> shingles, Sketched& out) {
    if (shingles.empty()) {
      std::fill(slots_.begin(), slots_.end(), 0u);
    } else {
      hasher_->sketch(shingles, slots_.data());
    }
    band_keys(slots_.data(), plan_.band, out.keys.data() + std::size_t{i} * plan_.band.bands);
    std::uint8_t* const signature = out.signatures.data() + std::size_t{i} * plan_.sketch.hashes;
    // Slots are minima, so that their high bits are mostly zero: the byte is taken after a multiplication that spreads them.
    for (std::size_t j = 0; j < slots_.size(); ++j) signature[j] = static_cast<std::uint8_t>(slots_[j] * 0x9e3779b1u >> 24);
    const bool containment = plan_.measure == Measure::containment;
    if (plan_.verify == Verify::estimate || containment) out.slots.insert(out.slots.end(), slots_.begin(), slots_.end());
    if (containment) out.set_sizes.push_back(static_cast<std::uint32_t>(shingles.size()));
  }

  const Plan& plan_;
  Shingler shingler_;
  std::optional<MinHasher> hasher_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> sorted_, scratch_;
  std::string buffer_;
  Sketched out_;
};

// Finds ids that were used before in the same input. Open addressing; the ids themselves stay in the collection.
class IdTable {
 public:
  /// The row that had this id before, or nothing; `row` is remembered under it then. ids[row] is not yet there.
  std::optional<Row> insert(std::string_view id, Row row, const Strings& ids) {
    if (2 * (used_ + 1) > table_.size()) grow();
    const std::uint64_t hash = XXH3_64bits(id.data(), id.size());
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t place = static_cast<std::uint32_t>(hash) & (table_.size() - 1);
    for (; table_[place].row != kFree; place = (place + 1) & (table_.size() - 1)) {
      if (table_[place].tag == tag && ids[table_[place].row] == id) return table_[place].row;
    }
    table_[place] = {row, tag, static_cast<std::uint32_t>(hash)};
    ++used_;
    return std::nullopt;
  }

 private:
  static constexpr Row kFree = UINT32_MAX;
  // The hash is kept, so that the ids are looked at only when it agrees.
  struct Entry {
    Row row = kFree;
    std::uint32_t tag = 0, low = 0;
  };

  void grow() {
    std::vector<Entry> old(std::max<std::size_t>(1024, 2 * table_.size()));
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.row == kFree) continue;
      std::size_t place = entry.low & (table_.size() - 1);
      while (table_[place].row != kFree) place = (place + 1) & (table_.size() - 1);
      table_[place] = entry;
    }
  }

  std::vector<Entry> table_;
  std::size_t used_ = 0;
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t index, std::size_t width) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(index * width);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

class Collector {
 public:
  Collector(Collection& collection, const Plan& plan, const Input& input, bool main_input)
      : collection_(collection), plan_(plan), input_(input), main_input_(main_input) {}

  void add(const Sketched& part, const Sources& sources) {
    if (collection_.size() == 0 && !compares_vectors(plan_)) reserve(part, sources);
    merge_faults(collection_.stats.faults, part.batch.faults);
    if (main_input_) {
      std::vector<Location>& faulty = collection_.fault_locations;
      faulty.insert(faulty.end(), part.batch.fault_locations.begin(), part.batch.fault_locations.end());
    }
    for (Row i = 0; i < part.batch.items.size(); ++i) add_item(i, part, sources);
  }

 private:
  // From the first records, how many there will be: arrays that grow by doubling would be copied, and their pages touched, twice.
  void reserve(const Sketched& part, const Sources& sources) {
    std::uint64_t bytes = 0;
    for (const Location& location : part.batch.locations) bytes += location.length;
    if (bytes == 0) return;
    const double records = static_cast<double>(sources.total_bytes()) / static_cast<double>(bytes) * static_cast<double>(part.empty.size());
    // The first records may be unlike the rest: never more than this much on a guess.
    constexpr double kMostBytes = 1 << 29;
    const std::size_t expected = static_cast<std::size_t>(std::min(1.05 * records, kMostBytes / static_cast<double>(bytes_an_item(plan_))));
    collection_.locations.reserve(expected);
    collection_.contents.reserve(expected);
    collection_.text_sizes.reserve(expected);
    collection_.keys.reserve(expected * plan_.band.bands);
    collection_.signatures.reserve(expected * plan_.sketch.hashes);
  }

  void add_item(Row i, const Sketched& part, const Sources& sources) {
    const Row row = static_cast<Row>(collection_.size());
    const Location& location = part.batch.locations[i];
    const std::string_view id = part.batch.items.id(i);
    if (compares_vectors(plan_)) {
      const std::string problem = vector_problem(part.batch, i);
      if (!problem.empty()) return skip(location, problem, sources);
    }
    if (const std::optional<Row> earlier = ids_.insert(id, row, collection_.ids)) return refuse(id, location, *earlier, sources);
    if (row >= UINT32_MAX - 1) throw Error(ErrorCode::data, sources.name(location.source), "more than 4,294,967,294 items; split the input");
    collection_.ids.add(id);
    collection_.locations.push_back(location);
    ++collection_.stats.items;
    collection_.text_sizes.push_back(part.batch.items.text(i).size());
    if (!part.batch.numbers.empty()) {
      collection_.numbers.push_back(part.batch.numbers[i]);
      collection_.stats.numbers += !std::isnan(part.batch.numbers[i]);
    }
    if (compares_vectors(plan_)) return append_vector(collection_.vectors, part.batch, i);
    collection_.empty.push_back(part.empty[i]);
    collection_.stats.empty += part.empty[i];
    collection_.contents.push_back(part.contents[i]);
    append(collection_.keys, part.keys, i, plan_.band.bands);
    append(collection_.signatures, part.signatures, i, plan_.sketch.hashes);
    if (!part.slots.empty()) append(collection_.slots, part.slots, i, plan_.sketch.hashes);
    if (!part.set_sizes.empty()) collection_.set_sizes.push_back(part.set_sizes[i]);
    if (plan_.exact_join()) {
      const std::span<const std::uint64_t> features = part.features[i];
      collection_.features.hashes.insert(collection_.features.hashes.end(), features.begin(), features.end());
      collection_.features.ends.push_back(collection_.features.hashes.size());
    }
  }

  // Why a vector cannot stand beside those before it, or be compared by the measure; empty when it can.
  std::string vector_problem(const Batch& batch, Row i) const {
    std::string problem = unlike_first(collection_.vectors, batch, i);
    if (problem.empty() && plan_.measure == Measure::weighted_jaccard) {
      const std::optional<double> negative = negative_number(batch, i);
      if (negative) problem = fmt::format("the number {} is negative; weighted Jaccard needs weights of 0 and more", *negative);
    }
    return problem;
  }

  void refuse(std::string_view id, const Location& location, Row earlier, const Sources& sources) {
    const auto where = [&](const Location& place) { return sources.name(place.source) + ":" + std::to_string(place.line); };
    const std::string message = "id \"" + std::string(id) + "\" was used before, at " + where(collection_.locations[earlier]);
    skip(location, message, sources);
  }

  void skip(const Location& location, const std::string& message, const Sources& sources) {
    const std::string where = sources.name(location.source) + ":" + std::to_string(location.line);
    if (input_.strict) throw Error(ErrorCode::data, where, message);
    merge_faults(collection_.stats.faults, {.first = {{where, message + "; record skipped"}}, .count = 1});
    if (main_input_) collection_.fault_locations.push_back(location);
  }

  Collection& collection_;
  const Plan& plan_;
  const Input& input_;
  bool main_input_;
  IdTable ids_;
};

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
                fmt::format("asks \"{}\", another table asks \"{}\"; hamming needs the same columns in the same order", names, collection.column_names));
  }
  collection.column_names = names;
}

void collect_one(Collection& collection, Input input, bool main_input, const Plan& plan, const RunOptions& options) {
  const unsigned threads = thread_count(options.threads);
  input.all_answers = plan.measure == Measure::hamming;
  Sources& sources = collection.inputs.emplace_back(input, true);
  std::vector<std::unique_ptr<Sketcher>> sketchers(threads);
  Collector collector(collection, plan, input, main_input);
  ordered_pipeline(
      threads, [&] { return sources.next(); },
      [&](Chunk&& chunk, unsigned worker) {
        if (!sketchers[worker]) sketchers[worker] = std::make_unique<Sketcher>(plan);
        return sketchers[worker]->sketch(sources, chunk);
      },
      [&](const Sketched* part) {
        collector.add(*part, sources);
        if (options.progress) options.progress("read", sources.bytes_read(), sources.total_bytes());
      });
  for (std::size_t i = 0; i < sources.size(); ++i) note_columns(collection, sources, i, plan);
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

void require_format(const Plan& plan, Format format, const std::string& path) {
  const bool wants_vectors = plan.kind == Kind::numbers || plan.kind == Kind::bits;
  const bool fits = wants_vectors ? holds_vectors(format) && (plan.kind == Kind::bits || format != Format::bits) : !holds_vectors(format);
  const bool set_hamming = plan.measure == Measure::hamming && plan.kind == Kind::shingles;
  if (!fits || (set_hamming && format != Format::table)) refuse_format(plan, format, path);
}

void require_border(const Plan& plan) {
  if (plan.nearest == 0) return;
  throw Error(ErrorCode::plan, "plan", "it is for queries of the " + std::to_string(plan.nearest) +
                                           " nearest and has no threshold or radius for pairs; use it with 'query', or tune another");
}

// Of a sketch a run keeps a byte a slot, the whole of it where sketches themselves are compared, and nothing where vectors are.
static std::uint64_t sketch_bytes(const Plan& plan) {
  if (compares_vectors(plan)) return 0;
  const bool whole = plan.verify == Verify::estimate || plan.measure == Measure::containment;
  return (whole ? 5 : 1) * std::uint64_t{plan.sketch.hashes};
}

std::uint64_t bytes_an_item(const Plan& plan) {
  constexpr std::uint64_t kIdTable = 36;  // entries of 12 bytes, a quarter to a half of them used
  constexpr std::uint64_t kSearch = 3 * sizeof(Row);  // order, representative, place of the features
  constexpr std::uint64_t kId = sizeof(std::uint64_t), kSize = sizeof(std::uint64_t), kEmpty = 1;
  return kId + kIdTable + sizeof(Location) + sizeof(Hash128) + kSize + kEmpty + kSearch + 4 * plan.band.bands + sketch_bytes(plan);
}

Collection collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like) {
  Collection collection;
  collection.inputs.reserve(2);
  if (options.planned_seconds > 0) collection.stats.seconds.emplace_back("plan", options.planned_seconds);
  StageClock clock;
  collect_one(collection, input, true, plan, options);
  if (against != nullptr) {
    collection.split = static_cast<Row>(collection.size());
    collect_one(collection, *against, false, plan, options);
  }
  collection.stats.seconds.emplace_back("read", clock.lap());
  if (compares_vectors(plan)) {
    finish_vectors(collection, plan, thread_count(options.threads), like);
    collection.stats.seconds.emplace_back("hash", clock.lap());
  }
  return collection;
}

std::string_view text_again(const Collection& collection, Row row, std::string& buffer, Batch& batch) {
  const Location& location = collection.locations[row];
  const Sources& sources = collection.sources_of(row);
  batch.clear();
  sources.parse_again(location, buffer, batch);
  if (batch.items.size() != 1) throw Error(ErrorCode::file, sources.name(location.source), "changed while it was being read; run again");
  return batch.items.text(0);
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

TextHash hash_text(std::string_view text, Normalise normalise, std::string& buffer) {
  if (normalise == Normalise::text) {
    normalise_text(text, buffer);
    text = buffer;
  } else if (normalise == Normalise::code) {
    collapse_space(text, buffer);
    text = buffer;
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {{hash.low64, hash.high64}, text.empty()};
}

void merge_faults(Faults& all, const Faults& part) {
  for (const Fault& fault : part.first) {
    if (all.first.size() < Faults::kNamed) all.first.push_back(fault);
  }
  all.count += part.count;
  all.binary += part.binary;
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

}  // namespace nearkin
