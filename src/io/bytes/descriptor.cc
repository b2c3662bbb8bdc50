#include "io/bytes/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "base/system.h"

namespace nearkin {
namespace {

// Linux reads at most 0x7ffff000 bytes at once.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

template <typename ReadSome>
std::size_t read_until_full(std::size_t size, const std::string& name, ReadSome read_some) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read_some(done, std::min(size - done, kMostAtOnce));
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw Error(ErrorCode::file, name, reason("cannot be read", errno));
    }
  }
  return done;
}

FileState state_of(const struct stat& s) {
  const std::timespec modified = modified_at(s);
  FileState state;
  state.device = static_cast<std::uint64_t>(s.st_dev);
  state.inode = static_cast<std::uint64_t>(s.st_ino);
  state.size = static_cast<std::uint64_t>(s.st_size);
  state.seconds = static_cast<std::int64_t>(modified.tv_sec);
  state.nanoseconds = static_cast<std::int64_t>(modified.tv_nsec);
  state.regular = S_ISREG(s.st_mode);
  return state;
}

}  // namespace

bool Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0 || errno == EINTR;
}

Descriptor open_for_reading(const std::string& path) {
  if (path == "-") return Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  int fd;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return Descriptor(fd);
}

std::size_t read_fully(int fd, char* to, std::size_t size, const std::string& name) {
  return read_until_full(size, name, [&](std::size_t done, std::size_t most) { return ::read(fd, to + done, most); });
}

std::size_t read_fully_at(int fd, char* to, std::size_t size, std::uint64_t offset, const std::string& name) {
  return read_until_full(
      size, name, [&](std::size_t done, std::size_t most) { return ::pread(fd, to + done, most, static_cast<off_t>(offset + done)); });
}

FileState file_state(int fd, const std::string& name) {
  struct stat s {};
  if (::fstat(fd, &s) != 0) throw Error(ErrorCode::file, name, reason("cannot be read", errno));
  return state_of(s);
}

std::optional<FileState> file_state_at(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 ? std::optional(state_of(s)) : std::nullopt;
}

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::generic_category().message(error); }

}  // namespace nearkin
