// Reading records of plain files a second time, from the disk.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/bytes/descriptor.h"
#include "io/source/source.h"

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

/// ContentHash of a whole file. Throws Error(file) where it cannot be read.
std::uint64_t content_of_file(const std::string& path);

/// Whether the record tells the state of a file: it was one, and something was read of it.
bool was_read(const SourceRecord& record);
bool has_time_of(const FileState& state, const SourceRecord& record);

/// For messages: since when, and what is to be done.
struct ChangedSince {
  std::string event, way_out;
};
/// The state of the file at `path`. Throws Error(file) where it is not the one of the record: by its size, and by its time, unless the
/// record knows its content and that is the same still.
FileState require_unchanged(const SourceRecord& record, const std::string& path, const ChangedSince& since);

}  // namespace nearkin
