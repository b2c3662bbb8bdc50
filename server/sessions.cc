#include <utility>
#include <vector>

#include "session.h"

namespace nearkin::server {

std::size_t Sessions::size() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void Sessions::add(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  open_.emplace(session.get(), session);
}

void Sessions::remove(Session* session) {
  const std::lock_guard lock(mutex_);
  open_.erase(session);
  changed_.notify_all();
}

std::shared_ptr<Session> Sessions::longest_silent() const {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  using Silent = std::pair<bool, std::chrono::steady_clock::time_point>;  // those that never asked anything first
  const std::weak_ptr<Session>* found = nullptr;
  Silent least;
  for (const auto& [session, weak] : open_) {
    const auto since = session->silent_since();
    if (!since || *since > now || (found != nullptr && Silent(session->has_spoken(), *since) >= least)) continue;
    found = &weak;
    least = {session->has_spoken(), *since};
  }
  return found == nullptr ? nullptr : found->lock();
}

void Sessions::each(const std::function<void(Session&)>& apply) {
  std::vector<std::shared_ptr<Session>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [session, weak] : open_) {
      if (auto shared = weak.lock()) alive.push_back(std::move(shared));
    }
  }
  for (const auto& session : alive) apply(*session);
}

bool Sessions::wait_until_gone(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return open_.empty(); });
}

}  // namespace nearkin::server
