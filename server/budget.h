// A bound on what all requests together hold in memory.
#pragma once

#include <atomic>
#include <cstddef>

namespace nearkin::server {

class Budget {
 public:
  explicit Budget(std::size_t most) : most_(most) {}

  std::size_t most() const { return most_; }
  std::size_t used() const { return used_; }
  bool take(std::size_t bytes) {
    std::size_t used = used_;
    while (bytes <= most_ && used <= most_ - bytes) {
      if (used_.compare_exchange_weak(used, used + bytes)) return true;
    }
    return false;
  }
  void give(std::size_t bytes) { used_ -= bytes; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_{0};
};

/// What one request holds of the budget; given back at its end. The first bytes are free, so that small requests are answered while large
/// ones have taken everything.
class Charge {
 public:
  static constexpr std::size_t kFree = 16 << 10;

  explicit Charge(Budget& budget) : budget_(&budget) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() { budget_->give(taken(held_)); }

  Budget& budget() const { return *budget_; }
  std::size_t held() const { return held_; }
  bool grow(std::size_t bytes) {
    const std::size_t more = taken(held_ + bytes) - taken(held_);
    if (more > 0 && !budget_->take(more)) return false;
    held_ += bytes;
    return true;
  }
  void shrink(std::size_t bytes) {
    budget_->give(taken(held_) - taken(held_ - bytes));
    held_ -= bytes;
  }
  /// Holds so many bytes in place of what it held. False: it holds what it held.
  bool set(std::size_t bytes) {
    if (bytes > held_) return grow(bytes - held_);
    shrink(held_ - bytes);
    return true;
  }
  /// Whether so much more would be too much even if nobody else held anything.
  bool hopeless(std::size_t more) const { return held_ + more > budget_->most() + kFree; }

 private:
  static std::size_t taken(std::size_t held) { return held > kFree ? held - kFree : 0; }

  Budget* budget_;
  std::size_t held_ = 0;
};

/// Throws Problem(413) where the request alone is too much, else Problem(503).
[[noreturn]] void refuse_memory(const Charge& charge, std::size_t more);
/// For an answer. Throws Problem(422), ending in `way_out`, where it alone is too much, else Problem(503).
void take_for_answer(Charge& charge, std::size_t bytes, const char* way_out);

}  // namespace nearkin::server
