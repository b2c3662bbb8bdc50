// What a caller gave, or an error that names the argument, the value and what would be right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

/// The name of an object's type, as in "int".
std::string type_of(const py::handle& object);
/// An object as its repr shows it, not too much of it, in ASCII.
std::string shown(const py::handle& object);

/// A row in messages: "items:3: ".
inline std::string at(const std::string& what, std::size_t row) { return what + ":" + std::to_string(row) + ": "; }

/// The UTF-8 bytes of a str, good as long as it lives; absent where it has surrogates.
std::optional<std::string_view> utf8_bytes(const py::handle& text);
/// Throws ValueError. `place` stands in front of the message: "items:3: the text".
[[noreturn]] void refuse_surrogates(const std::string& place);
/// The same bytes, or that error. place() is asked for only then: it would take longer than the rest.
template <typename Place>
std::string_view utf8_of(const py::handle& text, Place place) {
  const std::optional<std::string_view> bytes = utf8_bytes(text);
  if (!bytes) refuse_surrogates(place());
  return *bytes;
}
/// Throws TypeError for what is no str, ValueError for what is no UTF-8.
std::string text_argument(const py::handle& given, const std::string& name);
/// Throws TypeError for what is no whole number, ValueError for one that is not between `least` and `most`.
std::uint64_t whole_number(const py::handle& given, const std::string& name, std::uint64_t least, std::uint64_t most);

}  // namespace nearkin::python
