#include "index/build_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "index/files.h"

namespace nearkin {
namespace {

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

// "a.part-12-0" for the folder "a".
bool is_build_of(const std::string& folder_name, const std::string& name) {
  const std::string begin = folder_name + kMark;
  if (!name.starts_with(begin)) return false;
  const std::string numbers = name.substr(begin.size());
  const char* const digits = "0123456789";
  const std::size_t dash = numbers.find_first_not_of(digits);
  return dash != 0 && dash != std::string::npos && numbers[dash] == '-' && dash + 1 < numbers.size() &&
         numbers.find_first_not_of(digits, dash + 1) == std::string::npos;
}

// Under another name first: whoever is about to lock it must not find half of it.
void remove_if_abandoned(const std::string& path, const std::string& gone) {
  const Descriptor lock = open_lock(path);
  if (take(lock) != Taken::yes || std::rename(path.c_str(), gone.c_str()) != 0) return;
  std::error_code ignored;
  fs::remove_all(gone, ignored);
}

void remove_abandoned(const std::string& folder) {
  const fs::path target = without_slashes(folder);
  for_each_entry(target.parent_path().empty() ? "." : target.parent_path(), [&](const fs::path& path) {
    if (is_build_of(target.filename().string(), path.filename().string())) remove_if_abandoned(path.string(), next_name(folder));
  });
}

}  // namespace

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
  return true;
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void BuildFolder::publish() {
  if (std::rename(path_.c_str(), folder_.c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST) fail_with(folder_, "is there already; take another name, or remove it");
    if (errno == ENOTDIR) fail_with(folder_, "is a file; take another name");
    fail_by_errno(folder_, errno);
  }
  path_.clear();
  ::unlink((folder_ + kLock).c_str());  // it has served: nobody looks for it under this name
  const fs::path parent = fs::path(without_slashes(folder_)).parent_path();
  sync_folder(parent.empty() ? "." : parent.string());
}

}  // namespace nearkin
