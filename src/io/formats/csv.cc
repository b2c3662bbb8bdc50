#include "io/formats/csv.h"

#include <cstring>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "io/formats/json_text.h"

namespace nearkin {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t find_byte(std::string_view bytes, char c, std::size_t from) { return from < bytes.size() ? bytes.find(c, from) : kNone; }

/// The first `a` or '\n' at or after `at`; the size where there is none. Eight bytes at a time while neither is among them.
std::size_t find_border(std::string_view bytes, char a, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kHighs = 0x8080808080808080U;
  const std::uint64_t first = kOnes * static_cast<unsigned char>(a), second = kOnes * static_cast<unsigned char>('\n');
  // (x - ones) & ~x & highs is not zero exactly when a byte of x is zero.
  const auto has_zero = [](std::uint64_t x) { return ((x - kOnes) & ~x & kHighs) != 0; };
  for (std::uint64_t word = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (has_zero(word ^ first) || has_zero(word ^ second)) break;
  }
  while (at < bytes.size() && bytes[at] != a && bytes[at] != '\n') ++at;
  return at;
}

/// Walks one record field by field.
class Scanner {
 public:
  Scanner(std::string_view bytes, char delimiter, bool at_end, std::vector<CsvField>* fields)
      : bytes_(bytes), delimiter_(delimiter), at_end_(at_end), fields_(fields) {}

  CsvRecord record() {
    while (true) {
      const bool quoted = at_ < bytes_.size() && bytes_[at_] == '"';
      if (!(quoted ? quoted_field() : plain_field())) return result_;
      if (at_ == bytes_.size()) return at_end_ ? whole(at_) : CsvRecord{};
      if (bytes_[at_] != delimiter_) return whole(bytes_[at_] == '\r' ? std::min(at_ + 2, bytes_.size()) : at_ + 1);
      ++at_;
    }
  }

 private:
  static CsvRecord whole(std::size_t length) { return {CsvRecord::State::whole, length, 0}; }

  void add(std::size_t begin, std::size_t end, bool doubled) {
    if (fields_ != nullptr) fields_->push_back({begin, end, doubled});
  }

  bool plain_field() {
    const std::size_t begin = at_;
    at_ = find_border(bytes_, delimiter_, at_);
    std::size_t end = at_;
    if (at_ < bytes_.size() && bytes_[at_] == '\n' && end > begin && bytes_[end - 1] == '\r') --end;
    add(begin, end, false);
    return true;
  }

  /// False when the record ends here, one way or the other.
  bool quoted_field() {
    const bool tsv = delimiter_ == '\t';
    const std::size_t open = at_;
    const std::string_view within = bytes_.substr(0, kLongestQuoted);
    bool doubled = false;
    for (std::size_t from = open + 1;;) {
      const std::size_t quote = find_byte(within, '"', from);
      const After after = quote == kNone ? After::nothing : after_quote(quote + 1);
      if (tsv && (after == After::nothing || after == After::text)) return plain_field();
      if (after == After::nothing) return stop(open, at_end_ || within.size() == kLongestQuoted);
      if (after == After::unknown) return stop(open, false);
      if (after == After::text) return stop(open, true);
      if (after == After::border) {
        add(open + 1, quote, doubled);
        at_ = quote + 1;
        return true;
      }
      doubled = true;
      from = quote + 2;
    }
  }

  enum class After { border, quote, text, unknown, nothing };
  After after_quote(std::size_t at) const {
    if (at == bytes_.size()) return at_end_ ? After::border : After::unknown;
    const char c = bytes_[at];
    if (c == '"') return After::quote;
    if (c == delimiter_ || c == '\n') return After::border;
    if (c != '\r') return After::text;
    if (at + 1 == bytes_.size()) return at_end_ ? After::border : After::unknown;
    return bytes_[at + 1] == '\n' ? After::border : After::text;
  }

  bool stop(std::size_t open, bool unclosed) {
    const std::size_t newline = unclosed ? find_byte(bytes_, '\n', open) : kNone;
    if (unclosed && newline != kNone) result_ = {CsvRecord::State::unclosed, newline + 1, open};
    if (unclosed && newline == kNone && at_end_) result_ = {CsvRecord::State::unclosed, bytes_.size(), open};
    return false;
  }

