// Rows as bytes, in memory or in files: what joins are written over, so that they need not know where the rows are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <nearkin/items.h>
#include <nearkin/stages.h>

namespace nearkin {

/// Rows as bytes.
struct RowBytes {
  /// That the row takes in memory, a multiple of 8 where the bytes are to be read as numbers of 64 bits.
  std::function<std::uint64_t(Row row)> size;
  /// use(worker, i, bytes) for each of the rows, which are ascending; many threads at once.
  using Use = std::function<void(unsigned worker, std::size_t i, std::span<const std::byte> bytes)>;
  std::function<void(std::span<const Row> rows, const Use& use)> read;
  /// The bytes of a row that is in memory, which stay there; absent where rows are in files. Many threads at once.
  std::function<std::span<const std::byte>(Row row)> at = {};
};

/// Sets that are in memory, by row, without a copy. They must outlive the result, which reads them on `threads` threads
/// (0: one for each core).
RowBytes rows_in_memory(const Features& features, unsigned threads);
RowBytes rows_in_memory(std::span<const std::span<const std::uint64_t>> sets, unsigned threads);
/// Sketches of so many slots each, one after the other.
RowBytes rows_in_memory(std::span<const std::uint32_t> slots, std::size_t hashes, unsigned threads);
/// The same of any bytes: at(row) are those of a row.
RowBytes rows_in_memory(std::function<std::span<const std::byte>(Row row)> at, unsigned threads);

/// Bytes of a row as the set of numbers that they are.
inline std::span<const std::uint64_t> as_set(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

}  // namespace nearkin
