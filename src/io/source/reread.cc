#include "io/source/reread.h"

#include <algorithm>
#include <cerrno>

#include <nearkin/error.h>

namespace nearkin {
namespace {

constexpr std::size_t kMostOpen = 64;

[[noreturn]] void changed(const std::string& path) { throw Error(ErrorCode::file, path, "changed while it was being read; run again"); }

}  // namespace

std::shared_ptr<const Descriptor> OpenFiles::find(std::uint32_t source) {
  const std::lock_guard lock(mutex_);
  const auto found = by_source_.find(source);
  if (found == by_source_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

std::shared_ptr<const Descriptor> OpenFiles::keep(std::uint32_t source, Descriptor file) {
  auto shared = std::make_shared<const Descriptor>(std::move(file));
  const std::lock_guard lock(mutex_);
  const auto [place, added] = by_source_.try_emplace(source);
  if (!added) return place->second->second;
  place->second = entries_.emplace(entries_.begin(), source, shared);
  if (entries_.size() > kMostOpen) {
    // A thread that still reads from it holds a share; the last share closes it.
    by_source_.erase(entries_.back().first);
    entries_.pop_back();
  }
  return shared;
}

void OpenFiles::put(std::uint32_t source, Descriptor file) { keep(source, std::move(file)); }

std::shared_ptr<const Descriptor> OpenFiles::get(std::uint32_t source, const std::string& path, const FileState& state) {
  std::shared_ptr<const Descriptor> file = find(source);
  if (!file) {
    Descriptor opened = open_for_reading(path);
    if (!opened && errno == ENOENT) changed(path);
    if (!opened) throw Error(ErrorCode::file, path, reason("cannot be read again", errno));
    file = keep(source, std::move(opened));
  }
  if (file_state(file->get(), path) != state) changed(path);
  return file;
}

std::string_view read_again(OpenFiles& files, const Location& location, const std::string& path, const FileState& state,
                            std::string& buffer) {
  if (location.length == 0) return {};
  if (location.offset + location.length > state.size) changed(path);
  const auto file = files.get(location.source, path, state);
  const auto length = static_cast<std::size_t>(location.length);
  if (buffer.size() < length + kChunkPadding) buffer.resize(length + kChunkPadding);
  if (read_fully_at(file->get(), buffer.data(), length, location.offset, path) != length) changed(path);
  std::fill_n(buffer.data() + length, kChunkPadding, '\0');
  return {buffer.data(), length};
}

}  // namespace nearkin
