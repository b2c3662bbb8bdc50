// The records of a collection without the passages that occurred before.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/passages.h>

#include "collect/collect.h"
#include "collect/features_again.h"
#include "runs/cut_records.h"
#include "runs/dedup_outputs.h"
#include "runs/passage_search.h"
#include "runs/write_records.h"
#include "runs/write_results.h"

namespace nearkin {
namespace {

using Fate = CutRecords::Fate;

void check_options(const PassageOptions& passages, const DedupOptions& options) {
  const DedupOptions usual;
  const bool groups = options.annotate || options.size_field || options.share_field || options.drop_repeated || options.bloom ||
                      options.against || options.keep_at_most != usual.keep_at_most || options.keep.rule != usual.keep.rule ||
                      options.linkage != usual.linkage;
  if (groups) {
    throw Error(ErrorCode::plan, "passages",
                "the first occurrence of each passage stays, and there are no groups; use removed, skipped, least_left and most_cut alone");
  }
  if (passages.gap) throw Error(ErrorCode::plan, "gap", "what differs between two passages is not cut; leave it out");
  if (!(options.most_cut >= 0 && options.most_cut <= 1)) {
    throw Error(ErrorCode::plan, "most_cut", std::to_string(options.most_cut) + " is not a share from 0 to 1");
  }
}

// What becomes of a record in which something repeats.
struct Cut {
  Row row = 0;
  Fate fate = Fate::as_it_is;
  std::vector<Span> spans = {};
  std::uint64_t tokens = 0;  // in these spans
};

std::vector<Cut> decide(const PassageSearch& search, const DedupOptions& options) {
  std::vector<Cut> cuts;
  TextReader texts(search.rows);
  const bool by_words = decides_by_words(options);
  for_each_repeated_text(*search.runs, [&](Row row, const RepeatedText& repeated) {
    Cut cut{.row = row, .tokens = repeated.tokens};
    for (const TextSpan& span : repeated.spans) add_part(cut.spans, {span.begin, span.end});
    cut.fate = by_words ? fate_by_words(texts(row), cut.spans, options) : Fate::cut;
    cuts.push_back(std::move(cut));
  });
  return cuts;
}

// The records in which passages stand that were cut out of others.
std::vector<bool> needed_records(const PassageSearch& search, const std::vector<Cut>& cuts) {
  std::vector<bool> needed(search.rows.size());
  auto next = cuts.begin();
  for_each_passage(search, {}, [&](const Passage& passage) {
    const Row row = passage.row + search.rows.split;
    while (next != cuts.end() && next->row < row) ++next;
    const bool is_cut = next != cuts.end() && next->row == row && next->fate != Fate::left_alone;
    if (is_cut && passage.in != row) needed[passage.in] = true;
  });
  return needed;
}

// As keep_needed_records of units.
void keep_needed_records(const PassageSearch& search, const DedupOptions& options, std::vector<Cut>& cuts) {
  const bool any = std::any_of(cuts.begin(), cuts.end(), [](const Cut& cut) { return cut.fate == Fate::removed; });
  if (options.least_left == 0 || !any) return;
  const std::vector<bool> needed = needed_records(search, cuts);
  for (Cut& cut : cuts) {
    if (cut.fate == Fate::removed && needed[cut.row]) cut.fate = Fate::cut;
  }
}

void write_kept(const PassageSearch& search, const std::vector<Cut>& cuts, std::span<const Location> faults, OutputFile& output) {
  const Sources& sources = search.rows.inputs.back();
  RecordWriter writer(sources, output);
  writer.begin_with_header();
  RowReader reader(search.rows);
  std::string buffer;
  FaultCursor cursor(faults);
  const auto write_fault = [&](const Location& fault) { writer.write(sources.read(fault, buffer)); };
  auto next = cuts.begin();
  for (Row row = search.rows.split; row < search.rows.size(); ++row) {
    const Cut* const cut = next != cuts.end() && next->row == row ? &*next++ : nullptr;
    if (cut != nullptr && cut->fate == Fate::removed) continue;
    const Location location = reader.location(row);
    cursor.before(location, write_fault);
    if (cut != nullptr && cut->fate == Fate::cut) {
      writer.write(sources.read_without(location, cut->spans, buffer));
    } else {
      writer.write(sources.read(location, buffer));
    }
  }
  cursor.rest(write_fault);
}

// Every passage of the records that were cut or removed, and the rest of those that were removed.
void write_removed(const PassageSearch& search, const std::vector<Cut>& cuts, RowStyle style, OutputFile& file) {
  LineWriter lines(file);
  RowReader first(search.rows), second(search.rows);
  TextReader texts(search.rows);
  const auto write_rest = [&](const Cut& cut) {
    if (cut.fate != Fate::removed) return;
    for (const Span& part : rest_of(texts(cut.row), cut.spans))
      append_rest_passage(lines.text(), first.id(cut.row), part.begin, part.end, style);
  };
  auto next = cuts.begin();
  for_each_passage(search, {}, [&](const Passage& passage) {
    const Row row = passage.row + search.rows.split;
    for (; next != cuts.end() && next->row < row; ++next) write_rest(*next);
    if (next == cuts.end() || next->row != row || next->fate == Fate::left_alone) return;
    append_passage(lines.text(), first.id(row), second.id(passage.in), passage, false, style);
  });
  std::for_each(next, cuts.end(), write_rest);
  lines.flush();
}

DedupResult::Records counts_of(const PassageSearch& search, const std::vector<Cut>& cuts) {
  const auto count = [&](Fate wanted) {
    return static_cast<std::uint64_t>(std::count_if(cuts.begin(), cuts.end(), [&](const Cut& cut) { return cut.fate == wanted; }));
  };
  DedupResult::Records records{.read = search.rows.size() - search.rows.split,
                               .cut = count(Fate::cut),
                               .removed = count(Fate::removed),
                               .left_alone = count(Fate::left_alone),
                               .tokens = search.tokens,
                               .tokens_ignored = search.ignored};
  for (const Cut& cut : cuts) {
    if (cut.fate != Fate::cut) continue;
    records.tokens_cut += cut.tokens;
    for (const Span& span : cut.spans) records.bytes_cut += span.end - span.begin;
  }
  return records;
}

}  // namespace

DedupResult dedup_passages(const Input& input, const std::string& output, const PassageOptions& passages, const DedupOptions& options,
                           const RunOptions& run) {
  require_records(input, "dedup");
  check_passage_options(passages, run);
  check_options(passages, options);
  require_named_texts(input, "passages are cut out of them");
  DedupOutputs outputs(output, options);
  PassageSearch search(input, passages, run);
  const Sources& sources = search.rows.inputs.back();
  check_one_output(sources, output, nullptr);
  require_cuttable(sources, "passages");
  const std::uint32_t number = passages.against ? 1 : 0;
  const std::vector<Location> faults = fault_locations(search.rows, number);
  std::uint64_t lost = 0;
  const std::vector<Location> kept_faults = faults_to_keep(sources, faults, options.keep_faults, lost);
  note_kept(search.rows.stats.faults, kept_faults.size(), lost, search.rows.stats.faults.count - faults.size());
  outputs.note_faults(sources, faults, options.keep_faults);
  outputs.require_nothing_lost(search.rows.stats.faults);
  StageClock clock;
  std::vector<Cut> cuts = decide(search, options);
  keep_needed_records(search, options, cuts);
  DedupResult result{.records = counts_of(search, cuts), .stats = stats_of_texts(search)};
  result.removed = result.records.removed;
  result.kept = result.records.read - result.removed;
  write_kept(search, cuts, kept_faults, outputs.kept);
  if (outputs.removed) write_removed(search, cuts, options.removed_as_json ? RowStyle::json : RowStyle::tsv, *outputs.removed);
  if (outputs.skipped) write_locations(sources, faults, *outputs.skipped);
  result.stats.seconds.emplace_back("write", clock.lap());
  finish_search(search, result.stats);
  if (run.before_output) run.before_output();
  if (options.on_result) options.on_result(result);
  outputs.commit(result.stats.faults);
  return result;
}

}  // namespace nearkin
