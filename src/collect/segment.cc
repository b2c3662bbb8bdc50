#include "collect/segment.h"

#include <algorithm>
#include <string_view>

#include <nearkin/error.h>

#include "io/run_file/run_file.h"

namespace nearkin {
namespace {

// Rows of `width` values as columns, a block of rows at a time so that the reads stay in the cache.
void write_columns(RunFileWriter& writer, std::uint32_t number, std::span<const std::uint32_t> rows, std::uint32_t width) {
  const std::size_t items = width == 0 ? 0 : rows.size() / width;
  constexpr std::uint32_t kTogether = 16;
  std::vector<std::uint32_t> columns(items * kTogether);
  for (std::uint32_t first = 0; first < width; first += kTogether) {
    const std::uint32_t count = std::min(kTogether, width - first);
    for (std::size_t row = 0; row < items; ++row) {
      for (std::uint32_t i = 0; i < count; ++i) columns[i * items + row] = rows[row * width + first + i];
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      writer.begin(kKeyColumns + first + i, number);
      writer.write(std::span<const std::uint32_t>(columns).subspan(i * items, items));
    }
  }
}

void read_columns(const RunFile& file, std::uint32_t number, std::uint32_t width, std::size_t items, std::vector<std::uint32_t>& rows) {
  rows.resize(items * width);
  std::vector<std::uint32_t> column(items);
  for (std::uint32_t i = 0; i < width; ++i) {
    file.read(file.at(kKeyColumns + i, number), 0, std::span(column));
    for (std::size_t row = 0; row < items; ++row) rows[row * width + i] = column[row];
  }
}

void write_strings(RunFileWriter& writer, std::uint32_t number, const Strings& strings, std::size_t first, std::size_t last) {
  writer.begin(kIdBytes, number);
  std::vector<std::uint64_t> ends;
  ends.reserve(last - first);
  std::uint64_t end = 0;
  for (std::size_t i = first; i < last; ++i) {
    writer.write(strings[i].data(), strings[i].size());
    ends.push_back(end += strings[i].size());
  }
  writer.section(kIdEnds, number, ends);
}

// As many values as the segment has items; anything else was not written by us.
template <typename T>
void read_section(const RunFile& file, std::uint32_t kind, std::uint32_t number, std::size_t count, std::vector<T>& values) {
  const Section& section = file.at(kind, number);
  if (section.length != count * sizeof(T))
    throw Error(ErrorCode::file, file.path(), "damaged: a section of a segment has another length than its items need");
  values.resize(count);
  file.read(section, 0, std::span(values));
}

}  // namespace

void write_segment(RunFileWriter& writer, std::uint32_t number, const RowArrays& part, std::size_t begin, std::size_t end, const Plan& plan,
                   const SegmentNotes& notes) {
  const auto write = [&]<typename T>(std::uint32_t kind, const std::vector<T>& values, std::size_t width = 1) {
    writer.begin(kind, number);
    writer.write(std::span<const T>(values).subspan(begin * width, (end - begin) * width));
  };
  NoteWriter note;
  note.add(notes.items)
      .add(notes.input)
      .add(notes.first_source)
      .add(notes.end.source)
      .add(notes.end.segments)
      .add(notes.end.offset)
      .add(notes.end.line);
  note.add(std::uint64_t{notes.last}).add(notes.shingles).add(notes.faults.count).add(notes.faults.binary).add(notes.faults.first.size());
  for (const Fault& fault : notes.faults.first) note.add(fault.where).add(fault.message);
  if (notes.faults.no_texts > 0) note.add(notes.faults.no_texts);
  note.write(writer, kSegmentNotes, number);
  write_strings(writer, number, part.ids, begin, end);
  write(kLocations, part.locations);
  write(kTextSizes, part.text_sizes);
  if (!part.numbers.empty()) write(kNumbers, part.numbers);
  if (!part.scopes.empty()) write(kScopes, part.scopes);
  write(kEmptyItems, part.empty);
  write(kContents, part.contents);
  if (!compares_vectors(plan)) write(kSignatures, part.signatures, plan.sketch.hashes);
  if (keeps_slots(plan)) write(kSlots, part.slots, plan.sketch.hashes);
  if (!part.set_sizes.empty()) write(kSetSizes, part.set_sizes);
  writer.section(kFaultPlaces, number, begin == 0 || notes.input > 0 ? part.fault_locations[notes.input] : std::vector<Location>());
  write_columns(writer, number, std::span(part.keys).subspan(begin * plan.band.bands, (end - begin) * plan.band.bands), plan.band.bands);
}

void copy_segment(const RunFile& from, std::uint32_t number, RunFileWriter& to, std::uint32_t new_number) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::byte> piece;
  for (const Section& section : from.sections()) {
    const bool kept = section.kind == kKeptFrames || section.kind == kKeptIndex;
    if (section.number != number || (section.kind < kFirstFreeSection && !kept)) continue;
    to.begin(section.kind, new_number);
    for (std::uint64_t at = 0; at < section.length; at += piece.size()) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, section.length - at)));
      from.read(section, at, std::span(piece));
      to.write(std::span<const std::byte>(piece));
    }
  }
}

