#include "match/held_sets.h"

#include <algorithm>
#include <numeric>

namespace nearkin {

HeldSets::HeldSets(const RowBytes& sets, std::span<const Row> rows) : spans_(rows.size()) {
  if (sets.at) {
    for (std::size_t i = 0; i < rows.size(); ++i) spans_[i] = as_set(sets.at(rows[i]));
    return;
  }
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return rows[x] < rows[y]; });
  std::vector<Row> ascending(rows.size());
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ascending[i] = rows[order[i]];
    total += sets.size(ascending[i]) / sizeof(std::uint64_t);
  }
  elements_.resize(static_cast<std::size_t>(total));
  std::uint64_t* next = elements_.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto count = static_cast<std::size_t>(sets.size(ascending[i]) / sizeof(std::uint64_t));
    spans_[order[i]] = {next, count};
    next += count;
  }
  sets.read(ascending, [&](unsigned, std::size_t i, std::span<const std::byte> bytes) {
    const std::span<const std::uint64_t> set = as_set(bytes), place = spans_[order[i]];
    std::copy_n(set.begin(), std::min(set.size(), place.size()), elements_.data() + (place.data() - elements_.data()));
  });
}

}  // namespace nearkin
