// Parts of texts as items, and texts without some of their parts.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/units.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "arguments.h"
#include "arrow_out.h"
#include "bind.h"
#include "items.h"
#include "values.h"

namespace nearkin::python {
namespace {

Unit unit_of(const std::string& name, std::uint32_t least) {
  Unit unit = parse_unit(name);
  unit.least = least;
  return unit;
}

std::shared_ptr<GivenItems> texts_of(const py::handle& given, const std::string& column) {
  std::shared_ptr<GivenItems> items = items_of(given, "items", column);
  if (items->items.vectors || items->sets) throw py::value_error("items: only texts have parts; give texts");
  require_utf8(*items);
  return items;
}

// Row, begin and end of each unit, ascending, and their texts.
py::tuple units_stage(const py::handle& given, const std::string& unit_name, std::uint32_t least, const std::string& column) {
  const Unit unit = unit_of(unit_name, least);
  const auto items = texts_of(given, column);
  std::vector<std::int64_t> rows, begins, ends;
  std::vector<std::uint64_t> text_ends;
  std::vector<char> bytes;
  const auto add_units_of = [&](std::size_t row) {
    const std::string_view text = items->items.texts[row];
    for (const Span& span : units_of(text, unit)) {
      rows.push_back(static_cast<std::int64_t>(row));
      begins.push_back(static_cast<std::int64_t>(span.begin));
      ends.push_back(static_cast<std::int64_t>(span.end));
      const std::string_view part = text.substr(span.begin, span.end - span.begin);
      bytes.insert(bytes.end(), part.begin(), part.end());
      text_ends.push_back(bytes.size());
    }
  };
  {
    const py::gil_scoped_release released;
    for (std::size_t row = 0; row < items->items.texts.size(); ++row) add_units_of(row);
  }
  return py::make_tuple(array_of(std::move(rows)), array_of(std::move(begins)), array_of(std::move(ends)),
                        strings("text", text_ends, std::move(bytes)));
}

using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// Units of texts, by rows of texts and the bytes at which they begin, both ascending.
struct UnitPlaces {
  const Places& rows;
  const Places& begins;
  py::ssize_t next = 0;
  std::vector<std::uint64_t> of(std::size_t row) {
    std::vector<std::uint64_t> found;
    for (; next < rows.size() && rows.data()[next] == static_cast<std::int64_t>(row); ++next)
      found.push_back(static_cast<std::uint64_t>(begins.data()[next]));
    return found;
  }
};

// The texts without the units that begin at begins[i] of text rows[i]; None where too few words would be left. The words of the units that
// begin at whole_begins[i] of text whole_rows[i] stay.
py::list cut_stage(const py::handle& given, const Places& rows, const Places& begins, const Places& whole_rows, const Places& whole_begins,
                   const std::string& unit_name, std::uint32_t least, std::uint32_t least_left, double most_cut,
                   const std::string& column) {
  const Unit unit = unit_of(unit_name, least);
  const auto items = texts_of(given, column);
  const DedupOptions options{.least_left = least_left, .most_cut = most_cut};
  py::list texts;
  UnitPlaces gone{rows, begins}, whole{whole_rows, whole_begins};
  for (std::size_t row = 0; row < items->items.texts.size(); ++row) {
    const std::optional<std::string> left = without_units(items->items.texts[row], unit, gone.of(row), options, whole.of(row));
    texts.append(left ? py::object(py::str(*left)) : py::none());
  }
  return texts;
}

// The texts without bytes begins[i] to ends[i] of text rows[i], which ascend.
py::list cut_spans_stage(const py::handle& given, const Places& rows, const Places& begins, const Places& ends, const std::string& column) {
  const auto items = texts_of(given, column);
  py::list texts;
  std::vector<Span> gone;
  py::ssize_t next = 0;
  for (std::size_t row = 0; row < items->items.texts.size(); ++row) {
    const std::string_view text = items->items.texts[row];
    gone.clear();
    for (; next < rows.size() && rows.data()[next] == static_cast<std::int64_t>(row); ++next)
      gone.push_back({static_cast<std::uint64_t>(begins.data()[next]), static_cast<std::uint64_t>(ends.data()[next])});
    texts.append(text.data() == nullptr ? py::object(py::none()) : py::str(gone.empty() ? std::string(text) : without_spans(text, gone)));
  }
  return texts;
}

}  // namespace

void bind_units(py::module_& module) {
  module.def("units", &units_stage, py::arg("texts"), py::arg("unit"), py::arg("least"), py::arg("column"));
  module.def("cut_units", &cut_stage, py::arg("texts"), py::arg("rows"), py::arg("begins"), py::arg("whole_rows"), py::arg("whole_begins"),
             py::arg("unit"), py::arg("least"), py::arg("least_left"), py::arg("most_cut"), py::arg("column"));
  module.def("cut_spans", &cut_spans_stage, py::arg("texts"), py::arg("rows"), py::arg("begins"), py::arg("ends"), py::arg("column"));
}

}  // namespace nearkin::python
