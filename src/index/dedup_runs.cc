// A stream of new records against an index: what it has nothing like is kept, and added. Where its items are parts of records, so are
// those of the stream, and the records stay without the parts that the index has.
#include <algorithm>
#include <deque>

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "base/parallel.h"
#include "collect/collect.h"
#include "index/dedup_step.h"
#include "index/reading.h"
#include "runs/cut_records.h"
#include "runs/write_records.h"

namespace nearkin {
namespace {

void refuse_options(const DedupOptions& options, bool in_units) {
  const auto refuse = [](const char* subject, const char* why) { throw Error(ErrorCode::plan, subject, why); };
  if (options.against) refuse("against", "cannot be combined with an index, which takes the place of the other input");
  if (options.annotate) refuse("annotate", "cannot be combined with an index, which makes no clusters; use removed to list what was found");
  if (options.bloom) refuse("bloom", "cannot be combined with an index");
  if (options.keep_at_most != 1) refuse("keep_at_most", "cannot be combined with an index, which makes no groups");
  if (options.drop_repeated) refuse("drop_repeated", "cannot be combined with an index, which makes no groups");
  if (options.size_field) refuse("size_field", "cannot be combined with an index, which makes no groups");
  if (!options.decisions.empty()) refuse("decisions", "cannot be combined with an index, which decides about each record as it is read");
  if (options.share_field) refuse("share_field", "cannot be combined with an index, which decides about each record as it is read");
  if (!in_units && (options.least_left > 0 || options.most_cut < 1))
    refuse("unit", "least_left and most_cut are about parts of records; make the index with a unit, such as paragraph");
  if (!(options.most_cut >= 0 && options.most_cut <= 1)) refuse("most_cut", "is not a share from 0 to 1");
  if (options.keep.rule != Keep::Rule::first) refuse("keep", "cannot be combined with an index: the record that comes first stays");
}

// Whether records are kept whole or cut is for the caller to say.
void require_unit(const Unit& unit, const Input& input) {
  if (input.unit.divides() != unit.divides()) {
    throw Error(ErrorCode::plan, "unit",
                unit.divides() ? "the items of the index are parts of records (" + to_string(unit) +
                                     "); give the unit, and the parts that the index has are cut out of the records"
                               : "the items of the index are whole records; leave the unit out, or make an index with it");
  }
  if (unit.divides()) require_named_texts(input, "units are cut out of them");
}

void require_reader(const Sifting& sifting) {
  if (!sifting.outputs.kept.reader_gone()) return;
  throw Error(ErrorCode::file, sifting.output == "-" ? "standard output" : sifting.output,
              "its reader has stopped reading, so records may be lost; records that it did not get are not in the index");
}

void note_end(Sifting& sifting) {
  RunStats& stats = sifting.result.stats;
  if (sifting.state.unit.divides()) stats.records = sifting.result.records.read;
  stats.seconds.emplace_back("sift", sifting.clock.lap());
  stats.peak_bytes = peak_memory();
}

// The last step. Its records are on the disk, or at their reader's, before the index has them as seen: an end between the two leaves
// records that are kept twice, and none that is lost. The outputs get their names after that, so an index that cannot be written leaves old
// files as they were.
void finish_step(Sifting& sifting, DedupStep& step, const RunOptions& run) {
  DedupOutputs& outputs = sifting.outputs;
  outputs.require_nothing_lost(sifting.result.stats.faults);
  note_end(sifting);
  if (run.before_output) run.before_output();
  if (sifting.options.on_result) sifting.options.on_result(sifting.result);
  if (step.kept_any()) outputs.kept.save();
  outputs.finish();
  require_reader(sifting);
  if (step.kept_any()) {
    step.commit();
    outputs.kept.hold_saved();
  }
  outputs.publish();
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

using Fate = CutRecords::Fate;

// Gathers parts, and sifts them when they are enough for a step.
class TextSifter {
 public:
  TextSifter(Sifting& sifting, const Sources& sources, const SiftStep& limits)
      : sifting_(sifting), sources_(sources), limits_(limits), in_units_(sources.unit().divides()), kept_(sources, sifting.outputs.kept) {
    if (sifting.outputs.skipped) skipped_.emplace(sources, *sifting.outputs.skipped);
  }

  void take(TextPart&& part) {
    std::uint64_t lost = 0;
    part.faults = faults_to_keep(sources_, part.batch.fault_locations, sifting_.options.keep_faults, lost);
    lost_ += lost;
    Faults told = part.batch.faults;
    note_kept(told, part.faults.size(), lost);
    kept_faults_ += part.faults.size();
    sifting_.outputs.note_faults(sources_, part.batch.fault_locations, sifting_.options.keep_faults);
    sifting_.outputs.require_nothing_lost(told);
    if (in_units_ && part.batch.items.size() > 0) require_cuttable(sources_, part.chunk.source, "unit");
    if (skipped_) write_skipped(part.chunk, part.batch, *skipped_);
    if (part.batch.items.size() == 0 && part.faults.empty()) return;
    records_ += part.batch.items.size();
    bytes_ += part.chunk.bytes.size();
    parts_.push_back(std::move(part));
    while (records_ > limits_.records || bytes_ > limits_.bytes) {
      DedupStep step(sifting_);
      sift(step);
      if (!step.kept_any()) continue;
      sifting_.outputs.kept.save();
      require_reader(sifting_);
      step.commit();
      sifting_.outputs.kept.hold_saved();
    }
  }

  void finish(const RunOptions& run) {
    DedupStep step(sifting_);
    sift(step);
    kept_.meet(sources_.size());
    note_kept(sifting_.result.stats.faults, kept_faults_, lost_);
    finish_step(sifting_, step, run);
  }

 private:
  void sift(DedupStep& step) {
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
      const Row first = part.next;
      part.next = in_units_ ? end_of_record(part.batch, first) : first + 1;
      if (in_units_) {
        sift_record(step, part, first, part.next);
      } else {
        sift(step, part, first);
      }
      records_ -= part.next - first;
      left -= std::min<std::size_t>(left - 1, part.next - first - 1);
    }
  }

  /// Those before a record, or all.
  void write_faults(TextPart& part, const Location* record) {
    while (part.next_fault < part.faults.size() && (record == nullptr || stands_before(part.faults[part.next_fault], *record))) {
      kept_.write(part.chunk, part.faults[part.next_fault++]);
    }
  }

  void sift(DedupStep& step, TextPart& part, Row i) {
    write_faults(part, &part.batch.locations[i]);
    const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
    if (step.keep_text(part.batch.items.id(i), part.batch.items.text(i), metadata, part.points[i])) {
      kept_.write(part.chunk, part.batch.locations[i]);
    }
    sifting_.result.stats.empty += sifting_.item.empty[0];
  }

  /// A record, whose parts are the items from `first` to `end`.
  void sift_record(DedupStep& step, TextPart& part, Row first, Row end) {
    const Location& location = part.batch.locations[first];
    write_faults(part, &location);
    step.begin_record(owner_of(part.batch.items.id(first)));
    std::vector<std::pair<Row, Hit>> known;
    std::vector<Span> gone;
    for (Row i = first; i < end; ++i) {
      const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
      std::optional<Hit> hit = step.meet_unit(part.batch.items.id(i), part.batch.items.text(i), metadata, part.points[i]);
      if (!hit) continue;
      add_part(gone, span_of(part.batch.items.id(i)));
      known.emplace_back(i, *std::move(hit));
    }
    const std::string_view record =
        part.chunk.bytes.substr(static_cast<std::size_t>(location.offset - part.chunk.offset), static_cast<std::size_t>(location.length));
    const Fate fate = gone.empty() ? Fate::as_it_is : fate_of(location, record, gone);
    step.end_record(fate != Fate::removed);
    if (fate == Fate::cut) {
      kept_.write(sources_.without(location, record, gone));
    } else if (fate != Fate::removed) {
      kept_.write(record);
    }
    count(fate, end - first, known.size());
    if (fate == Fate::left_alone) return;
    for (const auto& [i, keeper] : known) sifting_.list_removed(part.batch.items.id(i), keeper);
    if (fate == Fate::removed) list_rest(owner_of(part.batch.items.id(first)), gone);
  }

  // The text was read for fate_of.
  void list_rest(std::string_view owner, std::span<const Span> gone) {
    std::string id;
    for (const Span& rest : rest_of(whole_.items.text(0), gone)) {
      name_unit(owner, rest, id);
      sifting_.list_rest(id);
    }
  }

  Fate fate_of(const Location& location, std::string_view record, std::span<const Span> gone) {
    if (!decides_by_words(sifting_.options)) return Fate::cut;
    whole_.clear();
    sources_.parse_again(location, record, whole_);
    return fate_by_words(whole_.items.text(0), gone, sifting_.options);
  }

  void count(Fate fate, std::uint64_t parts, std::uint64_t known) {
    DedupResult& result = sifting_.result;
    const std::uint64_t removed = fate == Fate::removed ? parts : fate == Fate::cut ? known : 0;
    result.removed += removed;
    result.kept += parts - removed;
    ++result.records.read;
    result.records.cut += fate == Fate::cut;
    result.records.removed += fate == Fate::removed;
    result.records.left_alone += fate == Fate::left_alone;
  }

  Sifting& sifting_;
  const Sources& sources_;
  const SiftStep& limits_;
  const bool in_units_;
  RecordWriter kept_;
  std::optional<RecordWriter> skipped_;
  std::deque<TextPart> parts_;
  std::size_t records_ = 0, bytes_ = 0;  // of the parts, not yet sifted
  std::uint64_t kept_faults_ = 0, lost_ = 0;
  Batch whole_;
};

void sift_texts(Sifting& sifting, const Input& input, const RunOptions& run, const SiftStep& limits) {
  const Plan& plan = sifting.state.plan;
  Sources sources = sources_for(input, plan);
  sifting.questions = questions_of(sifting.state);
  TextSifter sifter(sifting, sources, limits);
  for_each_batch(
      sources, reading_for(sources, plan, run, sifting.result.stats, sifting.questions), [&](unsigned) { return PartMaker(plan); },
      [&](PartMaker& part) {
        drop_bad_ids(sources, input, part);
        shingle(part);
      },
      [&](PartMaker& part) { sifter.take(std::move(static_cast<TextPart&>(part))); });
  sifter.finish(run);
}

// Vectors are read whole, and are one step: the header of some of their files says how many there are.
void sift_vectors(Sifting& sifting, const Input& input, const RunOptions& run) {
  Rows rows = collect_vectors(input, sifting.state.plan, run);
  const Sources& sources = rows.inputs.front();
  check_one_output(sources, sifting.outputs.kept.name(), nullptr);
  const std::vector<std::size_t> usable = usable_vectors(rows, sifting.state.plan, input);
  sifting.result.stats = std::move(rows.stats);
  std::uint64_t lost = 0;
  std::vector<Location> locations = faults_to_keep(sources, rows.arrays.fault_locations[0], sifting.options.keep_faults, lost);
  note_kept(sifting.result.stats.faults, locations.size(), lost);
  DedupStep step(sifting);
  for (const std::size_t i : usable) {
    if (step.keep_vector(rows.arrays.ids[i], rows.arrays.vectors, i)) locations.push_back(rows.arrays.locations[i]);
  }
  std::sort(locations.begin(), locations.end(), stands_before);
  KeptRecords(sources, locations.size(), thread_count(run.threads), sifting.outputs.kept).write(locations);
  if (sifting.outputs.skipped) write_locations(sources, rows.arrays.fault_locations[0], *sifting.outputs.skipped);
  sifting.outputs.note_faults(sources, rows.arrays.fault_locations[0], sifting.options.keep_faults);
  finish_step(sifting, step, run);
}

// What earlier steps kept stays kept.
[[noreturn]] void fail_behind_steps(const Error& error, const Sifting& sifting) {
  if (sifting.committed == 0) throw error;
  const std::string file = sifting.outputs.kept.partial_name();
  throw Error(error.code(), error.subject(),
              error.message() + "; " + std::to_string(sifting.committed) +
                  (sifting.state.unit.divides() ? " parts of records" : " records") + " kept before are in the index, and " +
                  (file.empty() ? "written" : "in " + file));
}

}  // namespace

DedupResult dedup_in_steps(Index& index, const Input& input, const std::string& output, const DedupOptions& options, const RunOptions& run,
                           const SiftStep& step) {
  require_records(input, "dedup_with_index");
  const Index::State& state = IndexRuns::state(index);
  if (state.access != Index::Access::write) state.write();
  refuse_options(options, state.unit.divides());
  require_unit(state.unit, input);
  const Input reading = as_indexed(state, input);
  Sifting sifting(state, output, options);
  sifting.outputs.kept.require_no_partial();
  try {
    if (state.plan.kind == Kind::shingles) {
      sift_texts(sifting, reading, run, step);
    } else {
      sift_vectors(sifting, input, run);
    }
  } catch (const Error& error) {
    fail_behind_steps(error, sifting);
  }
  return std::move(sifting.result);
}

DedupResult dedup_with_index(Index& index, const Input& input, const std::string& output, const DedupOptions& options,
                             const RunOptions& run) {
  return dedup_in_steps(index, input, output, options, run, {});
}

}  // namespace nearkin
