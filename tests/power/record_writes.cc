// Preloaded into a program (LD_PRELOAD), this library writes down what the program does to the files below a folder, in order and with
// every byte: power_cuts.py replays parts of it. NEARKIN_POWER_ROOT names the folder (an absolute path without links), NEARKIN_POWER_LOG
// the file to write to. Each record is a line of fields with tabs between them (see `note`) and, for writes, the bytes behind it.
//
// One lock is held over each call and its record, so that the records are in the order of the calls. What the C library does by itself
// (fwrite) is not seen: power_cuts.py notices, since the replay of everything must give the folder as it is.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

namespace {

constexpr int kMostDescriptors = 4096;
bool watched[kMostDescriptors];  ///< descriptors of files and folders below the root
std::recursive_mutex turn;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

const std::string& root() {
  static const std::string named = std::getenv("NEARKIN_POWER_ROOT") ? std::getenv("NEARKIN_POWER_ROOT") : "";
  return named;
}

int log_descriptor() {
  static const int file = [] {
    const char* const named = std::getenv("NEARKIN_POWER_LOG");
    return named == nullptr ? -1 : static_cast<int>(::syscall(SYS_openat, AT_FDCWD, named, O_WRONLY | O_APPEND | O_CLOEXEC));
  }();
  return file;
}

/// A record: what was done, to which inode, two numbers (a place and a size, or flags), two paths, and the bytes of a write.
void note(const char* what, ino_t inode, long long first, long long second, std::string_view path, std::string_view other,
          std::string_view bytes = {}) {
  if (log_descriptor() < 0) return;
  std::string line = std::string(what) + "\t" + std::to_string(inode) + "\t" + std::to_string(first) + "\t" + std::to_string(second) +
                     "\t" + std::string(path) + "\t" + std::string(other) + "\t" + std::to_string(bytes.size()) + "\n";
  line.append(bytes);
  // Past our own `write`. A record that is cut short would spoil all that follow.
  if (::syscall(SYS_write, log_descriptor(), line.data(), line.size()) != static_cast<long>(line.size())) std::abort();
}

bool is_below_root(const std::string& path) {
  return !root().empty() && path.starts_with(root()) && (path.size() == root().size() || path[root().size()] == '/');
}

std::string link_of(int descriptor) {
  char target[PATH_MAX];
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(name.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

/// The path below the root, "" where it is elsewhere: the folder without links, the last name as it is.
std::string below_root(int folder, const char* path) {
  if (path == nullptr) return {};
  std::string whole = path;
  if (whole[0] != '/') {
    char current[PATH_MAX];
    const std::string from = folder == AT_FDCWD ? (::getcwd(current, sizeof current) != nullptr ? current : "") : link_of(folder);
    whole = from + "/" + whole;
  }
  while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  const std::size_t slash = whole.rfind('/');
  char real[PATH_MAX];
  if (::realpath(whole.substr(0, slash + 1).c_str(), real) == nullptr) return {};
  const std::string found = std::string(real) + "/" + whole.substr(slash + 1);
  return is_below_root(found) && found.size() > root().size() ? found.substr(root().size() + 1) : std::string();
}

struct stat state_of(int descriptor) {
  struct stat s {};
  ::fstat(descriptor, &s);
  return s;
}

bool is_watched(int descriptor) { return descriptor >= 0 && descriptor < kMostDescriptors && watched[descriptor]; }
bool is_watched_file(int descriptor) { return is_watched(descriptor) && S_ISREG(state_of(descriptor).st_mode); }

int opened(int descriptor, int flags, const std::string& path, bool was_there) {
  if (descriptor < 0 || descriptor >= kMostDescriptors) return descriptor;
  const int error = errno;
  watched[descriptor] = is_below_root(link_of(descriptor));
  if (watched[descriptor]) {
    const struct stat s = state_of(descriptor);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
      note("unnamed", s.st_ino, 0, 0, "", "");
    } else if ((flags & O_CREAT) != 0 && !was_there) {
      note("create", s.st_ino, 0, 0, path, "");
    } else if ((flags & O_TRUNC) != 0 && S_ISREG(s.st_mode)) {
      note("size", s.st_ino, 0, 0, "", "");
    }
  }
  errno = error;
  return descriptor;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  using Open = int (*)(int, const char*, int, ...);
  static const Open real = next<Open>("openat");
  const std::lock_guard lock(turn);
  const bool may_make = (flags & O_CREAT) != 0;
  const std::string name = may_make ? below_root(folder, path) : std::string();
  struct stat before {};
  const bool was_there = may_make && ::fstatat(folder, path, &before, 0) == 0;
  return opened(real(folder, path, flags, mode), flags, name, was_there);
}

/// What was done to a file: `done` bytes from `offset` on.
void note_write(int descriptor, long long offset, const void* bytes, ssize_t done) {
  if (done <= 0) return;
  const int error = errno;
  const int flags = ::fcntl(descriptor, F_GETFL);
  note("write", state_of(descriptor).st_ino, offset, (flags & (O_DSYNC | O_SYNC)) != 0 ? 1 : 0, "", "",
       {static_cast<const char*>(bytes), static_cast<std::size_t>(done)});
  errno = error;
}

std::string gathered(const struct iovec* parts, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return all;
}

long long position(int descriptor) { return ::lseek(descriptor, 0, SEEK_CUR); }

/// Not replayed: the run of the test is void.
void note_unknown(const char* call, int descriptor) { note("unknown", state_of(descriptor).st_ino, 0, 0, call, link_of(descriptor)); }

int rename_at(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  using Rename = int (*)(int, const char*, int, const char*, unsigned);
  static const Rename real = next<Rename>("renameat2");
  const std::lock_guard lock(turn);
  const std::string source = below_root(from_folder, from), target = below_root(to_folder, to);
  const int done = real(from_folder, from, to_folder, to, flags);
  if (done == 0 && (!source.empty() || !target.empty())) note(flags == 0 ? "rename" : "unknown", 0, 0, 0, source, target);
  return done;
}

int link_at(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  using Link = int (*)(int, const char*, int, const char*, int);
  static const Link real = next<Link>("linkat");
  const std::lock_guard lock(turn);
  const std::string target = below_root(to_folder, to);
  const int done = real(from_folder, from, to_folder, to, flags);
  struct stat s {};
  if (done == 0 && !target.empty() && ::fstatat(to_folder, to, &s, AT_SYMLINK_NOFOLLOW) == 0) note("link", s.st_ino, 0, 0, target, "");
  return done;
}

int unlink_at(int folder, const char* path, int flags) {
  using Unlink = int (*)(int, const char*, int);
  static const Unlink real = next<Unlink>("unlinkat");
  const std::lock_guard lock(turn);
  const std::string name = below_root(folder, path);
  const int done = real(folder, path, flags);
  if (done == 0 && !name.empty()) note("remove", 0, 0, 0, name, "");
  return done;
}

int make_folder_at(int folder, const char* path, mode_t mode) {
  using Make = int (*)(int, const char*, mode_t);
  static const Make real = next<Make>("mkdirat");
  const std::lock_guard lock(turn);
  const std::string name = below_root(folder, path);
  const int done = real(folder, path, mode);
  struct stat s {};
  if (done == 0 && !name.empty() && ::fstatat(folder, path, &s, 0) == 0) note("folder", s.st_ino, 0, 0, name, "");
  return done;
}

int synchronise(const char* call, int descriptor) {
  using Sync = int (*)(int);
  const Sync real = next<Sync>(call);
  const std::lock_guard lock(turn);
  const int done = real(descriptor);
  if (done == 0 && is_watched(descriptor)) note("sync", state_of(descriptor).st_ino, 0, 0, "", "");
  return done;
}

int resize(int descriptor, off_t size) {
  using Resize = int (*)(int, off_t);
  static const Resize real = next<Resize>("ftruncate");
  const std::lock_guard lock(turn);
  const int done = real(descriptor, size);
  if (done == 0 && is_watched_file(descriptor)) note("size", state_of(descriptor).st_ino, size, 0, "", "");
  return done;
}

int allocate(const char* call, int descriptor, int mode, off_t offset, off_t size) {
  const std::lock_guard lock(turn);
  const long done = ::syscall(SYS_fallocate, descriptor, mode, offset, size);
  if (done != 0 || !is_watched_file(descriptor)) return static_cast<int>(done);
  if (mode == 0) {  // which changes no byte
    note("size", state_of(descriptor).st_ino, state_of(descriptor).st_size, 0, "", "");
  } else {
    note_unknown(call, descriptor);
  }
  return 0;
}

ssize_t write_at(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  using Write = ssize_t (*)(int, const void*, std::size_t, off_t);
  static const Write real = next<Write>("pwrite64");
  const std::lock_guard lock(turn);
  const ssize_t done = real(descriptor, bytes, size, offset);
  if (is_watched_file(descriptor)) note_write(descriptor, offset, bytes, done);
  return done;
}

ssize_t write_parts_at(int descriptor, const struct iovec* parts, int count, off_t offset) {
  using Write = ssize_t (*)(int, const struct iovec*, int, off_t);
  static const Write real = next<Write>("pwritev64");
  const std::lock_guard lock(turn);
  const ssize_t done = real(descriptor, parts, count, offset);
  if (is_watched_file(descriptor)) note_write(descriptor, offset, gathered(parts, count).data(), done);
  return done;
}

mode_t mode_of(int flags, va_list& more) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, unsigned)) : 0; }

}  // namespace

