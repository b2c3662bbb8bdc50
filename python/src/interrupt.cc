#include "interrupt.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace nearkin::python {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // between two looks for signals

// What the working thread says and the waiting one hears.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::string stage;
  std::uint64_t done = 0, total = 0;
  bool news = false;
  std::atomic<bool> stop = false;
};

// What must be heard at once is a new stage; the rest is looked at from time to time.
void tell(Shared& shared, const py::object& told) {
  std::string stage;
  std::uint64_t done = 0, total = 0;
  {
    const std::lock_guard lock(shared.mutex);
    if (!shared.news) return;
    shared.news = false;
    stage = shared.stage;
    done = shared.done;
    total = shared.total;
  }
  if (!told.is_none()) told(stage, done, total);
}

bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Takes the GIL again. A daemon thread that asks for it while the interpreter ends would be ended within these frames: it waits for the end
// of the process instead.
void take_gil(PyThreadState* thread) {
  while (interpreter_ends()) std::this_thread::sleep_for(std::chrono::hours(1));
  PyEval_RestoreThread(thread);
}

// Returns when the work has ended. Throws what Python raised meanwhile.
void wait(Shared& shared, const py::object& told) {
  for (bool ended = false; !ended;) {
    PyThreadState* const thread = PyEval_SaveThread();
    {
      std::unique_lock lock(shared.mutex);
      ended = shared.changed.wait_for(lock, kLook, [&] { return shared.ended; });
    }
    take_gil(thread);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    tell(shared, told);
  }
}

}  // namespace

WithoutGil::WithoutGil() : thread_(PyEval_SaveThread()) {}
WithoutGil::~WithoutGil() {
  if (thread_ != nullptr) take_gil(thread_);
}

void WithoutGil::look_for_signals() {
  take_gil(std::exchange(thread_, nullptr));
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  thread_ = PyEval_SaveThread();
}

void run_interruptibly(const py::object& told, const std::function<void(const Progress& progress)>& work) {
  Shared shared;
  std::exception_ptr failure;
  const Progress progress = [&](const char* stage, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(shared.mutex);
    shared.stage = stage;
    shared.done = done;
    shared.total = total;
    shared.news = true;
  };
  std::thread thread([&] {
    try {
      stoppable(shared.stop, [&] { work(progress); });
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(shared.mutex);
    shared.ended = true;
    shared.changed.notify_all();
  });
  const auto join = [&] {
    const py::gil_scoped_release released;
    thread.join();
  };
  try {
    wait(shared, told);
  } catch (...) {
    shared.stop = true;
    join();
    throw;
  }
  join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nearkin::python
