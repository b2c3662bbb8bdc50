// Rows as bytes, written to a descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

// What could not be written, as errno; 0: all was.
inline int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// append(row, out) puts the bytes of a row behind `out`; they are written without the GIL, in pieces that fit a processor's cache. Throws
/// OSError.
template <typename Append>
void write_rows(int descriptor, std::size_t rows, Append append) {
  constexpr std::size_t kPiece = 256 << 10;
  int failure = 0;
  {
    const py::gil_scoped_release released;
    std::string out;
    for (std::size_t row = 0; row < rows && failure == 0; ++row) {
      append(row, out);
      if (out.size() < kPiece && row + 1 < rows) continue;
      failure = write_all(descriptor, out);
      out.clear();
    }
  }
  if (failure == 0) return;
  errno = failure;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

}  // namespace nearkin::python
