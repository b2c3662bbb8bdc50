// What a lexer must know of a programming language.
#pragma once

#include <string_view>

#include "theory/code_rule.h"

namespace nearkin {

/// What an apostrophe begins.
enum class Apostrophe : std::uint8_t { character, string, character_or_lifetime };
/// What a backtick begins: nothing, a raw string (Go), a template (JavaScript).
enum class Backtick : std::uint8_t { nothing, raw_string, template_string };
/// How raw strings are written: R"x(...)x", r#"..."#.
enum class RawString : std::uint8_t { none, parentheses, hashes };

struct LanguageRules {
  Language language;
  bool hash_comments = false;       ///< # to the end of the line; else // and /* */
  bool nested_comments = false;     ///< /* /* */ */ is one comment
  bool continued_comments = false;  ///< a backslash at the end of a line takes the next line into a // comment
  bool directives = false;          ///< #include <name>, #define
  bool digit_quotes = false;        ///< 1'000
  bool long_strings = false;        ///< "..." may contain line ends
  bool triple_double = false;       ///< """..."""
  bool triple_single = false;       ///< '''...'''
  bool regexes = false;             ///< /.../ is a literal where a value is expected
  Apostrophe apostrophe = Apostrophe::character;
  Backtick backtick = Backtick::nothing;
  RawString raw = RawString::none;
};

const LanguageRules& rules_of(Language language);

bool is_keyword(std::string_view word, Language language);
/// A keyword that is a value, so a slash behind it divides: this, null …
bool is_value_keyword(std::string_view word);
/// The word behind the # of a preprocessor line: include, define …
bool is_directive(std::string_view word);
/// A word that belongs to the literal that follows it: L"...", rb'...', b'x'.
bool is_literal_prefix(std::string_view word, char quote, Language language);

}  // namespace nearkin
