#include "io/formats/valid_utf8.h"

#include <simdjson.h>

#include <nearkin/tools/spelling.h>

namespace nearkin {

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
