// Library calls from Python: without the GIL, ended by Ctrl-C, with progress told on the caller's own thread.
#pragma once

#include <functional>

#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>

#include <pybind11/pybind11.h>

namespace nearkin::python {

namespace py = pybind11;

/// Runs work(progress) on a thread of its own. The calling thread waits, looks for signals, and calls `told(stage, done, total)`, unless
/// that is None, with the newest state. What `told` or a signal raises ends the work and is raised here. The GIL is held by the caller and
/// given up while waiting.
using Progress = std::function<void(const char* stage, std::uint64_t done, std::uint64_t total)>;
void run_interruptibly(const py::object& told, const std::function<void(const Progress& progress)>& work);

/// The GIL given up by this thread as long as this lives.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  /// Between two pieces of the work: throws what a signal raised meanwhile, as Ctrl-C does.
  void look_for_signals();

 private:
  PyThreadState* thread_;
};

/// For one result.
template <typename Work>
auto interruptibly(const py::object& told, Work&& work) {
  std::optional<decltype(work(Progress()))> result;
  run_interruptibly(told, [&](const Progress& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}

/// The same options, told of by `progress`.
inline RunOptions with(const RunOptions& options, const Progress& progress) {
  RunOptions result = options;
  result.progress = progress;
  return result;
}

}  // namespace nearkin::python
