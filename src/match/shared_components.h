// What is already connected: components that threads query while matches are still being found, and ranges of index lists that belong to
// one component.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// Components that many threads may query while one thread unites. Answers may be late: a pair that was just joined may still be reported
/// as apart, never the other way round.
class SharedComponents {
 public:
  explicit SharedComponents(std::size_t rows) : parent_(rows), met_(rows) {
    for (Row row = 0; row < rows; ++row) parent_[row].store(row, std::memory_order_relaxed);
  }
  bool joined(Row a, Row b) const { return root(a) == root(b); }
  /// Whether the row is joined with no other row.
  bool alone(Row row) const { return !met_[row].load(std::memory_order_relaxed); }

  /// Joins two rows; returns whether they were apart. One thread at a time.
  bool unite(Row a, Row b) {
    const Row x = root(a), y = root(b);
    if (x == y) return false;
    parent_[std::max(x, y)].store(std::min(x, y), std::memory_order_relaxed);
    met_[a].store(true, std::memory_order_relaxed);
    met_[b].store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  // The least row of a component. A row's parent is never greater than the row, so the loop ends even while other threads shorten paths.
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

/// For each entry of an index, how many entries before it are known to belong to its component. Joined rows stay joined, so whatever a
/// thread writes here stays true, and so does what it overwrites. 4 bytes per entry.
class JoinedStretches {
 public:
  JoinedStretches() = default;
  explicit JoinedStretches(std::size_t entries) : before_(entries) {}

  /// Calls look(i) for the entries [begin, end) of a list, the last first, for which joined(i) is false, that is, which are not known to be
  /// in the caller's component. Ends if look returns false. joined(i) may be late, and may be true once and false the next time. Whole
  /// ranges of one component are skipped at once, and noted for later callers.
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
