#include "raw_json.h"

#include <algorithm>

namespace nearkin::server {
namespace {

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); }

/// Bytes of the string, quotes included, that `text` begins with.
std::size_t string_length(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::size_t value_length(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i += string_length(text.substr(i));
      if (depth == 0) return i;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r' || c == '\n')) return i;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return i + 1;
    ++i;
  }
  return text.size();
}

}  // namespace

void for_each_raw_field(std::string_view object, const std::function<bool(std::string_view name, std::string_view value)>& use) {
  skip_blanks(object);
  object.remove_prefix(std::min<std::size_t>(1, object.size()));  // {
  for (;;) {
    skip_blanks(object);
    if (!object.starts_with('"')) return;
    const std::size_t name_length = string_length(object);
    const std::string_view name = object.substr(1, name_length - 2);
    object.remove_prefix(name_length);
    skip_blanks(object);
    object.remove_prefix(std::min<std::size_t>(1, object.size()));  // :
    skip_blanks(object);
    const std::size_t length = value_length(object);
    if (!use(name, object.substr(0, length))) return;
    object.remove_prefix(length);
    skip_blanks(object);
    if (!object.starts_with(',')) return;
    object.remove_prefix(1);
  }
}

void for_each_raw_element(std::string_view array, const std::function<bool(std::string_view element)>& use) {
  skip_blanks(array);
  array.remove_prefix(std::min<std::size_t>(1, array.size()));  // [
  for (;;) {
    skip_blanks(array);
    if (array.empty() || array.starts_with(']')) return;
    const std::size_t length = value_length(array);
    if (!use(array.substr(0, length))) return;
    array.remove_prefix(length);
    skip_blanks(array);
    if (!array.starts_with(',')) return;
    array.remove_prefix(1);
  }
}

std::size_t raw_members(std::string_view text) {
  std::size_t members = 0;
  for (std::size_t i = 0; i < text.size();) {
    members += text[i] == ':';
    i += text[i] == '"' ? string_length(text.substr(i)) : 1;
  }
  return members;
}

std::vector<std::pair<std::string_view, std::string_view>> raw_fields(std::string_view object) {
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  for_each_raw_field(object, [&](std::string_view name, std::string_view value) {
    fields.emplace_back(name, value);
    return true;
  });
  return fields;
}

std::string_view raw_field(std::string_view object, std::string_view name) {
  std::string_view value;
  for (const auto& [field, text] : raw_fields(object)) {
    if (field == name) value = text;
  }
  return value;
}

}  // namespace nearkin::server
