#include "log.h"

#include <unistd.h>

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "clock_text.h"
#include "json_out.h"

namespace nearkin::server {
namespace {

std::string time_text() { return log_time(std::chrono::system_clock::now()); }

/// One call of write, so that lines of several processes stay whole. Where it cannot be said there is nobody to hear it.
void to_standard_error(const std::string& line) {
  const std::string whole = line + "\n";
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Log::Log(Sink sink) : sink_(sink ? std::move(sink) : Sink(to_standard_error)) {}

void Log::write(const LogEntry& entry) {
  JsonObject line;
  line.add("time", time_text()).add("method", entry.method).add("path", entry.path).add("status", entry.status).add("bytes", entry.bytes);
  line.raw("seconds", fmt::format("{:.6f}", entry.seconds)).add("remote", entry.remote);
  if (!entry.error.empty()) line.add("error", entry.error);
  send(line.text());
}

void Log::event(const std::string& text) { send(JsonObject().add("time", time_text()).add("event", text).text()); }

void Log::send(const std::string& line) {
  const std::lock_guard lock(mutex_);
  sink_(line);
}

}  // namespace nearkin::server