SegmentNotes read_notes(const RunFile& file, std::uint32_t number) {
  NoteReader reader(file, file.at(kSegmentNotes, number), "the notes of a segment are cut short");
  SegmentNotes notes;
  notes.items = reader.number();
  notes.input = static_cast<std::uint32_t>(reader.number());
  notes.first_source = static_cast<std::uint32_t>(reader.number());
  notes.end.source = static_cast<std::uint32_t>(reader.number());
  notes.end.segments = static_cast<std::uint32_t>(reader.number());
  notes.end.offset = reader.number();
  notes.end.line = reader.number();
  notes.last = reader.number() != 0;
  notes.shingles = reader.number();
  notes.faults.count = reader.number();
  notes.faults.binary = reader.number();
  const std::uint64_t named = std::min<std::uint64_t>(reader.number(), Faults::kNamed);
  for (std::uint64_t i = 0; i < named; ++i) {
    std::string where = reader.text();
    notes.faults.first.push_back({std::move(where), reader.text()});
  }
  if (!reader.at_end()) notes.faults.no_texts = reader.number();
  if (file.at(kEmptyItems, number).length != notes.items)
    throw Error(ErrorCode::file, file.path(), "damaged: a segment has another number of items than it says");
  return notes;
}

void read_segment(const RunFile& file, std::uint32_t number, const Plan& plan, std::uint32_t first_source, bool units, Sketched& out) {
  out.clear();
  const SegmentNotes notes = read_notes(file, number);
  const auto items = static_cast<std::size_t>(notes.items);
  std::vector<std::uint64_t> ends;
  read_section(file, kIdEnds, number, items, ends);
  const std::vector<char> ids = file.read_all<char>(file.at(kIdBytes, number));
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > ids.size()) throw Error(ErrorCode::file, file.path(), "damaged: ids of a segment overlap");
    out.batch.items.add({ids.data() + begin, static_cast<std::size_t>(end - begin)}, {});
    begin = end;
  }
  read_section(file, kLocations, number, items, out.batch.locations);
  if (file.find(kNumbers, number) != nullptr) read_section(file, kNumbers, number, items, out.batch.numbers);
  if (file.find(kScopes, number) != nullptr) read_section(file, kScopes, number, items, out.batch.scopes);
  read_section(file, kTextSizes, number, items, out.text_sizes);
  read_section(file, kEmptyItems, number, items, out.empty);
  read_section(file, kContents, number, items, out.contents);
  read_section(file, kSignatures, number, items * plan.sketch.hashes, out.signatures);
  if (keeps_slots(plan)) read_section(file, kSlots, number, items * plan.sketch.hashes, out.slots);
  out.batch.fault_locations = file.read_all<Location>(file.at(kFaultPlaces, number));
  read_columns(file, number, plan.band.bands, items, out.keys);
  for (Location& location : out.batch.locations) location.source += first_source;
  for (Location& location : out.batch.fault_locations) location.source += first_source;
  hash_ids(out, units);
  out.batch.faults = notes.faults;
  out.shingles = notes.shingles;
}

}  // namespace nearkin
