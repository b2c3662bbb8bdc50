// A stream of new records against an index: what it has nothing like is kept, and added.
#include <memory>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/index.h>

#include "base/parallel.h"
#include "index/record.h"
#include "index/state.h"
#include "io/output.h"
#include "pipeline/collect.h"
#include "pipeline/rows.h"
#include "pipeline/runs.h"
#include "pipeline/write_records.h"

namespace nearkin {
namespace {

void refuse_options(const DedupOptions& options) {
  const auto refuse = [](const char* subject, const char* why) { throw Error(ErrorCode::plan, subject, why); };
  if (options.against) refuse("against", "does not go with an index, which is what the input is held against");
  if (options.annotate) refuse("annotate", "does not go with an index, which makes no clusters; use removed to list what was found");
  if (options.bloom) refuse("bloom", "does not go with an index");
  if (options.keep.rule != Keep::Rule::first) refuse("keep", "does not go with an index: what it has seen first stays");
}

// One item after the other, each against the index with all that were kept before it, in one transaction.
class Sifter {
 public:
  Sifter(const Index::State& state, const DedupOptions& options, DedupOutputs& outputs)
      : state_(state), options_(options), outputs_(outputs), finder_(state.plan), preparer_(state.plan), entries_(state.plan.band.bands),
        transaction_(state.write()), writer_(transaction_, state.plan, preparer_) {}

  /// False: it has a neighbour, and was listed as removed.
  bool keep(std::string_view id, const Points& points, const Prepared& item, const Vectors* vectors) {
    const IndexAnswer answer = finder_.find(transaction_, points, {.limit = 1});
    candidates_ += answer.looked_at;
    if (!answer.hits.empty()) {
      list_removed(id, answer.hits.front());
      return false;
    }
    if (vectors != nullptr) writer_.require_vectors(*vectors);
    writer_.put(item, entries_);
    entries_.write(transaction_);
    return true;
  }

  /// An id that is in use belongs to another item, which stays.
  std::string free_id(std::string_view id) const {
    std::string free(id);
    for (std::uint64_t number = writer_.next(); find_row(transaction_, free); ++number) free = std::string(id) + "@" + std::to_string(number);
    return free;
  }

  std::uint64_t candidates() const { return candidates_; }
  void commit() {
    writer_.finish();
    transaction_.commit();
  }

 private:
  void list_removed(std::string_view id, const Hit& keeper) {
    if (!outputs_.removed) return;
    line_.clear();
    append_row(line_, id, keeper.id, keeper.match, {state_.plan.verify, state_.plan.measure}, options_.removed_as_json ? RowStyle::json : RowStyle::tsv,
               {"id", "keeper"});
    outputs_.removed->write(line_);
  }

