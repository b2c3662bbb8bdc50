#include "turns.h"

#include <utility>

namespace nearkin::server {

void Turns::run(Job job) {
  if (take(job)) finish(job);
}

void Turns::run_later(Job job) {
  if (take(job)) post_([this, job = std::move(job)] { finish(job); });
}

bool Turns::take(Job& job) {
  const std::lock_guard lock(mutex_);
  if (free_ == 0) {
    waiting_.push_back(std::move(job));
    return false;
  }
  --free_;
  ++running_;
  return true;
}

/// The next job comes after whatever else this thread has to do, so that the strand it is on is not held up by the jobs of others.
void Turns::finish(const Job& job) {
  job();
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) {
    post_([this, next = std::move(waiting_.front())] { finish(next); });
    waiting_.pop_front();
    return;
  }
  ++free_;
  if (--running_ == 0) still_.notify_all();
}

void Turns::wait_until_still() {
  std::unique_lock lock(mutex_);
  still_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace nearkin::server
