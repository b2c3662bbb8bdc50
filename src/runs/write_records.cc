#include "runs/write_records.h"

#include <algorithm>
#include <optional>
#include <span>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "base/parallel.h"
#include "io/formats/result_rows.h"
#include "io/formats/warc.h"

namespace nearkin {
namespace {

// Kept records are read and written in pieces of about this size.
constexpr std::uint64_t kPiece = 1 << 20;

// What is written of a file that is one item. A terminal would obey what a name can contain; all else gets the bytes of the name.
std::string line_of_file(const Sources& sources, const Location& location, bool terminal) {
  const std::string& path = sources.name(location.source);
  return (terminal ? shown(path) : path) + "\n";
}

bool one_a_file(const Sources& sources, const Location& location) { return sources.format(location.source) == Format::files; }

[[noreturn]] void refuse_field(const std::string& where, std::string_view field, const AddedFields& added) {
  throw Error(ErrorCode::data, where, "has a field \"" + std::string(field) + "\" already, " + added.refusal);
}

// Records are bytes of a fixed layout: those of one output are all so, or none is.
bool is_binary(const Sources& sources) { return sources.size() > 0 && sources.is_binary(0); }

// Whether records are written as the bytes of the input. For `files` it is the paths, for `edges` the nodes, in UTF-8.
bool writes_bytes(const Sources& sources) {
  return sources.size() > 0 && !sources.is_binary(0) && sources.format(0) != Format::files && sources.format(0) != Format::edges;
}

// The first of those before `end` that has an encoding, which is that of the output; `end` where there is none.
std::size_t first_encoded(const Sources& sources, std::size_t end) {
  std::size_t i = 0;
  while (i < end && !sources.has_encoding(i)) ++i;
  return i;
}

// What ends a record.
std::string newline_of(const Sources& sources, std::size_t first) {
  return writes_bytes(sources) && first < sources.size() ? newline_in(sources.encoding(first)) : "\n";
}

// Rows of vectors that stand in one file have one layout.
void check_same_layout(const Sources& sources, std::size_t i) {
  const auto extension = [&](std::size_t source) {
    const std::string& path = sources.name(source);
    return path.substr(std::min(path.rfind('.'), path.size()));
  };
  const bool has_header = !sources.header(i).empty();
  const bool same = sources.is_binary(i) == sources.is_binary(0) && header_for(sources, i, 0) == header_for(sources, 0, 0);
  if (same && (has_header || extension(i) == extension(0))) return;
  throw Error(ErrorCode::data, sources.name(i), "has rows of another layout than " + sources.name(0) + "; run them separately");
}

// Throws Error(data) when the records of source `i` cannot follow those of the first in one file.
void check_follows(const Sources& sources, std::size_t i) {
  if (sources.is_left_out(i)) return;
  if (sources.format(i) != sources.format(0)) {
    throw Error(ErrorCode::data, sources.name(i),
                "is " + std::string(name(sources.format(i))) + ", " + sources.name(0) + " is " + std::string(name(sources.format(0))) +
                    "; one output takes one format: run them separately, or name the format");
  }
  if (sources.format(i) == Format::packed || sources.format(i) == Format::warc) return;
  if (sources.format(i) == Format::files && sources.name(i).find('\n') != std::string::npos) {
    throw Error(ErrorCode::file, sources.name(i),
                "has a line break in its name, and files are listed one per line; rename it, or use 'cluster', which escapes it");
  }
  const std::size_t encoded = first_encoded(sources, i);
  if (writes_bytes(sources) && sources.has_encoding(i) && encoded < i && sources.encoding(i) != sources.encoding(encoded)) {
    throw Error(ErrorCode::data, sources.name(i),
                "is in another encoding than " + sources.name(encoded) + "; one output takes one encoding: run them separately");
  }
  if (sources.is_binary(i) || sources.is_binary(0)) return check_same_layout(sources, i);
  if (sources.header(i).empty()) return;
  // Empty files have no header. Sources before this one were opened before it, so that theirs are known.
  std::size_t first = 0;
  while (sources.header(first).empty()) ++first;
  const auto columns = [&](std::size_t source) {
    std::string header = sources.header_text(source);
    header.resize(header.size() - line_end(header).size());
    return header;
  };
  if (columns(i) != columns(first)) {
    throw Error(ErrorCode::data, sources.name(i), "has another header than " + sources.name(first) + "; run them separately");
  }
}

// A name that promises another layout of vectors than the input's would be read wrongly.
void check_layout(const Sources& sources, const std::string& output) {
  if (sources.size() == 0 || !sources.is_binary(0)) return;
  for (const char* const extension : {".npy", ".fvecs", ".bvecs", ".csv", ".tsv", ".jsonl", ".ndjson"}) {
    const bool named = output.ends_with(extension) || output.find(std::string(extension) + ".") != std::string::npos;
    if (!named || sources.name(0).find(extension) != std::string::npos) continue;
    throw Error(ErrorCode::plan, "output",
                output + " has the extension of another layout than " + sources.name(0) +
                    ", but rows are written as they came; give it the same extension");
  }
}

// What is no item of a web archive (requests, images, what describes the archive) is read and not written.
void refuse_archive_over_itself(const Sources& sources, std::size_t i, const std::string& output) {
  if (sources.format(i) != Format::warc || !is_file_at(sources, i, output)) return;
  throw Error(ErrorCode::file, output,
              "is a web archive that is read; in its place, its records that are no items (requests, images) would be lost: name another "
              "output");
}

}  // namespace

void RecordWriter::begin(std::size_t sources) {
  const std::size_t first = first_encoded(sources_, sources);
  if (begun_ || first == sources) return;
  begun_ = true;
  newline_ = newline_of(sources_, first);
  if (writes_bytes(sources_)) output_.write(sources_.mark(first));
}

void RecordWriter::begin_with_header() {
  begin(sources_.size());
  std::size_t i = 0;
  while (i < sources_.size() && sources_.header(i).empty()) ++i;
  if (i == sources_.size()) return;
  write(added_.names.empty() ? std::string(sources_.header(i)) : header_with_added(sources_, i, added_));
}

void RecordWriter::ends_lines_as(std::size_t source) { newline_ = newline_of(sources_, source); }

// In a compressed archive each record is a member of its own, so that it can be found and read alone.
void RecordWriter::write_archived(std::string_view records) {
  while (!records.empty()) {
    const WarcRecord found = warc_record(records, true);
    const std::string_view record = records.substr(0, found.length);
    output_.write(record);
    if (found.state == WarcRecord::State::whole && !record.ends_with("\r\n\r\n")) output_.write("\r\n\r\n");
    output_.end_member();
    records.remove_prefix(record.size());
  }
}

void RecordWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;
  if (sources_.format(0) == Format::warc) return write_archived(bytes);
  if (open_line_) output_.write(newline_);
  output_.write(bytes);
  open_line_ = !bytes.ends_with(newline_) && !is_binary(sources_);
}

