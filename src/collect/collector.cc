#include "collect/collector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>

#include "base/system.h"
#include "collect/row_vectors.h"
#include "io/formats/records.h"
#include "io/source/kept_bytes.h"

namespace nearkin {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t index, std::size_t width) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(index * width);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

// Bytes of the arrays of a segment that is being gathered.
std::uint64_t bytes_gathered(const Rows& rows, const Plan& plan) {
  return rows.arrays.ids.size() * bytes_in_files(plan) + rows.arrays.ids.bytes() + bytes_of(rows.arrays.vectors);
}

// Room for so many times the numbers of the first records.
void reserve_vectors(Vectors& all, const Vectors& first, double factor) {
  constexpr double kMore = 1.05;
  all.numbers.reserve(static_cast<std::size_t>(kMore * factor * static_cast<double>(first.numbers.size())));
  all.words.reserve(static_cast<std::size_t>(kMore * factor * static_cast<double>(first.words.size())));
}

// The sets, and what an exact join holds beside them (exact_join.h, containment.h).
std::uint64_t bytes_of_join(const Plan& plan, std::uint64_t items, std::uint64_t shingles) {
  constexpr std::uint64_t kSet = 64, kShingle = sizeof(std::uint64_t) + 1, kPrefix = 30, kContained = 20;
  if (plan.measure == Measure::containment) return kSet * items + (kShingle + kContained) * shingles;
  const auto prefix = static_cast<std::uint64_t>((1 - plan.threshold.value()) * static_cast<double>(shingles)) + items;
  return kSet * items + kShingle * shingles + kPrefix * prefix;
}

// Units of one record stand together, in one batch.
bool is_of_last_record(const Batch& batch, Row i) { return i > 0 && of_one_record(batch.locations[i], batch.locations[i - 1]); }

}  // namespace

std::uint64_t bytes_in_memory(const Plan& plan, const RowSums& sums, unsigned threads) {
  constexpr std::uint64_t kFixed = std::uint64_t{48} << 20, kThread = std::uint64_t{8} << 20;
  constexpr std::uint64_t kOfVectors = 2;  // themselves, and while their array grows a copy; later the parts of a join
  const std::uint64_t sorting = 2 * sizeof(std::uint64_t) * std::min<std::uint64_t>(threads, std::max(1u, plan.band.bands));
  const std::uint64_t buckets = sizeof(std::uint64_t) * std::uint64_t{plan.band.bands};
  const std::uint64_t sets = compares_vectors(plan)   ? kOfVectors * sums.vectors
                             : plan.exact_join()      ? bytes_of_join(plan, sums.items, sums.shingles)
                             : plan.sketch.hashes > 0 ? sizeof(std::uint64_t) * sums.shingles
                                                      : 0;
  return kFixed + threads * kThread + sums.items * (bytes_per_item(plan) + sorting + buckets) + sums.ids + sets;
}

RowSums sums_of(const Rows& rows) { return {rows.size(), rows.shingles, rows.arrays.ids.bytes(), bytes_of(rows.arrays.vectors)}; }

Collector::Collector(Rows& rows, const Plan& plan, const Input& input, std::uint32_t number, const SpillRule& rule)
    : rows_(rows),
      plan_(plan),
      input_(input),
      number_(number),
      rule_(rule),
      first_row_(static_cast<Row>(rows.size())),
      first_record_(rows.stats.records),
      reader_(rows),
      predicted_(rule.from_the_start) {}

void Collector::add(const Sketched& part, Sources& sources, const KeepItem& keep) {
  if (rows_.size() == first_row_) reserve(part, sources);
  note_faults(part.batch.faults);
  std::vector<Location>& faulty = rows_.arrays.fault_locations[number_];
  faulty.insert(faulty.end(), part.batch.fault_locations.begin(), part.batch.fault_locations.end());
  constexpr Row kAhead = 16;
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    if (has_enough()) stopped_ = true;
    if (has_stopped()) return;
    if (!is_of_last_record(part.batch, i)) bytes_read_ += part.batch.locations[i].length;
    if (i + kAhead < part.batch.items.size()) ids_.expect(part.id_hashes[i + kAhead]);
    const bool added = add_item(i, part, sources);
    if (added && keep) keep(i, static_cast<Row>(rows_.size() - 1));
  }
  for (const Location& fault : part.batch.fault_locations) bytes_read_ += fault.length;
  if (beginning_ && bytes_read_ >= beginning_->bytes_read) stopped_ = true;
  shingles_ += part.shingles;
  rows_.shingles += part.shingles;
  if (!part.end) return;
  position_ = *part.end;
  if (rule_.memory > 0 && too_large(sources)) flush(sources, false);
}

