// Reading records of plain files a second time, from the disk.
#pragma once

#include <list>
#include <mutex>
#include <unordered_map>

#include "io/bytes/descriptor.h"
#include "io/formats/records.h"

namespace nearkin {

/// Open files by source number, the least recently used closed first. Safe for many threads.
class OpenFiles {
 public:
  /// Keeps a file that is open already.
  void put(std::uint32_t source, Descriptor file);
  /// Opens `path` if it is not open. Throws Error(file) if that fails or the file has changed.
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

}  // namespace nearkin
