// What a byte is to a lexer of programs.
#pragma once

#include <array>
#include <cstdint>

namespace nearkin {

enum class CodeByte : std::uint8_t { other, blank, word, digit, dot, quote, apostrophe, backtick, slash, hash };

namespace code_bytes_detail {

constexpr std::array<CodeByte, 256> make_table() {
  std::array<CodeByte, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    table[c] = letter ? CodeByte::word : c >= '0' && c <= '9' ? CodeByte::digit : blank ? CodeByte::blank : CodeByte::other;
  }
  table['.'] = CodeByte::dot;
  table['"'] = CodeByte::quote;
  table['\''] = CodeByte::apostrophe;
  table['`'] = CodeByte::backtick;
  table['/'] = CodeByte::slash;
  table['#'] = CodeByte::hash;
  return table;
}
inline constexpr std::array<CodeByte, 256> kTable = make_table();

constexpr std::array<bool, 256> make_in_word() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = kTable[c] == CodeByte::word || kTable[c] == CodeByte::digit;
  return table;
}
inline constexpr std::array<bool, 256> kInWord = make_in_word();

}  // namespace code_bytes_detail

constexpr CodeByte code_byte(char c) { return code_bytes_detail::kTable[static_cast<unsigned char>(c)]; }

/// A letter, a digit, _ or $, or a byte of a character beyond ASCII: two tokens that end and begin so need a blank between them.
constexpr bool in_word(char c) { return code_bytes_detail::kInWord[static_cast<unsigned char>(c)]; }
constexpr bool is_digit(char c) { return code_byte(c) == CodeByte::digit; }
constexpr bool ends_line(char c) { return c == '\n' || c == '\r'; }

}  // namespace nearkin
