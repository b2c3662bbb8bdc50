#include "io/source/source_records.h"

#include <array>
#include <cerrno>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/content_hash.h"
#include "io/run_file/notes.h"
#include "io/source/sketch_inputs.h"

namespace nearkin {

namespace {

constexpr const char* kProblem = "what it tells of its sources cannot be read; make it again";

std::string_view word(Directed directed) {
  constexpr std::array<std::string_view, 4> kWords{"no", "out", "in", "both"};
  return kWords[static_cast<std::size_t>(directed)];
}

std::string quote(const std::string& text) { return '"' + text + '"'; }

constexpr const char* kNone = "none";  // not in quotes, as every text is

/// What must be the same in two inputs, as messages tell it.
using Options = std::vector<std::pair<std::string, std::string>>;

Options options_of(const Input& input) {
  return {{"format", input.format ? std::string(name(*input.format)) : kNone},
          {"id", quote(input.id)},
          {"text", quote(input.text)},
          {"separator", quote(std::string(1, input.separator))},
          {"header", input.header ? "yes" : "no"},
          {"number", input.number ? quote(*input.number) : kNone},
          {"directed", std::string(word(input.directed))},
          {"all answers", input.all_answers ? "yes" : "no"}};
}

void add_record(NoteWriter& notes, const SourceRecord& record) {
  notes.add(record.path).add(name(record.format)).add(record.header).add(record.first);
  notes.add(std::uint64_t{record.on_disk} | std::uint64_t{record.made} << 1).add(record.size);
  notes.add(static_cast<std::uint64_t>(record.seconds)).add(static_cast<std::uint64_t>(record.nanoseconds)).add(record.content);
}

SourceRecord read_record(NoteReader& notes) {
  SourceRecord record;
  record.path = notes.text();
  const std::string format = notes.text();
  try {
    record.format = parse_format(format);
  } catch (const Error&) {
    notes.damaged();
  }
  record.header = notes.text();
  record.first = notes.text();
  const std::uint64_t flags = notes.number();
  record.on_disk = (flags & 1) != 0;
  record.made = (flags & 2) != 0;
  record.size = notes.number();
  record.seconds = static_cast<std::int64_t>(notes.number());
  record.nanoseconds = static_cast<std::int64_t>(notes.number());
  record.content = notes.number();
  return record;
}

bool is_as_recorded(const SourceRecord& record) {
  const std::optional<FileState> state = file_state_at(record.path);
  return state && state->regular && state->size == record.size && has_time_of(*state, record);
}

}  // namespace

void write_source_records(RunFileWriter& writer, const std::vector<SourceRecord>& records, const Input& input) {
  NoteWriter sources, options;
  for (const SourceRecord& record : records) add_record(sources, record);
  sources.write(writer, kSourceRecords);
  for (const auto& [option, value] : options_of(input)) options.add(option).add(value);
  options.write(writer, kInputOptions);
}

std::vector<SourceRecord> read_source_records(const RunFile& file) {
  std::vector<SourceRecord> records;
  for (NoteReader notes(file, file.at(kSourceRecords), kProblem); !notes.at_end();) records.push_back(read_record(notes));
  return records;
}

void add_contents(std::vector<SourceRecord>& records) {
  for (SourceRecord& record : records) {
    if (record.content != 0 || !was_read(record) || !is_as_recorded(record)) continue;
    const std::uint64_t content = content_of_file(record.path);
    // Written to meanwhile: then its time tells, as it does of every file.
    if (is_as_recorded(record)) record.content = content;
  }
}

void require_same_options(const SketchFile& sketch, const Input& input) {
  NoteReader recorded(*sketch.file, sketch.file->at(kInputOptions), kProblem);
  for (const auto& [option, value] : options_of(input)) {
    if (recorded.text() != option) recorded.damaged();
    const std::string made_with = recorded.text();
    if (made_with == value || (option == "number" && value == kNone)) continue;
    throw Error(ErrorCode::plan, sketch.path,
                "made with " + option + " " + made_with + ", the input has " + value + "; give the same, or sketch it again");
  }
}

std::uint64_t content_of_file(const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const Descriptor file = open_for_reading(path);
  if (!file) throw Error(ErrorCode::file, path, reason("cannot be read", errno));
  ContentHash hash;
  std::string block(kBlock, '\0');
  while (const std::size_t size = read_fully(file.get(), block.data(), block.size(), path)) hash.add({block.data(), size});
  return hash.value();
}

bool was_read(const SourceRecord& record) { return record.size != 0 || record.seconds != 0 || record.nanoseconds != 0; }

bool has_time_of(const FileState& state, const SourceRecord& record) {
  return state.seconds == record.seconds && state.nanoseconds == record.nanoseconds;
}

FileState require_unchanged(const SourceRecord& record, const std::string& path, const ChangedSince& since) {
  const std::optional<FileState> state = file_state_at(path);
  if (!state) {
    throw Error(ErrorCode::file, path,
                reason("cannot be read", errno) + "; it was there when " + since.event + ": put it back, or " + since.way_out);
  }
  const bool same = state->regular && state->size == record.size &&
                    (has_time_of(*state, record) || (record.content != 0 && content_of_file(path) == record.content));
  if (!same) throw Error(ErrorCode::file, path, "changed since " + since.event + "; " + since.way_out);
  return *state;
}

}  // namespace nearkin
