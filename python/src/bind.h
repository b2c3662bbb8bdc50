// The parts of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

void bind_arguments(py::module_& module);
void bind_column(py::module_& module);
void bind_items(py::module_& module);
void bind_plan(py::module_& module);
void bind_runs(py::module_& module);
void bind_scores(py::module_& module);
void bind_stages(py::module_& module);
void bind_json_lines(py::module_& module);
void bind_packed(py::module_& module);
void bind_spelling(py::module_& module);
void bind_units(py::module_& module);
void bind_index(py::module_& module);

}  // namespace nearkin::python
