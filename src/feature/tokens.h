// Tokens: where the units of a normalised text begin and end.
#pragma once

#include <string>
#include <string_view>

#include <nearkin/plan.h>

#include "base/unicode.h"
#include "base/utf8.h"
#include "feature/normalise.h"

namespace nearkin {

/// The text as the units are cut from it, for this unit and normalisation. Lines keep their '\n', each line normalised by itself.
void prepare_text(std::string_view text, const ShinglePlan& plan, std::string& out);

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// emit(begin, end) for every code point.
template <typename Emit>
void for_each_character(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const char* const begin = p;
    next_code_point(p, end);
    emit(begin, p);
  }
}

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

/// emit(begin, end) for every line that is not empty, without its '\n'.
template <typename Emit>
void for_each_line(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const std::size_t length = std::string_view(p, static_cast<std::size_t>(end - p)).find('\n');
    const char* const stop = length == std::string_view::npos ? end : p + length;
    if (stop != p) emit(p, stop);
    p = stop + 1;
  }
}

/// emit(begin, end) for every run of bytes between blanks.
template <typename Emit>
void for_each_element(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    while (p < end && is_blank(*p)) ++p;
    const char* const begin = p;
    while (p < end && !is_blank(*p)) ++p;
    if (p != begin) emit(begin, p);
  }
}

/// The units of a prepared text.
template <typename Emit>
void for_each_token(std::string_view prepared, Unit unit, Emit&& emit) {
  switch (unit) {
    case Unit::character: return for_each_character(prepared, emit);
    case Unit::word: return for_each_word(prepared, false, emit);
    case Unit::code: return for_each_word(prepared, true, emit);
    case Unit::line: return for_each_line(prepared, emit);
    case Unit::element: return for_each_element(prepared, emit);
  }
}

}  // namespace nearkin
