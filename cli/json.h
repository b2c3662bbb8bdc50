// JSON for the few objects that the command line writes itself.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

namespace nearkin::cli {

/// Fields in the order they are added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) { return raw(name, json_string(text)); }
  JsonObject& add(std::string_view name, const char* text) { return raw(name, json_string(text)); }
  JsonObject& add(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& add(std::string_view name, double value) { return raw(name, fmt::format("{}", value)); }
  template <std::integral Number>
  JsonObject& add(std::string_view name, Number value) {
    return raw(name, fmt::format("{}", value));
  }
  /// `json` is JSON already.
  JsonObject& raw(std::string_view name, std::string_view json) {
    text_ += fmt::format("{}{}:{}", text_.empty() ? "" : ",", json_string(name), json);
    return *this;
  }
  /// All fields of another object.
  JsonObject& append(const JsonObject& other) {
    if (!text_.empty() && !other.text_.empty()) text_ += ',';
    text_ += other.text_;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// One element of JSON for each of `values`.
template <typename Values, typename ToJson>
std::string json_array(const Values& values, ToJson to_json) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ",") + to_json(value);
  return "[" + out + "]";
}

}  // namespace nearkin::cli
