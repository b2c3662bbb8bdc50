// The parts of Boost.JSON that are compiled once are compiled here.
#include "json_in.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <boost/json/src.hpp>

#include "http.h"

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
  return value;
}

void check_fields(const json::object& object, std::initializer_list<std::string_view> known) {
  for (const auto& field : object) {
    if (std::find(known.begin(), known.end(), std::string_view(field.key())) != known.end()) continue;
    throw Problem(422, fmt::format("body: no field {}; there are {}", shown(field.key()), fmt::join(known, ", ")));
  }
}

}  // namespace nearkin::server
