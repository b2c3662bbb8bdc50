#include "match/row_bytes.h"

#include "base/parallel.h"

namespace nearkin {
namespace {

template <typename SetOf>
RowBytes in_memory(SetOf set_of, unsigned threads) {
  const auto at = [set_of](Row row) { return std::as_bytes(set_of(row)); };
  const auto read = [at, threads](std::span<const Row> rows, const RowBytes::Use& use) {
    constexpr std::size_t kBlock = 256;
    parallel_for(rows.size(), kBlock, thread_count(threads), [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t i = begin; i < end; ++i) use(worker, i, at(rows[i]));
    });
  };
  return {.size = [set_of](Row row) { return std::uint64_t{set_of(row).size_bytes()}; }, .read = read, .at = at};
}

}  // namespace

RowBytes rows_in_memory(const Features& features, unsigned threads) {
  return in_memory([&features](Row row) { return features[row]; }, threads);
}

RowBytes rows_in_memory(std::span<const std::span<const std::uint64_t>> sets, unsigned threads) {
  return in_memory([sets](Row row) { return sets[row]; }, threads);
}

}  // namespace nearkin