void RecordWriter::write(const Chunk& chunk, const Location& location) {
  if (one_a_file(sources_, location)) return write(line_of_file(sources_, location, output_.is_terminal()));
  if (location.length == 0) return;
  // If a record is too long, the chunk has only its beginning.
  if (location.offset + location.length > chunk.offset + chunk.bytes.size()) return write(location);
  write(chunk.bytes.substr(static_cast<std::size_t>(location.offset - chunk.offset), static_cast<std::size_t>(location.length)));
}

void RecordWriter::write(const Location& location) {
  if (one_a_file(sources_, location)) return write(line_of_file(sources_, location, output_.is_terminal()));
  write(sources_.read(location, buffer_));
}

void RecordWriter::meet(std::size_t sources) {
  if (met_ == 0 && sources > 0) check_layout(sources_, output_.name());
  for (; met_ < sources; ++met_) {
    check_follows(sources_, met_);
    refuse_archive_over_itself(sources_, met_, output_.name());
    begin(met_ + 1);
    const std::string_view header = has_header_ ? std::string_view() : sources_.header(met_);
    if (!header.empty()) write(added_.names.empty() ? std::string(header) : header_with_added(sources_, met_, added_));
    has_header_ = has_header_ || !sources_.header(met_).empty();
  }
}

bool is_record(const Sources& sources, const Location& fault) {
  const Format format = sources.format(fault.source);
  return format != Format::edges && (fault.length > 0 || format == Format::files);
}

