#include "io/source/chunker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <nearkin/error.h>

#include "io/formats/csv.h"
#include "io/formats/packed.h"
#include "io/formats/warc.h"

namespace nearkin {
namespace {

constexpr std::size_t kPooledSize = kChunkBytes + kChunkPadding;
constexpr std::size_t kMostFree = 64;

/// Quotes and separators are what the decoded text says they are.
std::size_t csv_cut(std::string_view bytes, char separator, const Encoding& encoding) {
  if (encoding.is_utf8()) return csv_whole_records(bytes, separator, false);
  const Decoded decoded = decode(bytes.substr(0, behind_last_newline(bytes, 0, encoding)), encoding);
  return decoded.raw(csv_whole_records(decoded.text, separator, false));
}

WholeRecords whole_rows(const ArrayLayout& array, std::string_view bytes, std::uint64_t most) {
  if (array.kind == ArrayLayout::Kind::fixed) {
    const std::uint64_t rows = std::min<std::uint64_t>(most, bytes.size() / array.row_bytes());
    return {static_cast<std::size_t>(rows) * array.row_bytes(), rows, rows == most};
  }
  WholeRecords whole;
  while (bytes.size() - whole.length >= 4) {
    const auto numbers = prefixed_numbers(bytes.substr(whole.length));
    whole.stopped = !numbers;
    const std::size_t length = 4 + std::size_t{numbers.value_or(0)} * size_of(array.type);
    if (whole.stopped || length > bytes.size() - whole.length) break;
    whole.length += length;
    ++whole.rows;
  }
  return whole;
}

}  // namespace

std::shared_ptr<std::string> BufferPool::take(std::size_t size) {
  if (size != kPooledSize) return std::make_shared<std::string>(size, '\0');
  std::unique_ptr<std::string> buffer;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      buffer = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!buffer) buffer = std::make_unique<std::string>(size, '\0');
  // The chunk may outlive the sources it came from.
  return {buffer.release(), [pool = weak_from_this()](std::string* raw) {
            std::unique_ptr<std::string> owned(raw);
            if (const auto alive = pool.lock()) alive->give_back(std::move(owned));
          }};
}

void BufferPool::give_back(std::unique_ptr<std::string> buffer) {
  if (buffer->size() != kPooledSize) return;
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMostFree) free_.push_back(std::move(buffer));
}

WholeRecords whole_records(const RecordCut& cut, std::string_view bytes, std::size_t searched, bool at_end, std::uint64_t most_rows,
                           const Encoding& encoding) {
  if (cut.kind == RecordCut::Kind::array) return whole_rows(cut.array, bytes, most_rows);
  if (cut.kind == RecordCut::Kind::packed) {
    const PackedCut packed = cut_packed(bytes);
    return {packed.length, packed.rows, packed.stopped};
  }
  if (cut.kind == RecordCut::Kind::warc) {
    const WarcCut warc = cut_warc(bytes, at_end);
    return {warc.length, warc.records, false, warc.passed};
  }
  if (at_end) return {bytes.size()};
  switch (cut.kind) {
    case RecordCut::Kind::csv: return {csv_cut(bytes, cut.separator, encoding)};
    case RecordCut::Kind::lines: return {behind_last_newline(bytes, searched, encoding)};
    default: return {};
  }
}

Chunker::Chunker(ByteStream stream, std::uint32_t source, std::uint64_t size_hint, std::shared_ptr<BufferPool> pool)
    : stream_(std::move(stream)), source_(source), size_hint_(size_hint), pool_(std::move(pool)) {}

std::string_view Chunker::peek(std::size_t size) {
  // What comes before a fault is for `next`, so the fault is not met by looking at the same bytes again.
  const bool seen = stream_.is_broken() && size <= peeked_;
  peeked_ = std::max(peeked_, size);
  if (carry_.size() < size && !at_end_ && !seen) {
    const std::size_t held = carry_.size();
    carry_.resize(size);
    carry_.resize(held + stream_.read_sound(carry_.data() + held, size - held));
    at_end_ = carry_.size() < size && !stream_.is_broken();
  }
  return carry_;
}

void Chunker::skip(std::size_t size) {
  line_ += count_newlines(std::string_view(carry_).substr(0, size), encoding_);
  offset_ += size;
  carry_.erase(0, size);
}

void Chunker::go_to(std::uint64_t offset, std::uint64_t line) {
  stream_.go_to(offset);
  carry_.clear();
  peeked_ = 0;
  at_end_ = false;
  offset_ = offset;
  go_on(line);
}

