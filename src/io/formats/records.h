// Records on their way from bytes to items: the chunk they are in, the fields to read, how lines are cut, and what they are parsed to.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include <nearkin/items.h>
#include <nearkin/tools/spelling.h>
#include <nearkin/vectors.h>

#include "base/trimmed.h"
#include "base/units.h"

namespace nearkin {

class RunFile;

/// Bytes that may be read, not used, past the end of any chunk: what the parsers and kernels over-read.
inline constexpr std::size_t kChunkPadding = 128;

/// A NUL byte among this many first bytes makes a text binary.
inline constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

/// A longer record is refused: it is held in memory several times over, and is hardly ever one that somebody wrote.
inline constexpr std::size_t kLongestRecord = std::size_t{1} << 30;

/// Where a record is: enough to read it again.
struct Location {
  std::uint32_t source = 0;
  std::uint32_t line = 0;  ///< line of its first byte, from 1; for binary vector files the row, from 0
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< with its line end, if it has one
};

/// Units of one record have its location.
inline bool of_one_record(const Location& a, const Location& b) { return a.source == b.source && a.offset == b.offset && a.line == b.line; }

/// Consecutive whole records of one source, with the bytes owned by the chunk (plus kChunkPadding readable bytes).
struct Chunk {
  std::uint32_t source = 0;
  std::uint32_t first_line = 1;  ///< or row, as in Location
  std::uint64_t offset = 0;      ///< of bytes.front() in the source, after decompression
  std::shared_ptr<const std::string> buffer;
  std::string_view bytes;    ///< part of *buffer
  std::string problem = {};  ///< if not empty: why the source, or the rest of it, is left out; there are no bytes then
  /// If not null, this chunk represents the records of one segment of a sketch file, whose sources begin with `source`; there are no bytes
  /// then, and nothing to parse.
  std::shared_ptr<const RunFile> sketch = {};
  std::uint32_t segment = 0;
  std::uint64_t next_line = 1;  ///< or row: of what follows the chunk
  std::uint64_t passed = 0;     ///< bytes after it that belong to its last record, which is too long, and were not kept
  std::uint32_t rows = 0;       ///< items in memory: their number, from row `offset` on; there are no bytes then
};

/// The records of a chunk, parsed. Flat arrays, one entry per item; faults apart.
struct Batch {
  Items items;
  std::vector<Location> locations;
  /// Formats sparse, dense, bits: the items' numbers, items.text(i) being empty. A parser keeps every well-formed record whatever its
  /// length; lengths are compared by whoever gathers the batches, in order (unlike_first). So `dimensions` is 0, and `ends` has the end
  /// of each item for every kind: in indices and values, in numbers, or in words.
  Vectors vectors;
  std::vector<std::uint32_t> vector_lengths;  ///< dense and bits: numbers or bits of each item
  std::vector<double> numbers;                ///< Input::number of each item, NaN where absent; empty when it was not asked for
  std::vector<std::uint64_t> scopes;          ///< of each item the hash of what Input::scope names; empty when it was not asked for
  Strings metadata;  ///< of each item: Input::metadata as a JSON object, empty where it has none of them; empty when it was not asked for
  Faults faults;
  std::vector<Location> fault_locations;  ///< of every record at fault
  void clear();
};

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// A field's name as the caller gave it, and its parts between dots.
struct FieldPath {
  std::string name;
  std::vector<std::string> parts;
};

struct Fields {
  FieldPath id;
  std::vector<FieldPath> texts;       ///< those that are named, each as often as it counts
  std::uint32_t other_texts = 0;      ///< how often every other field except `no_texts` counts; 0: they are not read
  std::vector<FieldPath> left_out;    ///< "-price"
  std::vector<std::string> no_texts;  ///< the id, fields that are named and those that are left out, ascending
  std::optional<FieldPath> number;
  std::optional<FieldPath> scope;   ///< absent where it is no field of a record
  std::vector<FieldPath> metadata;  ///< each once
  bool first_word = false;          ///< where a record is a line: the id is its first word
  bool no_id = false;               ///< records are called by their places
  bool loose = false;               ///< Input::loose_texts
  bool comment = false;             ///< sparse: the id is the comment behind the vector
};
/// Throws Error(plan) for a list of text fields that cannot be parsed.
Fields fields_of(const Input& input);
/// Whether some field of the text counts more often than once.
bool has_weights(const Fields& fields);
/// Throws Error(plan) where not every field of the text is named, to be read once: `what` changes them in the records.
void require_named_texts(const Input& input, const char* what);
/// The name of a scope that every record is alone in. No field has this name.
inline constexpr std::string_view kEachRecord{"\0record", 7};
/// A scope that every record has: the file or the folder that it is in, or the record itself.
inline bool names_place(std::string_view scope) { return scope == "file" || scope == "folder" || scope == kEachRecord; }
FieldPath field_path(const std::string& name);

/// The number that `text` spells, blanks around it ignored; NaN when it spells none.
double number_of(std::string_view text);

/// What is wrong with a number of a dense vector, the place counted from 0, that is no finite float.
std::string not_a_float(std::size_t at, double value);

/// What is said of a whole number that a float cannot hold.
inline constexpr const char* kTooLong = ", and dense vectors hold whole numbers up to 16,777,216; subtract an offset, or use format sparse";

/// The hash by which scopes are compared. FROZEN: sketch files contain it. Never 0.
std::uint64_t scope_hash(std::string_view value);

/// Whether a field that was asked for is in any of the records.
struct FieldMet {
  struct Lacking {
    Location location;
    std::string fields;  ///< that the record has
  };
  bool found = false;
  std::optional<Lacking> lacking = {};  ///< the first record without it, where none before had it