bool Collector::has_enough() const {
  return beginning_ && (rows_.size() >= beginning_->items || bytes_of(rows_.arrays.vectors) >= beginning_->vector_bytes ||
                        bytes_read_ >= beginning_->bytes_read);
}

// From the first records, how many there will be: arrays that grow by doubling would be copied, and their pages touched, twice.
void Collector::reserve(const Sketched& part, const Sources& sources) {
  std::uint64_t bytes = 0, ids = part.batch.items.ids.bytes();
  for (Row i = 0; i < part.batch.locations.size(); ++i) bytes += is_of_last_record(part.batch, i) ? 0 : part.batch.locations[i].length;
  if (bytes == 0) return;
  const double factor = static_cast<double>(sources.total_bytes()) / static_cast<double>(bytes);
  const auto times = [&](std::uint64_t number) { return static_cast<std::uint64_t>(factor * static_cast<double>(number)); };
  const std::uint64_t records = times(part.batch.items.size());
  expected_bytes_ = records * bytes_in_files(plan_) + times(ids);
  if (rule_.memory > 0) {
    const RowSums sums{rows_.size() + records, rows_.shingles + times(part.shingles), times(ids), times(bytes_of(part.batch.vectors))};
    predicted_ = predicted_ || bytes_in_memory(plan_, sums, rule_.threads) > rule_.memory;
    if (predicted_) return ids_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(records, rule_.memory / 8 / IdTable::kBytes)));
  }
  // The first records may be unlike the rest: never more than this much on a guess. What is reserved and not used is address space alone.
  const double most = rule_.memory > 0 ? static_cast<double>(rule_.memory) / 2 : 1 << 29;
  const std::size_t expected =
      static_cast<std::size_t>(std::min(1.05 * static_cast<double>(records), most / static_cast<double>(bytes_per_item(plan_))));
  reserve_pages(rows_.arrays.locations, expected);
  reserve_pages(rows_.arrays.contents, expected);
  reserve_pages(rows_.arrays.text_sizes, expected);
  if (compares_vectors(plan_))
    return reserve_vectors(rows_.arrays.vectors, part.batch.vectors, std::min(factor, most / static_cast<double>(bytes)));
  reserve_pages(rows_.arrays.keys, expected * plan_.band.bands);
  reserve_pages(rows_.arrays.signatures, expected * plan_.sketch.hashes);
  if (!plan_.exact_join()) return;
  rows_.arrays.features.ends.reserve(expected);
  const double shingles = 1.05 * factor * static_cast<double>(part.shingles);
  rows_.arrays.features.hashes.reserve(static_cast<std::size_t>(std::min(shingles, most / sizeof(std::uint64_t))));
}

// A record whose id was used before is refused, with all its units, or gets another.
bool Collector::is_used_before(Row i, const Sketched& part, const Sources& sources) {
  const bool units = input_.unit.divides();
  if (units && is_of_last_record(part.batch, i)) return refused_;
  const std::string_view id = units ? owner_of(part.batch.items.id(i)) : part.batch.items.id(i);
  const auto id_of = [&](Row other) { return units ? owner_of(reader(other).id(other)) : reader(other).id(other); };
  const Row row = static_cast<Row>(rows_.size());
  const std::optional<Row> earlier = ids_.insert(id, part.id_hashes[i], row, id_of);
  renamed_.clear();
  if (earlier && input_.rename_same_ids && !rule_.keeps_ids) {
    std::uint64_t number = units ? rows_.stats.records - first_record_ : row - rows_.split;  // counted in each input
    do renamed_ = std::string(id) + "@" + std::to_string(number++);
    while (ids_.insert(renamed_, IdTable::hash(renamed_), row, id_of));
  } else if (earlier && !input_.rename_same_ids) {
    refuse(id, part.batch.locations[i], *earlier, sources);
  }
  refused_ = earlier && !input_.rename_same_ids;
  rows_.stats.records += units && !refused_;
  return refused_;
}