  std::string_view bytes_;
  char delimiter_;
  bool at_end_;
  std::vector<CsvField>* fields_;
  std::size_t at_ = 0;
  CsvRecord result_;
};

bool is_empty_line(std::string_view record) { return record == "\n" || record == "\r\n" || record.empty(); }

/// The beginning of a column's name, whole code points: the first line may be data, and long.
std::string shortened(std::string_view column) {
  constexpr std::size_t kLongest = 40;
  if (column.size() <= kLongest) return std::string(column);
  std::size_t length = 0;
  while (length < kLongest) length += std::max<std::size_t>(1, utf8_sequence(column.substr(length)));
  return std::string(column.substr(0, length)) + "…";
}

/// A single column whose name has what separates columns elsewhere: that is the separator, most likely.
std::optional<char> likely_separator(const std::vector<std::string>& names) {
  if (names.size() != 1) return std::nullopt;
  const std::size_t place = names.front().find_first_of(";|\t,");
  return place == std::string::npos ? std::nullopt : std::optional(names.front()[place]);
}

/// "there is 1 column, "id;text"; if ';' separates the columns, make it the separator"
std::string one_column(const std::string& column, char separator) {
  const bool tab = separator == '\t';
  return "there is 1 column" + (tab ? "" : ", " + in_quotes(shortened(column))) + "; if " +
         (tab ? "a tab" : "'" + std::string(1, separator) + "'") + " separates the columns, make it the separator";
}

/// In quotes where it is empty, or begins or ends with a blank.
std::string with_visible_ends(const std::string& name) {
  const bool plain = !name.empty() && name.front() != ' ' && name.back() != ' ' && name.front() != '\t' && name.back() != '\t';
  return plain ? name : in_quotes(name);
}

[[noreturn]] void no_column(const std::string& wanted, const std::vector<std::string>& names, bool numbered, const std::string& name) {
  if (const std::optional<char> separator = numbered ? std::nullopt : likely_separator(names))
    throw Error(ErrorCode::data, name, "no column \"" + wanted + "\"; " + one_column(names.front(), *separator));
  constexpr std::size_t kShown = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) list += (i > 0 ? ", " : "") + with_visible_ends(shortened(names[i]));
  if (names.size() > kShown) list += " and " + std::to_string(names.size() - kShown) + " more";
  const std::optional<std::string> near = numbered ? std::nullopt : nearest_name(wanted, names);
  const std::string meant = near ? "did you mean " + in_quotes(*near) + "? " : "";
  const std::string many = names.size() == 1 ? "there is 1 column" : "there are " + std::to_string(names.size()) + " columns";
  throw Error(ErrorCode::data, name,
              "no column \"" + wanted + "\"; " + meant + (numbered ? many + ", called " : "the columns are ") + list +
                  "; choose one of them" + (numbered ? "" : ", or, if the first line is data, read the table without a header"));
}

/// One record of a chunk, its fields found.
class CsvItem {
 public:
  CsvItem(const CsvColumns& columns, RecordSink& sink) : columns_(columns), sink_(sink) {}

  void add(std::string_view record, const std::vector<CsvField>& fields, const Location& location) {
    const double number = columns_.number ? number_of(csv_value(record, fields[*columns_.number], id_)) : kNoNumber;
    std::string_view id = columns_.id ? csv_value(record, fields[*columns_.id], id_) : std::string_view();
    if (id.empty()) id = sink_.place(location);
    if (columns_.scope) sink_.scope(csv_value(record, fields[*columns_.scope], value_));
    const std::string_view whole = text(record, fields);
    sink_.item(id, whole, location, number, metadata(record, fields), ends_);
  }

 private:
  std::string_view metadata(std::string_view record, const std::vector<CsvField>& fields) {
    metadata_.clear();
    for (const auto& [name, column] : columns_.metadata) {
      add_json_field(metadata_, name);
      append_json_string(metadata_, csv_value(record, fields[column], value_));
    }
    if (!metadata_.empty()) metadata_ += '}';
    return metadata_;
  }

  std::string_view text(std::string_view record, const std::vector<CsvField>& fields) {
    if (columns_.texts.size() == 1) return csv_value(record, fields[columns_.texts.front()], text_);
    joined_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < columns_.texts.size(); ++i) {
      if (i > 0) joined_ += '\n';
      joined_ += csv_value(record, fields[columns_.texts[i]], text_);
      ends_.push_back(joined_.size());
    }
    return joined_;
  }

  const CsvColumns& columns_;
  RecordSink& sink_;
  std::string id_, text_, joined_, metadata_, value_;
  std::vector<std::size_t> ends_;  // of the fields in joined_
};