  template <typename FieldsOf>
  void note(bool has_it, const Location& location, FieldsOf fields) {
    if (found) return;
    found = has_it;
    if (!found && !lacking) lacking = {location, fields()};
  }
};

/// Takes the records of one source into a batch.
class RecordSink {
 public:
  struct Options {
    bool strict = false;
    bool numbers = false;      ///< fill Batch::numbers
    bool metadata = false;     ///< fill Batch::metadata
    bool scopes = false;       ///< fill Batch::scopes
    bool scope_each = false;   ///< with the record that an item is of
    bool items_only = false;   ///< nothing but Batch::items
    bool whole_file = false;   ///< a fault is named by the path alone, not by a line
    bool id_asked = false;     ///< jsonl: the id is not the usual field, and should be in some record
    bool scope_asked = false;  ///< jsonl: the field of the scope should be in some record
    bool pages = false;        ///< texts are pages of HTML and become what is visible of them
    Unit unit = {};            ///< texts become these parts of them, but for items_only
  };
  RecordSink(Batch& batch, const std::string& name, Options options) : batch_(batch), name_(name), options_(options) {}

  /// `fields`: where the fields end that the text is made of, with one byte between two of them; empty where it is one field.
  void item(std::string_view id, std::string_view text, const Location& location, double number = kNoNumber, std::string_view metadata = {},
            std::span<const std::size_t> fields = {});
  /// Whether the texts of items are pages.
  bool reads_pages() const { return options_.pages; }
  /// The scope of the items that follow.
  void scope(std::string_view value) { scope_ = scope_hash(value); }
  /// Before the first vector of a chunk.
  void begin_vectors(Vectors::Kind kind) { batch_.vectors.kind = kind; }
  /// A parser appends the numbers of an item here, and then calls `vector`, or `drop_vector` to take them back. `length`: number of numbers
  /// or bits; not stored for sparse vectors.
  Vectors& vectors() { return batch_.vectors; }
  void vector(std::string_view id, std::uint32_t length, const Location& location);
  void drop_vector();
  /// `message` without "; record skipped". Throws Error(data) when strict.
  void fault(const Location& location, const std::string& message);
  /// The source is left out from `offset` on. Throws Error(file) when strict.
  void lost_source(std::uint32_t source, std::uint64_t offset, const std::string& message);
  void invalid_utf8(const Location& location, std::size_t at);
  void binary();
  /// A record of a web archive that is no text.
  void no_text();
  /// From here to the next call of end_decoded records are told by their places in a text that was made of the source's bytes, which are in
  /// this encoding; `put_right(location)` turns such a place into that of the bytes.
  void begin_decoded(std::string encoding);
  template <typename PutRight>
  void end_decoded(PutRight put_right) {
    for (std::size_t i = first_decoded_; i < batch_.locations.size(); ++i) put_right(batch_.locations[i]);
    for (std::size_t i = first_fault_; i < batch_.fault_locations.size(); ++i) put_right(batch_.fault_locations[i]);
    encoding_.clear();
  }
  /// jsonl: whether a record has the field of the id. `fields` tells which it has.
  template <typename FieldsOf>
  void id_field(bool found, const Location& location, FieldsOf fields) {
    if (options_.id_asked) id_.note(found, location, fields);
  }
  /// The same of the scope.
  template <typename FieldsOf>
  void scope_field(bool found, const Location& location, FieldsOf fields) {
    if (options_.scope_asked) scope_met_.note(found, location, fields);
  }
  /// The same of a field of the text, which records may lack.
  template <typename FieldsOf>
  void text_field(bool found, const Location& location, FieldsOf fields) {
    text_met_.note(found, location, fields);
  }
  /// The same of one of the fields of the metadata; found() is not asked once a record had it.
  template <typename Found, typename FieldsOf>
  void metadata_field(std::size_t field, Found found, const Location& location, FieldsOf fields) {
    if (options_.items_only) return;
    if (metadata_met_.size() <= field) metadata_met_.resize(field + 1);
    if (FieldMet& met = metadata_met_[field]; !met.found) met.note(found(), location, fields);
  }
  const FieldMet& id_met() const { return id_; }
  const FieldMet& scope_met() const { return scope_met_; }
  const FieldMet& text_met() const { return text_met_; }
  /// In the order of the fields; none if there was no record.
  const std::vector<FieldMet>& metadata_met() const { return metadata_met_; }
  /// "path:line"; good until the next call.
  std::string_view place(const Location& location);
  const std::string& name() const { return name_; }

