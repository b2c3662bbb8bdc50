#include "io/source/source_records.h"

#include <cerrno>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/hash.h"
#include "io/source/inputs.h"
#include "io/source/source_state.h"

namespace nearkin {
namespace {

constexpr const char* kProblem = "its list of sources cannot be read; make it again";

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
          {"directed", std::string(name(input.directed))},
          {"all answers", input.all_answers ? "yes" : "no"},
          {"encoding", quote(input.encoding)},
          {"unit", quote(to_string(input.unit))},
          {"scope", to_string(input.scope)},
          {"html", input.html ? std::string(name(*input.html)) : kNone},
          {"extraction", to_string(input.extraction)}};
}

/// The value that an option has for sketches that were made before there was this option.
std::string usual_of(const std::string& option) {
  const Options usual = options_of({});
  return std::find_if(usual.begin(), usual.end(), [&](const auto& known) { return known.first == option; })->second;
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

FileState recorded_state(const SourceRecord& record) {
  return {.size = record.size, .seconds = record.seconds, .nanoseconds = record.nanoseconds, .regular = was_read(record)};
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
    const bool older = recorded.at_end();  // than the last of the options
    if (!older && recorded.text() != option) recorded.damaged();
    const std::string made_with = older ? usual_of(option) : recorded.text();
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

KeptBytes* Source::kept() const {
  if (const auto* stream = std::get_if<Stream>(&kind)) return stream->kept.get();
  if (const auto* nodes = std::get_if<GraphNodes>(&kind)) return nodes->kept.get();
  return nullptr;
}

KeptBytes* make_kept(Source& source) {
  if (source.is<PlainFile>()) return nullptr;
  if (!source.is<Stream>() && !source.is<GraphNodes>()) source.kind = Stream{};
  auto* const stream = std::get_if<Stream>(&source.kind);
  std::unique_ptr<KeptBytes>& kept = stream != nullptr ? stream->kept : std::get<GraphNodes>(source.kind).kept;
  if (!kept) kept = std::make_unique<KeptBytes>();
  return kept.get();
}

SourceRecord record_of(const Source& source) {
  SourceRecord record;
  record.path = source.path;
  record.format = source.format;
  record.made = source.is<GraphNodes>();
  if (source.layout) {
    record.header = before_records(*source.layout);
    record.first = source.layout->first;
  }
  const auto* const file = std::get_if<PlainFile>(&source.kind);
  const auto* const stream = std::get_if<Stream>(&source.kind);
  const FileState state = file != nullptr ? file->state : stream != nullptr ? stream->state : FileState{};
  if (!state.regular || source.path == "-") return record;
  record.on_disk = file != nullptr;
  record.size = state.size;
  record.seconds = state.seconds;
  record.nanoseconds = state.nanoseconds;
  record.content = source.content;
  return record;
}

void adopt(Source& source, const SourceRecord& record, const std::string& place, const ChangedSince& since) {
  std::unique_ptr<KeptBytes> kept;
  if (auto* stream = std::get_if<Stream>(&source.kind)) kept = std::move(stream->kept);
  if (auto* nodes = std::get_if<GraphNodes>(&source.kind)) kept = std::move(nodes->kept);
  source.format = record.format;
  source.content = record.content;
  if (record.made) {
    source.kind = GraphNodes{std::move(kept)};
  } else if (record.on_disk) {
    auto elsewhere = place != source.path ? std::make_unique<const std::string>(place) : nullptr;
    source.kind = PlainFile{require_unchanged(record, place, since), std::move(elsewhere)};
  } else {
    source.kind = Stream{recorded_state(record), std::move(kept)};
  }
}

}  // namespace nearkin
