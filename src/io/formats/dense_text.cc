#include "io/formats/dense_text.h"

#include <algorithm>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"
#include "io/formats/csv.h"

namespace nearkin {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Blank, or a comment.
bool says_nothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

/// Walks the fields of a line.
class Walker {
 public:
  Walker(std::string_view line, const DenseColumns& columns) : at_(line.data()), end_(at_ + line.size()), hard_(columns.separator) {
    const std::size_t found = hard_ ? std::string_view::npos : line.find_first_of(",;\t");
    if (found != std::string_view::npos) hard_ = line[found];
    // Tabs at the ends of a line of numbers with blanks between them are blanks.
    if (hard_ == '\t' && line.find_last_not_of(" \t\r") < found) hard_ = std::nullopt;
    skip_blanks();
    more_ = at_ < end_;
  }

  /// Whether a field follows; it may be empty.
  bool more() const { return more_; }
  const char*& at() { return at_; }
  const char* end() const { return end_; }

  /// Behind a field: moves to the next one. False when something else than a border stands there.
  bool step() {
    const char* const before = at_;
    skip_blanks();
    more_ = at_ < end_;
    if (!more_) return true;
    if (!hard_) return at_ > before;
    if (*at_ != *hard_) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  /// The field at `begin`, whatever it is, quotes around it taken off; afterwards `step` can be called. Absent for an unclosed quote.
  std::optional<std::string_view> take_text() {
    if (at_ < end_ && *at_ == '"') {
      const char* const close = std::find(at_ + 1, end_, '"');
      if (close == end_) return std::nullopt;
      const std::string_view inside(at_ + 1, static_cast<std::size_t>(close - at_ - 1));
      at_ = close + 1;
      return inside;
    }
    const std::string_view text = field_from(at_);
    at_ += text.size();
    return text;
  }

  /// From `begin` to the next border, without blanks at its end.
  std::string_view field_from(const char* begin) const {
    const char* stop = std::find_if(begin, end_, [&](char c) { return hard_ ? c == *hard_ : is_blank(c); });
    while (stop > begin && is_blank(stop[-1])) --stop;
    return {begin, static_cast<std::size_t>(stop - begin)};
  }

 private:
  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_) && *at_ != hard_) ++at_;
  }

  const char* at_;
  const char* end_;
  std::optional<char> hard_;
  bool more_ = false;
};

/// A line without a single number, or with an empty first field as tables with a column of row names have it. A line with numbers and
/// other things is a record at fault: taken for a header it would be lost without a word.
bool is_header(std::string_view line, const DenseColumns& columns) {
  Walker walker(line, columns);
  for (std::size_t i = 0; walker.more(); ++i) {
    const std::string_view field = walker.field_from(walker.at());
    const char* at = field.data();
    float value = 0;
    const bool number = read_number(at, at + field.size(), value) != Spelt::nothing && at == field.data() + field.size();
    if (i == 0 && field.empty() && i != columns.id) return true;
    if (i != columns.id && (number || field.empty())) return false;
    if (!walker.take_text() || !walker.step()) return false;
  }
  return true;
}

class DenseLine {
 public:
  DenseLine(const DenseColumns& columns, RecordSink& sink) : columns_(columns), sink_(sink) {}

  void add(std::string_view line, const Location& location) {
    if (says_nothing(line)) return;
    std::vector<float>& numbers = sink_.vectors().numbers;
    const std::size_t before = numbers.size();
    id_ = {};
    problem_.clear();
    Walker walker(line, columns_);
    for (std::size_t i = 0; walker.more() && problem_.empty(); ++i) take(walker, i);
    const std::size_t length = numbers.size() - before;
    if (problem_.empty() && length == 0) problem_ = "no numbers";
    if (problem_.empty() && length > std::numeric_limits<std::uint32_t>::max()) problem_ = std::to_string(length) + " numbers are too many";
    if (problem_.empty() && !is_utf8(id_)) problem_ = "its id " + in_quotes(id_) + " is not valid UTF-8";
    if (problem_.empty()) return sink_.vector(id_.empty() ? sink_.place(location) : id_, static_cast<std::uint32_t>(length), location);
    sink_.drop_vector();
    sink_.fault(location, problem_);
  }