std::vector<Location> faults_to_keep(const Sources& sources, const std::vector<Location>& faults, bool keep, std::uint64_t& lost) {
  std::vector<Location> writable = faults;
  std::erase_if(writable, [&](const Location& fault) { return !is_record(sources, fault); });
  lost += faults.size() - writable.size();
  if (!keep) return {};
  std::sort(writable.begin(), writable.end(), stands_before);
  return writable;
}

void note_kept(Faults& faults, std::uint64_t kept, std::uint64_t lost, std::uint64_t before, std::uint64_t after) {
  constexpr std::string_view kSkipped = "; record skipped", kKept = "; record kept as it is", kFile = "; skipped";
  faults.lost += lost;
  if (kept == 0) return;
  faults.kept += kept;
  const std::uint64_t end = std::min<std::uint64_t>(faults.first.size(), faults.count - after);
  for (std::uint64_t i = before; i < end; ++i) {
    std::string& message = faults.first[i].message;
    if (message.ends_with(kSkipped)) message.replace(message.size() - kSkipped.size(), kSkipped.size(), kKept);
    if (lost == 0 && message.ends_with(kFile)) message.replace(message.size() - kFile.size(), kFile.size(), "; kept as it is");
  }
}

void write_skipped(const Chunk& chunk, Batch& batch, RecordWriter& skipped) {
  skipped.ends_lines_as(chunk.source);
  std::sort(batch.fault_locations.begin(), batch.fault_locations.end(), stands_before);
  for (const Location& fault : batch.fault_locations) skipped.write(chunk, fault);
}

void check_one_output(const Sources& sources, const std::string& output, const char* adding) {
  check_layout(sources, output);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_follows(sources, i);
    refuse_archive_over_itself(sources, i, output);
  }
  if (sources.size() == 0 || adding == nullptr) return;
  const Format format = sources.format(0);
  if (!can_annotate(format)) {
    throw Error(ErrorCode::plan, adding,
                "records of format " + std::string(name(format)) + " have no fields to add to; 'cluster' lists each item's cluster");
  }
}

namespace {

// Places [begin, end) of the list, about a piece of bytes.
struct Stretch {
  std::size_t begin, end;
};

// Records that follow one another in their file are read as one. A line without an end gets one when another record follows.
// `terminal`: they are written to one.
void read_stretch(const Sources& sources, std::span<const Location> locations, bool terminal, std::string& buffer, std::string& bytes) {
  bytes.clear();
  const std::string newline = newline_of(sources, first_encoded(sources, sources.size()));
  for (std::size_t i = 0; i < locations.size();) {
    Location run = locations[i++];
    if (!bytes.empty() && !bytes.ends_with(newline) && !sources.is_binary(run.source)) bytes += newline;
    if (one_a_file(sources, run)) {
      bytes += line_of_file(sources, run, terminal);
      continue;
    }
    for (; i < locations.size(); ++i) {
      const Location& next = locations[i];
      if (next.source != run.source || next.offset != run.offset + run.length) break;
      run.length += next.length;
    }
    bytes += sources.read(run, buffer);
  }
}

}  // namespace

