#include "base/in_quotes.h"

#include <nearkin/tools/spelling.h>

#include "base/unicode.h"

namespace nearkin {

std::size_t utf8_sequence(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const char* at = bytes.data();
  const char32_t c = next_code_point(at, at + bytes.size());
  const auto length = static_cast<std::size_t>(at - bytes.data());
  return c == kReplacement && length == 1 ? 0 : length;
}

bool is_shown(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == kReplacement || c == 0x61C || c == 0xFEFF) return false;
  if ((c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF)) return false;
  return !(c >= 0x200B && c <= 0x200F) && !(c >= 0x2028 && c <= 0x202E) && !(c >= 0x2060 && c <= 0x206F);
}

void append_shown(std::string& out, const char*& at, const char* end) {
  constexpr char kDigits[] = "0123456789abcdef";
  const char* const begin = at;
  if (is_shown(next_code_point(at, end))) {
    out.append(begin, at);
    return;
  }
  for (const char* byte = begin; byte < at; ++byte) {
    const auto value = static_cast<unsigned char>(*byte);
    out.append("\\x").append(1, kDigits[value >> 4]).append(1, kDigits[value & 15]);
  }
}

std::string shown(std::string_view text) {
  std::string result;
  for (const char *at = text.data(), *const end = at + text.size(); at < end;) append_shown(result, at, end);
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::ptrdiff_t kLongest = 60;
  std::string result = "\"";
  const char *at = text.data(), *const end = at + text.size();
  while (at < end && at - text.data() < kLongest) {
    const char32_t c = next_code_point(at, end);
    append_code_point(result, is_shown(c) ? c : U'?');
  }
  return result + (at < end ? "...\"" : "\"");
}

}  // namespace nearkin
