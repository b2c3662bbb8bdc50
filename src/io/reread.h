// Reading records a second time: plain files from the disk, everything else from the bytes that were kept.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/descriptor.h"
#include "io/source.h"

namespace nearkin {

/// Open files by source number, the least recently used closed first. Safe for many threads.
class OpenFiles {
 public:
  /// Keeps a file that is open already.
  void put(std::uint32_t source, Descriptor file);
  /// Opens `path` when it is not open. Throws Error(file) when that fails or the file is not in the state it was in.
  std::shared_ptr<const Descriptor> get(std::uint32_t source, const std::string& path, const FileState& state);

 private:
  using Entry = std::pair<std::uint32_t, std::shared_ptr<const Descriptor>>;
  std::shared_ptr<const Descriptor> find(std::uint32_t source);
  std::shared_ptr<const Descriptor> keep(std::uint32_t source, Descriptor file);

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< most recently used first
  std::unordered_map<std::uint32_t, std::list<Entry>::iterator> by_source_;
};

/// `length` bytes of a plain file into `buffer`, followed by kChunkPadding more. Throws Error(file) when the file has changed.
std::string_view read_again(OpenFiles& files, const Location& location, const std::string& path, const FileState& state,
                            std::string& buffer);

/// The chunks of one stream, in order. One thread may add while others read.
class KeptBytes {
 public:
  void add(const Chunk& chunk);
  /// A view into the kept bytes, or into `buffer` where the range spans several chunks; kChunkPadding bytes past it are readable.
  /// Nothing when the range was not kept whole.
  std::optional<std::string_view> read(std::uint64_t offset, std::uint64_t length, std::string& buffer) const;

 private:
  mutable std::shared_mutex mutex_;
  std::vector<Chunk> chunks_;
};

}  // namespace nearkin
