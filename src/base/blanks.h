// Blanks and line ends of a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/unicode.h"

namespace nearkin {

/// White space of Unicode, and two characters without width: the zero width space and the byte order mark.
constexpr bool is_blank_point(char32_t c) { return is_white_space(c) || c == 0x200B || c == 0xFEFF; }

/// Where the blanks end that begin at `at`.
inline std::size_t behind_blanks(std::string_view text, std::size_t at) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data() + at; p < end;) {
    const char* const begin = p;
    if (!is_blank_point(next_code_point(p, end))) return static_cast<std::size_t>(begin - text.data());
  }
  return text.size();
}

/// Where the blanks begin that the text ends with.
inline std::size_t before_blanks(std::string_view text) {
  const char *const first = text.data(), *end = first + text.size();
  while (end > first) {
    const char* p = end - 1;
    while (p > first && end - p < 4 && (static_cast<unsigned char>(*p) & 0xC0) == 0x80) --p;
    const char* next = p;
    if (!is_blank_point(next_code_point(next, end)) || next != end) break;
    end = p;
  }
  return static_cast<std::size_t>(end - first);
}

/// Where the line ends that `at` is in: at LF, CR, CR LF, or the end of the text.
inline std::size_t end_of_line(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
  return at;
}

/// Where the line after the one that ends at `end` begins; behind the text where there is none.
inline std::size_t next_line(std::string_view text, std::size_t end) { return end + (text.substr(end).starts_with("\r\n") ? 2 : 1); }

inline std::size_t count_line_ends(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = end_of_line(text, 0); at < text.size(); at = end_of_line(text, next_line(text, at))) ++count;
  return count;
}

}  // namespace nearkin
