#include "signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>

#include "warnings.h"

namespace nearkin::cli {
namespace {

// A handler can use neither std::string nor the streams.
struct Farewell {
  std::array<char, 2048> text;
  std::atomic<std::size_t> size{0};
};
Farewell of_unfinished, of_complete;

void prepare(Farewell& farewell, const std::string& message) {
  // On a terminal the line begins where the one of the progress stands.
  const std::string line = fmt::format("{}nearkin: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "", message);
  if (line.size() > farewell.text.size()) return;
  farewell.size = 0;  // a handler must not meet half of two
  line.copy(farewell.text.data(), line.size());
  farewell.size = line.size();
}

extern "C" void end_process(int signal) {
  remove_unfinished_outputs();
  const Farewell& farewell = outputs_are_complete() ? of_complete : of_unfinished;
  const std::size_t size = farewell.size;
  // Where it cannot be said there is nobody to hear it.
  if (size > 0 && ::write(STDERR_FILENO, farewell.text.data(), size) < 0) {
  }
  // SA_RESETHAND: by the time the handler returns the signal does what it does by default.
  ::raise(signal);
}

// The same for damage.
std::array<char, 8192> last_words;
std::atomic<std::size_t> last_words_size{0};
std::array<char, 65536> signal_stack;

extern "C" void end_for_damage(int) {
  remove_unfinished_outputs();
  if (::write(STDERR_FILENO, last_words.data(), last_words_size) < 0) {
  }
  ::_exit(2);
}

}  // namespace

void end_on_damage(const std::string& index) {
  const std::string line = fmt::format("nearkin: {}: damaged, or cut short while it was read; restore a backup or create it again [{}]\n",
                                       index, text_of(Warning::damaged_index).name);
  last_words_size = 0;
  last_words_size = line.copy(last_words.data(), last_words.size());
  // A stack of its own, because the one at hand may be what is at fault; threads that have none use theirs.
  stack_t stack{};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  ::sigaltstack(&stack, nullptr);
  for (const int signal : {SIGBUS, SIGSEGV, SIGABRT}) {
    struct sigaction ours {};
    ours.sa_handler = end_for_damage;
    ours.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

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
  prepare(of_unfinished, message);
  prepare(of_complete, "interrupted; the output is complete");
}

}  // namespace nearkin::cli
