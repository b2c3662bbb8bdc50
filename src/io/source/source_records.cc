// What run files tell of the sources of their records and of the input that named them.
#include <array>
#include <cstring>
#include <utility>

#include <nearkin/error.h>

#include "io/bytes/descriptor.h"
#include "io/source/sketch_inputs.h"
#include "io/source/source.h"

namespace nearkin {

namespace {

/// Numbers and texts one after the other.
class Packer {
 public:
  void add(std::uint64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
  }
  void write(RunFileWriter& writer, std::uint32_t kind) const {
    writer.begin(kind);
    writer.write(bytes_.data(), bytes_.size());
  }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  Unpacker(const RunFile& file, std::uint32_t kind) : path_(file.path()), bytes_(file.read_all<char>(file.at(kind))) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {take(size), static_cast<std::size_t>(size)};
  }
  bool at_end() const { return at_ == bytes_.size(); }
  [[noreturn]] void damaged() const {
    throw Error(ErrorCode::file, path_, "damaged: what it tells of its sources cannot be read; make it again");
  }

 private:
  const char* take(std::uint64_t size) {
    if (size > bytes_.size() - at_) damaged();
    const char* const taken = bytes_.data() + at_;
    at_ += static_cast<std::size_t>(size);
    return taken;
  }

  const std::string& path_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

std::string_view word(Directed directed) {
  constexpr std::array<std::string_view, 4> kWords{"no", "out", "in", "both"};
  return kWords[static_cast<std::size_t>(directed)];
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

constexpr const char* kNone = "none";  // not in quotes, as every text is

/// What must be the same in two inputs, as messages tell it.
using Options = std::vector<std::pair<std::string, std::string>>;

Options options_of(const Input& input) {
  return {{"format", input.format ? std::string(name(*input.format)) : kNone},
          {"id", quoted(input.id)},
          {"text", quoted(input.text)},
          {"separator", quoted(std::string(1, input.separator))},
          {"header", input.header ? "yes" : "no"},
          {"number", input.number ? quoted(*input.number) : kNone},
          {"directed", std::string(word(input.directed))},
          {"all answers", input.all_answers ? "yes" : "no"}};
}

void add_record(Packer& packer, const SourceRecord& record) {
  packer.add(record.path);
  packer.add(name(record.format));
  packer.add(record.header);
  packer.add(record.first);
  packer.add(std::uint64_t{record.on_disk} | std::uint64_t{record.made} << 1);
  packer.add(record.size);
  packer.add(static_cast<std::uint64_t>(record.seconds));
  packer.add(static_cast<std::uint64_t>(record.nanoseconds));
  packer.add(record.content);
}

SourceRecord read_record(Unpacker& unpacker) {
  SourceRecord record;
  record.path = unpacker.text();
  const std::string format = unpacker.text();
  try {
    record.format = parse_format(format);
  } catch (const Error&) {
    unpacker.damaged();
  }
  record.header = unpacker.text();
  record.first = unpacker.text();
  const std::uint64_t flags = unpacker.number();
  record.on_disk = (flags & 1) != 0;
  record.made = (flags & 2) != 0;
  record.size = unpacker.number();
  record.seconds = static_cast<std::int64_t>(unpacker.number());
  record.nanoseconds = static_cast<std::int64_t>(unpacker.number());
  record.content = unpacker.number();
  return record;
}

bool is_as_recorded(const SourceRecord& record) {
  const std::optional<FileState> state = file_state_at(record.path);
  return state && state->regular && state->size == record.size && has_time_of(*state, record);
}

}  // namespace

void write_source_records(RunFileWriter& writer, const std::vector<SourceRecord>& records, const Input& input) {
  Packer sources;
  for (const SourceRecord& record : records) add_record(sources, record);
  sources.write(writer, kSourceRecords);
  Packer options;
  for (const auto& [option, value] : options_of(input)) {
    options.add(option);
    options.add(value);
  }
  options.write(writer, kInputOptions);
}

std::vector<SourceRecord> read_source_records(const RunFile& file) {
  std::vector<SourceRecord> records;
  for (Unpacker unpacker(file, kSourceRecords); !unpacker.at_end();) records.push_back(read_record(unpacker));
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
  Unpacker recorded(*sketch.file, kInputOptions);
  for (const auto& [option, value] : options_of(input)) {
    if (recorded.text() != option) recorded.damaged();
    const std::string made_with = recorded.text();
    if (made_with == value || (option == "number" && value == kNone)) continue;
    throw Error(ErrorCode::plan, sketch.path,
                "made with " + option + " " + made_with + ", the input has " + value + "; give the same, or sketch it again");
  }
}

}  // namespace nearkin
