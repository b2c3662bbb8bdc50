// What is connected already: components that threads ask about while matches are still being found, and stretches of index lists that are
// of one component.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// Components that many threads may ask about while one unites. What a thread is told may be late: a pair that was just joined may still be
/// told apart, never the other way round.
class SharedComponents {
 public:
  explicit SharedComponents(std::size_t rows) : parent_(rows), met_(rows) {
    for (Row row = 0; row < rows; ++row) parent_[row].store(row, std::memory_order_relaxed);
  }
  bool joined(Row a, Row b) const { return root(a) == root(b); }
  /// Whether the row is joined with no other.
  bool alone(Row row) const { return !met_[row].load(std::memory_order_relaxed); }

  /// Whether they were apart. One thread at a time.
  bool unite(Row a, Row b) {
    const Row x = root(a), y = root(b);
    if (x == y) return false;
    parent_[std::max(x, y)].store(std::min(x, y), std::memory_order_relaxed);
    met_[a].store(true, std::memory_order_relaxed);
    met_[b].store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  // The least row of a component. A row's parent is never greater than the row, so that ways which threads shorten at the same time end.
  Row root(Row row) const {
    for (Row parent = above(row); parent != row; parent = above(row)) {
      const Row next = above(parent);
      if (next != parent) parent_[row].store(next, std::memory_order_relaxed);
      row = next;
    }
    return row;
  }
  Row above(Row row) const { return parent_[row].load(std::memory_order_relaxed); }

  mutable std::vector<std::atomic<Row>> parent_;
  std::vector<std::atomic<bool>> met_;
};

/// Of each entry of an index how many before it are known to be of its component. What was joined stays joined: whatever a thread writes
/// here is true for ever, and what it overwrites was true as well. 4 bytes per entry.
class JoinedStretches {
 public:
  JoinedStretches() = default;
  explicit JoinedStretches(std::size_t entries) : before_(entries) {}

  /// look(i) for the entries [begin, end) of a list, the last first, which joined(i) does not say to be of the component of the one who
  /// asks; ends where look returns false. What joined(i) says may be late, and true once and false the next time. Whole stretches of a
  /// component are passed over at once, and noted for those who ask next.
  template <typename Joined, typename Look>
  void walk(std::size_t begin, std::size_t end, Joined&& joined, Look&& look) {
    for (std::size_t i = end; i > begin;) {
      if (!joined(i - 1)) {
        if (!look(--i)) return;
        continue;
      }
      const std::size_t top = i - 1;
      do i = first_of_stretch(i - 1);
      while (i > begin && joined(i - 1));
      before_[top].store(static_cast<std::uint32_t>(top - i), std::memory_order_relaxed);
    }
  }

 private:
  std::size_t first_of_stretch(std::size_t i) const {
    while (const std::uint32_t more = before_[i].load(std::memory_order_relaxed)) i -= more;
    return i;
  }

  std::vector<std::atomic<std::uint32_t>> before_;
};

}  // namespace nearkin
