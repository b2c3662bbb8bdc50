// How tags are spelled: kinds of bytes, names as numbers, attributes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nearkin::page {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What bytes are, by bits.
enum : std::uint8_t { kBlank = 1, kNameEnd = 2, kTextEnd = 4, kQuoteOrEnd = 8 };
inline constexpr std::array<std::uint8_t, 256> kBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  for (const char c : {' ', '\n', '\t', '\r', '\f'}) bytes[static_cast<unsigned char>(c)] = kBlank | kNameEnd | kTextEnd;
  bytes['/'] = kNameEnd;
  bytes['>'] = kNameEnd | kQuoteOrEnd;
  bytes['"'] = bytes['\''] = kQuoteOrEnd;
  bytes['<'] = bytes['&'] = kTextEnd;
  return bytes;
}();
constexpr bool is(char c, std::uint8_t what) { return (kBytes[static_cast<unsigned char>(c)] & what) != 0; }
constexpr bool is_blank(char c) { return is(c, kBlank); }
constexpr bool ends_name(char c) { return is(c, kNameEnd); }

/// A tag's name as one number, letters of either case alike; 0 for all names that are longer than ten characters or have other characters
/// than letters and digits.
constexpr std::uint64_t tag(std::string_view name) {
  if (name.size() > 10) return 0;
  std::uint64_t number = 0;
  for (const char c : name) {
    if (!is_letter(c) && !is_digit(c)) return 0;
    number = number << 6 | static_cast<std::uint64_t>(is_letter(c) ? 0x20 | (c & 0x1F) : 0x10 | (c & 0x0F));
  }
  return number;
}

/// An attribute of a tag; both are views into the page, the value without its quotes.
struct Attribute {
  std::string_view name, value;
};
/// The attribute that begins at `at`, which is moved behind it.
inline Attribute take_attribute(const char*& at, const char* end) {
  const char* const name = at++;  // an equals sign belongs to the name where it is its first character
  while (at < end && !ends_name(*at) && *at != '=') ++at;
  Attribute found{{name, static_cast<std::size_t>(at - name)}, {}};
  const char* value = at;
  while (value < end && is_blank(*value)) ++value;
  if (value == end || *value != '=') return found;
  for (++value; value < end && is_blank(*value);) ++value;
  at = value;
  if (at == end) return found;
  if (*at == '"' || *at == '\'') {
    const auto* const quote = static_cast<const char*>(std::memchr(at + 1, *at, static_cast<std::size_t>(end - at - 1)));
    const char* const stop = quote != nullptr ? quote : end;
    found.value = {at + 1, static_cast<std::size_t>(stop - at - 1)};
    at = quote != nullptr ? stop + 1 : end;
    return found;
  }
  while (at < end && !is_blank(*at) && *at != '>') ++at;
  found.value = {value, static_cast<std::size_t>(at - value)};
  return found;
}

}  // namespace nearkin::page
