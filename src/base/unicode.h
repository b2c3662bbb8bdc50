// What kind of character a code point is, as far as splitting text into words goes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace nearkin {

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
