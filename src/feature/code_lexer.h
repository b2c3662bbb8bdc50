// A lexer for programs in any of the languages that code_language.h knows. It needs no valid program: every text is cut into tokens, in
// one pass, in time linear in its length and without recursion.
#pragma once

#include "base/unicode.h"
#include "feature/code_bytes.h"
#include "feature/code_ends.h"
#include "feature/code_language.h"

namespace nearkin {

enum class CodeKind : std::uint8_t { comment, identifier, number, string, character, regex };

/// Calls emit(kind, begin, end) for every comment and literal and, with kNames, for every identifier that is not a keyword. What lies
/// between them is keywords, operators and white space.
template <bool kNames, typename Emit>
class CodeLexer {
 public:
  CodeLexer(std::string_view text, Language language, Emit& emit)
      : rules_(rules_of(language)), p_(text.data()), end_(p_ + text.size()), ends_(text), emit_(emit) {}

  void run() {
    skip_head();
    while (p_ != end_) {
      switch (code_byte(*p_)) {
        case CodeByte::blank: ++p_; break;
        case CodeByte::word: word(); break;
        case CodeByte::digit: number(); break;
        case CodeByte::dot: begins_number() ? number() : operation(); break;
        case CodeByte::quote:
          if (!string(p_)) operation();
          break;
        case CodeByte::apostrophe:
          if (!apostrophe(p_)) operation();
          break;
        case CodeByte::backtick: backtick(); break;
        case CodeByte::slash: slash(); break;
        case CodeByte::hash: rules_.hash_comments ? line_comment() : operation(); break;
        case CodeByte::other: operation(); break;
      }
    }
  }

 private:
  // What the token before is to the one that follows: behind a value a slash divides, and a point leads to a member.
  enum class Before : std::uint8_t { nothing, operation, hash, point, word, value };

  std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
  static std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

  // A byte order mark, and a first line #! as it names the interpreter of a script; #![ is an attribute of Rust.
  void skip_head() {
    if (rest().starts_with("\xef\xbb\xbf")) p_ += 3;
    if (rest().starts_with("#!") && !rest().starts_with("#![")) line_comment();
  }

  // From `begin`, where a prefix may stand, to `end`.
  void literal(CodeKind kind, const char* begin, const char* end) {
    emit_(kind, begin, end);
    p_ = end;
    before_ = Before::value;
  }

  void comment(const char* end) {
    emit_(CodeKind::comment, p_, end);
    p_ = end;
  }

  void line_comment() { comment(ends_.line_comment(p_, rules_.continued_comments)); }

  void operation() {
    switch (*p_++) {
      case ')':
      case ']':
      case '}': before_ = Before::value; break;
      case '#': before_ = Before::hash; break;
      case '.': before_ = Before::point; break;
      default: before_ = Before::operation;
    }
  }

  void word() {
    const char* const begin = p_;
    while (p_ != end_ && in_word(*p_)) ++p_;
    if (p_ != end_ && p_ - begin <= 3 && prefixed_literal(begin)) return;
    const std::string_view name = between(begin, p_);
    const bool directive = rules_.directives && before_ == Before::hash && is_directive(name);
    if (kNames && !directive && !is_keyword(name, rules_.language)) emit_(CodeKind::identifier, begin, p_);
    before_ = Before::word;
    word_ = name;
    if (directive && (name.starts_with("include") || name == "import")) header();
  }

  // <sys/types.h> behind #include.
  void header() {
    const char* p = p_;
    while (p != end_ && (*p == ' ' || *p == '\t')) ++p;
    if (p == end_ || *p != '<') return;
    const char* const end = ends_.header(p + 1);
    if (end != nullptr) literal(CodeKind::string, p, end);
  }

  // The word from `begin` to p_ belongs to the literal behind it: L"...", R"(...)", rb'...'.
  bool prefixed_literal(const char* begin) {
    const std::string_view prefix = between(begin, p_);
    const bool quote = *p_ == '"';
    if (rules_.raw == RawString::parentheses && quote && prefix.back() == 'R' &&
        (prefix.size() == 1 || is_literal_prefix(prefix.substr(0, prefix.size() - 1), '"', rules_.language)) &&
        raw(begin, ends_.raw_parentheses(p_ + 1)))
      return true;
    if (rules_.raw == RawString::hashes && (quote || *p_ == '#') && (prefix == "r" || prefix == "br" || prefix == "cr") &&
        raw(begin, ends_.raw_hashes(p_)))
      return true;
    if ((!quote && *p_ != '\'') || !is_literal_prefix(prefix, *p_, rules_.language)) return false;
    return quote ? string(begin) : apostrophe(begin);
  }

