// A stream of new records against an index: what it has nothing like is kept, and added.
#include <algorithm>
#include <deque>

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "base/parallel.h"
#include "collect/collect.h"
#include "index/reading.h"
#include "index/state.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "runs/dedup_outputs.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

void refuse_options(const Input& input, const DedupOptions& options) {
  const auto refuse = [](const char* subject, const char* why) { throw Error(ErrorCode::plan, subject, why); };
  if (input.unit.divides()) refuse("unit", "cannot be combined with an index, which decides about each whole record as it is read");
  if (options.against) refuse("against", "cannot be combined with an index, which takes the place of the other input");
  if (options.annotate) refuse("annotate", "cannot be combined with an index, which makes no clusters; use removed to list what was found");
  if (options.bloom) refuse("bloom", "cannot be combined with an index");
  if (options.keep_at_most != 1) refuse("keep_at_most", "cannot be combined with an index, which makes no groups");
  if (options.drop_repeated) refuse("drop_repeated", "cannot be combined with an index, which makes no groups");
  if (options.size_field) refuse("size_field", "cannot be combined with an index, which makes no groups");
  if (!options.decisions.empty()) refuse("decisions", "cannot be combined with an index, which decides about each record as it is read");
  if (options.share_field) refuse("share_field", "cannot be combined with an index, which decides about whole records");
  if (options.keep.rule != Keep::Rule::first) refuse("keep", "cannot be combined with an index: the record that comes first stays");
}

// What one step hands to the next.
struct DedupStep {
  DedupStep(const Index::State& of, const std::string& named, const DedupOptions& asked)
      : state(of), output(named), options(asked), outputs(named, asked), finder(of.plan), preparer(of.plan), entries(of.plan.band.bands) {}

  const Index::State& state;
  const std::string& output;
  const DedupOptions& options;
  DedupOutputs outputs;
  Finder finder;
  Preparer preparer;
  BandEntries entries;
  Prepared item;
  std::string line;
  DedupResult result;
  std::uint64_t committed = 0;  // records kept by steps that are done
};

// One item after the other, each against the index with all that were kept before it, in one transaction: begun and ended by one thread.
class Step {
 public:
  explicit Step(DedupStep& sifting)
      : sifting_(sifting), transaction_(sifting.state.write()), writer_(transaction_, sifting.state.plan, sifting.preparer) {}

  bool keep_text(std::string_view id, std::string_view text, std::string_view metadata, const Points& points) {
    sifting_.item.clear();
    sifting_.preparer.add(sifting_.item, free_id(id), text, metadata, sifting_.state.texts);
    return keep(id, points, nullptr);
  }
  bool keep_vector(std::string_view id, const Vectors& vectors, std::size_t i) {
    sifting_.item.clear();
    sifting_.preparer.add(sifting_.item, free_id(id), vectors, i, {});
    return keep(id, one_of(vectors, i), &vectors);
  }

  bool kept_any() const { return sifting_.result.kept > sifting_.committed; }
  /// What was kept must be where it cannot be lost.
  void commit() {
    writer_.finish();
    transaction_.commit();
    sifting_.committed = sifting_.result.kept;
  }

 private:
  /// False: it has a neighbour, and was listed as removed.
  bool keep(std::string_view id, const Points& points, const Vectors* vectors) {
    const IndexAnswer answer = sifting_.finder.find(transaction_, points, {.limit = 1});
    sifting_.result.stats.candidates += answer.looked_at;
    if (!answer.hits.empty()) {
      list_removed(id, answer.hits.front());
      ++sifting_.result.removed;
      return false;
    }
    ++sifting_.result.kept;
    if (known_empty(id)) return true;
    if (vectors != nullptr) writer_.require_vectors(*vectors);
    writer_.put(sifting_.item, sifting_.entries);
    sifting_.entries.write(transaction_);
    ++sifting_.result.added;
    return true;
  }

  /// An EMPTY item is like nothing, and always kept; under one id, the index needs it no second time.
  bool known_empty(std::string_view id) const {
    if (sifting_.item.empty.front() == 0) return false;
    const std::optional<Row> row = find_row(transaction_, id);
    if (!row) return false;
    Points known;
    append_item(transaction_, *row, record_of(transaction_, *row, id), true, known);
    return is_empty(known, 0, sifting_.state.plan.measure);
  }

  /// An id that is in use belongs to another item, which stays.
  std::string free_id(std::string_view id) const {
    std::string free(id);
    for (std::uint64_t number = writer_.next(); find_row(transaction_, free); ++number)
      free = std::string(id) + "@" + std::to_string(number);
    return free;
  }

