#include "base/probe_sequence.h"

#include <algorithm>
#include <tuple>

namespace nearkin {

void ProbeSequence::order_steps(std::span<const double> fractions) {
  steps_.clear();
  for (std::uint32_t row = 0; row < fractions.size(); ++row) {
    const double below = fractions[row], above = 1 - fractions[row];
    steps_.push_back({below * below, {row, -1}});
    steps_.push_back({above * above, {row, +1}});
  }
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
    return std::tie(a.cost, a.shift.row, a.shift.step) < std::tie(b.cost, b.shift.row, b.shift.step);
  });
}

// A node is younger than those it was made from, and never cheaper: equal costs leave the heap in the order of their making.
bool ProbeSequence::later(std::uint32_t a, std::uint32_t b) const { return std::tie(nodes_[a].cost, a) > std::tie(nodes_[b].cost, b); }

void ProbeSequence::push(std::uint32_t others, std::uint32_t last) {
  if (last >= steps_.size()) return;
  const auto place = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({nodes_[others].cost + steps_[last].cost, others, last});
  heap_.push_back(place);
  std::push_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) { return later(a, b); });
}

std::uint32_t ProbeSequence::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) { return later(a, b); });
  const std::uint32_t place = heap_.back();
  heap_.pop_back();
  return place;
}

bool ProbeSequence::moves_a_row_twice(const Node& node) const {
  const std::uint32_t row = steps_[node.last].shift.row;
  for (std::uint32_t other = node.others; other != 0; other = nodes_[other].others) {
    if (steps_[nodes_[other].last].shift.row == row) return true;
  }
  return false;
}

void ProbeSequence::keep(std::uint32_t node) {
  for (; node != 0; node = nodes_[node].others) shifts_.push_back(steps_[nodes_[node].last].shift);
  ends_.push_back(static_cast<std::uint32_t>(shifts_.size()));
}

void ProbeSequence::find(std::span<const double> fractions, std::uint32_t count) {
  shifts_.clear();
  ends_.clear();
  heap_.clear();
  if (count == 0) return;
  ends_.push_back(0);
  if (count == 1) return;
  order_steps(fractions);
  nodes_.assign(1, {0, 0, 0});
  push(0, 0);
  // Every set has one parent: it without its last step where the last two ranks are neighbours, else it with its last step one rank lower.
  while (ends_.size() < count && !heap_.empty()) {
    const std::uint32_t place = pop();
    const Node node = nodes_[place];
    push(node.others, node.last + 1);
    if (moves_a_row_twice(node)) continue;  // and so would every set that adds to it
    keep(place);
    push(place, node.last + 1);
  }
}

}  // namespace nearkin
