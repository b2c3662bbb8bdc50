// Strings as JSON and TSV spell them.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "io/bytes/output.h"
#include "io/formats/valid_utf8.h"

namespace nearkin {

namespace {

void append_json_escape(std::string& out, char c) {
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

}  // namespace

void append_json_string(std::string& out, std::string_view s) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t at = 0; at < s.size();) {
    const auto byte = static_cast<unsigned char>(s[at]);
    const bool special = byte < 0x20 || byte == '"' || byte == '\\';
    const std::size_t length = special ? 0 : byte < 0x80 ? 1 : utf8_sequence(s.substr(at));
    if (length > 0) {
      at += length;
      continue;
    }
    out += s.substr(copied, at - copied);
    if (special) {
      append_json_escape(out, s[at]);
    } else {
      append_code_point(out, kReplacement);
    }
    copied = ++at;
  }
  out += s.substr(copied);
  out += '"';
}

void append_tsv_field(std::string& out, std::string_view s) {
  constexpr std::string_view kPlain = "\t\n\r\\", kEscaped = "tnr\\";
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t special = std::min(s.find_first_of(kPlain, at), s.size());
    out += s.substr(at, special - at);
    if (special < s.size()) {
      out += '\\';
      out += kEscaped[kPlain.find(s[special])];
    }
    at = special + 1;
  }
}

}  // namespace nearkin
