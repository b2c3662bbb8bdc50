// The bytes of sources that cannot be read twice: standard input, compressed files, the nodes of edges. In memory at first, later in run
// files.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "io/formats/records.h"
#include "io/run_file/run_file.h"
#include "io/source/source_records.h"

namespace nearkin {

/// About how many bytes of decompressed frames are cached.
inline constexpr std::size_t kKeptCacheBytes = std::size_t{16} << 20;

/// An entry of section kKeptIndex: a chunk and its frame.
struct KeptFrame {
  std::uint64_t source = 0, offset = 0, length = 0;  ///< the chunk
  std::uint64_t frame = 0, frame_length = 0;         ///< in section kKeptFrames of the same number
};

/// One section of frames.
struct FrameSection {
  std::shared_ptr<const RunFile> file;
  Section section;
};
/// The frames of a chunk of a source, or nothing where they are in memory.
struct FramePlace {
  std::shared_ptr<const FrameSection> in;
  std::uint64_t frame = 0, frame_length = 0;
};

/// Frames decompressed, the least recently used dropped first. Safe for many threads: those that ask for one frame at a time wait for the
/// first of them.
class FrameCache {
 public:
  /// Throws Error(file) naming the run file for a frame that is damaged or of another length.
  std::shared_ptr<const std::string> get(const FramePlace& place, std::uint64_t length);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const std::string> bytes;  ///< null until they are there
  };
  using Key = std::pair<const FrameSection*, std::uint64_t>;
  struct Entry {
    Key key;
    std::shared_ptr<const FrameSection> in;  ///< keeps the section alive, so its address stays unique
    std::size_t length = 0;
    std::shared_ptr<Slot> slot;
  };

  std::shared_ptr<Slot> slot_of(const FramePlace& place, std::size_t length);

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< most recently used first
  std::map<Key, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

/// A chunk that was kept: its bytes are in `buffer`, or in a frame.
struct KeptChunk {
  std::uint64_t offset = 0, length = 0;
  std::shared_ptr<const std::string> buffer = {};
  const char* data = nullptr;  ///< in *buffer
  FramePlace place = {};
};

/// The chunks of one source, in order. Any number of threads at once.
class KeptBytes {
 public:
  /// Returns the memory that it takes. Ignores a chunk that is already kept, and one without bytes.
  std::uint64_t add(const Chunk& chunk);
  /// A view into the kept bytes, valid until `take`, or into `buffer` if they are in a file or the range spans several chunks;
  /// kChunkPadding bytes past it are readable. Absent if the range was not kept completely.
  std::optional<std::string_view> read(std::uint64_t offset, std::uint64_t length, std::string& buffer, FrameCache& cache) const;
  /// The chunks in memory that end at `offset` or before.
  std::vector<KeptChunk> held_before(std::uint64_t offset) const;
  /// From now on the chunk's bytes are read from a frame. Returns the memory that is freed. Throws Error(file) naming the run file if the
  /// frame differs from the kept chunk.
  std::uint64_t take(const KeptFrame& frame, const std::shared_ptr<const FrameSection>& in);

 private:
  std::vector<KeptChunk>::const_iterator chunk_at(std::uint64_t offset) const;
  std::vector<KeptChunk> chunks_over(std::uint64_t offset, std::uint64_t length) const;

  mutable std::shared_mutex mutex_;
  std::vector<KeptChunk> chunks_;
};

/// A chunk, and which source it is of.
struct KeptOfSource {
  std::uint64_t source = 0;
  KeptChunk chunk;
};
/// The chunks, compressed, as sections kKeptFrames and kKeptIndex of this number; nothing if there are none. Both sections may be copied to
/// other files, together and under any number.
void write_frames(RunFileWriter& writer, std::uint32_t number, const std::vector<KeptOfSource>& chunks);
/// Calls use(frame, section) for every chunk in the kept sections of the file, of all numbers. Throws Error(file) for an index that is
/// damaged.
template <typename Use>
void for_each_frame(const std::shared_ptr<const RunFile>& file, Use&& use);

/// The index of one number, checked against its frames.
std::vector<KeptFrame> read_frame_index(const RunFile& file, std::uint32_t number);

template <typename Use>
void for_each_frame(const std::shared_ptr<const RunFile>& file, Use&& use) {
  for (const Section& section : file->sections()) {
    if (section.kind != kKeptIndex) continue;
    const std::vector<KeptFrame> index = read_frame_index(*file, section.number);
    const auto in = std::make_shared<const FrameSection>(FrameSection{file, file->at(kKeptFrames, section.number)});
    for (const KeptFrame& frame : index) use(frame, in);
  }
}

}  // namespace nearkin
