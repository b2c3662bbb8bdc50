// UTF-8, decoded strictly and encoded by code points, and what kind of character a code point is, as far as words are concerned.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace nearkin {

/// What an invalid byte is read as.
inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at `p`, which must be before `end`; moves `p` behind it and never reads at or past `end`. A byte that does not
/// begin a well-formed sequence (stray, truncated, overlong, surrogate, above U+10FFFF) yields kReplacement and moves `p` by one byte.
inline char32_t next_code_point(const char*& p, const char* end) {
  const auto byte = [&p](int i) { return static_cast<char32_t>(static_cast<unsigned char>(p[i])); };
  const auto continues = [&byte](int i) { return (byte(i) & 0xC0) == 0x80; };
  const char32_t first = byte(0);
  if (first < 0x80) {
    ++p;
    return first;
  }
  if (first < 0xE0) {
    if (first >= 0xC2 && end - p >= 2 && continues(1)) {
      const char32_t c = (first & 0x1F) << 6 | (byte(1) & 0x3F);
      p += 2;
      return c;
    }
  } else if (first < 0xF0) {
    if (end - p >= 3 && continues(1) && continues(2)) {
      const char32_t c = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
      if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF)) {
        p += 3;
        return c;
      }
    }
  } else if (first < 0xF5 && end - p >= 4 && continues(1) && continues(2) && continues(3)) {
    const char32_t c = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (c >= 0x10000 && c <= 0x10FFFF) {
      p += 4;
      return c;
    }
  }
  ++p;
  return kReplacement;
}

/// Writes the code point `c` (a scalar value: no surrogate, at most U+10FFFF) to `at`, which has room for 4 bytes; returns its length.
inline unsigned encode_code_point(char32_t c, char* at) {
  if (c < 0x80) {
    at[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    at[0] = static_cast<char>(0xC0 | c >> 6);
    at[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    at[0] = static_cast<char>(0xE0 | c >> 12);
    at[1] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    at[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  at[0] = static_cast<char>(0xF0 | c >> 18);
  at[1] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
  at[2] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  at[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

inline void append_code_point(std::string& out, char32_t c) {
  char bytes[4];
  out.append(bytes, encode_code_point(c, bytes));
}

enum class CharKind : std::uint8_t {
  other,   ///< punctuation, symbols, controls, unassigned
  space,   ///< the White_Space property
  word,    ///< letters and numbers (L*, N*)
  mark,    ///< belongs to the character before it: M*, and the prolonged and voiced sound marks of kana that are no M*
  single,  ///< a letter or number of a script written without spaces between words: a word by itself
};

namespace detail {

constexpr std::array<CharKind, 128> ascii_kinds() {
  std::array<CharKind, 128> kinds{};
  for (unsigned c = 0; c < 128; ++c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const bool space = (c >= 0x09 && c <= 0x0D) || c == ' ';
    kinds[c] = alphanumeric ? CharKind::word : space ? CharKind::space : CharKind::other;
  }
  return kinds;
}
inline constexpr std::array<CharKind, 128> kAsciiKinds = ascii_kinds();

CharKind non_ascii_kind(char32_t c);

}  // namespace detail

/// The kind of any code point; above U+10FFFF `other`. Safe from any thread; the first non-ASCII call builds a table of 64 KiB.
inline CharKind char_kind(char32_t c) { return c < 0x80 ? detail::kAsciiKinds[c] : detail::non_ascii_kind(c); }

/// The White_Space property.
constexpr bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D);
  if (c < 0x1680) return c == 0x85 || c == 0xA0;
  if (c < 0x2000) return c == 0x1680;
  return c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// The version of the Unicode tables in use, such as "15.0.0".
std::string unicode_version();

}  // namespace nearkin
