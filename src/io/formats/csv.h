// CSV and TSV: where records end, and what their fields are. RFC 4180 quoting; a quote inside an unquoted field is a plain character. TSV
// is often written without any quoting. So a record of it is always one line, and a field that begins with a quote is a quoted one only if,
// on the same line, a closing quote comes directly before a tab or the line's end; otherwise the field is taken as it is, with its quotes.
// A quoted field of TSV may hold tabs and doubled quotes, but no newlines. Tables of answers: a row is an item, a column a question, and
// the set of an item is what is true for its row.
#pragma once

#include <algorithm>
#include <utility>

#include <nearkin/tools/spelling.h>

#include "io/formats/records.h"

namespace nearkin {

/// A record that is still inside quotes after this many bytes counts as unclosed: a stray quote must not make the rest of a large file one
/// record.
inline constexpr std::size_t kLongestQuoted = std::size_t{256} << 20;

/// A field inside its record, without its quotes.
struct CsvField {
  std::size_t begin = 0, end = 0;
  bool doubled = false;  ///< holds doubled quotes
};

struct CsvRecord {
  enum class State {
    whole,
    unclosed,    ///< csv: a quote is not closed, or text follows the closing one; the record is then cut after the line where it opened
    incomplete,  ///< more bytes are needed to tell
  };
  State state = State::incomplete;
  std::size_t length = 0;  ///< with the line end
  std::size_t quote = 0;   ///< unclosed: the place of the quote
};

/// The record that `bytes` begin with; `at_end`: nothing follows them. `fields` (may be null) receives the fields of a whole record. The
/// result for a record does not depend on how much follows it, so cutter and parser always agree.
CsvRecord csv_record(std::string_view bytes, char delimiter, bool at_end, std::vector<CsvField>* fields);

/// Length of the whole records that `bytes` begin with.
std::size_t csv_whole_records(std::string_view bytes, char delimiter, bool at_end);

/// The value of a field; `scratch` holds it where quotes had to be undoubled.
std::string_view csv_value(std::string_view record, const CsvField& field, std::string& scratch);

/// `s` as a field of a record, in quotes where it holds quotes, line ends or the delimiter.
void append_csv_field(std::string& out, std::string_view s, char delimiter);

/// Which columns a source's records are read from.
struct CsvColumns {
  char delimiter = ',';
  std::size_t count = 0;
  std::vector<std::size_t> texts;
  std::optional<std::size_t> id, number, scope;
  std::vector<std::pair<std::string, std::size_t>> metadata;  ///< names and columns
};
/// The names of the columns, from the first record, which is the header, or else (`numbered`) shows how many there are. Throws Error(data)
/// when it cannot be parsed.
std::vector<std::string> csv_names(std::string_view first, char delimiter, bool numbered, const std::string& name);
/// Throws Error(data) when an id column other than the usual "id" is missing.
std::optional<std::size_t> csv_id_column(const std::vector<std::string>& names, bool numbered, const Fields& fields,
                                         const std::string& name);
/// Throws Error(data) where two columns have this name.
std::optional<std::size_t> csv_column(const std::vector<std::string>& names, const std::string& wanted, const std::string& name);
/// Absent where no scope is asked for; throws Error(data) where there is no such column.
std::optional<std::size_t> csv_scope_column(const std::vector<std::string>& names, bool numbered, const Fields& fields,
                                            const std::string& name);
/// From the first record, which is the header, or else (`numbered`) shows how many columns there are. Throws Error(data) when a text
/// column, one of the metadata, or an id column other than the usual "id", is missing or the record cannot be parsed.
CsvColumns csv_columns(std::string_view first, char delimiter, bool numbered, const Fields& fields, const std::string& name);

/// Whether to take a record of a chunk: it is complete, UTF-8, not an empty line, and has as many fields as there are columns. Otherwise
/// reports a fault, except for an empty line.
bool csv_accept(std::string_view record, const CsvRecord& found, std::size_t fields, std::size_t columns, bool all_valid,
                const Location& location, RecordSink& sink);

/// Calls `use(record, fields, location)` for every record that csv_accept takes.
template <typename Use>
void for_each_csv_record(const Chunk& chunk, char delimiter, std::size_t columns, RecordSink& sink, Use use) {
  const bool all_valid = is_utf8(chunk.bytes);
  std::vector<CsvField> fields;
  Location location{chunk.source, chunk.first_line, chunk.offset, 0};
  for (std::string_view rest = chunk.bytes; !rest.empty();) {
    fields.clear();
    const CsvRecord found = csv_record(rest, delimiter, true, &fields);
    const std::string_view record = rest.substr(0, found.length);
    location.length = record.size();
    if (csv_accept(record, found, fields.size(), columns, all_valid, location, sink)) use(record, fields, location);
    location.offset += record.size();
    location.line += static_cast<std::uint32_t>(std::count(record.begin(), record.end(), '\n'));
    rest.remove_prefix(record.size());
  }
}

void parse_csv(const Chunk& chunk, const CsvColumns& columns, RecordSink& sink);

struct TableColumns {
  char delimiter = ',';
  std::vector<std::string> names;  ///< as elements spell them: white space, '%' and '=' percent-encoded
  std::optional<std::size_t> id, number, scope;
  std::uint32_t questions = 0;  ///< columns other than the id
};
/// From the first record, as csv_columns. Throws Error(data) also when two columns have one name.
TableColumns table_columns(std::string_view first, char delimiter, bool numbered, const Fields& fields, const std::string& name);

/// `all_answers` as in Input.
void parse_table(const Chunk& chunk, const TableColumns& columns, bool all_answers, RecordSink& sink);

}  // namespace nearkin
