#include "metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace nearkin::server {

std::string metric_text(const char* name, const char* type, const char* help, double value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

void Metrics::count(std::string_view route, unsigned status, double seconds) {
  const std::lock_guard lock(mutex_);
  auto found = routes_.find(route);
  if (found == routes_.end()) found = routes_.emplace(route, Counts{}).first;
  Counts& counts = found->second;
  ++counts.statuses[status];
  ++counts.latencies[static_cast<std::size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin())];
  counts.seconds += seconds;
}

std::string Metrics::requests_text() const {
  std::string out =
      "# HELP nearkin_requests_total Requests by route and status; 0: the client went away.\n# TYPE nearkin_requests_total counter\n";
  for (const auto& [route, counts] : routes_) {
    for (const auto& [status, count] : counts.statuses)
      out += fmt::format("nearkin_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", route, status, count);
  }
  return out;
}

std::string Metrics::latency_text() const {
  std::string out =
      "# HELP nearkin_request_seconds From the first byte of a request to the last of its answer.\n# TYPE nearkin_request_seconds "
      "histogram\n";
  for (const auto& [route, counts] : routes_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.latencies.size(); ++i) {
      below += counts.latencies[i];
      const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
      out += fmt::format("nearkin_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route, bound, below);
    }
    out += fmt::format("nearkin_request_seconds_sum{{route=\"{0}\"}} {1}\nnearkin_request_seconds_count{{route=\"{0}\"}} {2}\n", route,
                       counts.seconds, below);
  }
  return out;
}

std::string Metrics::text() const {
  std::string out;
  {
    const std::lock_guard lock(mutex_);
    out = requests_text() + latency_text();
  }
  out += metric_text("nearkin_connections", "gauge", "Connections that are open.", static_cast<double>(connections));
  out += metric_text("nearkin_in_flight", "gauge", "Requests that are being answered.", static_cast<double>(in_flight));
  out += metric_text("nearkin_connections_accepted_total", "counter", "Connections taken.", static_cast<double>(accepted));
  out += metric_text("nearkin_connections_refused_total", "counter", "Connections refused because there were too many.",
                     static_cast<double>(refused));
  out += metric_text("nearkin_connections_evicted_total", "counter", "Idle connections closed to make room for others.",
                     static_cast<double>(evicted));
  out += metric_text("nearkin_rate_limited_total", "counter", "Requests refused because their client sent too many.",
                     static_cast<double>(limited));
  return out;
}

}  // namespace nearkin::server