  void list_removed(std::string_view id, const Hit& keeper) {
    if (!sifting_.outputs.removed) return;
    const Plan& plan = sifting_.state.plan;
    sifting_.line.clear();
    append_row(sifting_.line, id, keeper.id, keeper.match, {plan.verify, plan.measure},
               sifting_.options.removed_as_json ? RowStyle::json : RowStyle::tsv, {"id", "keeper"});
    sifting_.outputs.removed->write(sifting_.line);
  }

  DedupStep& sifting_;
  Transaction transaction_;
  IndexWriter writer_;
};

void require_reader(const DedupStep& sifting) {
  if (!sifting.outputs.kept.reader_gone()) return;
  throw Error(ErrorCode::file, sifting.output,
              "its reader has stopped reading, so records may be lost; records that it did not get are not in the index");
}

// On the disk, or at their reader's: what the index will hold as seen must not be lost.
void put_in_place(DedupStep& sifting, const Sources& sources, const RunOptions& run) {
  if (run.before_output) run.before_output();
  sifting.outputs.commit(sources, sifting.result.stats.faults);
  require_reader(sifting);
}

// A part of the input, as texts: shingled on any thread, sifted in order.
struct TextPart : ReadBatch {
  std::vector<Points> points;
  std::vector<Location> faults = {};  // to be written as they came
  Row next = 0;                       // to be sifted
  std::size_t next_fault = 0;         // to be written
};

// A part and what a thread makes it with.
struct PartMaker : TextPart {
  explicit PartMaker(const Plan& plan) : preparer(plan) {}
  Preparer preparer;
};

void shingle(PartMaker& part) {
  part.points.clear();
  for (Row i = 0; i < part.batch.items.size(); ++i) part.points.push_back(part.preparer.points_of(part.batch.items.text(i)));
}

// Gathers parts, and sifts them when they are enough for a step.
class TextSifter {
 public:
  TextSifter(DedupStep& sifting, const Sources& sources, const SiftStep& limits)
      : sifting_(sifting), sources_(sources), limits_(limits), kept_(sources, sifting.outputs.kept) {
    if (sifting.outputs.skipped) skipped_.emplace(sources, *sifting.outputs.skipped);
  }

  void take(TextPart&& part) {
    part.faults = faults_to_keep(sources_, part.batch.fault_locations, sifting_.options.keep_faults, lost_);
    Faults told = part.batch.faults;
    note_kept(told, part.faults.size(), 0);
    kept_faults_ += part.faults.size();
    sifting_.outputs.require_nothing_lost(sources_, told);
    if (skipped_) write_skipped(part.chunk, part.batch, *skipped_);
    if (part.batch.items.size() == 0 && part.faults.empty()) return;
    records_ += part.batch.items.size();
    bytes_ += part.chunk.bytes.size();
    parts_.push_back(std::move(part));
    while (records_ > limits_.records || bytes_ > limits_.bytes) {
      Step step(sifting_);
      sift(step);
      if (!step.kept_any()) continue;
      sifting_.outputs.kept.save();
      require_reader(sifting_);
      step.commit();
      sifting_.outputs.kept.hold_saved();
    }
  }

  /// The last step. The outputs are put in place before it is committed: an end between the two leaves records that are kept twice, and
  /// none that is lost.
  void finish(const RunOptions& run) {
    Step step(sifting_);
    sift(step);
    kept_.meet(sources_.size());
    note_kept(sifting_.result.stats.faults, kept_faults_, lost_);
    put_in_place(sifting_, sources_, run);
    if (step.kept_any()) step.commit();
  }

 private:
  void sift(Step& step) {
    for (std::size_t left = limits_.records; !parts_.empty(); --left) {
      TextPart& part = parts_.front();
      kept_.meet(part.chunk.source + std::size_t{1});
      if (part.next == part.batch.items.size()) {
        write_faults(part, nullptr);
        bytes_ -= part.chunk.bytes.size();
        parts_.pop_front();
        ++left;
        continue;
      }
      if (left == 0) return;
      sift(step, part, part.next++);
      --records_;
    }
  }

  /// Those before a record, or all.
  void write_faults(TextPart& part, const Location* record) {
    while (part.next_fault < part.faults.size() && (record == nullptr || stands_before(part.faults[part.next_fault], *record))) {
      kept_.write(part.chunk, part.faults[part.next_fault++]);
    }
  }