void Chunker::go_on(std::uint64_t line) {
  line_ = line;
  returned_ = true;
}

std::size_t Chunker::wanted(const RecordCut& cut) const {
  if (at_end_) return carry_.size();
  if (cut.kind == RecordCut::Kind::file && size_hint_ > cut.longest) refuse_long_record(cut);
  if (cut.kind == RecordCut::Kind::file && size_hint_ > carry_.size()) return static_cast<std::size_t>(size_hint_) + 1;
  // What is carried over is less than a record: the room that `next` would come to if it had to read these bytes again.
  std::size_t room = kChunkBytes;
  while (room <= carry_.size()) room *= 2;
  return room;
}

/// Twice as much, but no more than the source has, nor than the longest record and a byte.
std::size_t Chunker::more_room(const RecordCut& cut, std::size_t room) const {
  const std::uint64_t left = size_hint_ > offset_ ? size_hint_ - offset_ + 1 : 0;
  const std::size_t doubled = std::min(2 * room, cut.longest + 1);
  return left > room ? static_cast<std::size_t>(std::min<std::uint64_t>(doubled, left)) : doubled;
}

void Chunker::refuse_long_record(const RecordCut& cut) const {
  const bool whole = cut.kind == RecordCut::Kind::file;
  throw Error(ErrorCode::data, name(),
              (whole ? "is one text" : "the record that begins in line " + std::to_string(line_) + " is") +
                  std::string(" longer than 1 GiB, the most that is read; ") +
                  (whole ? "cut it into parts, or name a format of several records (--format)" : "correct it, or name the right --format"));
}

/// Reads on without keeping anything.
void Chunker::pass(std::uint64_t size) {
  offset_ += size;
  const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(size, carry_.size()));
  carry_.erase(0, held);
  std::string block(std::min<std::uint64_t>(size - held, kChunkBytes), '\0');
  for (std::uint64_t left = size - held; left > 0 && !at_end_;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size()));
    at_end_ = stream_.read(block.data(), wanted) < wanted;
    left -= wanted;
  }
}

std::optional<Chunk> Chunker::next(const RecordCut& cut) {
  const bool owes_a_file = cut.kind == RecordCut::Kind::file && !returned_;
  if (at_end_ && carry_.empty() && !owes_a_file) return std::nullopt;
  // The rows that an array's header promises and that were not returned yet.
  const std::uint64_t most_rows = cut.array.kind == ArrayLayout::Kind::fixed ? cut.array.rows - line_ : 0;

  std::shared_ptr<std::string> buffer = pool_->take(wanted(cut) + kChunkPadding);
  std::memcpy(buffer->data(), carry_.data(), carry_.size());
  std::size_t size = carry_.size();
  bool reads = !(stream_.is_broken() && peeked_ > 0);  // the records before a fault come first
  peeked_ = 0;
  WholeRecords whole;
  for (std::size_t searched = 0;; searched = size) {
    const std::size_t room = buffer->size() - kChunkPadding;
    if (!at_end_ && std::exchange(reads, true)) {
      size += stream_.read_sound(buffer->data() + size, room - size);
      at_end_ = size < room && !stream_.is_broken();
    }
    whole = whole_records(cut, {buffer->data(), size}, searched, at_end_, most_rows, encoding_);
    if (whole.length > 0 || whole.stopped || at_end_) break;
    if (room > cut.longest) refuse_long_record(cut);
    buffer->resize(more_room(cut, room) + kChunkPadding);
  }
  carry_.assign(buffer->data() + whole.length, size - whole.length);
  std::memset(buffer->data() + whole.length, 0, kChunkPadding);

  Chunk chunk{source_, static_cast<std::uint32_t>(line_), offset_, buffer, {buffer->data(), whole.length}};
  offset_ += whole.length;
  const bool counts_rows = cut.kind == RecordCut::Kind::array || cut.kind == RecordCut::Kind::packed || cut.kind == RecordCut::Kind::warc;
  line_ += counts_rows ? whole.rows : count_newlines(chunk.bytes, encoding_);
  if (whole.length == 0 && !owes_a_file) return std::nullopt;
  returned_ = true;
  chunk.next_line = line_;
  chunk.passed = whole.passed;
  if (whole.passed > 0) pass(whole.passed);
  return chunk;
}

}  // namespace nearkin
