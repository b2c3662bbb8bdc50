// Which records contain benchmark items, as a value, as lines of a file, or as records without them.
#include <nearkin/decontaminate.h>

#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "collect/stage_clock.h"
#include "io/formats/result_rows.h"
#include "io/source/for_each_batch.h"
#include "runs/cut_records.h"
#include "runs/dedup_outputs.h"
#include "runs/shown_hits.h"
#include "runs/suites.h"
#include "runs/write_records.h"
#include "runs/write_results.h"

namespace nearkin {
namespace {

/// A chunk of the input, with what was found in it.
struct SearchedBatch : ReadBatch {
  explicit SearchedBatch(const ReadSuites& suites) : search(suites) {}
  ItemSearch search;
  std::vector<Contamination> hits;  // by the rows of the batch

  /// The hits of each record in which there are some.
  template <typename Use>
  void for_each_hit_record(Use use) const {
    for (std::size_t i = 0; i < hits.size();) {
      std::size_t end = i;
      while (end < hits.size() && hits[end].row == hits[i].row) ++end;
      use(hits[i].row, std::span(hits).subspan(i, end - i));
      i = end;
    }
  }
};

void search_batch(SearchedBatch& part) {
  part.hits.clear();
  for (Row i = 0; i < part.batch.items.size(); ++i) part.search.find(part.batch.items.text(i), i, part.hits);
}

/// Reads and searches the input once: use(part) in the order of the input. `shown` may be null.
template <typename Use>
DecontaminateStats search_input(Sources& sources, const ReadSuites& suites, const Reading& given, ShownHits* shown, Use use) {
  DecontaminateStats result;
  SuiteCounts counts(suites);
  Reading reading = given;
  reading.stats = &result.stats;
  reading.needs_records = true;
  for_each_batch(
      sources, reading, [&](unsigned) { return SearchedBatch(suites); }, search_batch,
      [&](SearchedBatch& part) {
        part.for_each_hit_record([&](Row row, std::span<const Contamination> hits) {
          if (shown != nullptr) shown->add(part.batch.items.id(row), part.batch.items.text(row), hits);
          ++result.records;
          result.hits += hits.size();
          counts.add(hits);
        });
        use(part);
      });
  result.suites = counts.take();
  merge_faults(result.stats.faults, suites.faults);
  return result;
}

/// What can be written of a source.
void require_writable(Decontaminate act, const Sources& sources, std::size_t source) {
  const Format format = sources.format(source);
  const std::string& path = sources.name(source);
  if (act == Decontaminate::cut && sources.reads_pages(source))
    throw Error(ErrorCode::plan, "do", path + " is read as pages of HTML, which are not cut; use 'mark' or 'remove'");
  const bool can = act == Decontaminate::cut    ? can_annotate(format) || format == Format::lines
                   : act == Decontaminate::mark ? can_annotate(format)
                                                : true;
  if (can) return;
  throw Error(ErrorCode::plan, "do",
              path + " is read as format " + std::string(name(format)) +
                  (act == Decontaminate::cut ? ", whose records are not cut; use jsonl, csv, tsv or lines, or 'remove'"
                                             : ", whose records have no fields to add to; use jsonl, csv or tsv, or 'remove'"));
}

class HitWriter {
 public:
  HitWriter(const ReadSuites& suites, OutputFile& file, RowStyle style) : suites_(suites), lines_(file), style_(style) {}
  void write(const SearchedBatch& part) {
    for (const Contamination& hit : part.hits) {
      const std::vector<std::string>& fields = suites_.fields[hit.suite];
      append_contamination(lines_.text(),
                           {.id = part.batch.items.id(hit.row),
                            .suite = suites_.stats[hit.suite].name,
                            .item = suites_.items[hit.suite].id(hit.item),
                            .field = fields.empty() ? std::string_view() : fields[hit.field]},
                           hit, style_);
    }
  }
  void flush() { lines_.flush(); }

