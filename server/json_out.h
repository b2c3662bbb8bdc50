// JSON as the server writes it.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "utf8.h"

namespace nearkin::server {

inline void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\') out += {'\\', c};
  else if (c == '\n') out += "\\n";
  else if (c == '\t') out += "\\t";
  else out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
}

/// `text` with its quotes; bytes that are not UTF-8 become U+FFFD.
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) out += "\xEF\xBF\xBD";
    else if (length == 1 && (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) append_escaped(out, c);
    else out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + '"';
}

/// Fields in the order they are added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) { return raw(name, json_string(text)); }
  JsonObject& add(std::string_view name, const char* text) { return raw(name, json_string(text)); }
  JsonObject& add(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& add(std::string_view name, double value) { return raw(name, fmt::format("{}", value)); }
  template <std::integral Number>
  JsonObject& add(std::string_view name, Number value) { return raw(name, fmt::format("{}", value)); }
  /// `json` is JSON already.
  JsonObject& raw(std::string_view name, std::string_view json) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_.append(name).append("\":").append(json);
    return *this;
  }
  std::string text() const { return text_ + '}'; }

 private:
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
