// Results → Arrow: owned columns that any library takes without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

/// Bytes and what keeps them; no bytes at all where `data` is null.
struct Buffer {
  std::shared_ptr<const void> owner = {};
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// A finished column: its Arrow format, its buffers, its children. Cheap to copy: what it holds is shared.
struct Column {
  std::string name = {};
  std::string format;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::vector<Buffer> buffers = {};
  std::vector<Column> children = {};

  /// What Arrow's PyCapsule interface asks for.
  py::tuple arrow_c_array(const py::object& requested) const;
  py::capsule arrow_c_schema() const;
};

template <typename T>
Buffer shared_buffer(std::vector<T>&& values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  const void* const data = owner->data();
  const std::size_t bytes = owner->size() * sizeof(T);
  return {std::move(owner), data, bytes};
}

/// Bits of validity from one byte a row; a row is null where `null` is not 0.
Column with_nulls(Column column, const std::vector<std::uint8_t>& null);

template <typename T>
Column numbers(std::string name, const char* format, std::vector<T>&& values) {
  const auto length = static_cast<std::int64_t>(values.size());
  return {.name = std::move(name), .format = format, .length = length, .buffers = {{}, shared_buffer(std::move(values))}};
}
/// Strings that lie one behind the other in `bytes`; `ends` as Features has them.
Column strings(std::string name, const std::vector<std::uint64_t>& ends, std::vector<char>&& bytes);
Column booleans(std::string name, const std::vector<std::uint8_t>& values);
Column fixed_bytes(std::string name, std::size_t width, std::vector<std::uint8_t>&& bytes, std::size_t rows);
Column fixed_list(std::string name, std::size_t size, Column child, std::size_t rows);
/// A list, or a large list where it must be; `ends` as Features has them.
Column list_of(std::string name, const std::vector<std::uint64_t>& ends, Column child);
Column structure(std::vector<Column> children, std::size_t rows);

void bind_column(py::module_& module);

}  // namespace nearkin::python