// False where the record is at fault.
bool Collector::add_item(Row i, const Sketched& part, const Sources& sources) {
  const Row row = static_cast<Row>(rows_.size());
  const Location& location = part.batch.locations[i];
  if (compares_vectors(plan_)) {
    const std::string problem = vector_problem(part.batch, i);
    if (!problem.empty()) {
      skip(location, problem, sources);
      return false;
    }
  }
  if (is_used_before(i, part, sources)) return false;
  if (row >= UINT32_MAX - 1) throw Error(ErrorCode::data, sources.name(location.source), "more than 4,294,967,294 items; split the input");
  append_item(i, part);
  return true;
}

void Collector::append_item(Row i, const Sketched& part) {
  const std::string_view id = part.batch.items.id(i);
  if (renamed_.empty()) {
    rows_.arrays.ids.add(id);
  } else if (input_.unit.divides()) {
    rows_.arrays.ids.add(renamed_ + std::string(id.substr(owner_of(id).size())));
  } else {
    rows_.arrays.ids.add(renamed_);
  }
  rows_.arrays.locations.push_back(part.batch.locations[i]);
  ++rows_.stats.items;
  rows_.arrays.text_sizes.push_back(part.text_sizes[i]);
  if (!part.batch.numbers.empty() || !rows_.arrays.numbers.empty()) {
    // Of `against` none is asked.
    const double number = part.batch.numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : part.batch.numbers[i];
    rows_.arrays.numbers.push_back(number);
    rows_.stats.numbers += !std::isnan(number);
  }
  if (!part.batch.scopes.empty()) rows_.arrays.scopes.push_back(part.batch.scopes[i]);
  if (compares_vectors(plan_)) {
    if (!rows_.read) rows_.read = shape_of(part.batch, i);
    return append_vector(rows_.arrays.vectors, part.batch, i);
  }
  rows_.arrays.empty.push_back(part.empty[i]);
  rows_.stats.empty += part.empty[i];
  rows_.arrays.contents.push_back(part.contents[i]);
  append(rows_.arrays.keys, part.keys, i, plan_.band.bands);
  append(rows_.arrays.signatures, part.signatures, i, plan_.sketch.hashes);
  if (!part.slots.empty()) append(rows_.arrays.slots, part.slots, i, plan_.sketch.hashes);
  if (plan_.exact_join() && !rows_.in_files() && !predicted_) {
    const std::span<const std::uint64_t> features = part.features[i];
    rows_.arrays.features.hashes.insert(rows_.arrays.features.hashes.end(), features.begin(), features.end());
    rows_.arrays.features.ends.push_back(rows_.arrays.features.hashes.size());
  }
}

// Why a vector cannot stand beside those before it, or be compared by the measure; empty when it can.
std::string Collector::vector_problem(const Batch& batch, Row i) const {
  std::string problem = unlike_first(rows_.read, batch, i);
  if (problem.empty() && plan_.measure == Measure::weighted_jaccard) {
    const std::optional<double> negative = negative_number(batch, i);
    if (negative) problem = fmt::format("the number {} is negative; weighted Jaccard needs weights of 0 and more", *negative);
  }
  return problem;
}

// The file of the last segment may still be written.
RowReader& Collector::reader(Row row) {
  if (row < rows_.rows_in_files()) wait();
  return reader_;
}

void Collector::refuse(std::string_view id, const Location& location, Row earlier, const Sources& sources) {
  const Location before = reader(earlier).location(earlier);
  const std::string where = sources.name(before.source) + ":" + std::to_string(before.line);
  skip(location, "id \"" + std::string(id) + "\" was used before, at " + where, sources);
}

void Collector::skip(const Location& location, const std::string& message, const Sources& sources) {
  const std::string where = sources.name(location.source) + ":" + std::to_string(location.line);
  if (input_.strict || input_.memory) throw Error(ErrorCode::data, where, message);
  note_faults({.first = {{where, message + "; record skipped"}}, .count = 1});
  rows_.arrays.fault_locations[number_].push_back(location);
}

void Collector::note_faults(const Faults& faults) {
  merge_faults(rows_.stats.faults, faults);
  merge_faults(faults_, faults);
}

