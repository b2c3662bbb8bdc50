#include "spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <nearkin/error.h>

namespace nearkin::server {
namespace {

std::string folder() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored).string();
}

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::file, folder(),
              fmt::format("answers that wait for a client cannot be {}, {}; TMPDIR names another folder", what, std::strerror(errno)));
}

int open_nameless() {
  std::string path = folder() + "/nearkin-answers-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) fail("kept");
  ::unlink(path.c_str());
  return file;
}

}  // namespace

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

void Spool::add(std::string_view bytes) {
  if (read_ == written_ && memory_.size() + bytes.size() <= in_memory_ && charge_.grow(bytes.size()))
    memory_ += bytes;
  else
    write(bytes);
}

void Spool::write(std::string_view bytes) {
  if (file_ < 0) file_ = open_nameless();
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(written_));
    if (written <= 0) fail("written");
    written_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string Spool::take(std::size_t most) {
  if (!memory_.empty()) {
    std::string part = memory_.substr(0, most);
    memory_.erase(0, part.size());
    charge_.shrink(part.size());
    return part;
  }
  std::string part(static_cast<std::size_t>(std::min<std::uint64_t>(most, written_ - read_)), '\0');
  if (part.empty()) return part;
  const ssize_t got = ::pread(file_, part.data(), part.size(), static_cast<off_t>(read_));
  if (got <= 0) fail("read");
  part.resize(static_cast<std::size_t>(got));
  read_ += static_cast<std::uint64_t>(got);
  if (read_ == written_) {  // the room is given back
    read_ = written_ = 0;
    if (::ftruncate(file_, 0) != 0) fail("cleared");
  }
  return part;
}

}  // namespace nearkin::server
