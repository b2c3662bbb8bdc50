#include "feature/recognise_language.h"

#include <algorithm>
#include <array>

#include "feature/code_bytes.h"
#include "feature/code_language.h"

namespace nearkin {
namespace {

// A licence, a list of imports and some declarations are within it.
constexpr std::size_t kLookedAt = std::size_t{16} << 10;

using Votes = std::array<int, kLanguages>;

struct CodeLine {
  std::string_view text;  // without white space at either end; not empty
  std::string_view word;  // its first word; empty if it begins with something else
  std::string_view rest;  // what follows the word, without white space before it

  char last() const { return text.back(); }
  char next() const { return rest.empty() ? '\0' : rest.front(); }
  bool has(std::string_view part) const { return rest.find(part) != std::string_view::npos; }
  bool has_quote() const { return rest.find_first_of("'\"`") != std::string_view::npos; }
};

std::string_view trimmed_line(std::string_view text) {
  while (!text.empty() && code_byte(text.front()) == CodeByte::blank) text.remove_prefix(1);
  while (!text.empty() && code_byte(text.back()) == CodeByte::blank) text.remove_suffix(1);
  return text;
}

CodeLine line_of(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), in_word);
  const auto size = static_cast<std::size_t>(end - text.begin());
  return {text, text.substr(0, size), trimmed_line(text.substr(size))};
}

// What a line must end with for a sign to count.
enum class LineEnd : std::uint8_t { any, colon, semicolon, brace, none };  // none: neither of the others

LineEnd end_of(const CodeLine& line) {
  switch (line.last()) {
    case ':': return LineEnd::colon;
    case ';': return LineEnd::semicolon;
    case '{': return LineEnd::brace;
    default: return LineEnd::none;
  }
}

struct Sign {
  std::string_view word;
  LineEnd end;
  Language language;
  int votes;
};

// First words of lines, in alphabetical order. Words that begin lines of prose too count only with an end that prose does not have.
constexpr Sign kSigns[] = {
    {"abstract", LineEnd::brace, Language::java, 2},
    {"class", LineEnd::colon, Language::python, 4},
    {"def", LineEnd::colon, Language::python, 5},
    {"def", LineEnd::none, Language::python, 3},
    {"defer", LineEnd::none, Language::go, 3},
    {"elif", LineEnd::colon, Language::python, 4},
    {"else", LineEnd::colon, Language::python, 3},
    {"except", LineEnd::colon, Language::python, 5},
    {"export", LineEnd::brace, Language::javascript, 4},
    {"export", LineEnd::semicolon, Language::javascript, 4},
    {"extern", LineEnd::semicolon, Language::cpp, 2},
    {"final", LineEnd::semicolon, Language::java, 2},
    {"finally", LineEnd::colon, Language::python, 4},
    {"fn", LineEnd::any, Language::rust, 4},
    {"for", LineEnd::colon, Language::python, 2},
    {"func", LineEnd::brace, Language::go, 5},
    {"func", LineEnd::none, Language::go, 2},
    {"function", LineEnd::brace, Language::javascript, 4},
    {"function", LineEnd::none, Language::javascript, 1},
    {"goto", LineEnd::semicolon, Language::cpp, 2},
    {"if", LineEnd::colon, Language::python, 2},
    {"impl", LineEnd::any, Language::rust, 4},
    {"inline", LineEnd::any, Language::cpp, 2},
    {"int", LineEnd::any, Language::cpp, 1},
    {"match", LineEnd::brace, Language::rust, 3},
    {"mod", LineEnd::brace, Language::rust, 3},
    {"mod", LineEnd::semicolon, Language::rust, 4},
    {"namespace", LineEnd::brace, Language::cpp, 4},
    {"package", LineEnd::semicolon, Language::java, 6},
    {"private", LineEnd::brace, Language::java, 4},
    {"private", LineEnd::colon, Language::cpp, 4},
    {"private", LineEnd::semicolon, Language::java, 4},
    {"protected", LineEnd::brace, Language::java, 4},
    {"protected", LineEnd::colon, Language::cpp, 4},
    {"protected", LineEnd::semicolon, Language::java, 4},
    {"pub", LineEnd::any, Language::rust, 3},
    {"public", LineEnd::brace, Language::java, 4},
    {"public", LineEnd::colon, Language::cpp, 4},
    {"public", LineEnd::semicolon, Language::java, 4},
    {"raise", LineEnd::none, Language::python, 2},
    {"return", LineEnd::none, Language::python, 1},
    {"return", LineEnd::none, Language::go, 1},
    {"static", LineEnd::semicolon, Language::cpp, 1},
    {"struct", LineEnd::semicolon, Language::cpp, 2},
    {"template", LineEnd::any, Language::cpp, 3},
    {"trait", LineEnd::brace, Language::rust, 3},
    {"try", LineEnd::colon, Language::python, 4},
    {"type", LineEnd::brace, Language::go, 4},
    {"typedef", LineEnd::any, Language::cpp, 3},
    {"unsafe", LineEnd::brace, Language::rust, 3},
    {"unsigned", LineEnd::any, Language::cpp, 2},
    {"use", LineEnd::brace, Language::rust, 3},
    {"use", LineEnd::semicolon, Language::rust, 4},
    {"using", LineEnd::semicolon, Language::cpp, 3},
    {"var", LineEnd::brace, Language::javascript, 2},
    {"var", LineEnd::semicolon, Language::javascript, 3},
    {"virtual", LineEnd::semicolon, Language::cpp, 3},
    {"void", LineEnd::any, Language::cpp, 1},
    {"while", LineEnd::colon, Language::python, 2},
    {"with", LineEnd::colon, Language::python, 2},
};

