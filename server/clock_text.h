// Times as texts. A second's text is made once by each thread: to take a time apart costs more than the rest of a line.
#pragma once

#include <chrono>
#include <string>

namespace nearkin::server {

/// "2025-01-31T12:00:00.123Z"
std::string log_time(std::chrono::system_clock::time_point time);
/// "Fri, 31 Jan 2025 12:00:00 GMT"
const std::string& http_date(std::chrono::system_clock::time_point time);

}  // namespace nearkin::server