  const Index::State& state_;
  const DedupOptions& options_;
  DedupOutputs& outputs_;
  Finder finder_;
  Preparer preparer_;
  BandEntries entries_;
  Transaction transaction_;
  IndexWriter writer_;
  std::string line_;
  std::uint64_t candidates_ = 0;
};

struct Sifted {
  std::vector<Location> kept, faults;
  DedupResult result;
};

// A part of the input, as texts: shingled on any thread, sifted in order.
struct TextPart {
  Batch batch;
  std::vector<Points> points;
};

void sift_texts(const Index::State& state, Sources& sources, const RunOptions& run, Sifter& sifter, Sifted& out) {
  const unsigned threads = thread_count(run.threads);
  std::vector<std::unique_ptr<Preparer>> preparers(threads);
  Preparer preparer(state.plan);
  Prepared item;
  ordered_pipeline(
      threads, [&] { return sources.next(); },
      [&](Chunk&& chunk, unsigned worker) {
        if (!chunk.sketch.empty()) throw Error(ErrorCode::plan, chunk.sketch, "is a sketch file; give the files that it was made of");
        require_format(state.plan, sources.format(chunk.source), sources.name(chunk.source));
        if (!preparers[worker]) preparers[worker] = std::make_unique<Preparer>(state.plan);
        TextPart part;
        sources.parse(chunk, part.batch);
        for (Row i = 0; i < part.batch.items.size(); ++i) part.points.push_back(preparers[worker]->points_of(part.batch.items.text(i)));
        return part;
      },
      [&](TextPart&& part) {
        merge_faults(out.result.stats.faults, part.batch.faults);
        out.faults.insert(out.faults.end(), part.batch.fault_locations.begin(), part.batch.fault_locations.end());
        for (Row i = 0; i < part.batch.items.size(); ++i) {
          const std::string_view id = part.batch.items.id(i);
          require_id(id);
          item.clear();
          const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
          preparer.add(item, sifter.free_id(id), part.batch.items.text(i), metadata, state.texts);
          const bool kept = sifter.keep(id, part.points[i], item, nullptr);
          if (kept) out.kept.push_back(part.batch.locations[i]);
          ++out.result.stats.items;
          out.result.stats.empty += item.empty[0];
        }
        if (run.progress) run.progress("read", sources.bytes_read(), sources.total_bytes());
      });
}

void sift_vectors(const Index::State& state, Collection& collection, Sifter& sifter, Sifted& out) {
  Preparer preparer(state.plan);
  Prepared item;
  out.result.stats = std::move(collection.stats);
  out.faults = collection.fault_locations;
  for (std::size_t i = 0; i < collection.vectors.size(); ++i) {
    item.clear();
    require_id(collection.ids[i]);
    preparer.add(item, sifter.free_id(collection.ids[i]), collection.vectors, i, {});
    const Points query = one_of(collection.vectors, i);
    if (sifter.keep(collection.ids[i], query, item, &collection.vectors)) out.kept.push_back(collection.locations[i]);
  }
}

// On the disk, or at their reader's: what the index will hold as seen must not be lost.
void put_in_place(DedupOutputs& outputs, const std::string& output, const DedupOptions& options) {
  outputs.commit();
  if (outputs.kept.reader_gone()) throw Error(ErrorCode::file, output, "its reader has gone, and records may be lost; the index was left as it was");
  sync_output(output);
  if (options.removed) sync_output(*options.removed);
  if (options.skipped) sync_output(*options.skipped);
}

}  // namespace

DedupResult dedup_with_index(Index& index, const Input& input, const std::string& output, const DedupOptions& options, const RunOptions& run) {
  refuse_options(options);
  const Index::State& state = IndexRuns::state(index);
  StageClock clock;
  DedupOutputs outputs(output, options);
  Sifted sifted;
  std::optional<Collection> collection;
  std::optional<Sources> texts;
  Sifter sifter(state, options, outputs);
  if (state.plan.kind == Kind::shingles) {
    Input reading = input;
    reading.all_answers = state.plan.measure == Measure::hamming;
    texts.emplace(reading, true);
    sift_texts(state, *texts, run, sifter, sifted);
  } else {
    Plan reading = state.plan;
    reading.sketch.hashes = 0;
    reading.band = {};
    collection.emplace(collect(input, nullptr, reading, run));
    sift_vectors(state, *collection, sifter, sifted);
  }
  const Sources& sources = texts ? *texts : collection->inputs.front();
  check_one_output(sources, false);
  DedupResult result = std::move(sifted.result);
  result.kept = sifted.kept.size();
  result.removed = result.stats.items - result.kept;
  result.stats.candidates = sifter.candidates();
  result.stats.seconds.emplace_back("sift", clock.lap());
  KeptRecords kept(sources, result.kept, thread_count(run.threads), outputs.kept);
  kept.write(sifted.kept);
  if (outputs.skipped) write_locations(sources, sifted.faults, *outputs.skipped);
  if (run.before_output) run.before_output();
  put_in_place(outputs, output, options);
  sifter.commit();  // behind the outputs: an end between the two leaves records that are kept twice, and none that is lost
  result.stats.seconds.emplace_back("write", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin
