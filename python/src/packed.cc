// Ids and texts as packed items (docs/reference.md), for the command line to read.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>

#include <pybind11/pybind11.h>

#include "arrow_in.h"
#include "bind.h"
#include "write_rows.h"

namespace nearkin::python {
namespace {

constexpr std::uint64_t kNoText = ~std::uint64_t{0};

struct Texts {
  Texts(const py::handle& given, const std::string& name) : data(given) {
    if (!holds_strings(data.schema())) throw py::value_error(name + ": " + type_name(data.schema()) + "; expected strings");
    for (const ArrowView& chunk : data.chunks()) {
      append_strings(chunk, texts);
      for (std::int64_t i = 0; i < chunk.length; ++i) nulls.push_back(chunk.is_null(i));
    }
  }

  ArrowData data;
  std::vector<std::string_view> texts;
  std::vector<bool> nulls;
};

template <typename Number>
void append_number(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The tag of a record is its row, counted on from `first_row`.
void write_packed(int descriptor, const py::object& ids, const py::object& texts, std::uint64_t first_row) {
  const Texts names(ids, "ids"), items(texts, "texts");
  if (names.texts.size() != items.texts.size()) throw py::value_error("ids: not as many rows as texts");
  write_rows(descriptor, items.texts.size(), [&](std::size_t row, std::string& out) {
    const std::string_view id = names.texts[row], text = items.texts[row];
    out.append("nkr1");
    append_number(static_cast<std::uint32_t>(id.size()), out);
    append_number(items.nulls[row] ? kNoText : std::uint64_t{text.size()}, out);
    append_number(first_row + row, out);
    out.append(id);
    if (!items.nulls[row]) out.append(text);
  });
}

}  // namespace

void bind_packed(py::module_& module) {
  module.def("write_packed", &write_packed, py::arg("descriptor"), py::arg("ids"), py::arg("texts"), py::arg("first_row"));
  module.def("default_memory", &nearkin::default_memory);
}

}  // namespace nearkin::python
