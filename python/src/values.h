// Results → NumPy and plain Python values.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

/// The vector's own memory as an array.
template <typename T>
py::array_t<T> array_of(std::vector<T>&& values) {
  auto* const owner = new std::vector<T>(std::move(values));
  const py::capsule capsule(owner, [](void* pointer) { delete static_cast<std::vector<T>*>(pointer); });
  return py::array_t<T>(static_cast<py::ssize_t>(owner->size()), owner->data(), capsule);
}

/// {"estimate", "low", "high", "method"}, or None where it cannot be known; the names of --stats.
py::object recall_of(const std::optional<Recall>& recall);
/// The names of --stats. Throws IndexError where a decision is about a row that is not there.
py::dict stats_of(const RunStats& stats, const Plan& plan);

}  // namespace nearkin::python