 private:
  void take(Walker& walker, std::size_t i) {
    const char* const begin = walker.at();
    if (i == columns_.id) {
      const auto text = walker.take_text();
      if (text) id_ = *text;
      if (!text || !walker.step()) problem_ = "the quote in field " + std::to_string(i + 1) + " is not closed where the field ends";
      return;
    }
    double value = 0;
    Spelt spelt = read_number(walker.at(), walker.end(), value);
    if (spelt == Spelt::number && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) spelt = Spelt::too_large;
    const bool too_long = spelt == Spelt::number && is_too_long(value);
    if (spelt == Spelt::number && !too_long && walker.step()) {
      sink_.vectors().numbers.push_back(static_cast<float>(value) + 0.0f);  // −0 becomes 0
      return;
    }
    const std::string_view text = walker.field_from(begin);
    problem_ = "field " + std::to_string(i + 1) + (text.empty() ? " is empty" : " is " + in_quotes(text));
    if (too_long) {
      problem_ += kTooLong;
    } else if (spelt == Spelt::too_large) {
      problem_ += ", beyond ±3.4e38";
    } else {
      problem_ += spelt == Spelt::not_finite ? ", which is not finite" : "; a number is expected";
    }
  }

  const DenseColumns& columns_;
  RecordSink& sink_;
  std::string_view id_;
  std::string problem_;
};

std::optional<std::size_t> numbered_column(const std::string& wanted, const std::string& name) {
  if (wanted == Input{}.id) return std::nullopt;
  std::uint32_t column = 0;
  const auto [rest, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), column);
  if (error == std::errc() && rest == wanted.data() + wanted.size() && column > 0) return column - 1;
  throw Error(ErrorCode::data, name, "no column " + in_quotes(wanted) + "; without a header line columns are called 1, 2, 3 and so on");
}

std::string_view last_line(std::string_view header) {
  while (header.ends_with('\n') || header.ends_with('\r')) header.remove_suffix(1);
  return header.substr(header.rfind('\n') + 1);
}

}  // namespace

std::optional<std::size_t> dense_header_length(std::string_view bytes, bool at_end, const DenseColumns& columns) {
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t newline = bytes.find('\n', begin);
    if (newline == std::string_view::npos && !at_end) return std::nullopt;
    const std::size_t next = newline == std::string_view::npos ? bytes.size() : newline + 1;
    const std::string_view line = bytes.substr(begin, std::min(newline, bytes.size()) - begin);
    if (!says_nothing(line)) return is_header(line, columns) ? next : 0;
    begin = next;
  }
  return at_end ? std::optional<std::size_t>(0) : std::nullopt;
}

std::optional<std::size_t> dense_id_column(std::string_view header, const DenseColumns& columns, const Fields& fields,
                                           const std::string& name) {
  if (fields.first_word) return 0;
  if (fields.no_id) return std::nullopt;
  if (header.empty()) return numbered_column(fields.id.name, name);
  std::vector<std::string> names;
  Walker walker(last_line(header), columns);
  while (walker.more()) {
    const auto text = walker.take_text();
    if (!text || !is_utf8(*text))
      throw Error(ErrorCode::data, name,
                  "the first line is no text, or has a quote that is not closed; binary files are recognised by their content (.npy, IDX) "
                  "or by their extension (.fvecs, .bvecs)");
    names.emplace_back(*text);
    if (!walker.step()) throw Error(ErrorCode::data, name, "the header has a quote that is not closed where its field ends");
  }
  const auto found = csv_id_column(names, false, fields, name);
  return !found && names.front().empty() ? std::optional<std::size_t>(0) : found;
}

void parse_dense_text(const Chunk& chunk, const DenseColumns& columns, RecordSink& sink) {
  sink.begin_vectors(Vectors::Kind::dense);
  DenseLine one(columns, sink);
  for_each_line(chunk, [&](std::string_view, std::string_view line, const Location& location) { one.add(line, location); });
}

}  // namespace nearkin
