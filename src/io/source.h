// Sources: the files, folders and streams of an Input as one sequence of chunks of whole records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/vectors.h>

namespace nearkin {

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
  std::uint64_t offset = 0;  ///< of bytes.front() in the source, after decompression
  std::shared_ptr<const std::string> buffer;
  std::string_view bytes;    ///< part of *buffer
  std::string problem = {};  ///< why the source, or the rest of it, is left out; there are no bytes then
};

/// The records of a chunk, parsed. Flat arrays, one entry an item; faults apart.
struct Batch {
  Items items;
  std::vector<Location> locations;
  /// Formats sparse, dense, bits: the items' numbers, items.text(i) being empty. A parser keeps every well-formed record whatever its length;
  /// lengths are compared by whoever gathers the batches, in order (vector_batch.h). So `dimensions` is 0, and `ends` has the end of each
  /// item for every kind: in indices and values, in numbers, or in words.
  Vectors vectors;
  std::vector<std::uint32_t> vector_lengths;  ///< dense and bits: numbers or bits of each item
  std::vector<double> numbers;  ///< Input::number of each item, NaN where absent; empty when it was not asked for
  Faults faults;
  std::vector<Location> fault_locations;  ///< of every record at fault
  void clear();
};

/// Opens the paths of an input one after the other and cuts them into chunks.
/// `next` and `parse` together see every byte of the input once; a byte order mark belongs to no record. `read` fetches records again,
/// from the file where that is possible (plain files), else from memory, where the bytes of standard input and of compressed files are
/// kept when `keep_bytes` asks for it.
class Sources {
 public:
  /// Expands folders, globs and lists. Throws Error(file) for a path that does not exist or a glob without a match, Error(data) where
  /// vectors were named together with texts or with vectors of another format.
  Sources(const Input& input, bool keep_bytes);
  ~Sources();
  Sources(Sources&&) noexcept;
  Sources& operator=(Sources&&) noexcept;

  /// The next chunk, or nothing at the end. One caller at a time. Chunks are about a megabyte, or one record where that is longer.
  /// Throws Error(file) for a named source that cannot be read to its end; one found in a folder becomes a fault where that happens.
  /// Edges: the chunks of their files yield no items; their nodes follow when all sources are read, as chunks of one more source, made
  /// here: lines "node neighbour neighbour …".
  std::optional<Chunk> next();

  /// The next chunk is the first of this source, or of one behind it; what was not yet read of those before it is left out.
  void go_to(std::size_t source);

  /// Parses a chunk. May be called by many threads at once. Throws Error(data) for the first fault when the input is strict.
  void parse(const Chunk& chunk, Batch& batch) const;

  /// The bytes of one record, as they were read. Many threads at once; `buffer` is scratch and holds the result where it must be copied.
  /// Throws Error(file) when the file has changed since it was read.
  std::string_view read(const Location& location, std::string& buffer) const;
  /// Parses one record again, that parsed well before; appends to batch.items, and to the vectors where it is one, only.
  void parse_again(const Location& location, std::string& buffer, Batch& batch) const;

  std::size_t size() const;                        ///< number of sources, with the one made of edges at the end
  const std::string& name(std::size_t i) const;    ///< path as given or found; "-" is standard input
  Format format(std::size_t i) const;              ///< known once the source's first chunk was returned
  /// csv/tsv/table: the character between two fields.
  char separator(std::size_t i) const;
  /// csv/tsv/table and dense text: the header record with its line end and what stands before it, without a byte order mark. .npy and IDX:
  /// the bytes before the first row. Else nothing.
  std::string_view header(std::size_t i) const;
  /// table: the number of questions, columns other than the id. Known once the source's first chunk was returned.
  std::uint32_t columns(std::size_t i) const;
  /// Records are bytes of a fixed layout, not lines (.npy, .fvecs, .bvecs, IDX). Known once the source's first chunk was returned.
  bool is_binary(std::size_t i) const;
  /// A plain file, not compressed, in which every line is a record: one can begin to read anywhere in it. Known once the source's first
  /// chunk was returned.
  bool is_lines_on_disk(std::size_t i) const;
  std::uint64_t bytes(std::size_t i) const;  ///< of a plain file, compressed or not; else 0
  /// Bytes of all plain files named, for progress; 0 when not known.
  std::uint64_t total_bytes() const;
  std::uint64_t bytes_read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The header of a .npy or IDX source for `kept` rows instead of its own; empty for all other sources. Two sources whose rows may follow
/// one another have the same header for the same number of rows.
std::string header_for(const Sources& sources, std::size_t source, std::uint64_t kept);

}  // namespace nearkin