std::string unclosed_message(std::string_view record, std::size_t quote, std::uint32_t first_line) {
  const auto lines = std::count(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
  const std::uint64_t line = first_line + static_cast<std::uint64_t>(lines);
  return "the quote opened on line " + std::to_string(line) + " is not closed where a field ends";
}

}  // namespace

CsvRecord csv_record(std::string_view bytes, char delimiter, bool at_end, std::vector<CsvField>* fields) {
  if (delimiter != '\t') return Scanner(bytes, delimiter, at_end, fields).record();
  const std::size_t newline = find_byte(bytes, '\n', 0);
  if (newline == kNone && !at_end) return {};
  return Scanner(newline == kNone ? bytes : bytes.substr(0, newline + 1), delimiter, true, fields).record();
}

std::size_t csv_whole_records(std::string_view bytes, char delimiter, bool at_end) {
  if (delimiter == '\t') return at_end ? bytes.size() : bytes.rfind('\n') + 1;
  std::size_t at = 0;
  while (at < bytes.size()) {
    // Lines without a quote are whole records, however many there are.
    const std::size_t quote = find_byte(bytes, '"', at);
    const std::size_t plain = quote == kNone ? bytes.size() : quote;
    if (quote == kNone && at_end) return bytes.size();
    if (const void* newline = ::memrchr(bytes.data() + at, '\n', plain - at)) {
      at = static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
    }
    if (quote == kNone) return at;
    const CsvRecord record = csv_record(bytes.substr(at), delimiter, at_end, nullptr);
    if (record.state == CsvRecord::State::incomplete) return at;
    at += record.length;
  }
  return at;
}

std::string_view csv_value(std::string_view record, const CsvField& field, std::string& scratch) {
  const std::string_view raw = record.substr(field.begin, field.end - field.begin);
  if (!field.doubled) return raw;
  scratch.clear();
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t quote = std::min(raw.find('"', at), raw.size());
    scratch += raw.substr(at, quote - at);
    if (quote < raw.size()) scratch += '"';
    at = quote + 2;
  }
  return scratch;
}

void append_csv_field(std::string& out, std::string_view s, char delimiter) {
  const char special[] = {'"', '\r', '\n', delimiter};
  if (s.find_first_of(std::string_view(special, sizeof special)) == kNone) {
    out += s;
    return;
  }
  out += '"';
  for (const char c : s) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

std::vector<std::string> tsv_record(std::string_view line) {
  std::vector<CsvField> fields;
  csv_record(line, '\t', true, &fields);
  std::vector<std::string> values;
  std::string scratch;
  for (const CsvField& field : fields) values.emplace_back(csv_value(line, field, scratch));
  return values;
}

void append_tsv_record_field(std::string& out, std::string_view s) {
  if (s.find('\n') != kNone) {
    throw Error(ErrorCode::data, "tsv", in_quotes(s) + " contains a newline, but a record of format tsv is one line; use csv or jsonl");
  }
  append_csv_field(out, s, '\t');
}

std::vector<std::string> csv_names(std::string_view first, char delimiter, bool numbered, const std::string& name) {
  std::string_view header = first;
  while (header.starts_with('\n') || header.starts_with("\r\n")) header.remove_prefix(header.find('\n') + 1);
  std::vector<CsvField> spans;
  const CsvRecord record = csv_record(header, delimiter, true, &spans);
  if (record.state != CsvRecord::State::whole) throw Error(ErrorCode::data, name, "the header has a quote that is not closed");
  if (!is_utf8(header)) throw Error(ErrorCode::data, name, "the header is not valid UTF-8");
  std::vector<std::string> names;
  std::string scratch;
  for (const CsvField& span : spans) {
    names.push_back(numbered ? std::to_string(names.size() + 1) : std::string(csv_value(header, span, scratch)));
  }
  return names;
}

std::optional<std::size_t> csv_column(const std::vector<std::string>& names, const std::string& wanted, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) return std::nullopt;
  const auto number = [&](auto at) { return std::to_string(at - names.begin() + 1); };
  if (const auto second = std::find(found + 1, names.end(), wanted); second != names.end()) {
    throw Error(ErrorCode::data, name,
                "columns " + number(found) + " and " + number(second) + " are both called " + in_quotes(wanted) + "; rename one of them");
  }
  return static_cast<std::size_t>(found - names.begin());
}

