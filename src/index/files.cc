#include "index/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <nearkin/error.h>

#include "io/bytes/descriptor.h"

namespace nearkin {

void fail_with(const std::string& subject, const std::string& message) { throw Error(ErrorCode::file, subject, message); }

void fail_by_errno(const std::string& subject, int code) {
  if (code == ENOSPC || code == EDQUOT) fail_with(subject, "no space left on the disk; nothing was changed, make room and try again");
  if (code == EACCES || code == EPERM || code == EROFS)
    fail_with(subject, "may not be written to (" + std::generic_category().message(code) + ")");
  fail_with(subject, std::generic_category().message(code));
}

void sync_folder(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || (::fsync(descriptor.get()) != 0 && errno != EINVAL)) fail_by_errno(folder, errno);
}

void take_owner_of(const std::string& old, const std::string& made) {
  struct stat s {};
  if (::stat(old.c_str(), &s) == 0 && ::chown(made.c_str(), s.st_uid, s.st_gid) == 0) ::chmod(made.c_str(), s.st_mode & 07777);
}

void write_file(const std::string& path, const std::string& bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) fail_by_errno(path, errno);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_by_errno(path, errno);
    done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(file.get()) != 0) fail_by_errno(path, errno);
}

}  // namespace nearkin
