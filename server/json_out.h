// JSON as the server writes it.
#pragma once

#include <concepts>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "utf8.h"

namespace nearkin::server {

inline void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\')
    out += {'\\', c};
  else if (c == '\n')
    out += "\\n";
  else if (c == '\t')
    out += "\\t";
  else
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
}

/// Bytes at the beginning of `text` that stand for themselves.
inline std::size_t plain_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= 0x20 && text[length] < 0x7F && text[length] != '"' && text[length] != '\\') ++length;
  return length;
}

/// `text` with its quotes; bytes that are not UTF-8 become U+FFFD.
inline void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (length == 1)
      append_escaped(out, text.front());
    else
      out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

inline std::string json_string(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json_string(out, text);
  return out;
}

/// Fields in the order they are added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) {
    begin(name);
    append_json_string(text_, text);
    return *this;
  }
  JsonObject& add(std::string_view name, const char* text) { return add(name, std::string_view(text)); }
  JsonObject& add(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& add(std::string_view name, double value) {
    begin(name);
    fmt::format_to(std::back_inserter(text_), "{}", value);
    return *this;
  }
  template <std::integral Number>
  JsonObject& add(std::string_view name, Number value) {
    const fmt::format_int digits(value);
    return raw(name, {digits.data(), digits.size()});
  }
  /// `json` is JSON already.
  JsonObject& raw(std::string_view name, std::string_view json) {
    begin(name);
    text_ += json;
    return *this;
  }
  std::string text() const { return text_ + '}'; }

 private:
  void begin(std::string_view name) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_.append(name).append("\":");
  }

  std::string text_ = "{";
};

/// One element of JSON for each of `values`.
template <typename Values, typename ToJson>
std::string json_array(const Values& values, ToJson to_json) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    out += to_json(value);
  }
  return out + ']';
}

}  // namespace nearkin::server
