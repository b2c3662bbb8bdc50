#include "log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "clock_text.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

constexpr std::size_t kMostWaiting = 1 << 20;  // bytes
constexpr std::size_t kAtOnce = 4096;          // bytes that a pipe takes whole once it takes any (PIPE_BUF)
constexpr auto kLastWords = std::chrono::seconds(1);

std::string time_text() { return log_time(std::chrono::system_clock::now()); }

std::string event_line(const std::string& text) { return JsonObject().add("time", time_text()).add("event", text).text(); }

}  // namespace

struct Log::State {
  Sink sink;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> waiting;
  std::size_t waiting_bytes = 0;
  std::uint64_t untold = 0;  // lines dropped since the log last told of it
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<bool> ending{false}, given_up{false};
  bool done = false;

  void run();
  void say(const std::string& line);
  void to_standard_error(const std::string& line);
};

void Log::State::run() {
  std::unique_lock lock(mutex);
  for (;; lock.lock()) {
    changed.wait(lock, [this] { return ending || !waiting.empty(); });
    if (waiting.empty() || given_up) break;
    const std::string line = std::move(waiting.front());
    waiting.pop_front();
    waiting_bytes -= line.size();
    // Told where the gap is: behind the lines that were in the queue.
    const std::uint64_t gap = waiting.empty() ? std::exchange(untold, 0) : 0;
    lock.unlock();
    say(line);
    if (gap > 0) say(event_line(fmt::format("{} lines of the log were dropped, because earlier lines were not read in time", gap)));
  }
  done = true;  // with the lock held, or who waits for it could miss it
  changed.notify_all();
}

void Log::State::say(const std::string& line) { sink ? sink(line) : to_standard_error(line); }

/// Lines of several processes stay whole. Where it cannot be said there is nobody to hear it.
void Log::State::to_standard_error(const std::string& line) {
  const std::string whole = line + "\n";
  std::string_view rest = whole;
  while (!rest.empty() && !given_up) {
    pollfd asked{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&asked, 1, 100) == 0) continue;
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), std::min(rest.size(), kAtOnce));
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

Log::Log(Sink sink) : state_(std::make_shared<State>()) {
  state_->sink = std::move(sink);
  std::thread([state = state_] { state->run(); }).detach();
}

Log::~Log() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
  const auto is_done = [this] { return state_->done; };
  if (state_->sink)
    state_->changed.wait(lock, is_done);
  else if (!state_->changed.wait_for(lock, kLastWords, is_done))
    state_->given_up = true;
}

void Log::write(const LogEntry& entry) {
  JsonObject line;
  line.add("time", time_text()).add("method", entry.method).add("path", entry.path).add("status", entry.status).add("bytes", entry.bytes);
  line.raw("seconds", fmt::format("{:.6f}", entry.seconds)).add("remote", entry.remote).add("request_id", entry.request_id);
  if (!entry.error.empty()) line.add("error", entry.error);
  send(line.text());
}

void Log::event(const std::string& text) { send(event_line(text)); }

std::uint64_t Log::dropped() const { return state_->dropped; }

void Log::send(std::string line) {
  const std::lock_guard lock(state_->mutex);
  if (state_->untold > 0 || state_->waiting_bytes + line.size() > kMostWaiting) {
    ++state_->untold;
    ++state_->dropped;
    return;
  }
  state_->waiting_bytes += line.size();
  state_->waiting.push_back(std::move(line));
  state_->changed.notify_one();
}

}  // namespace nearkin::server