// The C library's own names, each with its twin for large files.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int descriptor) {
  static const auto real = next<int (*)(int)>("close");
  const std::lock_guard lock(turn);
  if (descriptor >= 0 && descriptor < kMostDescriptors) watched[descriptor] = false;
  return real(descriptor);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_watched_file(descriptor)) return real(descriptor, bytes, size);
  const std::lock_guard lock(turn);
  const ssize_t done = real(descriptor, bytes, size);
  note_write(descriptor, position(descriptor) - done, bytes, done);
  return done;
}
ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  static const auto real = next<ssize_t (*)(int, const struct iovec*, int)>("writev");
  if (!is_watched_file(descriptor)) return real(descriptor, parts, count);
  const std::lock_guard lock(turn);
  const ssize_t done = real(descriptor, parts, count);
  note_write(descriptor, position(descriptor) - done, gathered(parts, count).data(), done);
  return done;
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) { return write_at(descriptor, bytes, size, offset); }
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t offset) { return write_at(descriptor, bytes, size, offset); }
ssize_t pwritev(int descriptor, const struct iovec* parts, int count, off_t offset) {
  return write_parts_at(descriptor, parts, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec* parts, int count, off_t offset) {
  return write_parts_at(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t size) noexcept { return resize(descriptor, size); }
int ftruncate64(int descriptor, off_t size) noexcept { return resize(descriptor, size); }
int fallocate(int descriptor, int mode, off_t offset, off_t size) { return allocate("fallocate", descriptor, mode, offset, size); }
int fallocate64(int descriptor, int mode, off_t offset, off_t size) { return allocate("fallocate", descriptor, mode, offset, size); }
int posix_fallocate(int descriptor, off_t offset, off_t size) {
  return allocate("posix_fallocate", descriptor, 0, offset, size) == 0 ? 0 : errno;
}

int fsync(int descriptor) { return synchronise("fsync", descriptor); }
int fdatasync(int descriptor) { return synchronise("fdatasync", descriptor); }

int rename(const char* from, const char* to) noexcept { return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return rename_at(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return rename_at(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept { return link_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return link_at(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) noexcept { return unlink_at(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept { return unlink_at(folder, path, flags); }
int rmdir(const char* path) noexcept { return unlink_at(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  struct stat s {};
  return unlink_at(AT_FDCWD, path, ::lstat(path, &s) == 0 && S_ISDIR(s.st_mode) ? AT_REMOVEDIR : 0);
}
int mkdir(const char* path, mode_t mode) noexcept { return make_folder_at(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) noexcept { return make_folder_at(folder, path, mode); }

// Files that are written through memory would go unseen. LMDB's file of locks is one, and is made anew by the first who opens it.
void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
  const bool shared_writes = (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0;
  if (shared_writes && is_watched_file(descriptor) && !link_of(descriptor).ends_with("/lock.mdb")) note_unknown("mmap", descriptor);
  return real(address, size, protection, flags, descriptor, offset);
}
void* mmap64(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  return mmap(address, size, protection, flags, descriptor, offset);
}

}  // extern "C"