static std::size_t required_column(const std::string& wanted, const std::vector<std::string>& names, bool numbered,
                                   const std::string& name) {
  const std::optional<std::size_t> found = csv_column(names, wanted, name);
  if (!found) no_column(wanted, names, numbered, name);
  return *found;
}

std::optional<std::size_t> csv_id_column(const std::vector<std::string>& names, bool numbered, const Fields& fields,
                                         const std::string& name) {
  if (fields.no_id) return std::nullopt;
  const auto found = csv_column(names, fields.id.name, name);
  // Without the usual column records are named by their place; a column that somebody asked for must be there.
  if (!found && fields.id.name != Input{}.id) no_column(fields.id.name, names, numbered, name);
  return found;
}

std::optional<std::size_t> csv_scope_column(const std::vector<std::string>& names, bool numbered, const Fields& fields,
                                            const std::string& name) {
  if (!fields.scope) return std::nullopt;
  return required_column(fields.scope->name, names, numbered, name);
}

// In the order of their names, so that two tables with the same columns give the same texts.
static void add_other_texts(std::vector<std::size_t>& texts, const std::vector<std::string>& names, bool numbered, const Fields& fields) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!std::binary_search(fields.no_texts.begin(), fields.no_texts.end(), names[i])) others.push_back(i);
  }
  if (!numbered) std::stable_sort(others.begin(), others.end(), [&](std::size_t x, std::size_t y) { return names[x] < names[y]; });
  for (const std::size_t column : others) texts.insert(texts.end(), fields.other_texts, column);
}

/// "*" would read lines whole where the separator is another one.
static void refuse_other_separator(const std::vector<std::string>& names, char delimiter, bool numbered, const Fields& fields,
                                   const std::string& name) {
  const std::optional<char> separator = numbered || !fields.texts.empty() ? std::nullopt : likely_separator(names);
  if (!separator || *separator == delimiter) return;
  throw Error(ErrorCode::data, name, one_column(names.front(), *separator) + "; if it is one column, name it as the text");
}

CsvColumns csv_columns(std::string_view first, char delimiter, bool numbered, const Fields& fields, const std::string& name) {
  const std::vector<std::string> names = csv_names(first, delimiter, numbered, name);
  CsvColumns columns;
  columns.delimiter = delimiter;
  columns.count = names.size();
  for (const FieldPath& text : fields.texts) columns.texts.push_back(required_column(text.name, names, numbered, name));
  for (const FieldPath& field : fields.left_out) required_column(field.name, names, numbered, name);
  if (fields.other_texts > 0) {
    refuse_other_separator(names, delimiter, numbered, fields, name);
    add_other_texts(columns.texts, names, numbered, fields);
  }
  for (const FieldPath& field : fields.metadata) {
    columns.metadata.emplace_back(field.name, required_column(field.name, names, numbered, name));
  }
  columns.id = csv_id_column(names, numbered, fields, name);
  columns.scope = csv_scope_column(names, numbered, fields, name);
  if (fields.number) columns.number = csv_column(names, fields.number->name, name);
  return columns;
}

bool csv_accept(std::string_view record, const CsvRecord& found, std::size_t fields, std::size_t columns, bool all_valid,
                const Location& location, RecordSink& sink) {
  if (found.state == CsvRecord::State::unclosed) {
    sink.fault(location, unclosed_message(record, found.quote, location.line));
    return false;
  }
  if (const auto bad = all_valid ? std::nullopt : first_invalid_utf8(record)) {
    sink.invalid_utf8(location, *bad);
    return false;
  }
  if (is_empty_line(record) || fields == columns) return !is_empty_line(record);
  sink.fault(location, std::to_string(fields) + (fields == 1 ? " field" : " fields") + ", the header has " + std::to_string(columns));
  return false;
}

void parse_csv(const Chunk& chunk, const CsvColumns& columns, RecordSink& sink) {
  CsvItem item(columns, sink);
  for_each_csv_record(
      chunk, columns.delimiter, columns.count, sink,
      [&](std::string_view record, const std::vector<CsvField>& fields, const Location& location) { item.add(record, fields, location); });
}

}  // namespace nearkin
