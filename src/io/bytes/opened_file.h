// OpenedFile: a file or pipe that is read from its beginning, even after an earlier look at it.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/descriptor.h"

namespace nearkin {

class OpenedFile {
 public:
  /// Empty, with errno set, if it cannot be opened; "-" is standard input. `ahead`: for a look before the run. The bytes that are then read
  /// from standard input or a pipe, which can be read only once, are remembered, and the next one to open the same path reads it from its
  /// beginning.
  static OpenedFile open(const std::string& path, bool ahead);

  explicit operator bool() const { return get() >= 0; }
  int get() const { return stream_ ? stream_->file.get() : file_.get(); }
  /// Bytes stored at `to`, less than `size` only at the end. Throws Error(file) naming `name`.
  std::size_t read(char* to, std::size_t size, const std::string& name);
  /// Hands over the descriptor of a plain file.
  Descriptor take() { return std::move(file_); }

 private:
  /// Something that can be read only once.
  struct Stream {
    Descriptor file;
    std::string bytes = {};    ///< read before, or remembered
    std::size_t used = 0;      ///< of them
    bool remembering = false;  ///< what is read is remembered for the next one to open the path
  };
  friend struct StreamsAhead;

  Descriptor file_;
  std::shared_ptr<Stream> stream_;
};

}  // namespace nearkin
