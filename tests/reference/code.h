// Programs without comments, names and values, the plainest way: at each place of the text, what begins there is tried in turn.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/unicode.h"
#include "feature/code_language.h"

namespace nearkin::reference {

/// Each byte of the reduced text and the bytes of the text that it came from.
struct ReducedCode {
  struct From {
    std::size_t begin, end;
  };
  std::string text;
  std::vector<From> from;
};

class CodeReader {
 public:
  CodeReader(std::string_view text, Language language, bool names) : text_(text), language_(language), names_(names) {}

  ReducedCode reduced() {
    std::size_t i = is(0, "\xef\xbb\xbf") ? copy(0, 3) : 0;
    if (is(i, "#!") && !is(i, "#![")) i = drop(i, line_end(i));
    while (i < size()) {
      if (comment_end(i) != kNone) {
        i = drop(i, comment_end(i));
      } else {
        i = token(i);
      }
    }
    return out_;
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  using Ends = std::size_t;  // where something ends, or kNone

  std::size_t size() const { return text_.size(); }
  bool is(std::size_t i, std::string_view what) const { return i <= size() && text_.substr(i, what.size()) == what; }
  bool any(std::size_t i, std::string_view of) const { return i < size() && of.find(text_[i]) != kNone; }
  bool digit(std::size_t i) const { return any(i, "0123456789"); }
  bool letter(std::size_t i) const {
    if (i >= size()) return false;
    const auto c = static_cast<unsigned char>(text_[i]);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
  }
  bool in_name(std::size_t i) const { return letter(i) || digit(i); }
  bool in(std::initializer_list<Language> languages) const {
    return std::find(languages.begin(), languages.end(), language_) != languages.end();
  }
  bool c_like() const { return in({Language::c, Language::cpp}); }

  // --- The result.

  void put(char c, std::size_t begin, std::size_t end) {
    out_.text += c;
    out_.from.push_back({begin, end});
  }
  // A blank where the last token and the next would become one.
  void part(std::size_t next, bool next_is_name) {
    if (changed_ && next_is_name && !out_.text.empty() && CodeReader(out_.text, language_, false).in_name(out_.text.size() - 1))
      dropped_ == kNone ? put(' ', next, next + 1) : put(' ', dropped_, next);
    dropped_ = kNone;
    changed_ = false;
  }
  std::size_t copy(std::size_t i, std::size_t end) {
    part(i, in_name(i));
    for (; i < end; ++i) put(text_[i], i, i + 1);
    return end;
  }
  std::size_t drop(std::size_t i, std::size_t end) {
    if (dropped_ == kNone) dropped_ = i;
    changed_ = true;
    return end;
  }
  std::size_t replace(std::size_t i, std::size_t end, char c) {
    if (!names_) return copy(i, end);
    changed_ = true;
    part(i, true);
    put(c, i, end);
    changed_ = true;
    return end;
  }

  // --- Ends. Where one is missing it is not looked for again before the place where the search ended.

  std::size_t behind_escape(std::size_t i) const { return is(i + 1, "\r\n") ? i + 3 : std::min(i + 2, size()); }
  Ends give_up(const std::string& kind, std::size_t at) {
    given_up_[kind] = at;
    return kNone;
  }
  Ends find(const std::string& kind, std::string_view what, std::size_t i) {
    if (i < given_up_[kind]) return kNone;
    for (; i < size(); ++i) {
      if (is(i, what)) return i + what.size();
    }
    return give_up(kind, size());
  }
  Ends quoted(std::size_t i, char mark, bool over_lines) {
    if (i < given_up_[{mark}]) return kNone;
    while (i < size() && text_[i] != mark && (over_lines || !any(i, "\r\n"))) i = is(i, "\\") ? behind_escape(i) : i + 1;
    return i < size() && text_[i] == mark ? i + 1 : give_up({mark}, i);
  }
  Ends triple(std::size_t i, char mark) {
    const std::string three(3, mark);
    if (i < given_up_[three]) return kNone;
    while (i < size() && !is(i, three)) i = is(i, "\\") ? behind_escape(i) : i + 1;
    return i < size() ? i + 3 : give_up(three, size());
  }
  std::size_t line_end(std::size_t i) const {
    while (i < size()) {
      if (c_like() && is(i, "\\") && any(i + 1, "\r\n"))
        i = behind_escape(i);
      else if (any(i, "\r\n"))
        return i;
      else
        ++i;
    }
    return size();
  }
  Ends comment_end(std::size_t i) {
    if (language_ == Language::python) return is(i, "#") ? line_end(i) : kNone;
    if (is(i, "//")) return line_end(i);
    if (!is(i, "/*")) return kNone;
    if (language_ == Language::rust) {
      const Ends end = nested_end(i + 2);
      if (end != kNone) return end;
    }
    return find("/*", "*/", i + 2);
  }
  Ends nested_end(std::size_t i) {
    if (i < given_up_["nested"]) return kNone;
    for (int depth = 1; i < size();) {
      if (is(i, "/*")) {
        ++depth;
        i += 2;
      } else if (is(i, "*/")) {
        i += 2;
        if (--depth == 0) return i;
      } else {
        ++i;
      }
    }
    return give_up("nested", size());
  }
  // Braces and templates that are open, as they were opened.
  Ends template_end(std::size_t i) {
    if (i < given_up_["`"]) return kNone;
    std::string open = "`";
    while (i < size()) {
      const bool in_text = open.back() == '`';
      if (is(i, "\\")) {
        i = behind_escape(i);
        continue;
      }
      if (is(i, "`") && in_text) {
        open.pop_back();
        if (open.empty()) return i + 1;
      } else if (is(i, "`")) {
        if (std::count(open.begin(), open.end(), '`') == 32) return give_up("`", i);
        open += '`';
      } else if (in_text && is(i, "${")) {
        open += '$';
        ++i;
      } else if (!in_text && is(i, "{")) {
        open += '{';
      } else if (!in_text && is(i, "}")) {
        open.pop_back();
      }
      ++i;
    }
    return give_up("`", size());
  }
  Ends regex_end(std::size_t i) {
    if (i < given_up_["/"]) return kNone;
    bool in_class = false;
    while (i < size() && !any(i, "\r\n") && (in_class || !is(i, "/"))) {
      if (is(i, "[")) in_class = true;
      if (is(i, "]")) in_class = false;
      i += is(i, "\\") && i + 1 < size() && !any(i + 1, "\r\n") ? 2 : 1;
    }
    if (!is(i, "/")) return give_up("/", i);
    for (++i; in_name(i);) ++i;
    return i;
  }

  // --- Literals: where the one that begins at i ends.

  // The longest prefix first, so that u8R"(...)" is not u8 and a name.
  Ends string_end(std::size_t i) {
    std::size_t quote = i;
    while (in_name(quote)) ++quote;
    const std::string_view prefix = text_.substr(i, quote - i);
    if (prefix.size() > 3) return kNone;
    if (language_ == Language::cpp && is(quote, "\"") &&
        (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R")) {
      std::size_t open = quote + 1;
      while (open < size() && !any(open, "()\\\" \t\n\v\f\r")) ++open;
      if (is(open, "(") && open - quote - 1 <= 16) {
        const Ends end = find("raw", ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"", open + 1);
        if (end != kNone) return end;
      }
    }
    if (language_ == Language::rust && (prefix == "r" || prefix == "br" || prefix == "cr")) {
      std::size_t open = quote;
      while (is(open, "#")) ++open;
      if (is(open, "\"") && open - quote <= 255) {
        const Ends end = find("raw", "\"" + std::string(open - quote, '#'), open + 1);
        if (end != kNone) return end;
      }
    }
    if (!any(quote, "'\"") || !takes_prefix(prefix, text_[quote])) return kNone;
    return quote_end(quote);
  }
  bool takes_prefix(std::string_view prefix, char mark) const {
    if (prefix.empty()) return true;
    if (c_like()) return prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8";
    if (language_ == Language::rust) return prefix == "b" || (prefix == "c" && mark == '"');
    if (language_ != Language::python) return false;
    std::string lower(prefix);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const char* const known : {"r", "b", "u", "f", "rb", "br", "rf", "fr"}) {
      if (lower == known) return true;
    }
    return false;
  }
  Ends quote_end(std::size_t quote) {
    const char mark = text_[quote];
    const bool triples = language_ == Language::python || (language_ == Language::java && mark == '"');
    if (triples && is(quote, std::string(3, mark))) {
      const Ends end = triple(quote + 3, mark);
      if (end != kNone) return end;
    }
    if (language_ == Language::rust && mark == '\'' && !one_character(quote + 1)) return kNone;
    return quoted(quote + 1, mark, language_ == Language::rust && mark == '"');
  }
  bool one_character(std::size_t i) const {
    if (i >= size() || any(i, "'\r\n")) return false;
    if (is(i, "\\")) return true;
    const char* p = text_.data() + i;
    next_code_point(p, text_.data() + size());
    return is(static_cast<std::size_t>(p - text_.data()), "'");
  }
  std::size_t number_end(std::size_t i) const {
    const bool hex = is(i, "0x") || is(i, "0X");
    const auto exponent = [&](std::size_t at) { return any(at, hex ? "pP" : "eE"); };
    for (++i; i < size(); ++i) {
      if (in_name(i)) continue;
      if (is(i, ".") && !is(i + 1, ".")) {
        const bool suffix = letter(i + 1) && !in_name(i + 2), power = any(i + 1, "eE") && (digit(i + 2) || any(i + 2, "+-"));
        if (!letter(i + 1) || suffix || power) continue;
      }
      if (is(i, "'") && c_like() && in_name(i + 1)) continue;
      if (any(i, "+-") && exponent(i - 1) && digit(i + 1)) continue;
      break;
    }
    return i;
  }

  // --- Tokens.

  bool expects_value() const {
    if (before_.empty()) return true;
    if (before_ == "literal" || before_ == ")" || before_ == "]" || before_ == "}") return false;
    if (!CodeReader(before_, language_, false).letter(0)) return true;
    return is_keyword(before_, language_) && before_ != "this" && before_ != "super" && before_ != "null" && before_ != "true" &&
           before_ != "false" && before_ != "self";
  }

  std::size_t literal(std::size_t i, Ends end, char letter) {
    before_ = "literal";
    return replace(i, end, letter);
  }

  std::size_t token(std::size_t i) {
    if (any(i, " \t\n\v\f\r")) return copy(i, i + 1);
    if (letter(i) || any(i, "'\"")) {
      const Ends end = string_end(i);
      const bool character = end != kNone && text_[end - 1] == '\'' && language_ != Language::python && language_ != Language::javascript;
      if (end != kNone) return literal(i, end, character ? 'C' : 'S');
    }
    if (letter(i)) return name(i);
    if (digit(i) || (is(i, ".") && digit(i + 1) && before_ != "." && expects_value())) return literal(i, number_end(i), '0');
    if (is(i, "`")) {
      const Ends end = language_ == Language::go ? find("`", "`", i + 1) : language_ == Language::javascript ? template_end(i + 1) : kNone;
      if (end != kNone) return literal(i, end, 'S');
    }
    if (is(i, "/") && !is(i, "/*") && language_ == Language::javascript && expects_value()) {
      const Ends end = regex_end(i + 1);
      if (end != kNone) return literal(i, end, 'R');
    }
    before_ = text_.substr(i, 1);
    return copy(i, i + 1);
  }

  std::size_t name(std::size_t i) {
    std::size_t end = i;
    while (in_name(end)) ++end;
    const std::string word(text_.substr(i, end - i));
    const bool directive = c_like() && before_ == "#" && is_directive(word);
    before_ = word;
    directive || is_keyword(word, language_) ? copy(i, end) : replace(i, end, 'I');
    if (!directive || (word != "include" && word != "include_next" && word != "import")) return end;
    std::size_t open = end;
    while (any(open, " \t")) ++open;
    std::size_t close = open;
    while (close < size() && !any(close, ">\r\n")) ++close;
    if (!is(open, "<") || !is(close, ">")) return end;
    copy(end, open);
    return literal(open, close + 1, 'S');
  }

  std::string_view text_;
  Language language_;
  bool names_;
  ReducedCode out_;
  std::map<std::string, std::size_t> given_up_;
  std::string before_;           // the token before: its text, or "literal"
  std::size_t dropped_ = kNone;  // the first comment since something was put
  bool changed_ = false;         // something was dropped or replaced since
};

}  // namespace nearkin::reference
