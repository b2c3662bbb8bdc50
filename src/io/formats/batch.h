// Records on their way from bytes to items: the chunk they stand in, where each begins, what it was parsed to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/vectors.h>

namespace nearkin {

class RunFile;

/// Bytes that may be read, not used, past the end of any chunk: what the parsers and kernels over-read.
inline constexpr std::size_t kChunkPadding = 128;

/// Where a record stands: enough to read it again.
struct Location {
  std::uint32_t source = 0;
  std::uint32_t line = 0;  ///< of its first byte, from 1; of binary vector files the row, from 0
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< with its line end, if it has one
};

/// Consecutive whole records of one source, with the bytes owned by the chunk (plus kChunkPadding readable bytes).
struct Chunk {
  std::uint32_t source = 0;
  std::uint32_t first_line = 1;  ///< or row, as in Location
  std::uint64_t offset = 0;      ///< of bytes.front() in the source, after decompression
  std::shared_ptr<const std::string> buffer;
  std::string_view bytes;    ///< part of *buffer
  std::string problem = {};  ///< why the source, or the rest of it, is left out; there are no bytes then
  /// Not null: this chunk stands for the records of one segment of a sketch file, whose sources begin with `source`; there are no bytes
  /// then, and nothing to parse.
  std::shared_ptr<const RunFile> sketch = {};
  std::uint32_t segment = 0;
  std::uint64_t next_line = 1;  ///< or row: of what follows the chunk
  std::uint32_t rows = 0;       ///< items in memory: so many of them, from row `offset` on; there are no bytes then
};

/// The records of a chunk, parsed. Flat arrays, one entry an item; faults apart.
struct Batch {
  Items items;
  std::vector<Location> locations;
  /// Formats sparse, dense, bits: the items' numbers, items.text(i) being empty. A parser keeps every well-formed record whatever its
  /// length; lengths are compared by whoever gathers the batches, in order (vector_batch.h). So `dimensions` is 0, and `ends` has the end
  /// of each item for every kind: in indices and values, in numbers, or in words.
  Vectors vectors;
  std::vector<std::uint32_t> vector_lengths;  ///< dense and bits: numbers or bits of each item
  std::vector<double> numbers;                ///< Input::number of each item, NaN where absent; empty when it was not asked for
  Strings metadata;  ///< of each item: Input::metadata as a JSON object, empty where it has none of them; empty when it was not asked for
  Faults faults;
  std::vector<Location> fault_locations;  ///< of every record at fault
  void clear();
};

}  // namespace nearkin
