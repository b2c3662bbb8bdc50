#include "feature/code_language.h"

#include <algorithm>
#include <array>

namespace nearkin {
namespace {

// FROZEN, like all of this file: features depend on it. Reserved words alone: what is a keyword in some places only (record, async, match
// in Python) is an identifier.
constexpr std::string_view kOfC[] = {"auto",          "break",
                                     "case",          "char",
                                     "const",         "continue",
                                     "default",       "do",
                                     "double",        "else",
                                     "enum",          "extern",
                                     "float",         "for",
                                     "goto",          "if",
                                     "inline",        "int",
                                     "long",          "register",
                                     "restrict",      "return",
                                     "short",         "signed",
                                     "sizeof",        "static",
                                     "struct",        "switch",
                                     "typedef",       "union",
                                     "unsigned",      "void",
                                     "volatile",      "while",
                                     "_Alignas",      "_Alignof",
                                     "_Atomic",       "_Bool",
                                     "_Complex",      "_Generic",
                                     "_Noreturn",     "_Static_assert",
                                     "_Thread_local", "alignas",
                                     "alignof",       "bool",
                                     "constexpr",     "false",
                                     "nullptr",       "static_assert",
                                     "thread_local",  "true",
                                     "typeof",        "_Imaginary"};
constexpr std::string_view kOfCpp[] = {
    "alignas",   "alignof",  "and",      "and_eq",       "asm",       "auto",       "bitand",        "bitor",       "bool",
    "break",     "case",     "catch",    "char",         "char16_t",  "char32_t",   "char8_t",       "class",       "co_await",
    "co_return", "co_yield", "compl",    "concept",      "const",     "const_cast", "consteval",     "constexpr",   "constinit",
    "continue",  "decltype", "default",  "delete",       "do",        "double",     "dynamic_cast",  "else",        "enum",
    "explicit",  "export",   "extern",   "false",        "float",     "for",        "friend",        "goto",        "if",
    "inline",    "int",      "long",     "mutable",      "namespace", "new",        "noexcept",      "not",         "not_eq",
    "nullptr",   "operator", "or",       "or_eq",        "private",   "protected",  "public",        "register",    "reinterpret_cast",
    "requires",  "return",   "short",    "signed",       "sizeof",    "static",     "static_assert", "static_cast", "struct",
    "switch",    "template", "this",     "thread_local", "throw",     "true",       "try",           "typedef",     "typeid",
    "typename",  "union",    "unsigned", "using",        "virtual",   "void",       "volatile",      "wchar_t",     "while",
    "xor",       "xor_eq"};
constexpr std::string_view kOfJava[] = {
    "abstract",  "assert",     "boolean", "break",      "byte",     "case",      "catch", "char",    "class",        "const",   "continue",
    "default",   "do",         "double",  "else",       "enum",     "extends",   "final", "finally", "float",        "for",     "goto",
    "if",        "implements", "import",  "instanceof", "int",      "interface", "long",  "native",  "new",          "package", "private",
    "protected", "public",     "return",  "short",      "static",   "strictfp",  "super", "switch",  "synchronized", "this",    "throw",
    "throws",    "transient",  "try",     "void",       "volatile", "while",     "true",  "false",   "null"};
constexpr std::string_view kOfPython[] = {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
                                          "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
                                          "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
                                          "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
constexpr std::string_view kOfJavaScript[] = {"await",   "break",  "case",     "catch",  "class",  "const",  "continue",   "debugger",
                                              "default", "delete", "do",       "else",   "enum",   "export", "extends",    "false",
                                              "finally", "for",    "function", "if",     "import", "in",     "instanceof", "let",
                                              "new",     "null",   "return",   "static", "super",  "switch", "this",       "throw",
                                              "true",    "try",    "typeof",   "var",    "void",   "while",  "with",       "yield"};
constexpr std::string_view kOfGo[] = {"break", "case",   "chan",   "const",  "continue", "default", "defer",     "else", "fallthrough",
                                      "for",   "func",   "go",     "goto",   "if",       "import",  "interface", "map",  "package",
                                      "range", "return", "select", "struct", "switch",   "type",    "var"};
constexpr std::string_view kOfRust[] = {
    "as",     "async", "await",  "break",  "const", "continue", "crate", "dyn",  "else",   "enum",    "extern",  "false", "fn",
    "for",    "if",    "impl",   "in",     "let",   "loop",     "match", "mod",  "move",   "mut",     "pub",     "ref",   "return",
    "self",   "Self",  "static", "struct", "super", "trait",    "true",  "type", "unsafe", "use",     "where",   "while", "abstract",
    "become", "box",   "do",     "final",  "macro", "override", "priv",  "try",  "typeof", "unsized", "virtual", "yield"};
constexpr std::string_view kDirectives[] = {"include", "include_next", "import", "define", "undef", "if",      "ifdef",  "ifndef", "elif",
                                            "elifdef", "elifndef",     "else",   "endif",  "error", "warning", "pragma", "line"};

// Words in 512 places by three of their letters and their length.
class WordTable {
 public:
  template <std::size_t kSize>
  constexpr explicit WordTable(const std::string_view (&words)[kSize]) : words_(words) {
    static_assert(kSize < 200);
    for (std::size_t i = 0; i < kSize; ++i) {
      std::size_t place = place_of(words[i]);
      while (index_[place] != 0) place = (place + 1) % index_.size();
      index_[place] = static_cast<std::uint8_t>(i + 1);
    }
  }

  constexpr bool contains(std::string_view word) const {
    if (word.size() < 2) return false;
    for (std::size_t place = place_of(word); index_[place] != 0; place = (place + 1) % index_.size()) {
      if (words_[index_[place] - 1] == word) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t place_of(std::string_view word) {
    const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(word[i]); };
    return (letter(0) * 31u + letter(1) * 7u + letter(word.size() - 1) * 3u + word.size() * 13u) % 512;
  }

  const std::string_view* words_;
  std::array<std::uint8_t, 512> index_{};
};

constexpr WordTable kKeywords[kLanguages] = {WordTable(kOfC),          WordTable(kOfCpp), WordTable(kOfJava), WordTable(kOfPython),
                                             WordTable(kOfJavaScript), WordTable(kOfGo),  WordTable(kOfRust)};
constexpr WordTable kDirectiveTable{kDirectives};

// In the order of Language.
constexpr LanguageRules kRules[kLanguages] = {
    {.language = Language::c, .continued_comments = true, .directives = true, .digit_quotes = true},
    {.language = Language::cpp, .continued_comments = true, .directives = true, .digit_quotes = true, .raw = RawString::parentheses},
    {.language = Language::java, .triple_double = true},
    {.language = Language::python, .hash_comments = true, .triple_double = true, .triple_single = true, .apostrophe = Apostrophe::string},
    {.language = Language::javascript, .regexes = true, .apostrophe = Apostrophe::string, .backtick = Backtick::template_string},
    {.language = Language::go, .backtick = Backtick::raw_string},
    {.language = Language::rust,
     .nested_comments = true,
     .long_strings = true,
     .apostrophe = Apostrophe::character_or_lifetime,
     .raw = RawString::hashes},
};

constexpr bool rules_in_order() {
  for (std::size_t i = 0; i < kLanguages; ++i) {
    if (kRules[i].language != static_cast<Language>(i)) return false;
  }
  return true;
}
static_assert(rules_in_order());

// r, b, u, f and their pairs with r, in either case.
bool is_python_prefix(std::string_view word) {
  const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  const char first = lower(word[0]);
  if (word.size() == 1) return first == 'r' || first == 'b' || first == 'u' || first == 'f';
  const char second = lower(word[1]);
  return word.size() == 2 && ((first == 'r' && (second == 'b' || second == 'f')) || ((first == 'b' || first == 'f') && second == 'r'));
}

}  // namespace

const LanguageRules& rules_of(Language language) { return kRules[static_cast<std::size_t>(language)]; }

bool is_keyword(std::string_view word, Language language) { return kKeywords[static_cast<std::size_t>(language)].contains(word); }

bool is_value_keyword(std::string_view word) {
  constexpr std::string_view kValues[] = {"this", "super", "null", "true", "false", "self"};
  return std::find(std::begin(kValues), std::end(kValues), word) != std::end(kValues);
}

bool is_directive(std::string_view word) { return kDirectiveTable.contains(word); }

bool is_literal_prefix(std::string_view word, char quote, Language language) {
  if (word.size() > 2) return false;
  switch (language) {
    case Language::c:
    case Language::cpp: return word == "L" || word == "u" || word == "U" || word == "u8";
    case Language::python: return is_python_prefix(word);
    case Language::rust: return word == "b" || (word == "c" && quote == '"');
    case Language::java:
    case Language::javascript:
    case Language::go: return false;
  }
  return false;
}

}  // namespace nearkin
