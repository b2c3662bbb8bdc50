#include "clock_text.h"

#include <ctime>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace nearkin::server {
namespace {

using std::chrono::system_clock;

struct Second {
  std::optional<std::time_t> at;
  std::string for_log, for_header;
};

const Second& second_of(system_clock::time_point time) {
  thread_local Second last;
  const std::time_t now = system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  if (last.at != now) {
    const std::tm parts = fmt::gmtime(now);
    last.for_log = fmt::format("{:%Y-%m-%dT%H:%M:%S}", parts);
    last.for_header = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", parts);
    last.at = now;
  }
  return last;
}

}  // namespace

std::string log_time(system_clock::time_point time) {
  const auto within = time - std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{}.{:03}Z", second_of(time).for_log, std::chrono::floor<std::chrono::milliseconds>(within).count());
}

const std::string& http_date(system_clock::time_point time) { return second_of(time).for_header; }

}  // namespace nearkin::server
