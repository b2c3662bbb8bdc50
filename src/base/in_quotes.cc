#include "base/in_quotes.h"

#include <algorithm>

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

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "\"";
  std::size_t at = 0;
  while (at < text.size() && at < kLongest) {
    const std::size_t length = utf8_sequence(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    const bool plain = length > 1 || (length == 1 && first >= 0x20 && first != 0x7F);
    plain ? result += text.substr(at, length) : result += '?';
    at += std::max<std::size_t>(1, length);
  }
  return result + (at < text.size() ? "…\"" : "\"");
}

}  // namespace nearkin
