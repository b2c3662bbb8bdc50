#include "io/bytes/opened_file.h"

#include <map>
#include <mutex>

namespace nearkin {

/// Those that were looked at and wait for their run, by path.
struct StreamsAhead {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<OpenedFile::Stream>> waiting;

  static StreamsAhead& all() {
    static StreamsAhead streams;
    return streams;
  }
};

OpenedFile OpenedFile::open(const std::string& path, bool ahead) {
  OpenedFile opened;
  StreamsAhead& streams = StreamsAhead::all();
  const std::lock_guard lock(streams.mutex);
  const auto known = streams.waiting.find(path);
  if (known != streams.waiting.end()) {
    opened.stream_ = known->second;
    opened.stream_->used = 0;
    opened.stream_->remembering = ahead;
    if (!ahead) streams.waiting.erase(known);
    return opened;
  }
  opened.file_ = open_for_reading(path);
  if (!opened.file_ || !ahead || (path != "-" && file_state(opened.file_.get(), path).regular)) return opened;
  opened.stream_ = std::make_shared<Stream>(Stream{.file = std::move(opened.file_), .remembering = true});
  streams.waiting.emplace(path, opened.stream_);
  return opened;
}

std::size_t OpenedFile::read(char* to, std::size_t size, const std::string& name) {
  if (!stream_) return read_fully(file_.get(), to, size, name);
  Stream& stream = *stream_;
  const std::size_t known = stream.bytes.copy(to, size, stream.used);
  stream.used += known;
  if (!stream.remembering && stream.used == stream.bytes.size()) {
    std::string().swap(stream.bytes);
    stream.used = 0;
  }
  if (known == size) return known;
  const std::size_t got = read_fully(stream.file.get(), to + known, size - known, name);
  if (stream.remembering) {
    stream.bytes.append(to + known, got);
    stream.used += got;
  }
  return known + got;
}

}  // namespace nearkin