bool Collector::too_large(const Sources& sources) const {
  if (rows_.in_files() || predicted_) return bytes_gathered(rows_, plan_) + sources.kept_bytes() - kept_behind_ >= rule_.segment_bytes;
  return bytes_in_memory(plan_, sums_of(rows_), rule_.threads) + sources.kept_bytes() > rule_.memory;
}

void Collector::flush(Sources& sources, bool last) {
  wait();
  const bool finished = rows_.arrays.contents.size() == rows_.arrays.ids.size();
  if (compares_vectors(plan_) && !finished) finish_vectors(rows_, plan_, rule_.threads);
  if (!rows_.scratch) rows_.scratch = std::make_unique<Scratch>(rule_.scratch);
  if (rows_.segments.empty()) rows_.scratch->require_room(expected_bytes_);
  const bool first = rows_.segments.empty();
  // Rows of the input before `against` may still be in memory when there is no more room.
  const std::size_t rows = rows_.arrays.ids.size(), before = number_ == 1 && first ? std::min<std::size_t>(rows_.split, rows) : 0;
  if (number_ == 1 && first) {
    Sources& input = rows_.inputs.front();
    const Position end{.source = static_cast<std::uint32_t>(input.size())};
    write_part(input, 0, before,
               {.items = before,
                .input = 0,
                .end = end,
                .last = true,
                .shingles = rows_.unwritten_shingles[0],
                .faults = rows_.unwritten_faults[0]});
  }
  const SegmentNotes notes{.items = rows - before,
                           .input = number_,
                           .first_source = first_source_,
                           .end = position_,
                           .last = last,
                           .shingles = shingles_,
                           .faults = faults_};
  if (first || last) {
    write_part(sources, before, rows, notes);
    rows_.arrays = {};
  } else {
    write_behind(sources, notes);
  }
  faults_ = {};
  shingles_ = 0;
  first_source_ = position_.source;
}

// While the next segment is gathered, so that nobody waits for the disk.
void Collector::write_behind(Sources& sources, const SegmentNotes& notes) {
  auto part = std::make_shared<RowArrays>(std::exchange(rows_.arrays, {}));
  auto writer = std::make_shared<RunFileWriter>(begin_part(notes));
  write_sources(*writer, sources, notes);
  auto kept = std::make_shared<std::vector<KeptOfSource>>(sources.held_kept(notes.end.source, notes.end.offset));
  for (const KeptOfSource& held : *kept) kept_behind_ += held.chunk.buffer->size();
  if (!kept->empty()) kept_in_ = &sources;
  const auto number = static_cast<std::uint32_t>(rows_.segments.size() - 1);
  writing_ = std::async(std::launch::async, [this, part, kept, writer, notes, number] {
    write_segment(*writer, 0, *part, 0, part->ids.size(), plan_, notes);
    write_frames(*writer, 0, *kept);
    writer->finish();
    rows_.segments[number].file = rows_.scratch->open("segment", number);
  });
}

void Collector::wait() {
  if (!writing_.valid()) return;
  writing_.get();
  kept_behind_ = 0;
  if (Sources* const sources = std::exchange(kept_in_, nullptr)) sources->take_kept(rows_.segments.back().file);
}

RunFileWriter Collector::begin_part(const SegmentNotes& notes) {
  const auto number = static_cast<std::uint32_t>(rows_.segments.size());
  rows_.segments.push_back({static_cast<Row>(rows_.rows_in_files()), static_cast<Row>(notes.items), nullptr});
  return rows_.scratch->create("segment", number);
}

void Collector::write_sources(RunFileWriter& writer, const Sources& sources, const SegmentNotes& notes) const {
  if (rows_.read)
    writer.section(kVectorShape, 0, std::vector<std::uint32_t>{static_cast<std::uint32_t>(rows_.read->kind), rows_.read->dimensions});
  const std::size_t end = notes.last ? sources.size() : std::size_t{notes.end.source} + 1;
  std::vector<SourceRecord> records;
  for (std::size_t i = notes.first_source; i < end; ++i) records.push_back(sources.record(i));
  write_source_records(writer, records, input_);
}

