// OpenedFile: a file or pipe that is read from its beginning, also where a look at it came before.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/descriptor.h"

namespace nearkin {

class OpenedFile {
 public:
  /// Empty, with errno set, where it cannot be opened; "-" is standard input. `ahead`: for a look before the run that it is for. Of what
  /// can be read only once, standard input and pipes, the bytes that are read then are remembered, and who opens the same path next reads
  /// it from its beginning.
  static OpenedFile open(const std::string& path, bool ahead);

  explicit operator bool() const { return get() >= 0; }
  int get() const { return stream_ ? stream_->file.get() : file_.get(); }
  /// Bytes stored at `to`, less than `size` only at the end. Throws Error(file) naming `name`.
  std::size_t read(char* to, std::size_t size, const std::string& name);
  /// Gives the descriptor of a plain file away.
  Descriptor take() { return std::move(file_); }

 private:
  /// What can be read only once.
  struct Stream {
    Descriptor file;
    std::string bytes = {};    ///< read before, or remembered
    std::size_t used = 0;      ///< of them
    bool remembering = false;  ///< what is read is kept for the next who opens it
  };
  friend struct StreamsAhead;

  Descriptor file_;
  std::shared_ptr<Stream> stream_;
};

}  // namespace nearkin
