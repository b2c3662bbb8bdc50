// Pairs of rows that are in files, brought together with few reads: the first rows of a batch of pairs are held in memory, the second
// rows pass by in ascending order, each read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <nearkin/items.h>

#include "base/radix_sort.h"
#include "match/row_bytes.h"

namespace nearkin {

/// Calls judge(worker, i, bytes of the first row, bytes of the second) for each of the pairs (a << 32 | b, ascending), in any order, many
/// threads at once. Holds about `memory` bytes.
template <typename Judge>
void join_local(std::span<const std::uint64_t> pairs, const RowBytes& rows, std::uint64_t memory, Judge&& judge) {
  std::vector<Row> held, passing;
  std::vector<std::uint64_t> starts, by_second, scratch, arena;
  std::vector<std::uint32_t> place;  // of each pair of the batch in `held`
  std::vector<std::size_t> ranges;   // of each passing row in by_second
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    held.clear(), starts.clear(), place.clear(), by_second.clear(), passing.clear(), ranges.clear();
    std::uint64_t bytes = 0;
    constexpr std::size_t kMostPairs = std::size_t{1} << 31;
    for (end = begin; end < pairs.size() && end - begin < kMostPairs; ++end) {
      const auto a = static_cast<Row>(pairs[end] >> 32);
      if (held.empty() || held.back() != a) {
        const std::uint64_t size = rows.size(a);
        if (!held.empty() && bytes + size > memory) break;
        held.push_back(a);
        starts.push_back(bytes);
        bytes += (size + 7) / 8 * 8;
      }
      place.push_back(static_cast<std::uint32_t>(held.size() - 1));
      by_second.push_back(pairs[end] << 32 | (end - begin));
    }
    arena.resize(static_cast<std::size_t>(bytes / 8));
    std::vector<std::size_t> sizes(held.size());
    rows.read(held, [&](unsigned, std::size_t i, std::span<const std::byte> row) {
      if (!row.empty()) std::memcpy(arena.data() + starts[i] / 8, row.data(), row.size());
      sizes[i] = row.size();
    });
    radix_sort(by_second, scratch, 4, 8);
    for (std::size_t i = 0; i < by_second.size(); ++i) {
      const auto b = static_cast<Row>(by_second[i] >> 32);
      if (!passing.empty() && passing.back() == b) continue;
      passing.push_back(b);
      ranges.push_back(i);
    }
    ranges.push_back(by_second.size());
    rows.read(passing, [&](unsigned worker, std::size_t i, std::span<const std::byte> row) {
      for (std::size_t k = ranges[i]; k < ranges[i + 1]; ++k) {
        const auto pair = static_cast<std::uint32_t>(by_second[k]);
        const std::uint32_t first = place[pair];
        judge(worker, begin + pair, std::span(reinterpret_cast<const std::byte*>(arena.data() + starts[first] / 8), sizes[first]), row);
      }
    });
  }
}

}  // namespace nearkin