void Collector::write_part(Sources& sources, std::size_t begin, std::size_t end, const SegmentNotes& notes) {
  RunFileWriter writer = begin_part(notes);
  write_sources(writer, sources, notes);
  write_segment(writer, 0, rows_.arrays, begin, end, plan_, notes);
  write_frames(writer, 0, sources.held_kept(notes.last ? sources.size() : notes.end.source, notes.last ? 0 : notes.end.offset));
  writer.finish();
  const auto number = static_cast<std::uint32_t>(rows_.segments.size() - 1);
  rows_.segments.back().file = rows_.scratch->open("segment", number);
  sources.take_kept(rows_.segments.back().file);
}

void Collector::finish(Sources& sources) {
  wait();
  if (rule_.memory > 0 && (rows_.in_files() || predicted_)) return flush(sources, true);
  rows_.unwritten_faults[number_] = faults_;
  rows_.unwritten_shingles[number_] = shingles_;
}

void Collector::move_to_files(Sources& sources) {
  faults_ = rows_.unwritten_faults[number_];
  shingles_ = rows_.unwritten_shingles[number_];
  flush(sources, true);
}

EarlierWork Collector::resume(Sources& sources) {
  EarlierWork found;
  if (!rows_.scratch) return found;
  std::vector<std::shared_ptr<const RunFile>> files;
  for (auto number = static_cast<std::uint32_t>(rows_.segments.size()); !found.complete; ++number) {
    std::shared_ptr<const RunFile> file = rows_.scratch->open("segment", number);
    if (file == nullptr || read_notes(*file, 0).input != number_) break;
    found.complete = read_notes(*file, 0).last;
    files.push_back(std::move(file));
  }
  // The nodes of a graph are known when all edges are read, so that there is nothing to go on from before.
  const bool graph = sources.size() > 0 && sources.format(sources.size() - 1) == Format::edges;
  if (graph && !found.complete) files.clear();
  // What follows belongs to another cut of the input, and what was made of it, should there be any, perhaps to another input.
  if (!found.complete) {
    rows_.scratch->remove_from("segment", static_cast<std::uint32_t>(rows_.segments.size() + files.size()));
    for (const char* const made : {"pairs", "candidates", "sets", "matches"}) rows_.scratch->remove_from(made, 0);
  }
  if (files.empty()) return {};
  for (const std::shared_ptr<const RunFile>& file : files) add_segment(file, sources, found);
  first_source_ = position_.source;
  found.any = true;
  found.position = position_;
  return found;
}

void Collector::add_segment(const std::shared_ptr<const RunFile>& file, Sources& sources, EarlierWork& found) {
  const SegmentNotes notes = read_notes(*file, 0);
  rows_.scratch->count_resumed();
  rows_.segments.push_back({static_cast<Row>(rows_.rows_in_files()), static_cast<Row>(notes.items), file});
  merge_faults(rows_.stats.faults, notes.faults);
  rows_.stats.items += notes.items;
  rows_.shingles += notes.shingles;
  for (const std::uint8_t empty : file->read_all<std::uint8_t>(file->at(kEmptyItems))) rows_.stats.empty += empty;
  if (const Section* shape = file->find(kVectorShape)) {
    const std::vector<std::uint32_t> told = file->read_all<std::uint32_t>(*shape);
    rows_.read = {static_cast<Vectors::Kind>(told.at(0)), told.at(1)};
    rows_.shape = prepared_shape(*rows_.read, plan_);
  }
  if (const Section* numbers = file->find(kNumbers)) {
    for (const double number : file->read_all<double>(*numbers)) rows_.stats.numbers += !std::isnan(number);
  }
  const std::vector<SourceRecord> records = read_source_records(*file);
  found.records.resize(std::max(found.records.size(), notes.first_source + records.size()));
  std::copy(records.begin(), records.end(), found.records.begin() + notes.first_source);
  const Segment& segment = rows_.segments.back();
  for (Row row = segment.first; row < segment.first + segment.items; ++row) {
    const bool units = input_.unit.divides();
    const std::string id(units ? owner_of(reader_.id(row)) : reader_.id(row));
    const auto id_of = [&](Row other) { return units ? owner_of(reader(other).id(other)) : reader(other).id(other); };
    const bool met = ids_.insert(id, IdTable::hash(id), row, id_of).has_value();
    rows_.stats.records += units && !met;
  }
  sources.take_kept(file);
  position_ = notes.end;
}

}  // namespace nearkin
