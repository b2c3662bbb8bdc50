// Matrices, permutations and hash functions as they are written on a blackboard.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "errors.h"
#include "lecture.h"

namespace nearkin::cli {
namespace {

struct NumberedLine {
  std::size_t number;  ///< from 1, of the file
  std::vector<std::string> words;
};

/// What stands between blanks and commas, without lines that are empty or begin with #.
std::vector<NumberedLine> lines_of(const std::string& text) {
  std::vector<NumberedLine> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    NumberedLine line{++number, {}};
    std::string word;
    for (std::size_t i = begin; i <= end; ++i) {
      const bool part = i < end && text[i] != ',' && std::isspace(static_cast<unsigned char>(text[i])) == 0;
      if (part) word += text[i];
      if (!part && !word.empty()) line.words.push_back(std::exchange(word, {}));
    }
    if (!line.words.empty() && line.words[0][0] != '#') lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

bool all_in(const std::string& word, std::string_view letters) { return word.find_first_not_of(letters) == std::string::npos; }
bool is_cell(const std::string& word) { return word == "0" || word == "1"; }
bool is_number(const std::string& word) { return !word.empty() && word.size() < 10 && all_in(word, "0123456789"); }
/// A number, though perhaps none that a row can have.
bool looks_like_number(const std::string& word) { return word != "-" && word != "." && all_in(word, "-+.0123456789"); }

/// "1001" is "1 0 0 1" where a line has no blanks, behind its name too.
void take_apart(NumberedLine& line) {
  if (line.words.back().size() < 2 || line.words.size() > 2 || !all_in(line.words.back(), "01")) return;
  const std::string glued = line.words.back();
  line.words.pop_back();
  for (const char c : glued) line.words.emplace_back(1, c);
}

/// A single word above rows of single cells, or of a name and a cell, names the only column.
bool names_one_column(const std::vector<NumberedLine>& lines) {
  if (lines.size() < 2 || lines[0].words.size() != 1 || is_cell(lines[0].words[0])) return false;
  return lines[1].words.size() == 2 || (lines[1].words.size() == 1 && is_cell(lines[1].words[0]));
}

bool has_column_names(const std::vector<NumberedLine>& lines) {
  const NumberedLine& first = lines[0];
  return names_one_column(lines) || !std::all_of(first.words.begin() + 1, first.words.end(), is_cell);
}

/// What people call the column of the rows' names: then it is no set, though its names may be 0 and 1.
bool names_rows(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kCalled[] = {"row",   "rows",    "row#",     "element", "elements", "item",
                                          "items", "shingle", "shingles", "id",      "name"};
  return std::find(std::begin(kCalled), std::end(kCalled), word) != std::end(kCalled);
}

/// Whether the first word of each line is the name of its row.
bool has_row_names(const std::vector<NumberedLine>& lines, const NumberedLine* header) {
  if (header != nullptr && header->words.size() + 1 == lines[0].words.size()) return true;
  if (header != nullptr && names_rows(header->words[0])) return true;
  return std::any_of(lines.begin(), lines.end(), [](const NumberedLine& line) { return !is_cell(line.words[0]); });
}

void number_rows(Matrix& matrix) {
  const bool numbered = std::all_of(matrix.rows.begin(), matrix.rows.end(), is_number);
  if (!numbered && std::all_of(matrix.rows.begin(), matrix.rows.end(), looks_like_number)) {
    const std::string& other = *std::find_if_not(matrix.rows.begin(), matrix.rows.end(), is_number);
    throw UsageError(
        fmt::format("--matrix: row {}: rows are numbered from 0 to 999999999; give whole numbers, or names with letters", other));
  }
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    matrix.numbers.push_back(numbered ? static_cast<std::uint32_t>(std::stoul(matrix.rows[row])) : static_cast<std::uint32_t>(row));
  }
}

void add_row(Matrix& matrix, const NumberedLine& line, bool named, std::size_t columns) {
  if (line.words.size() != columns + named) {
    throw UsageError(fmt::format("--matrix: line {} has {} columns and the first row has {}; all rows need the same number", line.number,
                                 line.words.size() - std::min<std::size_t>(named, line.words.size()), columns));
  }
  matrix.rows.push_back(named ? line.words[0] : fmt::format("{}", matrix.rows.size()));
  std::vector<bool>& cells = matrix.cells.emplace_back();
  for (std::size_t c = named; c < line.words.size(); ++c) {
    if (!is_cell(line.words[c])) {
      throw UsageError(fmt::format("--matrix: line {}: \"{}\" is neither 0 nor 1", line.number, line.words[c]));
    }
    cells.push_back(line.words[c] == "1");
  }
}

/// A cursor over an expression without its blanks and parentheses.
struct Expression {
  std::string text;
  std::size_t at = 0;

