// The buckets near a query in a table of slots (query-directed multi-probe: Lv, Josephson, Wang, Charikar and Li, VLDB 2007).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// One row of the query's key moved to the slot below (−1) or above (+1).
struct Shift {
  std::uint32_t row;
  std::int32_t step;
  bool operator==(const Shift&) const = default;
};

/// The nearest buckets, nearest first: each as the shifts that lead to it from the query's own, which is the first and has none.
class ProbeSequence {
 public:
  /// `fractions[row]` in 0..1: where in its slot the query lies, so that it is fractions[row] from the slot below and 1 − fractions[row]
  /// from the one above. Finds the `count` buckets of least Σ distance² over their shifts, or all 3^rows where there are no more.
  /// The same on every machine; where sums tie, the order follows from the fractions alone. O(count·(log count + shifts) + rows·log rows).
  void find(std::span<const double> fractions, std::uint32_t count);

  std::size_t size() const { return ends_.size(); }
  std::span<const Shift> operator[](std::size_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return {shifts_.data() + begin, ends_[i] - begin};
  }

 private:
  struct Step {
    double cost;  ///< distance²
    Shift shift;
  };
  /// A set of steps, as the last of them and the set of the others; the ranks of `steps_` ascend from the first to the last.
  struct Node {
    double cost;
    std::uint32_t others;  ///< place in nodes_; 0 is the empty set
    std::uint32_t last;    ///< rank in steps_
  };

  void order_steps(std::span<const double> fractions);
  bool later(std::uint32_t a, std::uint32_t b) const;
  void push(std::uint32_t others, std::uint32_t last);
  std::uint32_t pop();
  bool moves_a_row_twice(const Node& node) const;
  void keep(std::uint32_t node);

  std::vector<Step> steps_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> heap_;  ///< places in nodes_
  std::vector<Shift> shifts_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace nearkin
