// Chunker: one open source, cut into chunks of whole records.
#pragma once

#include <mutex>

#include <nearkin/items.h>

#include "io/bytes/byte_stream.h"
#include "io/formats/array.h"
#include "io/formats/encoding.h"
#include "io/formats/records.h"

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

/// How the bytes of a source fall into records.
struct RecordCut {
  enum class Kind : std::uint8_t { lines, csv, file, array, packed, warc };
  Kind kind = Kind::lines;
  char separator = ',';  ///< csv
  ArrayLayout array;     ///< array, its kind not lines
};

/// The whole records that some bytes begin with.
struct WholeRecords {
  std::size_t length = 0;
  std::uint64_t rows = 0;    ///< array, packed, warc
  bool stopped = false;      ///< what follows is no record, whatever comes after it
  std::uint64_t passed = 0;  ///< warc: Chunk::passed
};
/// The first `searched` bytes hold no line end that counts. `most_rows`: array, so many at the most.
WholeRecords whole_records(const RecordCut& cut, std::string_view bytes, std::size_t searched, bool at_end, std::uint64_t most_rows,
                           const Encoding& encoding = {});

class Chunker {
 public:
  Chunker(ByteStream stream, std::uint32_t source, std::uint64_t size_hint, std::shared_ptr<BufferPool> pool);

  /// The bytes that come next, at least `size` of them unless the source ends before.
  std::string_view peek(std::size_t size);
  bool peeked_all() const { return at_end_; }
  /// Counts `size` of the bytes seen by `peek` as gone.
  void skip(std::size_t size);
  /// The bytes from here on are read so.
  void read_as(const Encoding& encoding) { encoding_ = encoding; }
  /// Counts rows from 0 instead of lines from 1.
  void count_rows() { line_ = 0; }
  /// Of a plain file: the next chunk begins at `offset`, where one ended before, in line (or row) `line`.
  void go_to(std::uint64_t offset, std::uint64_t line);
  /// The same where all bytes before were skipped.
  void go_on(std::uint64_t line);

  /// The next chunk, with kChunkPadding zero bytes behind it; nothing at the end, or where an array has no further whole row. An empty
  /// source of kind `file` is one empty chunk. Where a chunk that is not the first ends depends on where it begins and on nothing else, so
  /// that a run that is taken up again in the middle of a source cuts it as before.
  std::optional<Chunk> next(const RecordCut& cut);
  std::uint64_t next_line() const { return line_; }
  std::uint64_t offset() const { return offset_; }  ///< of the next byte

  /// Where the chunks returned so far end; 0 before the first.
  std::uint64_t returned_to() const { return returned_ ? offset_ : 0; }
  bool compressed() const { return stream_.compressed(); }
  Descriptor take_file() { return stream_.take_file(); }

 private:
  std::size_t wanted(const RecordCut& cut) const;
  void pass(std::uint64_t size);
  std::size_t more_room(std::size_t room) const;

  ByteStream stream_;
  std::uint32_t source_;
  std::uint64_t size_hint_;  ///< the source's size where it is known, else 0
  std::shared_ptr<BufferPool> pool_;
  Encoding encoding_;
  std::string carry_;  ///< read, not yet returned
  bool at_end_ = false;
  bool returned_ = false;
  std::uint64_t offset_ = 0, line_ = 1;  ///< of carry_'s first byte
};

}  // namespace nearkin