  bool raw(const char* begin, const char* end) {
    if (end != nullptr) literal(CodeKind::string, begin, end);
    return end != nullptr;
  }

  // The string whose quote is at p_, if it has an end; a prefix of it may begin before.
  bool string(const char* begin) {
    const char* const at = p_;
    const char mark = *at;
    const bool triple = mark == '"' ? rules_.triple_double : rules_.triple_single;
    const char* end = nullptr;
    if (triple && end_ - at >= 3 && at[1] == mark && at[2] == mark) end = ends_.triple(at + 3, mark);
    if (end == nullptr) end = ends_.quoted(at + 1, mark, rules_.long_strings);
    if (end == nullptr) return false;
    literal(CodeKind::string, begin, end);
    return true;
  }

  bool apostrophe(const char* begin) {
    if (rules_.apostrophe == Apostrophe::string) return string(begin);
    if (rules_.apostrophe == Apostrophe::character_or_lifetime && !is_character(p_ + 1)) return false;
    const char* const end = ends_.quoted(p_ + 1, '\'', false);
    if (end == nullptr) return false;
    literal(CodeKind::character, begin, end);
    return true;
  }

  // 'x' and '\n' are characters; the 'a of &'a is a lifetime.
  bool is_character(const char* p) const {
    if (p == end_ || *p == '\'' || ends_line(*p)) return false;
    if (*p == '\\') return true;
    next_code_point(p, end_);
    return p != end_ && *p == '\'';
  }

  void backtick() {
    const char* end = nullptr;
    if (rules_.backtick == Backtick::raw_string) end = ends_.raw_backtick(p_ + 1);
    if (rules_.backtick == Backtick::template_string) end = ends_.template_string(p_ + 1);
    end != nullptr ? literal(CodeKind::string, p_, end) : operation();
  }

  void slash() {
    const char next = p_ + 1 == end_ ? '\0' : p_[1];
    if (!rules_.hash_comments && next == '/') return line_comment();
    if (!rules_.hash_comments && next == '*') {
      const char* const end = ends_.block_comment(p_ + 2, rules_.nested_comments);
      if (end != nullptr) return comment(end);
    }
    const char* const end = rules_.regexes && expects_value() && next != '*' ? ends_.regex(p_ + 1) : nullptr;
    end != nullptr ? literal(CodeKind::regex, p_, end) : operation();
  }

  bool expects_value() const {
    if (before_ != Before::word) return before_ != Before::value;
    return is_keyword(word_, rules_.language) && !is_value_keyword(word_);
  }

  // A point before a digit, but not the second one of a range (0..10) or one that leads to a member (pair.0).
  bool begins_number() const { return p_ + 1 != end_ && is_digit(p_[1]) && before_ != Before::point && expects_value(); }

  // Digits, letters and separators, an exponent with its sign, and a point that is not a range (1..2) or a call (1.max(2)).
  void number() {
    const char* const begin = p_;
    const bool hex = end_ - p_ >= 2 && p_[0] == '0' && (p_[1] == 'x' || p_[1] == 'X');
    for (++p_; p_ != end_; ++p_) {
      if (in_word(*p_)) continue;
      const bool part = *p_ == '.'                   ? point_in_number()
                        : *p_ == '\''                ? rules_.digit_quotes && p_ + 1 != end_ && in_word(p_[1])
                        : (*p_ == '+' || *p_ == '-') ? is_exponent(p_[-1], hex) && p_ + 1 != end_ && is_digit(p_[1])
                                                     : false;
      if (!part) break;
    }
    literal(CodeKind::number, begin, p_);
  }

  static bool is_exponent(char c, bool hex) { return hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E'; }

  bool point_in_number() const {
    const auto at = [&](int i) { return end_ - p_ > i ? p_[i] : '\0'; };
    if (at(1) == '.') return false;
    if (!in_word(at(1)) || is_digit(at(1))) return true;
    const bool exponent = is_exponent(at(1), false) && (is_digit(at(2)) || at(2) == '+' || at(2) == '-');
    return exponent || !in_word(at(2));  // 1.e5, 1.f
  }

  const LanguageRules& rules_;
  const char* p_;
  const char* const end_;
  CodeEnds ends_;
  Emit& emit_;
  Before before_ = Before::nothing;
  std::string_view word_;
};

}  // namespace nearkin
