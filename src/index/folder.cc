#include "index/folder.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "base/system.h"

namespace nearkin {
namespace {

constexpr const char* kMagic = "nearkin-index ";
constexpr const char* kCurrent = "/CURRENT";

namespace fs = std::filesystem;

constexpr const char* kLock = "/building.lock";
constexpr const char* kMark = ".part-";

enum class Taken { yes, held, unknown };

// Unknown where the file system has no locks.
Taken take(const Descriptor& lock) {
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return Taken::yes;
  return lock && errno == EWOULDBLOCK ? Taken::held : Taken::unknown;
}

Descriptor open_lock(const std::string& path) { return Descriptor(::open((path + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)); }

std::string without_slashes(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

std::string next_name(const std::string& folder) {
  static std::atomic<unsigned> made{0};
  return without_slashes(folder) + kMark + std::to_string(::getpid()) + "-" + std::to_string(made++);
}

// "a" of "a.part-12-0"; empty: it is no such name.
std::string name_built(const std::string& name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return "";
  const std::string numbers = name.substr(mark + std::strlen(kMark));
  const char* const digits = "0123456789";
  const std::size_t dash = numbers.find_first_not_of(digits);
  const bool whole = dash != 0 && dash != std::string::npos && numbers[dash] == '-' && dash + 1 < numbers.size() &&
                     numbers.find_first_not_of(digits, dash + 1) == std::string::npos;
  return whole ? name.substr(0, mark) : "";
}

// Under another name first: a process that is about to lock it must not find half of it.
void remove_if_abandoned(const std::string& path, const std::string& gone) {
  const Descriptor lock = open_lock(path);
  if (take(lock) != Taken::yes || std::rename(path.c_str(), gone.c_str()) != 0) return;
  std::error_code ignored;
  fs::remove_all(gone, ignored);
}

fs::path parent_of(const fs::path& target) { return target.parent_path().empty() ? "." : target.parent_path(); }

// On the way to the same name, and to any other: these must have the lock file, which tells them from folders of other programs.
void remove_abandoned(const std::string& folder) {
  const fs::path target = without_slashes(folder);
  for_each_entry(parent_of(target), [&](const fs::path& path) {
    const std::string name = name_built(path.filename().string());
    std::error_code ignored;
    if (name.empty() || (name != target.filename().string() && !fs::exists(path.string() + kLock, ignored))) return;
    remove_if_abandoned(path.string(), next_name(folder));
  });
}

}  // namespace

void fail_with(const std::string& subject, const std::string& message) { throw Error(ErrorCode::file, subject, message); }

void fail_by_errno(const std::string& subject, int code) {
  if (code == ENOSPC || code == EDQUOT) fail_with(subject, "no space left on the disk; nothing was changed, make room and try again");
  if (code == EACCES || code == EPERM || code == EROFS)
    fail_with(subject, "cannot be written to (" + std::generic_category().message(code) + ")");
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

void write_current(const std::string& folder, const std::string& generation) {
  const std::string path = folder + kCurrent;
  write_file(path + ".new", kMagic + std::to_string(kIndexFormat) + "\n" + generation + "\n");
  take_owner_of(path, path + ".new");
  if (std::rename((path + ".new").c_str(), path.c_str()) != 0) fail_by_errno(folder, errno);
  sync_folder(folder);
}

Current read_any_current(const std::string& folder) {
  std::ifstream file(folder + kCurrent, std::ios::binary);
  std::string magic, generation;
  std::getline(file, magic);
  std::getline(file, generation);
  if (!file || !magic.starts_with(kMagic)) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(folder, error);
    if (status.type() == std::filesystem::file_type::none) fail_with(folder, "cannot be opened (" + error.message() + ")");
    if (!std::filesystem::exists(status)) fail_with(folder, "no such index; create one with 'nearkin index create'");
    if (std::filesystem::exists(folder + kCurrent, error))
      fail_with(folder, "damaged: its file CURRENT is not that of an index; restore a backup");
    fail_with(folder, "is not an index; create one with 'nearkin index create'");
  }
  return {.format = magic.substr(std::strlen(kMagic)), .generation = generation};
}

std::string read_current(const std::string& folder) {
  const auto [format, generation] = read_any_current(folder);
  if (format == "1") fail_with(folder, "has format 1, of an earlier version; 'nearkin index compact' converts it to format 2");
  if (format != std::to_string(kIndexFormat)) {
    fail_with(folder, "has format " + format + ", this nearkin knows format " + std::to_string(kIndexFormat) +
                          "; use the version that made it, or create the index again");
  }
  const bool plain = !generation.empty() && generation.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789") == std::string::npos;
  if (!plain) fail_with(folder, "CURRENT is damaged; restore it from a backup");
  return generation;
}

CurrentFile current_file(const std::string& folder) {
  struct stat s {};
  if (::stat((folder + kCurrent).c_str(), &s) != 0) return {};
  const std::timespec modified = modified_at(s);
  return {s.st_ino, modified.tv_sec, modified.tv_nsec};
}

void remove_abandoned_within(const std::string& folder) {
  for_each_entry(folder, [&](const fs::path& path) {
    if (!name_built(path.filename().string()).empty()) remove_if_abandoned(path.string(), next_name(folder + "/gone"));
  });
}

BuildFolder::BuildFolder(const std::string& folder) : folder_(folder) {
  remove_abandoned(folder);
  while (!make(next_name(folder))) {
  }
}

// False: somebody has the name, or took the folder for an abandoned one before it was locked.
bool BuildFolder::make(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) {
    if (errno == EEXIST) return false;
    fail_by_errno(folder_, errno);
  }
  lock_ = open_lock(path);
  if (!lock_ && errno != ENOENT) {
    const int code = errno;
    ::rmdir(path.c_str());
    fail_by_errno(folder_, code);
  }
  if (!lock_ || take(lock_) == Taken::held) return false;
  struct stat held {
  }, there{};
  if (::fstat(lock_.get(), &held) != 0 || ::stat((path + kLock).c_str(), &there) != 0 || held.st_ino != there.st_ino) return false;
  path_ = path;
  for (const char* const name : {"", kLock, kCurrent}) unfinished_.emplace_back(path_ + name);
  unfinished_.emplace_back(path_ + kCurrent + ".new");
  return true;
}

void BuildFolder::contains(const std::string& name) { unfinished_.emplace_back(path_ + "/" + name); }

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void BuildFolder::publish() {
  if (std::rename(path_.c_str(), folder_.c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST) fail_with(folder_, "already exists; choose another name, or remove it");
    if (errno == ENOTDIR) fail_with(folder_, "is a file; choose another name");
    fail_by_errno(folder_, errno);
  }
  path_.clear();
  unfinished_.clear();
  ::unlink((folder_ + kLock).c_str());  // it has served: nobody looks for it under this name
  const fs::path parent = fs::path(without_slashes(folder_)).parent_path();
  sync_folder(parent.empty() ? "." : parent.string());
}

}  // namespace nearkin
