// Rows as bytes, in memory or in files: the interface of the joins, which need not know where the rows are.
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
  /// The bytes that the row takes in memory; a multiple of 8 if they are read as 64-bit numbers.
  std::function<std::uint64_t(Row row)> size;
  /// Calls use(worker, i, bytes) for each of the rows, which ascend; on many threads at once.
  using Use = std::function<void(unsigned worker, std::size_t i, std::span<const std::byte> bytes)>;
  std::function<void(std::span<const Row> rows, const Use& use)> read;
  /// The bytes of a row in memory, which stay valid; empty if the rows are in files. Thread-safe.
  std::function<std::span<const std::byte>(Row row)> at = {};
};

/// Sets that are in memory, by row, without a copy. They must outlive the result, which reads them on `threads` threads
/// (0: one for each core).
RowBytes rows_in_memory(const Features& features, unsigned threads);
RowBytes rows_in_memory(std::span<const std::span<const std::uint64_t>> sets, unsigned threads);
/// Sketches of `hashes` slots each, one after another.
RowBytes rows_in_memory(std::span<const std::uint32_t> slots, std::size_t hashes, unsigned threads);
/// The same for any bytes: at(row) returns those of a row.
RowBytes rows_in_memory(std::function<std::span<const std::byte>(Row row)> at, unsigned threads);

/// The bytes of a row as a set of 64-bit numbers.
inline std::span<const std::uint64_t> as_set(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

}  // namespace nearkin
