// What Prometheus reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace nearkin::server {

class Metrics {
 public:
  /// `route`: "PUT /v1/items/{id}", or "none" where no route was found.
  void count(std::string_view route, unsigned status, double seconds);
  /// Everything counted, in Prometheus' text format.
  std::string text() const;

  std::atomic<std::int64_t> connections{0}, in_flight{0};
  std::atomic<std::uint64_t> accepted{0}, refused{0}, evicted{0}, limited{0};

 private:
  static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
  struct Counts {
    std::map<unsigned, std::uint64_t> statuses;
    std::array<std::uint64_t, kBounds.size() + 1> latencies{};  ///< the last: above all bounds
    double seconds = 0;
  };
  std::string requests_text() const;
  std::string latency_text() const;

  mutable std::mutex mutex_;
  std::map<std::string, Counts, std::less<>> routes_;
};

/// "# HELP … # TYPE … name value", for one number.
std::string metric_text(const char* name, const char* type, const char* help, double value);

}  // namespace nearkin::server