KeptRecords::KeptRecords(const Sources& sources, std::uint64_t kept, unsigned threads, OutputFile& output)
    : sources_(sources), writer_(sources, output), terminal_(output.is_terminal()), buffers_(threads), pieces_(threads) {
  if (is_binary(sources)) {
    writer_.begin(sources.size());
    writer_.write(header_for(sources, 0, kept));
  } else {
    writer_.begin_with_header();
  }
}

void KeptRecords::write(std::span<const Location> locations) {
  std::size_t next = 0;
  const auto next_stretch = [&]() -> std::optional<Stretch> {
    Stretch stretch{next, next};
    for (std::uint64_t bytes = 0; stretch.end < locations.size() && bytes < kPiece; ++stretch.end) bytes += locations[stretch.end].length;
    next = stretch.end;
    return stretch.begin == stretch.end ? std::nullopt : std::optional(stretch);
  };
  ordered_pipeline(
      static_cast<unsigned>(buffers_.size()), next_stretch,
      [&](Stretch&& stretch, unsigned worker) {
        read_stretch(sources_, locations.subspan(stretch.begin, stretch.end - stretch.begin), terminal_, buffers_[worker], pieces_[worker]);
        return std::string_view(pieces_[worker]);
      },
      [&](std::string_view bytes) { writer_.write(bytes); });
}

std::string with_added(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields,
                       std::span<const AddedValue> values) {
  const auto added = [&](std::string_view text) {
    if (sources.format(location.source) != Format::jsonl) return with_csv_columns(text, sources.separator(location.source), values);
    if (const auto field = field_in_json(text, fields.names)) {
      refuse_field(sources.name(location.source) + ":" + std::to_string(location.line), *field, fields);
    }
    return with_json_fields(text, fields.names, values);
  };
  const Encoding& encoding = sources.encoding(location.source);
  return encoding.is_utf8() ? added(record) : encoded_as(record, added(decode(record, encoding).text), encoding);
}

std::string with_blanks(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields) {
  if (sources.format(location.source) == Format::jsonl) return std::string(record);
  // Its bytes may not be decodable.
  const Encoding& encoding = sources.encoding(location.source);
  std::size_t end = record.size();
  for (const char c : {'\n', '\r'}) {
    const std::string ending = character_in(encoding, c);
    if (record.substr(0, end).ends_with(ending)) end -= ending.size();
  }
  std::string blanks;
  for (std::size_t i = 0; i < fields.names.size(); ++i) blanks += character_in(encoding, sources.separator(location.source));
  return std::string(record.substr(0, end)) + blanks + std::string(record.substr(end));
}

std::string header_with_added(const Sources& sources, std::size_t source, const AddedFields& fields) {
  const std::string_view bytes = sources.header(source);
  const Encoding& encoding = sources.encoding(source);
  const std::string header = decoded(bytes, encoding);
  const char separator = sources.separator(source);
  if (const auto field = field_in_header(header, fields.names, separator, sources.name(source)))
    refuse_field(sources.name(source), *field, fields);
  const std::vector<AddedValue> names(fields.names.begin(), fields.names.end());
  return encoded_as(bytes, with_csv_columns(header, separator, names), encoding);
}

AnnotatedRecords::AnnotatedRecords(const Sources& sources, std::vector<std::string> fields, OutputFile& output)
    : sources_(sources), fields_{.names = std::move(fields)}, writer_(sources, output, fields_) {
  writer_.begin_with_header();
}

void AnnotatedRecords::write(const Location& location, std::span<const AddedValue> values) {
  writer_.write(with_added(sources_, location, sources_.read(location, buffer_), fields_, values));
}

void AnnotatedRecords::write_fault(const Location& location) {
  writer_.write(with_blanks(sources_, location, sources_.read(location, buffer_), fields_));
}

void write_locations(const Sources& sources, std::vector<Location> locations, OutputFile& output) {
  std::sort(locations.begin(), locations.end(), stands_before);
  RecordWriter writer(sources, output);
  for (const Location& location : locations) {
    writer.ends_lines_as(location.source);
    writer.write(location);
  }
}

}  // namespace nearkin
