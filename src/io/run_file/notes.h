// Numbers and texts one after the other, as a section of a run file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/error.h>

#include "io/run_file/run_file.h"

namespace nearkin {

class NoteWriter {
 public:
  NoteWriter& add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  NoteWriter& add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
    return *this;
  }
  void write(RunFileWriter& writer, std::uint32_t kind, std::uint32_t number = 0) const {
    writer.begin(kind, number);
    writer.write(bytes_.data(), bytes_.size());
  }

 private:
  std::string bytes_;
};

class NoteReader {
 public:
  /// `problem` completes "damaged: …" in the message about a section that is not what a NoteWriter wrote.
  NoteReader(const RunFile& file, const Section& section, const char* problem)
      : path_(file.path()), problem_(problem), bytes_(file.read_all<char>(section)) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {take(size), static_cast<std::size_t>(size)};
  }
  bool at_end() const { return at_ == bytes_.size(); }
  /// Throws Error(file) naming the run file.
  [[noreturn]] void damaged() const { throw Error(ErrorCode::file, path_, std::string("damaged: ") + problem_); }

 private:
  const char* take(std::uint64_t size) {
    if (size > bytes_.size() - at_) damaged();
    const char* const taken = bytes_.data() + at_;
    at_ += static_cast<std::size_t>(size);
    return taken;
  }

  std::string path_;
  const char* problem_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace nearkin
