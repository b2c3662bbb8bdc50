#include "arguments.h"

#include "bind.h"

namespace nearkin::python {
namespace {

constexpr std::size_t kShown = 60;  // characters of a value in a message

py::object index_of(const py::handle& given) {
  const bool whole = PyIndex_Check(given.ptr()) != 0 && !PyBool_Check(given.ptr());
  auto number = py::reinterpret_steal<py::object>(whole ? PyNumber_Index(given.ptr()) : nullptr);
  if (!number) PyErr_Clear();
  return number;
}

}  // namespace

std::string type_of(const py::handle& object) { return py::str(py::type::of(object).attr("__name__")); }

std::string shown(const py::handle& object) {
  std::string text;
  try {
    text = py::repr(object).attr("encode")("ascii", "backslashreplace").attr("decode")().cast<std::string>();
  } catch (py::error_already_set&) {
    return type_of(object);
  }
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

std::optional<std::string_view> utf8_bytes(const py::handle& text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return std::string_view(bytes, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

void refuse_surrogates(const std::string& place) {
  throw py::value_error(place + " has surrogates that are not characters; clean it, as by text.encode(errors=\"replace\")");
}

std::string text_argument(const py::handle& given, const std::string& name) {
  if (!PyUnicode_Check(given.ptr())) throw py::type_error(name + ": " + shown(given) + " is " + type_of(given) + "; give a str");
  return std::string(utf8_of(given, [&] { return name + ": " + shown(given); }));
}

std::uint64_t whole_number(const py::handle& given, const std::string& name, std::uint64_t least, std::uint64_t most) {
  const py::object number = index_of(given);
  if (!number) throw py::type_error(name + ": " + shown(given) + " is " + type_of(given) + "; give a whole number (int)");
  const std::uint64_t value = PyLong_AsUnsignedLongLong(number.ptr());
  const bool fits = PyErr_Occurred() == nullptr;
  if (!fits) PyErr_Clear();
  if (fits && value >= least && value <= most) return value;
  const bool large = py::int_(least) <= number;
  const std::string right =
      large ? "large; give " + std::to_string(most) + " at most" : "small; give " + std::to_string(least) + " or more";
  throw py::value_error(name + ": " + shown(number) + " is too " + right);
}

void bind_arguments(py::module_& module) {
  module.def("whole_number", &whole_number, py::arg("given"), py::arg("name"), py::arg("least"), py::arg("most"));
  module.def("text_argument", &text_argument, py::arg("given"), py::arg("name"));
}

}  // namespace nearkin::python
