#include "turns.h"

#include <utility>

namespace nearkin::server {

void Turns::run(const std::string& client, Job job) {
  if (take(client, job)) finish(job);
}

void Turns::run_later(const std::string& client, Job job) {
  if (take(client, job)) post_([this, job = std::move(job)] { finish(job); });
}

bool Turns::take(const std::string& client, Job& job) {
  const std::lock_guard lock(mutex_);
  if (free_ == 0) {
    std::deque<Job>& of_client = waiting_[client];
    if (of_client.empty()) clients_.push_back(client);
    of_client.push_back(std::move(job));
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
  if (!clients_.empty()) return post_([this, job = next()] { finish(job); });
  ++free_;
  if (--running_ == 0) still_.notify_all();
}

Turns::Job Turns::next() {
  const std::string client = std::move(clients_.front());
  clients_.pop_front();
  const auto of_client = waiting_.find(client);
  Job job = std::move(of_client->second.front());
  of_client->second.pop_front();
  if (of_client->second.empty())
    waiting_.erase(of_client);
  else
    clients_.push_back(client);
  return job;
}

void Turns::wait_until_still() {
  std::unique_lock lock(mutex_);
  still_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace nearkin::server
