// Whole runs over an index: from the records of an input to what becomes of them.
#include <algorithm>
#include <memory>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/index.h>

#include "base/parallel.h"
#include "index/state.h"
#include "io/output.h"
#include "pipeline/collect.h"
#include "pipeline/points.h"
#include "pipeline/rows.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kItemsAStep = 65'536;                       // on the disk together
constexpr std::uint64_t kBytesAStep = std::uint64_t{64} << 20;      // of records, about
constexpr std::size_t kEntriesInMemory = std::size_t{256} << 20;    // bytes of places in buckets that are sorted together

Sources sources_for(const Input& input, const Plan& plan) {
  Input reading = input;
  reading.all_answers = plan.measure == Measure::hamming;
  Sources sources(reading, false);
  for (std::size_t i = 0; i < sources.size(); ++i) require_format(plan, sources.format(i), sources.name(i));
  return sources;
}

void parse_into(const Sources& sources, const Chunk& chunk, const Plan& plan, Batch& batch) {
  if (!chunk.sketch.empty()) throw Error(ErrorCode::plan, chunk.sketch, "is a sketch file, and an index needs the items; give the files that it was made of");
  require_format(plan, sources.format(chunk.source), sources.name(chunk.source));
  batch.clear();
  sources.parse(chunk, batch);
}

// What becomes of the records of a chunk: one a thread, each used again.
struct Part {
  Batch batch;
  Prepared items;
};

void prepare_part(Part& part, Preparer& preparer, bool keep_texts) {
  part.items.clear();
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    const std::string_view id = part.batch.items.id(i);
    require_id(id);
    const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
    preparer.add(part.items, id, part.batch.items.text(i), metadata, keep_texts);
  }
}

void note(RunStats& stats, const Part& part) {
  stats.items += part.items.size();
  for (const std::uint8_t empty : part.items.empty) stats.empty += empty;
  merge_faults(stats.faults, part.batch.faults);
}

// Calls use(part) for each chunk of records, in order.
template <typename Use>
void for_each_part(Sources& sources, const Plan& plan, bool keep_texts, const RunOptions& run, Use use) {
  struct Worker {
    explicit Worker(const Plan& of) : preparer(of) {}
    Preparer preparer;
    Part part;
  };
  const unsigned threads = thread_count(run.threads);
  std::vector<std::unique_ptr<Worker>> workers(threads);
  ordered_pipeline(
      threads, [&] { return sources.next(); },
      [&](Chunk&& chunk, unsigned number) -> const Part* {
        if (!workers[number]) workers[number] = std::make_unique<Worker>(plan);
        Worker& worker = *workers[number];
        parse_into(sources, chunk, plan, worker.part.batch);
        prepare_part(worker.part, worker.preparer, keep_texts);
        return &worker.part;
      },
      [&](const Part* part) {
        use(*part);
        if (run.progress) run.progress("read", sources.bytes_read(), sources.total_bytes());
      });
}

// Puts parts, one transaction after the other. A transaction begins and ends within one call, because it belongs to one thread.
class Steps {
 public:
  /// `fresh`: nobody sees the index before it is complete. Commits cost little then, and places in buckets are gathered over many steps.
  Steps(const Store& store, const Plan& plan, bool fresh) : store_(store), plan_(plan), fresh_(fresh), preparer_(plan), entries_(plan.band.bands) {}

  void put(const Prepared& items, const Vectors* vectors = nullptr) {
    if (fresh_) return write(items, vectors);
    pending_.append(items);
    if (pending_.size() < kItemsAStep && pending_.records.bytes() + pending_.texts.bytes() < kBytesAStep) return;
    write(pending_, vectors);
    pending_.clear();
  }

  IndexPut finish(const Vectors* vectors = nullptr) {
    last_ = true;
    write(pending_, vectors);
    return put_;
  }