 private:
  void note(const Location& location, std::string where, std::string message);
  void one_item(std::string_view id, std::string_view text, const Location& location, double number, std::string_view metadata);

  Batch& batch_;
  const std::string& name_;
  Options options_;
  std::string place_;
  std::string unit_name_;
  std::string visible_;  ///< text of a page
  std::vector<Span> units_;
  std::string encoding_;  ///< of what is decoded
  std::size_t first_decoded_ = 0, first_fault_ = 0;
  std::uint64_t scope_ = 0;
  FieldMet id_, scope_met_, text_met_;
  std::vector<FieldMet> metadata_met_;
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

/// One parser per format. Every record of the chunk becomes an item or a fault, blank lines of jsonl, csv, tsv, table, sparse, dense and
/// bits apart, and lines of the last three that begin with '#'.
void parse_jsonl(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_lines(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_file(const Chunk& chunk, RecordSink& sink);
/// The text of a line whose first word is the id.
std::string_view behind_first_word(std::string_view line);
void parse_sparse(const Chunk& chunk, const Fields& fields, RecordSink& sink);
void parse_bits(const Chunk& chunk, const Fields& fields, RecordSink& sink);

/// What all vectors of a collection have in common.
struct VectorShape {
  Vectors::Kind kind = Vectors::Kind::dense;
  std::uint32_t dimensions = 0;  ///< as Vectors::dimensions
};
/// The shape of item i of a batch.
VectorShape shape_of(const Batch& batch, std::size_t i);

/// Why item i of a batch does not fit the first item of a collection: "5 numbers, the first item has 4". Empty if it fits, or if there is
/// no first item yet. Batches must be added in order, so that "first" means the same in every run.
std::string unlike_first(const std::optional<VectorShape>& first, const Batch& batch, std::size_t i);

/// Adds item i of the batch to the end of `all`, whose kind and dimensions are those of its first item. unlike_first must be empty.
void append_vector(Vectors& all, const Batch& batch, std::size_t i);

/// The first number below zero of item i, dense or sparse.
std::optional<double> negative_number(const Batch& batch, std::size_t i);

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// With U+FFFD in the place of each byte that is not part of well-formed UTF-8.
std::string made_valid(std::string_view bytes);
/// Offset of the first byte that is not part of well-formed UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

}  // namespace nearkin
