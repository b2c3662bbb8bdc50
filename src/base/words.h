// Words: where they begin and end in a text.
#pragma once

#include <string_view>

#include "base/unicode.h"

namespace nearkin {

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// emit(begin, end) for every run of letters, marks and digits; a character of a script written without spaces is a run by itself, with
/// the marks that follow it. In `code` the underscore is a letter, and any other visible character is a token too.
template <typename Emit>
void for_each_word(std::string_view text, bool code, Emit&& emit) {
  const char* const end = text.data() + text.size();
  const char* word = nullptr;  // begin of the open run
  bool single = false;         // the open run is a single character that only marks may join
  for (const char* p = text.data(); p < end;) {
    const char* const begin = p;
    const char32_t c = next_code_point(p, end);
    const CharKind kind = code && c == U'_' ? CharKind::word : char_kind(c);
    const bool joins = word != nullptr && (kind == CharKind::mark || (kind == CharKind::word && !single));
    if (joins) continue;
    if (word != nullptr) emit(word, begin);
    word = nullptr;
    if (kind == CharKind::word || kind == CharKind::mark || kind == CharKind::single) {
      word = begin;
      single = kind == CharKind::single;
    } else if (code && kind == CharKind::other) {
      emit(begin, p);
    }
  }
  if (word != nullptr) emit(word, end);
}

/// The number of words; not for code.
inline std::uint64_t count_words(std::string_view text) {
  std::uint64_t words = 0;
  for_each_word(text, false, [&](const char*, const char*) { ++words; });
  return words;
}

}  // namespace nearkin
