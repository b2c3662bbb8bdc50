#include "analysis/sample_rows.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace nearkin {

std::vector<Row> sample_rows(std::size_t size, std::uint64_t count, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, Row>> tickets;
  for (std::size_t i = 0; i < size; ++i) tickets.emplace_back(mix64(mix64(seed) ^ (i + 1)), static_cast<Row>(i));
  const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, count));
  std::nth_element(tickets.begin(), tickets.begin() + static_cast<std::ptrdiff_t>(taken), tickets.end());
  std::vector<Row> rows;
  for (std::size_t i = 0; i < taken; ++i) rows.push_back(tickets[i].second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::uint8_t> parts_of(std::span<const Row> rows, std::size_t parts) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(mix64(~std::uint64_t{rows[i]}), i);
  std::sort(order.begin(), order.end());
  std::vector<std::uint8_t> dealt(rows.size());
  for (std::size_t place = 0; place < order.size(); ++place) dealt[order[place].second] = static_cast<std::uint8_t>(place % parts);
  return dealt;
}

}  // namespace nearkin
