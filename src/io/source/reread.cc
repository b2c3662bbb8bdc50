#include "io/source/reread.h"

#include <algorithm>
#include <cerrno>

#include <nearkin/error.h>

#include "base/content_hash.h"

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

std::uint64_t content_of_file(const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const Descriptor file = open_for_reading(path);
  if (!file) throw Error(ErrorCode::file, path, reason("cannot be read", errno));
  ContentHash hash;
  std::string block(kBlock, '\0');
  while (const std::size_t size = read_fully(file.get(), block.data(), block.size(), path)) hash.add({block.data(), size});
  return hash.value();
}

bool was_read(const SourceRecord& record) { return record.size != 0 || record.seconds != 0 || record.nanoseconds != 0; }

bool has_time_of(const FileState& state, const SourceRecord& record) {
  return state.seconds == record.seconds && state.nanoseconds == record.nanoseconds;
}

FileState require_unchanged(const SourceRecord& record, const std::string& path, const ChangedSince& since) {
  const std::optional<FileState> state = file_state_at(path);
  if (!state) {
    throw Error(ErrorCode::file, path,
                reason("cannot be read", errno) + "; it was there when " + since.event + ": put it back, or " + since.way_out);
  }
  const bool same = state->regular && state->size == record.size &&
                    (has_time_of(*state, record) || (record.content != 0 && content_of_file(path) == record.content));
  if (!same) throw Error(ErrorCode::file, path, "changed since " + since.event + "; " + since.way_out);
  return *state;
}

}  // namespace nearkin
