// Chunker: one open source, cut into chunks of whole records.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>

#include "io/byte_stream.h"
#include "io/source.h"

namespace nearkin {

inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// Buffers of one size that are used again: fresh memory costs more than reading a cached file into it.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// `size` bytes of any content.
  std::shared_ptr<std::string> take(std::size_t size);

 private:
  void give_back(std::unique_ptr<std::string> buffer);

  std::mutex mutex_;
  std::vector<std::unique_ptr<std::string>> free_;
};

std::uint64_t count_newlines(std::string_view bytes);

/// Length of the whole records that `bytes` begin with. The first `searched` bytes hold no line end that counts.
std::size_t whole_records(Format format, char separator, std::string_view bytes, std::size_t searched, bool at_end);

class Chunker {
 public:
  Chunker(ByteStream stream, std::uint32_t source, std::uint64_t size_hint, std::shared_ptr<BufferPool> pool);

  /// The first bytes, at least `size` of them unless the source is shorter. Before anything else is taken.
  std::string_view peek(std::size_t size);
  bool peeked_all() const { return at_end_; }
  /// Counts `size` of the bytes seen by `peek` as gone.
  void skip(std::size_t size);

  /// The next chunk, with kChunkPadding zero bytes behind it; nothing at the end. An empty source of format `files` is one empty chunk.
  std::optional<Chunk> next(Format format, char separator);

  /// Where the chunks returned so far end; 0 before the first.
  std::uint64_t returned_to() const { return returned_ ? offset_ : 0; }
  bool compressed() const { return stream_.compressed(); }
  Descriptor take_file() { return stream_.take_file(); }

 private:
  std::size_t wanted(Format format) const;

  ByteStream stream_;
  std::uint32_t source_;
  std::uint64_t size_hint_;  ///< the source's size where it is known, else 0
  std::shared_ptr<BufferPool> pool_;
  std::string carry_;  ///< read, not yet returned
  bool at_end_ = false;
  bool returned_ = false;
  std::uint64_t offset_ = 0, line_ = 1;  ///< of carry_'s first byte
};

}  // namespace nearkin
