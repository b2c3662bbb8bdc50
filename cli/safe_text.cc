#include "safe_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

namespace nearkin::cli {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;
};

/// The first character of a text that is not empty; a byte that begins none is an invalid one.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = utf8_sequence(text);
  if (bytes == 0) return {.code = byte(0), .valid = false};
  char32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return {.code = code, .bytes = bytes};
}

/// Controls, and format characters that are not seen or change the direction of what is.
bool is_unsafe(char32_t code) {
  constexpr std::pair<char32_t, char32_t> kUnsafe[] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},     {0x61C, 0x61C},
                                                       {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                                       {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  return std::any_of(std::begin(kUnsafe), std::end(kUnsafe),
                     [&](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string escaped(const Character& character) {
  if (!character.valid) return fmt::format("\\x{:02x}", static_cast<std::uint32_t>(character.code));
  switch (character.code) {
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: return fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(character.code));
  }
}

}  // namespace

std::string safe_text(std::string_view text, std::size_t most) {
  std::string out = "\"";
  for (; !text.empty() && most > 0; --most) {
    const Character character = first_character(text);
    if (character.code == U'"' || character.code == U'\\') out += '\\';
    if (!character.valid || is_unsafe(character.code))
      out += escaped(character);
    else
      out += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return out + (text.empty() ? "\"" : "\"…");
}

std::string valid_text(std::string_view text, std::size_t most) {
  std::string out;
  for (; !text.empty() && most > 0; --most) {
    const Character character = first_character(text);
    out += character.valid ? text.substr(0, character.bytes) : "\uFFFD";
    text.remove_prefix(character.bytes);
  }
  return out;
}

}  // namespace nearkin::cli
