// What the parsers of all formats share: the fields to read, where records go, and how lines are cut.
#pragma once

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/batch.h"
#include "io/formats/valid_utf8.h"

namespace nearkin {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// A field's name as the caller gave it, and its parts between dots.
struct FieldPath {
  std::string name;
  std::vector<std::string> parts;
};

struct Fields {
  FieldPath id;
  std::vector<FieldPath> texts;
  std::optional<FieldPath> number;
  std::vector<FieldPath> metadata;  ///< each once
  bool first_word = false;          ///< where a record is a line: the id is its first word
  bool comment = false;             ///< sparse: the id is the comment behind the vector
};
Fields fields_of(const Input& input);
FieldPath field_path(const std::string& name);

/// The number that `text` spells, blanks around it ignored; NaN when it spells none.
double number_of(std::string_view text);

/// What is wrong with a number of a dense vector, the place counted from 0, that is no finite float.
std::string not_a_float(std::size_t at, double value);

/// What is said of a whole number that a float cannot hold.
inline constexpr const char* kTooLong = ", and dense vectors hold whole numbers up to 16,777,216; subtract an offset, or use format sparse";

/// Takes the records of one source into a batch.
class RecordSink {
 public:
  struct Options {
    bool strict = false;
    bool numbers = false;     ///< fill Batch::numbers
    bool metadata = false;    ///< fill Batch::metadata
    bool items_only = false;  ///< nothing but Batch::items
    bool whole_file = false;  ///< a fault is named by the path alone, not by a line
  };
  RecordSink(Batch& batch, const std::string& name, Options options) : batch_(batch), name_(name), options_(options) {}

  void item(std::string_view id, std::string_view text, const Location& location, double number = kNoNumber,
            std::string_view metadata = {});
  /// Before the first vector of a chunk.
  void begin_vectors(Vectors::Kind kind) { batch_.vectors.kind = kind; }
  /// Where a parser puts the numbers of an item, behind those of the items before, and then calls `vector`, or `drop_vector` to take them
  /// back. `length`: numbers or bits; of sparse vectors it is not kept.
  Vectors& vectors() { return batch_.vectors; }
  void vector(std::string_view id, std::uint32_t length, const Location& location);
  void drop_vector();
  /// `message` without "; record skipped". Throws Error(data) when strict.
  void fault(const Location& location, const std::string& message);
  /// The source is left out from `offset` on. Throws Error(file) when strict.
  void lost_source(std::uint32_t source, std::uint64_t offset, const std::string& message);
  void invalid_utf8(const Location& location, std::size_t at);
  void binary();
  /// "path:line"; good until the next call.
  std::string_view place(const Location& location);
  const std::string& name() const { return name_; }

 private:
  void note(const Location& location, std::string where, std::string message);

  Batch& batch_;
  const std::string& name_;
  Options options_;
  std::string place_;
};

/// Calls `use(record, text, location)` for each line: the record with its line end, the text without it.
template <typename Use>
void for_each_line(const Chunk& chunk, Use use) {
  const char* at = chunk.bytes.data();
  const char* const end = at + chunk.bytes.size();
  Location location{chunk.source, chunk.first_line, chunk.offset, 0};
  while (at < end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const next = newline != nullptr ? newline + 1 : end;
    const std::string_view record(at, static_cast<std::size_t>(next - at));
    std::string_view text(at, static_cast<std::size_t>((newline != nullptr ? newline : end) - at));
    if (newline != nullptr && text.ends_with('\r')) text.remove_suffix(1);
    location.length = record.size();
    use(record, text, static_cast<const Location&>(location));
    location.offset += record.size();
    ++location.line;
    at = next;
  }
}

/// One parser a format. Every record of the chunk becomes an item or a fault, blank lines of jsonl, csv, tsv, table, sparse, dense and bits
/// apart, and lines of the last three that begin with '#'.
void parse_jsonl(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_lines(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_file(const Chunk& chunk, RecordSink& sink);
void parse_sparse(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_bits(const Chunk& chunk, const Fields& fields, RecordSink& sink);

}  // namespace nearkin
