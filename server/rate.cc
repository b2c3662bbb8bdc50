#include "rate.h"

#include <algorithm>

namespace nearkin::server {

double RateLimiter::level(const Bucket& bucket, Clock::time_point now) const {
  return std::min(burst(), bucket.left + rate_ * std::chrono::duration<double>(now - bucket.filled).count());
}

double RateLimiter::take(const std::string& client, Clock::time_point now) {
  if (rate_ <= 0) return 0;
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= sweep_at_) forget_full(now);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{.left = burst(), .filled = now}).first->second;
  const double left = level(bucket, now);
  bucket = {.left = left < 1 ? left : left - 1, .filled = now};
  return left < 1 ? (1 - left) / rate_ : 0;
}

/// A bucket that is full says nothing. Each is full two seconds after its last request, or one request's time.
void RateLimiter::forget_full(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) { return level(entry.second, now) >= burst(); });
  sweep_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
}

}  // namespace nearkin::server
