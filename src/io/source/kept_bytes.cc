#include "io/source/kept_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <zstd.h>

#include <nearkin/error.h>

namespace nearkin {
namespace {

constexpr int kLevel = 1;  // scratch is written once and read at most a few times: speed counts for more than size

[[noreturn]] void damaged(const RunFile& file, const std::string& what) {
  throw Error(ErrorCode::file, file.path(), "damaged: " + what + "; make it again");
}

std::shared_ptr<const std::string> decompressed(const FramePlace& place, std::size_t length) {
  const RunFile& file = *place.in->file;
  std::string frame(static_cast<std::size_t>(place.frame_length), '\0');
  file.read(place.in->section, place.frame, frame.data(), frame.size());
  // Looked at before so much memory is asked for.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != length) damaged(file, "kept records of another length than their index says");
  auto bytes = std::make_shared<std::string>(length, '\0');
  const std::size_t got = ZSTD_decompress(bytes->data(), length, frame.data(), frame.size());
  if (ZSTD_isError(got)) damaged(file, std::string("kept records cannot be decompressed: ") + ZSTD_getErrorName(got));
  if (got != length) damaged(file, "kept records are cut short");
  return bytes;
}

class Compressor {
 public:
  Compressor() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  ~Compressor() { ZSTD_freeCCtx(context_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Good until the next call.
  std::string_view compress(std::string_view bytes) {
    frame_.resize(std::max(frame_.size(), ZSTD_compressBound(bytes.size())));
    const std::size_t size = ZSTD_compressCCtx(context_, frame_.data(), frame_.size(), bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // there is room for any result
    return std::string_view(frame_).substr(0, size);
  }

 private:
  ZSTD_CCtx* context_;
  std::string frame_;
};

std::uint64_t end_of(const KeptChunk& chunk) { return chunk.offset + chunk.length; }

}  // namespace

std::shared_ptr<FrameCache::Slot> FrameCache::slot_of(const FramePlace& place, std::size_t length) {
  const Key key{place.in.get(), place.frame};
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->slot;
  }
  entries_.push_front({key, place.in, length, std::make_shared<Slot>()});
  by_key_[key] = entries_.begin();
  bytes_ += length;
  while (bytes_ > kKeptCacheBytes && entries_.size() > 1) {
    // A thread that still reads from it holds a share.
    bytes_ -= entries_.back().length;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return entries_.front().slot;
}

std::shared_ptr<const std::string> FrameCache::get(const FramePlace& place, std::uint64_t length) {
  const std::shared_ptr<Slot> slot = slot_of(place, static_cast<std::size_t>(length));
  const std::lock_guard lock(slot->mutex);
  if (!slot->bytes) slot->bytes = decompressed(place, static_cast<std::size_t>(length));
  return slot->bytes;
}

std::uint64_t KeptBytes::add(const Chunk& chunk) {
  if (chunk.bytes.empty()) return 0;
  const std::unique_lock lock(mutex_);
  if (!chunks_.empty() && chunk.offset < end_of(chunks_.back())) return 0;
  chunks_.push_back({chunk.offset, chunk.bytes.size(), chunk.buffer, chunk.bytes.data()});
  return chunk.buffer->size();
}

/// The last chunk that begins at `offset` or before; the end where there is none.
std::vector<KeptChunk>::const_iterator KeptBytes::chunk_at(std::uint64_t offset) const {
  const auto behind =
      std::upper_bound(chunks_.begin(), chunks_.end(), offset, [](std::uint64_t at, const KeptChunk& c) { return at < c.offset; });
  return behind == chunks_.begin() ? chunks_.end() : behind - 1;
}

/// Those that the range has bytes of; empty when one is missing.
std::vector<KeptChunk> KeptBytes::chunks_over(std::uint64_t offset, std::uint64_t length) const {
  std::vector<KeptChunk> chunks;
  std::uint64_t reached = offset;
  for (auto chunk = chunk_at(offset); chunk != chunks_.end() && reached < offset + length; ++chunk) {
    if (chunk->offset > reached || end_of(*chunk) <= reached) return {};
    reached = end_of(*chunk);
    chunks.push_back(*chunk);
  }
  return reached < offset + length ? std::vector<KeptChunk>() : chunks;
}

std::optional<std::string_view> KeptBytes::read(std::uint64_t offset, std::uint64_t length, std::string& buffer, FrameCache& cache) const {
  std::vector<KeptChunk> chunks;
  {
    const std::shared_lock lock(mutex_);
    const auto chunk = chunk_at(offset);
    if (chunk == chunks_.end()) return std::nullopt;
    const std::uint64_t within = offset - chunk->offset;
    if (chunk->buffer && within + length <= chunk->length) return std::string_view(chunk->data + within, static_cast<std::size_t>(length));
    chunks = chunks_over(offset, length);
  }
  if (chunks.empty()) return std::nullopt;
  if (buffer.size() < length + kChunkPadding) buffer.resize(static_cast<std::size_t>(length) + kChunkPadding);
  std::size_t done = 0;
  for (const KeptChunk& chunk : chunks) {
    const std::shared_ptr<const std::string> frame = chunk.buffer ? nullptr : cache.get(chunk.place, chunk.length);
    const auto within = static_cast<std::size_t>(offset + done - chunk.offset);
    const auto size = static_cast<std::size_t>(std::min(length - done, chunk.length - within));
    std::memcpy(buffer.data() + done, (frame ? frame->data() : chunk.data) + within, size);
    done += size;
  }
  std::memset(buffer.data() + done, 0, kChunkPadding);
  return std::string_view(buffer.data(), done);
}

std::vector<KeptChunk> KeptBytes::held_before(std::uint64_t offset) const {
  const std::shared_lock lock(mutex_);
  std::vector<KeptChunk> held;
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend() && chunk->buffer; ++chunk) {
    if (end_of(*chunk) <= offset) held.push_back(*chunk);
  }
  std::reverse(held.begin(), held.end());
  return held;
}

std::uint64_t KeptBytes::take(const KeptFrame& frame, const std::shared_ptr<const FrameSection>& in) {
  const std::unique_lock lock(mutex_);
  const auto behind =
      std::upper_bound(chunks_.begin(), chunks_.end(), frame.offset, [](std::uint64_t at, const KeptChunk& c) { return at < c.offset; });
  const bool before = behind != chunks_.begin();
  KeptChunk taken{frame.offset, frame.length};
  taken.place = {in, frame.frame, frame.frame_length};
  if (before && (behind - 1)->offset == frame.offset && (behind - 1)->length == frame.length) {
    KeptChunk& chunk = *(behind - 1);
    const std::uint64_t freed = chunk.buffer ? chunk.buffer->size() : 0;
    chunk = std::move(taken);
    return freed;
  }
  const bool overlaps = (before && end_of(*(behind - 1)) > frame.offset) || (behind != chunks_.end() && end_of(taken) > behind->offset);
  if (overlaps) damaged(*in->file, "kept records overlap others");
  chunks_.insert(behind, std::move(taken));
  return 0;
}

void write_frames(RunFileWriter& writer, std::uint32_t number, const std::vector<KeptOfSource>& chunks) {
  if (chunks.empty()) return;
  Compressor compressor;
  std::vector<KeptFrame> index;
  index.reserve(chunks.size());
  std::uint64_t at = 0;
  writer.begin(kKeptFrames, number);
  for (const auto& [source, chunk] : chunks) {
    const std::string_view frame = compressor.compress({chunk.data, static_cast<std::size_t>(chunk.length)});
    writer.write(frame.data(), frame.size());
    index.push_back({source, chunk.offset, chunk.length, at, frame.size()});
    at += frame.size();
  }
  writer.section(kKeptIndex, number, index);
}

std::vector<KeptFrame> read_frame_index(const RunFile& file, std::uint32_t number) {
  const Section& section = file.at(kKeptIndex, number);
  const std::uint64_t frames = file.at(kKeptFrames, number).length;
  if (section.length % sizeof(KeptFrame) != 0) damaged(file, "the index of kept records is cut short");
  std::vector<KeptFrame> index = file.read_all<KeptFrame>(section);
  for (const KeptFrame& frame : index) {
    const bool inside = frame.frame <= frames && frame.frame_length <= frames - frame.frame;
    if (!inside || frame.length == 0 || frame.offset + frame.length < frame.offset)
      damaged(file, "the index of kept records points beyond them");
  }
  return index;
}

}  // namespace nearkin