 private:
  void write(const Prepared& items, const Vectors* vectors) {
    Transaction transaction = store_.write();
    IndexWriter writer(transaction, plan_, preparer_);
    if (vectors != nullptr) writer.require_vectors(*vectors);
    const IndexPut done = writer.put(items, entries_);
    if (last_ || !fresh_ || entries_.bytes() >= kEntriesInMemory) entries_.write(transaction);
    writer.finish();
    transaction.commit();
    put_.added += done.added;
    put_.replaced += done.replaced;
  }

  const Store& store_;
  const Plan& plan_;
  bool fresh_, last_ = false;
  Preparer preparer_;
  BandEntries entries_;
  Prepared pending_;
  IndexPut put_;
};

// Vectors are read whole: they are few bytes beside what is made of them.
IndexAdded add_vectors(Steps& steps, const Input& input, const Plan& plan, const RunOptions& run) {
  LoadedPoints loaded = load_points(input, plan, run);
  const Vectors& vectors = std::get<Vectors>(loaded.points);
  IndexAdded result{.put = {}, .stats = std::move(loaded.stats)};
  Preparer preparer(plan);
  Prepared items;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    require_id(loaded.ids[i]);
    preparer.add(items, loaded.ids[i], vectors, i, {});
    if (items.size() < 1024 && i + 1 < vectors.size()) continue;
    steps.put(items, &vectors);
    items.clear();
  }
  result.put = steps.finish(vectors.size() > 0 ? &vectors : nullptr);
  return result;
}

IndexAdded add_all(Steps& steps, const Input& input, const Plan& plan, bool keep_texts, const RunOptions& run) {
  StageClock clock;
  IndexAdded result;
  if (plan.kind == Kind::shingles) {
    Sources sources = sources_for(input, plan);
    for_each_part(sources, plan, keep_texts, run, [&](const Part& part) {
      note(result.stats, part);
      steps.put(part.items);
    });
    result.put = steps.finish();
  } else {
    result = add_vectors(steps, input, plan, run);
  }
  result.stats.seconds.emplace_back("put", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace

IndexAdded create_index(const std::string& folder, const Input& input, const Plan& plan, const IndexOptions& options, const RunOptions& run) {
  require_indexable(plan);
  if (options.texts && plan.kind != Kind::shingles) throw Error(ErrorCode::plan, "texts", "vectors have none to keep; leave it out");
  Store store = Store::create(folder);
  write_first_meta(store, plan, options);
  Steps steps(store, plan, true);
  IndexAdded result = add_all(steps, input, plan, options.texts, run);
  store.publish();
  return result;
}

IndexAdded add_to_index(Index& index, const Input& input, const RunOptions& run) {
  const Index::State& state = IndexRuns::state(index);
  Steps steps(state.store, state.plan, false);
  if (state.access != Index::Access::write) state.write();
  return add_all(steps, input, state.plan, state.texts, run);
}

IndexRemoved remove_from_index(Index& index, const Input& input, const RunOptions& run) {
  StageClock clock;
  Input reading = input;
  if (!reading.format && format_of(input) == Format::files) reading.format = Format::lines;  // a list of ids, not a text
  Sources sources(reading, false);
  IndexRemoved result;
  Batch batch;
  std::vector<std::string> ids;
  const auto erase = [&] {
    const std::uint64_t erased = index.erase(ids);
    result.removed += erased;
    result.absent += ids.size() - erased;
    ids.clear();
  };
  while (const std::optional<Chunk> chunk = sources.next()) {
    batch.clear();
    sources.parse(*chunk, batch);
    merge_faults(result.stats.faults, batch.faults);
    result.stats.items += batch.items.size();
    const bool lines = sources.format(chunk->source) == Format::lines;
    for (Row i = 0; i < batch.items.size(); ++i) ids.emplace_back(lines ? batch.items.text(i) : batch.items.id(i));
    if (ids.size() >= kItemsAStep) erase();
    if (run.progress) run.progress("read", sources.bytes_read(), sources.total_bytes());
  }
  erase();
  result.stats.seconds.emplace_back("remove", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin
