// What the tests of taking up a run again share: chunks as plain values, and what an earlier process left of them.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "io/io_support.h"
#include "io/run_file/run_file.h"
#include "io/source/chunker.h"
#include "io/source/kept_bytes.h"

namespace nearkin::test {

/// A chunk without its buffer.
struct SeenChunk {
  std::uint32_t source = 0, first_line = 0;
  std::uint64_t offset = 0;
  std::string bytes, problem, sketch;
  std::uint64_t next_line = 0;
  bool operator==(const SeenChunk&) const = default;
};
inline SeenChunk seen(const Chunk& chunk) {
  return {chunk.source,   chunk.first_line,
          chunk.offset,   std::string(chunk.bytes),
          chunk.problem,  chunk.sketch ? chunk.sketch->path() : std::string(),
          chunk.next_line};
}
inline std::vector<SeenChunk> all_chunks(Sources& sources) {
  std::vector<SeenChunk> chunks;
  while (const auto chunk = sources.next()) chunks.push_back(seen(*chunk));
  return chunks;
}

/// Where reading goes on behind a chunk.
inline Position behind(const SeenChunk& chunk) {
  if (chunk.bytes.empty()) return {.source = chunk.source + 1};
  return {.source = chunk.source, .offset = chunk.offset + chunk.bytes.size(), .line = chunk.next_line};
}

inline std::vector<SourceRecord> records_until(const Sources& sources, std::size_t end) {
  std::vector<SourceRecord> records;
  for (std::size_t i = 0; i < std::min(end, sources.size()); ++i) records.push_back(sources.record(i));
  return records;
}

/// A run file with the kept bytes before a place.
inline std::shared_ptr<const RunFile> kept_file(const Sources& sources, const Position& place, const std::string& path) {
  RunFileWriter writer(path, {"segment", {1, 2}, ""});
  write_frames(writer, 0, sources.held_kept(place.source, place.offset));
  writer.begin(kFirstFreeSection);
  writer.finish();
  return std::make_shared<const RunFile>(path);
}

/// Reads every sketch and chunk to its end and writes what a sketch file says of its sources.
inline std::string make_sketch(const Input& input, const std::string& path, bool contents = true) {
  Sources sources(input, true);
  all_chunks(sources);
  RunFileWriter writer(path, {"sketch", {}, ""});
  write_frames(writer, 0, sources.held_kept(sources.size(), 0));
  std::vector<SourceRecord> records = records_until(sources, sources.size());
  if (contents) add_contents(records);
  write_source_records(writer, records, input);
  writer.finish();
  return path;
}

/// Standard input is a stream of these bytes, which can be read once, while this lives.
class StreamedInput {
 public:
  explicit StreamedInput(std::string bytes) : saved_(::dup(STDIN_FILENO)), bytes_(std::move(bytes)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_ = std::thread([this, to = ends[1]] {
      for (std::size_t at = 0; at < bytes_.size();) {
        const ssize_t sent = ::send(to, bytes_.data() + at, bytes_.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) break;
        at += static_cast<std::size_t>(sent);
      }
      ::close(to);
    });
  }
  ~StreamedInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
    writer_.join();
  }
  StreamedInput(const StreamedInput&) = delete;
  StreamedInput& operator=(const StreamedInput&) = delete;

 private:
  int saved_;
  std::string bytes_;
  std::thread writer_;
};

}  // namespace nearkin::test
