#include "signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

namespace nearkin::cli {
namespace {

// A handler can use neither std::string nor the streams.
std::array<char, 2048> farewell;
std::atomic<std::size_t> farewell_size{0};

extern "C" void end_process(int signal) {
  remove_unfinished_outputs();
  const std::size_t size = farewell_size;
  // Where it cannot be said there is nobody to hear it.
  if (size > 0 && ::write(STDERR_FILENO, farewell.data(), size) < 0) {}
  // SA_RESETHAND: by the time the handler returns the signal does what it does by default.
  ::raise(signal);
}

}  // namespace

void end_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // nohup, and shells for what runs in the background, ignore signals on purpose.
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = end_process;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

void say_when_ended(const std::string& message) {
  // On a terminal the line begins where the one of the progress stands.
  const std::string line = fmt::format("{}nearkin: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "", message);
  if (line.size() > farewell.size()) return;
  farewell_size = 0;  // a handler must not meet half of two
  line.copy(farewell.data(), line.size());
  farewell_size = line.size();
}

}  // namespace nearkin::cli
