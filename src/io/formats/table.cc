#include <algorithm>
#include <array>
#include <unordered_set>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "base/unicode.h"
#include "io/formats/csv.h"

namespace nearkin {
namespace {

/// An element ends at white space, and the name of its column at the first '='.
void append_escaped(std::string& out, std::string_view text, bool is_name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* const begin = at;
    const char32_t c = next_code_point(at, end);
    if (!is_white_space(c) && c != '%' && !(is_name && c == '=')) {
      out.append(begin, at);
      continue;
    }
    for (const char* byte = begin; byte < at; ++byte) {
      const auto value = static_cast<unsigned char>(*byte);
      (out += '%') += kHex[value >> 4U];
      out += kHex[value & 15U];
    }
  }
}

enum class Answer { yes, no, unknown, category };

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

Answer answer_of(std::string_view value) {
  constexpr std::array<std::string_view, 4> kYes{"yes", "y", "true", "1"}, kNo{"no", "n", "false", "0"};
  if (value.empty()) return Answer::unknown;
  if (value.size() > 5) return Answer::category;
  const auto is_among = [&](const auto& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return equals_ignoring_case(value, word); });
  };
  return is_among(kYes) ? Answer::yes : is_among(kNo) ? Answer::no : Answer::category;
}

class TableRow {
 public:
  TableRow(const TableColumns& columns, bool all_answers, RecordSink& sink) : columns_(columns), all_answers_(all_answers), sink_(sink) {}

  void add(std::string_view record, const std::vector<CsvField>& fields, const Location& location) {
    text_.clear();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i != columns_.id) add_answer(columns_.names[i], trimmed(csv_value(record, fields[i], scratch_)));
    }
    const double number = columns_.number ? number_of(csv_value(record, fields[*columns_.number], scratch_)) : kNoNumber;
    if (columns_.scope) sink_.scope(csv_value(record, fields[*columns_.scope], scratch_));
    std::string_view id = columns_.id ? csv_value(record, fields[*columns_.id], scratch_) : std::string_view();
    if (id.empty()) id = sink_.place(location);
    sink_.item(id, text_, location, number);
  }

 private:
  void add_answer(const std::string& column, std::string_view value) {
    const Answer answer = answer_of(value);
    if (!all_answers_ && (answer == Answer::no || answer == Answer::unknown)) return;
    if (!text_.empty()) text_ += ' ';
    text_ += column;
    if (!all_answers_ && answer == Answer::yes) return;
    text_ += '=';
    if (answer == Answer::category) return append_escaped(text_, value, false);
    text_ += answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "";
  }

  const TableColumns& columns_;
  bool all_answers_;
  RecordSink& sink_;
  std::string text_, scratch_;
};

}  // namespace

TableColumns table_columns(std::string_view first, char delimiter, bool numbered, const Fields& fields, const std::string& name) {
  const std::vector<std::string> names = csv_names(first, delimiter, numbered, name);
  TableColumns columns;
  columns.delimiter = delimiter;
  columns.id = csv_id_column(names, numbered, fields, name);
  columns.scope = csv_scope_column(names, numbered, fields, name);
  if (fields.number) columns.number = csv_column(names, fields.number->name, name);
  columns.questions = static_cast<std::uint32_t>(names.size() - (columns.id ? 1 : 0));
  std::unordered_set<std::string> met;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // A column without a name is called by its number.
    const std::string unnamed = std::to_string(i + 1);
    const std::string_view given = trimmed(names[i]);
    const std::string_view called = given.empty() ? std::string_view(unnamed) : given;
    std::string& element = columns.names.emplace_back();
    append_escaped(element, called, true);
    if (i == columns.id || met.insert(element).second) continue;
    throw Error(ErrorCode::data, name, "two columns are called " + in_quotes(called) + "; give each question a name of its own");
  }
  return columns;
}

void parse_table(const Chunk& chunk, const TableColumns& columns, bool all_answers, RecordSink& sink) {
  TableRow row(columns, all_answers, sink);
  for_each_csv_record(
      chunk, columns.delimiter, columns.names.size(), sink,
      [&](std::string_view record, const std::vector<CsvField>& fields, const Location& location) { row.add(record, fields, location); });
}

}  // namespace nearkin
