// UTF-8: strict decoding and encoding of single code points.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace nearkin
