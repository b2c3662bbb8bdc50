// TSV as the library spells it.
#include <string>
#include <string_view>

#include <nearkin/tools/spelling.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind.h"

namespace nearkin::python {
namespace {

template <void (*append)(std::string&, std::string_view)>
std::string spelled(std::string_view value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace

void bind_spelling(py::module_& module) {
  module.def("tsv_record", &tsv_record, py::arg("line"));
  module.def("tsv_record_field", &spelled<append_tsv_record_field>, py::arg("value"));
  module.def("tsv_field", &spelled<append_tsv_field>, py::arg("value"));
}

}  // namespace nearkin::python