 private:
  const ReadSuites& suites_;
  LineWriter lines_;
  RowStyle style_;
};

std::vector<Span> spans_of(std::span<const Contamination> hits) {
  std::vector<Span> all, joined;
  for (const Contamination& hit : hits) all.push_back({hit.begin, hit.end});
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (const Span& span : all) add_part(joined, span);
  return joined;
}

std::string names_of_suites(std::span<const Contamination> hits, const ReadSuites& suites) {
  std::string names;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i == 0 || hits[i].suite != hits[i - 1].suite) names += (names.empty() ? "" : ",") + suites.stats[hits[i].suite].name;
  }
  return names;
}

const AddedFields kMark{.names = {"contaminated"}, .refusal = "which 'mark' adds; rename it, or use 'cut' or 'remove'"};

/// Writes the records of one chunk after the other as `act` says.
class CleanRecords {
 public:
  CleanRecords(const Sources& sources, const ReadSuites& suites, Decontaminate act, OutputFile& output)
      : sources_(sources), suites_(suites), act_(act), writer_(sources, output, act == Decontaminate::mark ? kMark : AddedFields()) {}
  /// And these records at fault, as they came.
  void write(const SearchedBatch& part, std::span<const Location> faults) {
    writer_.meet(part.chunk.source + std::size_t{1});
    FaultCursor cursor(faults);
    const auto write_fault = [&](const Location& fault) {
      if (act_ != Decontaminate::mark) return writer_.write(part.chunk, fault);
      const std::string_view record = part.chunk.bytes.substr(fault.offset - part.chunk.offset, fault.length);
      writer_.write(with_blanks(sources_, fault, record, kMark));
    };
    std::size_t at = 0;
    for (Row row = 0; row < part.batch.items.size(); ++row) {
      std::size_t end = at;
      while (end < part.hits.size() && part.hits[end].row == row) ++end;
      cursor.before(part.batch.locations[row], write_fault);
      write(part, row, std::span(part.hits).subspan(at, end - at));
      at = end;
    }
    cursor.rest(write_fault);
  }
  /// Files of a header alone have no chunk.
  void finish() { writer_.meet(sources_.size()); }
  std::uint64_t changed = 0;

 private:
  void write(const SearchedBatch& part, Row row, std::span<const Contamination> hits) {
    const Location& location = part.batch.locations[row];
    changed += !hits.empty();
    if (act_ == Decontaminate::remove && !hits.empty()) return;
    const bool column = act_ == Decontaminate::mark && sources_.format(location.source) != Format::jsonl;
    if (act_ == Decontaminate::remove || (hits.empty() && !column)) return writer_.write(part.chunk, location);
    const std::string_view record = part.chunk.bytes.substr(location.offset - part.chunk.offset, location.length);
    if (act_ == Decontaminate::cut) return writer_.write(sources_.without(location, record, spans_of(hits)));
    const std::string names = names_of_suites(hits, suites_);
    writer_.write(with_added(sources_, location, record, kMark, std::vector<AddedValue>{std::string_view(names)}));
  }

  const Sources& sources_;
  const ReadSuites& suites_;
  Decontaminate act_;
  RecordWriter writer_;
};

/// What the runs that write share.
struct DecontaminateRun {
  const Input& input;
  const ReadSuites& suites;
  const DecontaminateOutput& output;
  const RunOptions& run;
  ShownHits* shown;
  double suite_seconds;  ///< that reading the suites took
  StageClock& clock;     ///< since then

  /// All is known, and no output is in place yet.
  void before_output(DecontaminateStats& stats) const {
    stats.stats.seconds = {{"suites", suite_seconds}, {"search", clock.lap()}};
    stats.stats.peak_bytes = peak_memory();
    if (shown != nullptr) shown->fill(*run.report, input, stats);
    if (run.before_output) run.before_output();
    if (output.on_result) output.on_result(stats);
  }
};