// Where the signs of each letter begin.
constexpr std::array<std::uint8_t, 27> make_places() {
  std::array<std::uint8_t, 27> places{};
  for (const Sign& sign : kSigns) {
    for (auto i = static_cast<std::size_t>(sign.word[0] - 'a') + 1; i < places.size(); ++i) ++places[i];
  }
  return places;
}
constexpr std::array<std::uint8_t, 27> kPlaces = make_places();
static_assert(std::is_sorted(std::begin(kSigns), std::end(kSigns), [](const Sign& a, const Sign& b) { return a.word < b.word; }));

int& of(Votes& votes, Language language) { return votes[static_cast<std::size_t>(language)]; }

void count_first_word(const CodeLine& line, Votes& votes) {
  const char first = line.word[0];
  if (first < 'a' || first > 'z') return;
  const LineEnd end = end_of(line);
  for (std::size_t i = kPlaces[static_cast<std::size_t>(first - 'a')]; i < kPlaces[static_cast<std::size_t>(first - 'a') + 1]; ++i) {
    const Sign& sign = kSigns[i];
    if (sign.word == line.word && (sign.end == LineEnd::any || sign.end == end)) of(votes, sign.language) += sign.votes;
  }
}

void count_import(const CodeLine& line, Votes& votes) {
  const bool quote = line.has_quote();
  if (line.next() == '(' || (line.next() == '"' && line.last() != ';'))
    of(votes, Language::go) += line.next() == '(' && line.last() != '(' ? 0 : 6;
  else if (quote || line.next() == '{' || line.next() == '*')
    of(votes, Language::javascript) += 5;
  else
    of(votes, line.last() == ';' ? Language::java : Language::python) += 3;
}

// let, const and var: of JavaScript where a name and = follow.
void count_binding(const CodeLine& line, Votes& votes) {
  const CodeLine name = line_of(line.rest);
  if (line.word == "let" && name.word == "mut") of(votes, Language::rust) += 4;
  const bool assigned = name.next() == '=' && !name.word.empty();
  if (!assigned && line.next() != '{' && line.next() != '[') return;
  if (line.word == "let") of(votes, Language::rust) += 2;
  if (line.word != "let" && line.last() != ';') of(votes, Language::go) += 1;
  of(votes, Language::javascript) += 2;
}