  bool take(std::string_view word) {
    if (text.compare(at, word.size(), word) != 0) return false;
    at += word.size();
    return true;
  }
  std::optional<std::uint64_t> number() {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (end == at || end - at > 18) return {};
    const std::uint64_t value = std::stoull(text.substr(at, end - at));
    at = end;
    return value;
  }
};

std::optional<LinearHash> linear(Expression expression) {
  const std::optional<std::uint64_t> a = expression.number();
  if (a) expression.take("*");
  if (!expression.take("x")) return {};
  const bool plus = expression.take("+"), minus = !plus && expression.take("-");
  const std::optional<std::uint64_t> b = plus || minus ? expression.number() : 0;
  if (!b || !(expression.take("mod") || expression.take("%"))) return {};
  const std::optional<std::uint64_t> m = expression.number();
  if (!m || *m == 0 || expression.at != expression.text.size()) return {};
  return LinearHash{a.value_or(1), minus ? (*m - *b % *m) % *m : *b, *m};
}

[[noreturn]] void refuse_ranks(const NumberedLine& line, std::size_t rows) {
  throw UsageError(fmt::format("--permutations: line {} does not have each place from 1 to {} once, one for each row", line.number, rows));
}

[[noreturn]] void refuse_order(const NumberedLine& line, const std::vector<std::string>& names) {
  throw UsageError(fmt::format("--permutations: line {} does not have each of the {} rows once, by its name, from {} to {}", line.number,
                               names.size(), names.front(), names.back()));
}

/// The place of a row in a list of names.
std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

/// "order: 5 4 3 2 1": the rows as they are looked at.
RowFunction by_order(const NumberedLine& line, const std::vector<std::string>& names) {
  RowFunction function{.name = {}, .text = {}, .values = std::vector<std::uint64_t>(names.size()), .order = line.words};
  for (std::size_t place = 0; place < line.words.size(); ++place) {
    const std::optional<std::size_t> row = place_of(names, line.words[place]);
    if (!row || function.values[*row] != 0) refuse_order(line, names);
    function.values[*row] = place + 1;
  }
  if (line.words.size() != names.size()) refuse_order(line, names);
  return function;
}

/// "2 3 1": the place of each row.
RowFunction by_rank(const NumberedLine& line, std::size_t rows) {
  RowFunction function{.name = {}, .text = {}, .values = {}};
  std::vector<bool> seen(rows);
  for (const std::string& word : line.words) {
    const std::size_t rank = is_number(word) ? std::stoul(word) : 0;
    if (rank < 1 || rank > rows || seen[rank - 1]) refuse_ranks(line, rows);
    seen[rank - 1] = true;
    function.values.push_back(rank);
  }
  if (line.words.size() != rows) refuse_ranks(line, rows);
  return function;
}

}  // namespace

Matrix parse_matrix(const std::string& text) {
  std::vector<NumberedLine> lines = lines_of(text);
  for (NumberedLine& line : lines) take_apart(line);
  std::optional<NumberedLine> header;
  if (!lines.empty() && has_column_names(lines)) {
    header = lines[0];
    lines.erase(lines.begin());
  }
  if (lines.empty()) throw UsageError("--matrix: has no rows; write one per line, such as 1 0 0 1");
  const bool named = has_row_names(lines, header ? &*header : nullptr);
  const std::size_t columns = lines[0].words.size() - named;
  if (columns == 0) throw UsageError(fmt::format("--matrix: line {}: \"{}\" is neither 0 nor 1", lines[0].number, lines[0].words[0]));
  Matrix matrix;
  for (const NumberedLine& line : lines) add_row(matrix, line, named, columns);
  // A word above the names of the rows is no column.
  if (header && header->words.size() == columns + 1) header->words.erase(header->words.begin());
  if (header && header->words.size() != columns) {
    throw UsageError(
        fmt::format("--matrix: line {} names {} columns, and the rows have {}", header->number, header->words.size(), columns));
  }
  for (std::size_t c = 0; c < columns; ++c) matrix.columns.push_back(header ? header->words[c] : fmt::format("S{}", c + 1));
  number_rows(matrix);
  return matrix;
}

LinearHash parse_hash(const std::string& text) {
  Expression expression;
  std::copy_if(text.begin(), text.end(), std::back_inserter(expression.text),
               [](char c) { return c != '(' && c != ')' && std::isspace(static_cast<unsigned char>(c)) == 0; });
  const std::optional<LinearHash> hash = linear(expression);
  if (!hash)
    throw UsageError(fmt::format(
        "--hash: \"{}\" is not like '3x+1 mod 5': a whole number times x, plus or minus another, mod a number from 1 on, each below 10^18",
        text));
  return *hash;
}

std::vector<RowFunction> parse_permutations(const std::string& text, const Matrix& matrix) {
  std::vector<RowFunction> functions;
  for (NumberedLine& line : lines_of(text)) {
    for (const std::string word : {"order:", "ranks:"}) {  // "order:4 3 1 2"
      if (!line.words[0].starts_with(word) || line.words[0] == word) continue;
      line.words.insert(line.words.begin() + 1, line.words[0].substr(word.size()));
      line.words[0] = word;
    }
    const bool order = line.words[0] == "order:" || line.words[0] == "order";
    if (order || line.words[0] == "ranks:" || line.words[0] == "ranks") line.words.erase(line.words.begin());
    if (line.words.size() == 1 && line.words[0].size() == matrix.rows.size()) {  // 54321
      const std::string glued = line.words[0];
      line.words.clear();
      for (const char c : glued) line.words.emplace_back(1, c);
    }
    functions.push_back(order ? by_order(line, matrix.rows) : by_rank(line, matrix.rows.size()));
    functions.back().name = fmt::format("π{}", functions.size());
  }
  if (functions.empty()) throw UsageError("--permutations: has no line; write one permutation per line, such as 2 3 1");
  return functions;
}

}  // namespace nearkin::cli