DecontaminateStats list_hits(Sources& sources, const DecontaminateRun& job, Reading& reading) {
  const auto& [input, suites, output, run, shown, suite_seconds, clock] = job;
  OutputFile file(output.path);
  HitWriter hits(suites, file, output.style);
  reading.enough = [&] { return file.reader_gone(); };
  DecontaminateStats stats = search_input(sources, suites, reading, shown, [&](SearchedBatch& part) { hits.write(part); });
  hits.flush();
  job.before_output(stats);
  file.commit();
  return stats;
}

DecontaminateStats write_clean(Sources& sources, const DecontaminateRun& job, Reading& reading) {
  const auto& [input, suites, output, run, shown, suite_seconds, clock] = job;
  DedupOutputs outputs(output.path, {.removed = output.hits, .skipped = output.skipped});
  CleanRecords records(sources, suites, output.act, outputs.kept);
  std::optional<HitWriter> hits;
  if (outputs.removed) hits.emplace(suites, *outputs.removed, output.style);
  std::optional<RecordWriter> skipped;
  if (outputs.skipped) skipped.emplace(sources, *outputs.skipped);
  reading.enough = [&] { return outputs.kept.reader_gone(); };
  std::uint64_t kept_faults = 0, lost = 0;
  DecontaminateStats stats = search_input(sources, suites, reading, shown, [&](SearchedBatch& part) {
    const std::vector<Location> faults = faults_to_keep(sources, part.batch.fault_locations, job.output.keep_faults, lost);
    kept_faults += faults.size();
    outputs.note_faults(sources, part.batch.fault_locations, job.output.keep_faults);
    if (skipped) write_skipped(part.chunk, part.batch, *skipped);
    if (hits) hits->write(part);
    records.write(part, faults);
  });
  records.finish();
  if (hits) hits->flush();
  (output.act == Decontaminate::cut ? stats.cut : output.act == Decontaminate::mark ? stats.marked : stats.removed) = records.changed;
  note_kept(stats.stats.faults, kept_faults, lost, 0, suites.faults.count);
  job.before_output(stats);
  outputs.commit(stats.stats.faults);
  return stats;
}

Reading reading_of_texts(const Sources& sources, const RunOptions& run, Decontaminate act) {
  Reading reading = reading_of(run);
  reading.on_source = [&sources, act](std::size_t i) {
    require_texts(sources.format(i), sources.name(i));
    require_writable(act, sources, i);
  };
  return reading;
}

}  // namespace

DecontaminateResult decontaminate(const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options,
                                  const RunOptions& run) {
  check_decontaminate_options(input, suites, options, run);
  StageClock clock;
  Sources sources(input, false);
  const ReadSuites read = read_suites(sources, suites, options, run);
  const double seconds = clock.lap();
  DecontaminateResult result;
  result.stats = search_input(sources, read, reading_of_texts(sources, run, Decontaminate::list), nullptr, [&](SearchedBatch& part) {
    const auto base = static_cast<Row>(result.ids.size());
    for (Contamination hit : part.hits) {
      hit.row += base;
      result.hits.push_back(hit);
    }
    result.ids.append(part.batch.items.ids);
  });
  for (const Items& items : read.items) result.suite_ids.push_back(items.ids);
  result.stats.stats.seconds = {{"suites", seconds}, {"search", clock.lap()}};
  result.stats.stats.peak_bytes = peak_memory();
  return result;
}

DecontaminateStats write_decontaminated(const Input& input, const std::vector<Suite>& suites, const DecontaminateOutput& output,
                                        const DecontaminateOptions& options, const RunOptions& run) {
  check_decontaminate_options(input, suites, options, run);
  if (output.act == Decontaminate::cut) require_named_texts(input, "items are cut out of them");
  StageClock clock;
  Sources sources(input, false);
  const ReadSuites read = read_suites(sources, suites, options, run);
  const double seconds = clock.lap();
  Reading reading = reading_of_texts(sources, run, output.act);
  ShownHits shown(read);
  const DecontaminateRun job{input, read, output, run, run.report != nullptr ? &shown : nullptr, seconds, clock};
  return output.act == Decontaminate::list ? list_hits(sources, job, reading) : write_clean(sources, job, reading);
}

}  // namespace nearkin
