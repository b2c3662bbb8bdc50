#include <algorithm>
#include <cstring>

#include <simdjson.h>

#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"
#include "base/unicode.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Eight bytes at a time: a borrow can raise a false alarm behind a true one, and never hides one.
bool some_need_escape(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kHighs = 0x8080808080808080U;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const std::uint64_t quote = word ^ (kOnes * '"'), backslash = word ^ (kOnes * '\\');
  const std::uint64_t control = (word - kOnes * 0x20) & ~word;
  return ((control | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kHighs) != 0;
}

std::size_t next_escape(std::string_view s, std::size_t from) {
  while (from + 8 <= s.size() && !some_need_escape(s.data() + from)) from += 8;
  while (from < s.size() && !needs_escape(s[from])) ++from;
  return from;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t", kEscaped = "\"\\bfnrt", kHex = "0123456789abcdef";
  out += '\\';
  if (const std::size_t i = kPlain.find(c); i != std::string_view::npos) {
    out += kEscaped[i];
    return;
  }
  const auto value = static_cast<unsigned char>(c);
  out += "u00";
  out += kHex[value >> 4U];
  out += kHex[value & 15U];
}

// Every byte of U+007F and of a character above that is_shown refuses begins with one of these.
bool may_begin_hidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 || byte == 0xEF || byte == 0xF3;
}

void append_unit(std::string& out, char32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 15U];
}

// In UTF-16, as JSON has it.
void append_code_escape(std::string& out, char32_t c) {
  if (c < 0x10000) return append_unit(out, c);
  append_unit(out, 0xD800 + ((c - 0x10000) >> 10));
  append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
}

// Valid UTF-8. Characters that a terminal obeys or hides, from U+007F on, become escapes; append(stretch) is called for what is between
// them. U+FFFD is only a character here.
template <typename Append>
void append_without_hidden(std::string& out, std::string_view s, Append append) {
  const char* from = s.data();
  const char* const end = from + s.size();
  for (const char* at = std::find_if(from, end, may_begin_hidden); at < end; at = std::find_if(at, end, may_begin_hidden)) {
    const char* const begin = at;
    const char32_t c = next_code_point(at, end);
    if (c == kReplacement || is_shown(c)) continue;
    append(std::string_view(from, begin));
    append_code_escape(out, c);
    from = at;
  }
  append(std::string_view(from, end));
}

void append_json_shown(std::string& out, std::string_view s) {
  append_without_hidden(out, s, [&](std::string_view stretch) { append_json_escaped(out, stretch); });
}

}  // namespace

std::string made_valid(std::string_view s) {
  std::string out;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t length = utf8_sequence(s.substr(at));
    if (length > 0) {
      out += s.substr(at, length);
    } else {
      append_code_point(out, kReplacement);
    }
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

void append_json_escaped(std::string& out, std::string_view s) {
  for (std::size_t from = 0; from < s.size();) {
    const std::size_t escape = next_escape(s, from);
    out += s.substr(from, escape - from);
    if (escape < s.size()) append_escape(out, s[escape]);
    from = escape + 1;
  }
}

void append_json_string(std::string& out, std::string_view s) {
  out += '"';
  is_utf8(s) ? append_json_shown(out, s) : append_json_shown(out, made_valid(s));
  out += '"';
}

void append_json_safely(std::string& out, std::string_view json) {
  append_without_hidden(out, json, [&](std::string_view stretch) { out += stretch; });
}

std::string json_string(std::string_view s) {
  std::string out;
  out.reserve(s.size() + 2);
  append_json_string(out, s);
  return out;
}

void append_tsv_field(std::string& out, std::string_view s) {
  constexpr std::string_view kPlain = "\t\n\r\\", kEscaped = "tnr\\";
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '\\'; };
  for (const char *at = s.data(), *const end = at + s.size(); at < end;) {
    const char* const special = std::find_if_not(at, end, is_plain);
    out.append(at, special);
    if (special == end) return;
    at = special;
    if (const std::size_t i = kPlain.find(*at); i != std::string_view::npos) {
      (out += '\\') += kEscaped[i];
      ++at;
    } else {
      append_shown(out, at, end);
    }
  }
}

bool is_utf8(std::string_view bytes) { return bytes.empty() || simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::nullopt;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t length = utf8_sequence(bytes.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace nearkin
