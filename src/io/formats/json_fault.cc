#include "io/formats/json_fault.h"

#include <algorithm>
#include <vector>

#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"

namespace nearkin {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Walks a text value by value. What stands open is kept in a list, not in calls: a text may nest as deep as it is long.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::string fault() {
    if (value_fails()) return fault_;
    while (!open_.empty()) {
      if (behind_value_fails()) return fault_;
    }
    skip_blanks();
    return at_ == text_.size() ? "" : say("nothing may follow the end, there is ");
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  /// What is wrong here, and what stands here.
  std::string say(const std::string& what) {
    const std::string place = "at byte " + std::to_string(at_ + 1) + ": ";
    if (at_ == text_.size()) return place + what + "the end";
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(text_.substr(at_)));
    return place + what + in_quotes(text_.substr(at_, length));
  }
  bool fails(const std::string& what) {
    fault_ = say(what);
    return true;
  }

  /// A value, or its beginning where it is an object or an array that is not empty: then its first member follows at once.
  bool value_fails() {
    for (;;) {
      skip_blanks();
      const char c = next();
      if (c != '{' && c != '[') return scalar_fails(c);
      ++at_;
      skip_blanks();
      if (next() == (c == '{' ? '}' : ']')) {
        ++at_;
        return false;
      }
      open_.push_back(c);
      if (c == '{' && key_fails()) return true;
    }
  }

  bool behind_value_fails() {
    const bool object = open_.back() == '{';
    skip_blanks();
    if (next() == (object ? '}' : ']')) {
      ++at_;
      open_.pop_back();
      return false;
    }
    if (next() != ',') return fails(object ? "a comma or } is missing before " : "a comma or ] is missing before ");
    ++at_;
    return (object && key_fails()) || value_fails();
  }

  bool key_fails() {
    skip_blanks();
    if (next() != '"') return fails("a name in double quotes is missing before ");
    if (string_fails()) return true;
    skip_blanks();
    if (next() != ':') return fails("a colon is missing before ");
    ++at_;
    return false;
  }

  bool scalar_fails(char c) {
    if (c == '"') return string_fails();
    if (c == '-' || is_digit(c)) return number_fails();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return false;
    }
    return fails("a value is missing before ");
  }

  bool digits_fail() {
    if (!is_digit(next())) return fails("a digit is missing before ");
    while (is_digit(next())) ++at_;
    return false;
  }

  bool number_fails() {
    if (next() == '-') ++at_;
    if (next() == '0') {
      ++at_;
      if (is_digit(next())) return fails("nothing may follow a leading 0, there is ");
    } else if (digits_fail()) {
      return true;
    }
    if (next() == '.') {
      ++at_;
      if (digits_fail()) return true;
    }
    if (next() != 'e' && next() != 'E') return false;
    ++at_;
    if (next() == '+' || next() == '-') ++at_;
    return digits_fail();
  }

  bool string_fails() {
    const std::size_t begin = at_++;
    for (;;) {
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' && static_cast<unsigned char>(text_[at_]) >= 0x20) ++at_;
      if (at_ == text_.size()) {
        at_ = begin;
        return fails("a string is not closed, from ");
      }
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') return fails("a control character must be written as \\u00…, not ");
      if (escape_fails()) return true;
    }
    ++at_;
    return false;
  }

  bool escape_fails() {
    ++at_;
    if (next() == 'u') return surrogate_fails();
    if (std::string_view("\"\\/bfnrt").find(next()) == std::string_view::npos) return fails("a backslash cannot stand before ");
    ++at_;
    return false;
  }

  /// From the u of \u on; of two that are the halves of one character both.
  bool surrogate_fails() {
    const std::size_t begin = at_ - 1;
    unsigned first = 0, second = 0;
    if (hex_fails(first)) return true;
    if (first < 0xD800 || first > 0xDFFF) return false;
    if (first < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
      ++at_;
      if (hex_fails(second)) return true;
      if (second >= 0xDC00 && second <= 0xDFFF) return false;
    }
    at_ = begin;
    return fails("half of a character (\\ud800 to \\udfff come in twos), at ");
  }

  bool hex_fails(unsigned& value) {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(next());
      if (digit == std::string_view::npos) return fails("\\u needs four hexadecimal digits, not ");
      value = value * 16 + static_cast<unsigned>(digit < 16 ? digit : digit - 6);
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  std::string fault_;
};

}  // namespace

std::string json_fault(std::string_view text) { return Walk(text).fault(); }

std::optional<std::size_t> json_deeper_than(std::size_t most, std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      // To the end of the string.
      while (++at < text.size() && text[at] != '"') at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      const std::size_t next = text.find_first_not_of(kBlanks, at + 1);
      const bool empty = next != std::string_view::npos && (text[next] == '}' || text[next] == ']');
      if (++depth > most && !empty) return at;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return std::nullopt;
}

}  // namespace nearkin
