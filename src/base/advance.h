// How much of a stage is done.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace nearkin {

/// Adds up what the workers of a stage have done. Worker 0, which is the thread that started the others, tells of it, about a thousand
/// times in all, so a program gets word from one thread. Workers add whole blocks, not single pairs.
class Advance {
 public:
  using Tell = std::function<void(std::uint64_t done, std::uint64_t total)>;
  explicit Advance(Tell tell) : tell_(std::move(tell)) {}

  /// There is so much to do, in any unit; begins anew. Call from the thread that starts the workers.
  void expect(std::uint64_t total) {
    done_ = 0;
    next_ = 0;
    total_ = total;
  }
  void add(unsigned worker, std::uint64_t amount) {
    const std::uint64_t done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
    if (worker != 0 || done < next_ || total_ == 0) return;
    next_ = done + total_ / kSteps + 1;
    tell_(std::min(done, total_), total_);
  }

 private:
  static constexpr std::uint64_t kSteps = 1000;
  Tell tell_;
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t total_ = 0, next_ = 0;  // next_: worker 0 alone uses it
};

/// For one that may be absent.
inline void expect(Advance* advance, std::uint64_t total) {
  if (advance != nullptr) advance->expect(total);
}
inline void add(Advance* advance, unsigned worker, std::uint64_t amount) {
  if (advance != nullptr) advance->add(worker, amount);
}

}  // namespace nearkin
