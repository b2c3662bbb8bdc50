// How many requests a client may make in a second.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace nearkin::server {

/// Each client has a bucket that holds two seconds' worth of requests and is filled at the rate. Any thread.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// `per_second`: 0 = any number.
  explicit RateLimiter(double per_second) : rate_(per_second) {}

  /// Seconds until the client may ask again; 0: now, and this request is counted.
  double take(const std::string& client, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point filled;
  };
  double burst() const { return 2 * rate_ > 1 ? 2 * rate_ : 1; }
  double level(const Bucket& bucket, Clock::time_point now) const;
  void forget_full(Clock::time_point now);

  const double rate_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace nearkin::server