  void sift(Step& step, TextPart& part, Row i) {
    write_faults(part, &part.batch.locations[i]);
    const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
    if (step.keep_text(part.batch.items.id(i), part.batch.items.text(i), metadata, part.points[i])) {
      kept_.write(part.chunk, part.batch.locations[i]);
    }
    sifting_.result.stats.empty += sifting_.item.empty[0];
  }

  DedupStep& sifting_;
  const Sources& sources_;
  const SiftStep& limits_;
  RecordWriter kept_;
  std::optional<RecordWriter> skipped_;
  std::deque<TextPart> parts_;
  std::size_t records_ = 0, bytes_ = 0;  // of the parts, not yet sifted
  std::uint64_t kept_faults_ = 0, lost_ = 0;
};

void sift_texts(DedupStep& sifting, const Input& input, const RunOptions& run, const SiftStep& limits) {
  const Plan& plan = sifting.state.plan;
  Sources sources = sources_for(input, plan);
  TextSifter sifter(sifting, sources, limits);
  for_each_batch(
      sources, reading_for(sources, plan, run, sifting.result.stats), [&](unsigned) { return PartMaker(plan); },
      [&](PartMaker& part) {
        drop_bad_ids(sources, input, part);
        shingle(part);
      },
      [&](PartMaker& part) { sifter.take(std::move(static_cast<TextPart&>(part))); });
  sifter.finish(run);
}

// Vectors are read whole, and are one step: the header of some of their files says how many there are.
void sift_vectors(DedupStep& sifting, const Input& input, const RunOptions& run) {
  Rows rows = collect_vectors(input, sifting.state.plan, run);
  const Sources& sources = rows.inputs.front();
  check_one_output(sources, sifting.outputs.kept.name(), nullptr);
  const std::vector<std::size_t> usable = usable_vectors(rows, sifting.state.plan, input);
  sifting.result.stats = std::move(rows.stats);
  std::uint64_t lost = 0;
  std::vector<Location> locations = faults_to_keep(sources, rows.arrays.fault_locations[0], sifting.options.keep_faults, lost);
  note_kept(sifting.result.stats.faults, locations.size(), lost);
  Step step(sifting);
  for (const std::size_t i : usable) {
    if (step.keep_vector(rows.arrays.ids[i], rows.arrays.vectors, i)) locations.push_back(rows.arrays.locations[i]);
  }
  std::sort(locations.begin(), locations.end(), stands_before);
  KeptRecords(sources, locations.size(), thread_count(run.threads), sifting.outputs.kept).write(locations);
  if (sifting.outputs.skipped) write_locations(sources, rows.arrays.fault_locations[0], *sifting.outputs.skipped);
  put_in_place(sifting, sources, run);
  if (step.kept_any()) step.commit();
}

// What earlier steps kept stays kept.
[[noreturn]] void fail_behind_steps(const Error& error, const DedupStep& sifting) {
  if (sifting.committed == 0) throw error;
  const std::string file = sifting.outputs.kept.partial_name();
  throw Error(error.code(), error.subject(),
              error.message() + "; " + std::to_string(sifting.committed) + " records kept before are in the index, and " +
                  (file.empty() ? "written" : "in " + file));
}

}  // namespace

DedupResult dedup_in_steps(Index& index, const Input& input, const std::string& output, const DedupOptions& options, const RunOptions& run,
                           const SiftStep& step) {
  refuse_options(input, options);
  require_records(input, "dedup_with_index");
  const Index::State& state = IndexRuns::state(index);
  if (state.access != Index::Access::write) state.write();
  if (state.unit.divides()) {
    throw Error(ErrorCode::plan, "index",
                "its items are parts of records (" + to_string(state.unit) + "), but dedup decides about whole records");
  }
  StageClock clock;
  DedupStep sifting(state, output, options);
  sifting.outputs.kept.require_no_partial();
  try {
    if (state.plan.kind == Kind::shingles) {
      sift_texts(sifting, input, run, step);
    } else {
      sift_vectors(sifting, input, run);
    }
  } catch (const Error& error) {
    fail_behind_steps(error, sifting);
  }
  sifting.result.stats.seconds.emplace_back("sift", clock.lap());
  sifting.result.stats.peak_bytes = peak_memory();
  return std::move(sifting.result);
}

DedupResult dedup_with_index(Index& index, const Input& input, const std::string& output, const DedupOptions& options,
                             const RunOptions& run) {
  return dedup_in_steps(index, input, output, options, run, {});
}

}  // namespace nearkin
