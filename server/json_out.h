// JSON as the server writes it.
#pragma once

#include <concepts>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

namespace nearkin::server {

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
  /// All of it and the end of a line, without a copy. Nothing may be added afterwards.
  std::string line() {
    text_ += "}\n";
    return std::move(text_);
  }
  JsonObject& reserve(std::size_t bytes) {
    text_.reserve(bytes);
    return *this;
  }

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
