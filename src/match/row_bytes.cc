#include "match/row_bytes.h"

#include "base/parallel.h"

namespace nearkin {

RowBytes rows_in_memory(std::function<std::span<const std::byte>(Row row)> at, unsigned threads) {
  const auto read = [at, threads](std::span<const Row> rows, const RowBytes::Use& use) {
    constexpr std::size_t kBlock = 256;
    parallel_for(rows.size(), kBlock, thread_count(threads), [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t i = begin; i < end; ++i) use(worker, i, at(rows[i]));
    });
  };
  return {.size = [at](Row row) { return std::uint64_t{at(row).size()}; }, .read = read, .at = at};
}

RowBytes rows_in_memory(const Features& features, unsigned threads) {
  return rows_in_memory([&features](Row row) { return std::as_bytes(features[row]); }, threads);
}

RowBytes rows_in_memory(std::span<const std::span<const std::uint64_t>> sets, unsigned threads) {
  return rows_in_memory([sets](Row row) { return std::as_bytes(sets[row]); }, threads);
}

RowBytes rows_in_memory(std::span<const std::uint32_t> slots, std::size_t hashes, unsigned threads) {
  return rows_in_memory([slots, hashes](Row row) { return std::as_bytes(slots.subspan(row * hashes, hashes)); }, threads);
}

}  // namespace nearkin
