// Sets as they come from files: each is handed out in a buffer that is used again for the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "match/row_bytes.h"
#include "support/random_sets.h"

namespace nearkin::test {

/// The sets must outlive the result. Rows that are read in another than ascending order are a failure: the bytes are then none.
inline RowBytes rows_in_buffers(const std::vector<Set>& sets, unsigned threads) {
  const auto read = [&sets, threads](std::span<const Row> rows, const RowBytes::Use& use) {
    if (!std::is_sorted(rows.begin(), rows.end())) return;
    parallel_for(rows.size(), 7, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t i = begin; i < end; ++i) {
        Set buffer = sets[rows[i]];
        use(worker, i, std::as_bytes(std::span<const std::uint64_t>(buffer)));
        std::fill(buffer.begin(), buffer.end(), 0xDEADu);
      }
    });
  };
  return {.size = [&sets](Row row) { return sizeof(std::uint64_t) * std::uint64_t{sets[row].size()}; }, .read = read};
}

}  // namespace nearkin::test
