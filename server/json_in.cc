// The parts of Boost.JSON that are compiled once are compiled here.
#include "json_in.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <boost/json/src.hpp>

#include "http.h"
#include "raw_json.h"

namespace nearkin::server {
namespace json = boost::json;

/// Boost.JSON gives the memory of a key back with another alignment than it asked for: all have the greatest it uses.
void* ChargedMemory::do_allocate(std::size_t bytes, std::size_t) {
  if (!charge_->grow(bytes)) refuse_memory(*charge_, bytes);
  return ::operator new(bytes);
}

void ChargedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t) {
  ::operator delete(memory);
  charge_->shrink(bytes);
}

namespace {

std::size_t members_of(const json::value& value) {
  std::size_t members = 0;
  if (const json::object* object = value.if_object()) {
    members = object->size();
    for (const auto& member : *object) members += members_of(member.value());
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) members += members_of(element);
  }
  return members;
}

bool is_named(std::string_view raw, std::string_view name) {
  if (raw.find('\\') == std::string_view::npos) return raw == name;
  return std::string_view(json::parse(fmt::format("\"{}\"", raw)).get_string()) == name;
}

/// The name as it was written; empty where none occurs twice. Boost.JSON keeps the place of the first of two and the value of the second,
/// so the first name that is not in its place occurred before.
std::string_view twice_in(std::string_view raw, const json::value& value) {
  std::string_view twice;
  if (const json::object* object = value.if_object()) {
    auto next = object->begin();
    for_each_raw_field(raw, [&](std::string_view name, std::string_view) {
      const bool in_place = next != object->end() && is_named(name, (next++)->key());
      if (!in_place) twice = name;
      return in_place;
    });
    next = object->begin();
    if (twice.data() == nullptr) {
      for_each_raw_field(raw, [&](std::string_view, std::string_view field) {
        twice = twice_in(field, (next++)->value());
        return twice.data() == nullptr;
      });
    }
  } else if (const json::array* array = value.if_array()) {
    auto next = array->begin();
    for_each_raw_element(raw, [&](std::string_view element) {
      twice = twice_in(element, *next++);
      return twice.data() == nullptr;
    });
  }
  return twice;
}

/// Two readers may take different values of them.
void refuse_twice(std::string_view text, const json::value& value) {
  if (raw_members(text) == members_of(value)) return;
  throw Problem(400, fmt::format("body: {} stands twice in one object; give each name once", shown(twice_in(text, value))));
}

}  // namespace

json::value parse_object(std::string_view text, ChargedMemory& memory) {
  json::parser parser(&memory);
  parser.reset(&memory);
  json::error_code error;
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (error) {
    throw Problem(400,
                  fmt::format("body: not JSON at byte {} of {}, {}; an object in UTF-8 is expected", read, text.size(), error.message()));
  }
  json::value value = parser.release();
  if (!value.is_object())
    throw Problem(422, fmt::format("body: {} is not an object; put it in braces, with the name of a field", shown(text)));
  refuse_twice(text, value);
  return value;
}

void check_fields(const json::object& object, std::initializer_list<std::string_view> known) {
  for (const auto& field : object) {
    if (std::find(known.begin(), known.end(), std::string_view(field.key())) != known.end()) continue;
    throw Problem(422, fmt::format("body: no field {}; there are {}", shown(field.key()), fmt::join(known, ", ")));
  }
}

}  // namespace nearkin::server
