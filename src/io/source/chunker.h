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

/// Reuses buffers of one size: fresh memory costs more than reading a cached file into it.
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
  std::size_t longest = kLongestRecord;
};

/// The whole records that some bytes begin with.
struct WholeRecords {
  std::size_t length = 0;
  std::uint64_t rows = 0;    ///< array, packed, warc
  bool stopped = false;      ///< what follows is not a record, whatever comes after it
  std::uint64_t passed = 0;  ///< warc: Chunk::passed
};
/// The first `searched` bytes are known to hold no line end. `most_rows`: array: at most this many rows.
WholeRecords whole_records(const RecordCut& cut, std::string_view bytes, std::size_t searched, bool at_end, std::uint64_t most_rows,
                           const Encoding& encoding = {});

class Chunker {
 public:
  Chunker(ByteStream stream, std::uint32_t source, std::uint64_t size_hint, std::shared_ptr<BufferPool> pool);

  /// The bytes that come next, at least `size` of them unless the source ends before.
  std::string_view peek(std::size_t size);
  bool peeked_all() const { return at_end_; }
  /// Skips `size` of the bytes seen by `peek`.
  void skip(std::size_t size);
  /// Sets the encoding of the bytes from here on.
  void read_as(const Encoding& encoding) { encoding_ = encoding; }
  /// Counts rows from 0 instead of lines from 1.
  void count_rows() { line_ = 0; }
  /// For a plain file: the next chunk begins at `offset`, where an earlier chunk ended, in line (or row) `line`.
  void go_to(std::uint64_t offset, std::uint64_t line);
  /// The same, if all bytes before have been skipped.
  void go_on(std::uint64_t line);

  /// The next chunk, with kChunkPadding zero bytes behind it; nothing at the end, or where an array has no further whole row. An empty
  /// source of kind `file` is one empty chunk. The end of a chunk that is not the first depends only on its beginning, so a run that is
  /// resumed in the middle of a source cuts it as before. Throws Error(data) for a record that is too long.
  std::optional<Chunk> next(const RecordCut& cut);
  std::uint64_t next_line() const { return line_; }
  std::uint64_t offset() const { return offset_; }  ///< of the next byte

  /// Where the chunks returned so far end; 0 before the first.
  std::uint64_t returned_to() const { return returned_ ? offset_ : 0; }
  bool compressed() const { return stream_.compressed(); }
  const std::string& name() const { return stream_.name(); }
  Descriptor take_file() { return stream_.take_file(); }

 private:
  std::size_t wanted(const RecordCut& cut) const;
  void pass(std::uint64_t size);
  [[noreturn]] void refuse_long_record(const RecordCut& cut) const;
  std::size_t more_room(const RecordCut& cut, std::size_t room) const;

  ByteStream stream_;
  std::uint32_t source_;
  std::uint64_t size_hint_;  ///< the source's size where it is known, else 0
  std::shared_ptr<BufferPool> pool_;
  Encoding encoding_;
  std::string carry_;       ///< read, not yet returned
  std::size_t peeked_ = 0;  ///< the most that was looked at since the last chunk
  bool at_end_ = false;
  bool returned_ = false;
  std::uint64_t offset_ = 0, line_ = 1;  ///< of carry_'s first byte
};

}  // namespace nearkin
