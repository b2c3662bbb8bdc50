// Columns as JSON lines, for the command line to read.
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nearkin/tools/spelling.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arrow_in.h"
#include "bind.h"
#include "write_rows.h"

namespace nearkin::python {
namespace {

// Strings as they are, whole numbers by their digits; a null is left out.
class FieldWriter {
 public:
  /// `as_json`: the strings are JSON already, numbers and objects say.
  FieldWriter(const py::handle& given, const std::string& name, bool as_json)
      : data_(given), quote_(as_json ? "" : "\""), as_json_(as_json), chunks_(data_.chunks()) {
    if (!holds_strings(data_.schema()) && !holds_integers(data_.schema())) {
      throw py::value_error(name + ": " + type_name(data_.schema()) + "; expected strings or whole numbers");
    }
    opening_ = ",\"";
    append_json_escaped(opening_, name);
    opening_.append("\":").append(quote_);
    for (const ArrowView& chunk : chunks_) {
      if (holds_strings(data_.schema())) append_strings(chunk, strings_);
      rows_ += static_cast<std::size_t>(chunk.length);
    }
  }

  std::size_t rows() const { return rows_; }

  /// Rows in ascending order.
  void append(std::size_t row, std::string& out) {
    while (row - before_ >= static_cast<std::size_t>(chunks_[chunk_].length)) before_ += static_cast<std::size_t>(chunks_[chunk_++].length);
    const ArrowView& chunk = chunks_[chunk_];
    const auto i = static_cast<std::int64_t>(row - before_);
    if (chunk.is_null(i)) return;
    out.append(opening_);
    if (strings_.empty()) {
      const auto value = integer_at(chunk, i);
      out += is_unsigned(*chunk.schema) ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
    } else if (as_json_) {
      out.append(strings_[row]);
    } else {
      append_json_escaped(out, strings_[row]);
    }
    out.append(quote_);
  }

 private:
  ArrowData data_;
  std::string opening_, quote_;
  bool as_json_;
  std::vector<ArrowView> chunks_;
  std::vector<std::string_view> strings_;
  std::size_t rows_ = 0, chunk_ = 0, before_ = 0;
};

std::vector<FieldWriter> fields_of(const py::list& columns) {
  std::vector<FieldWriter> fields;
  fields.reserve(columns.size());
  for (const py::handle& column : columns) {
    const auto [name, values, as_json] = column.cast<std::tuple<std::string, py::object, bool>>();
    fields.emplace_back(values, name, as_json);
    if (fields.back().rows() != fields.front().rows()) throw py::value_error(name + ": not as many rows as the others");
  }
  return fields;
}

void append_row(std::vector<FieldWriter>& fields, std::size_t row, std::uint64_t number, std::string& out) {
  out.append("{\"#\":").append(std::to_string(number));
  for (FieldWriter& field : fields) field.append(row, out);
  out += "}\n";
}

// {"#":row, name: value, ...} a line, from (name, column, as_json) each.
void write_json_lines(int descriptor, const py::list& columns, std::uint64_t first_row) {
  std::vector<FieldWriter> fields = fields_of(columns);
  write_rows(descriptor, fields.empty() ? 0 : fields.front().rows(),
             [&](std::size_t row, std::string& out) { append_row(fields, row, first_row + row, out); });
}

}  // namespace

void bind_json_lines(py::module_& module) {
  module.def("write_json_lines", &write_json_lines, py::arg("descriptor"), py::arg("columns"), py::arg("first_row"));
}

}  // namespace nearkin::python
