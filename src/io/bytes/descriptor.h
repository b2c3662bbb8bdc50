// A file descriptor that is closed with its owner, and the state of a file, to detect changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>

namespace nearkin {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// False, with errno set, when the system reports an error only now (as network file systems do).
  bool close();

 private:
  int fd_;
};

/// Opens for reading; "-" is standard input (a duplicate: closing it leaves the process its own). Empty, with errno set, on failure.
Descriptor open_for_reading(const std::string& path);

/// Bytes read, less than `size` only at the end. Throws Error(file) naming `name`.
std::size_t read_fully(int fd, char* to, std::size_t size, const std::string& name);
std::size_t read_fully_at(int fd, char* to, std::size_t size, std::uint64_t offset, const std::string& name);

/// Two equal values mean that the file was not written to or replaced in between, as far as the file system can tell.
struct FileState {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of the last change to the content
  bool regular = false;
  bool operator==(const FileState&) const = default;
};
/// Throws Error(file) naming `name`.
FileState file_state(int fd, const std::string& name);
/// The state of the file at `path`, following links; absent, with errno set, on failure.
std::optional<FileState> file_state_at(const std::string& path);

/// "cannot be read: Permission denied"
std::string reason(const char* what, int error);

}  // namespace nearkin