void count_word(const CodeLine& line, Votes& votes) {
  count_first_word(line, votes);
  if (line.word == "import") return count_import(line, votes);
  if (line.word == "let" || line.word == "const" || line.word == "var") return count_binding(line, votes);
  if (line.word == "from" && line.has(" import")) of(votes, Language::python) += 4;
  if (line.word == "package" && line.last() != ';' && !line.rest.empty() && line_of(line.rest).word == line.rest)
    of(votes, Language::go) += 12;
  if (line.word == "pass" && line.rest.empty()) of(votes, Language::python) += 3;
  if (line.word == "self" && line.next() == '.' && line.last() != ';') of(votes, Language::python) += 2;
  if ((line.word == "module" || line.word == "exports") && line.next() == '.') of(votes, Language::javascript) += 4;
}

// With blanks behind the #, words that a comment may begin with are no sign of the preprocessor.
bool is_preprocessed(const CodeLine& line) {
  const std::string_view word = line_of(trimmed_line(line.text.substr(1))).word;
  if (!is_directive(word)) return false;
  return in_word(line.text[1]) || word.starts_with("ifn") || word.starts_with("ifd") || word == "define" || word == "undef" ||
         word == "endif" || word == "include";
}

void count_hash(const CodeLine& line, Votes& votes) {
  const std::string_view behind = line.text.substr(1);
  if (behind.starts_with('[') || behind.starts_with("![")) {
    of(votes, Language::rust) += 4;
  } else if (behind.starts_with('!')) {
    if (behind.find("python") != std::string_view::npos) of(votes, Language::python) += 10;
    if (behind.find("node") != std::string_view::npos) of(votes, Language::javascript) += 10;
  } else {
    is_preprocessed(line) ? of(votes, Language::cpp) += 3 : of(votes, Language::python) += 1;
  }
}

void count_mark(const CodeLine& line, Votes& votes) {
  const std::string_view text = line.text;
  if (text[0] == '#' && text.size() > 1) return count_hash(line, votes);
  if (text.starts_with("\"\"\"") || text.starts_with("'''")) of(votes, Language::python) += 2;
  if (text.starts_with("'use strict'") || text.starts_with("\"use strict\"")) of(votes, Language::javascript) += 8;
  if (text.starts_with("@Override")) of(votes, Language::java) += 4;
  if (text.starts_with("})")) of(votes, Language::javascript) += 1;
}

// Operators within the line, each sign once.
void count_operators(std::string_view text, Votes& votes) {
  const auto has = [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; };
  if (text.find('=') != std::string_view::npos && !has("====")) {
    if (has(":=")) of(votes, Language::go) += 2;
    if (has("===") || has("!==")) of(votes, Language::javascript) += 3;
    if (has("=>")) of(votes, Language::javascript) += 1, of(votes, Language::rust) += 1;
  }
  if (text.back() == ';' && has("->")) of(votes, has("fn ") ? Language::rust : Language::cpp) += 2;
}

void count_line(std::string_view text, Votes& votes) {
  text = trimmed_line(text);
  if (text.empty() || text[0] == '*' || text.starts_with("/*") || text.starts_with("// ")) return;
  const CodeLine line = line_of(text);
  line.word.empty() ? count_mark(line, votes) : count_word(line, votes);
  count_operators(text, votes);
  if (line.last() == ';') --of(votes, Language::python), --of(votes, Language::go);
}

}  // namespace

Language recognise_language(std::string_view text) {
  text = text.substr(0, kLookedAt);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Votes votes{};
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    count_line(text.substr(0, size), votes);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  Language best = Language::cpp;
  for (std::size_t i = 0; i < kLanguages; ++i) {
    const auto language = static_cast<Language>(i);
    if (of(votes, language) > of(votes, best)) best = language;
  }
  return best;
}

}  // namespace nearkin
