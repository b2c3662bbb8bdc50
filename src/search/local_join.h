// Brings the rows of pairs together. Rows in memory are used directly. From files, the first rows of a batch of pairs are held in memory
// while the second rows are read in ascending order, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include <nearkin/items.h>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "match/row_bytes.h"

namespace nearkin {

/// A batch of pairs whose first rows fit in memory.
class LocalBatch {
 public:
  /// Takes pairs from `begin` on, as many as fit, and reads their first rows. Returns the place behind the last of them.
  std::size_t load(std::span<const std::uint64_t> pairs, std::size_t begin, const RowBytes& rows, std::uint64_t memory);
  /// Calls judge(worker, i, first, second) for each pair of the batch.
  template <typename Judge>
  void join(const RowBytes& rows, Judge&& judge) {
    rows.read(passing_, [&](unsigned worker, std::size_t i, std::span<const std::byte> row) {
      for (std::size_t k = ranges_[i]; k < ranges_[i + 1]; ++k) {
        const auto pair = static_cast<std::uint32_t>(by_second_[k]);
        const std::uint32_t first = place_[pair];
        const auto* const bytes = reinterpret_cast<const std::byte*>(arena_.data() + starts_[first] / 8);
        judge(worker, begin_ + pair, std::span(bytes, sizes_[first]), row);
      }
    });
  }

 private:
  void read_held(const RowBytes& rows, std::uint64_t bytes);
  void group_by_second();

  std::size_t begin_ = 0;
  std::vector<Row> held_, passing_;
  std::vector<std::uint64_t> starts_, by_second_, scratch_, arena_;
  std::vector<std::size_t> sizes_, ranges_;  // of each held row; of each passing row in by_second_
  std::vector<std::uint32_t> place_;         // of each pair of the batch in held_
};

/// Calls judge(worker, i, bytes of the first row, bytes of the second) for each of the pairs (a << 32 | b, ascending), in any order, many
/// threads at once. Holds about `memory` bytes of rows that are in files.
template <typename Judge>
void join_local(std::span<const std::uint64_t> pairs, const RowBytes& rows, std::uint64_t memory, unsigned threads, Judge&& judge) {
  if (rows.at) {
    constexpr std::size_t kBlock = 1024;
    parallel_for(pairs.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t i = begin; i < end; ++i)
        judge(worker, i, rows.at(static_cast<Row>(pairs[i] >> 32)), rows.at(static_cast<Row>(pairs[i])));
    });
    return;
  }
  LocalBatch batch;
  for (std::size_t begin = 0; begin < pairs.size();) {
    begin = batch.load(pairs, begin, rows, memory);
    batch.join(rows, judge);
  }
}

}  // namespace nearkin
