#include "base/system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

namespace nearkin {

std::timespec modified_at(const struct stat& file) {
#ifdef __APPLE__
  return file.st_mtimespec;
#else
  return file.st_mtim;
#endif
}

int sync_bytes(int descriptor) {
#ifdef __APPLE__
  // fsync leaves the bytes in the cache of the disk there.
  return ::fcntl(descriptor, F_FULLFSYNC) == -1 ? ::fsync(descriptor) : 0;
#else
  return ::fdatasync(descriptor);
#endif
}

void begin_sync([[maybe_unused]] int descriptor, [[maybe_unused]] off_t from, [[maybe_unused]] off_t length) {
#ifdef __linux__
  ::sync_file_range(descriptor, from, length, SYNC_FILE_RANGE_WRITE);
#endif
}

void drop_bytes([[maybe_unused]] int descriptor, [[maybe_unused]] off_t from, [[maybe_unused]] off_t length) {
#ifdef __linux__
  ::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, length);
#endif
}

int take_room([[maybe_unused]] int descriptor, [[maybe_unused]] off_t length) {
#ifdef __linux__
  return ::fallocate(descriptor, 0, 0, length);
#else
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int open_unnamed(const char* folder, int access, mode_t mode) {
#ifdef O_TMPFILE
  return ::open(folder, O_TMPFILE | access | O_CLOEXEC, mode);
#else
  (void)access;  // what mkstemp makes can be read and written
  std::string name = std::string(folder) + "/.nearkin.XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return -1;
  ::unlink(name.c_str());
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::fchmod(descriptor, mode);
  return descriptor;
#endif
}

int closing_pipe(int* ends) {
#ifdef __APPLE__
  if (::pipe(ends) != 0) return -1;
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#else
  return ::pipe2(ends, O_CLOEXEC);
#endif
}

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kPage = std::size_t{2} << 20;
  void* first = begin;
  if (std::align(kPage, kPage, first, bytes) == nullptr) return;
  ::madvise(first, bytes / kPage * kPage, MADV_HUGEPAGE);  // advice: no matter if it is not taken
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::uint64_t free_memory() {
#ifdef _SC_AVPHYS_PAGES
  const long pages = ::sysconf(_SC_AVPHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
#elif defined(__APPLE__)
  // Caches count as used there. Half of all memory is near enough for a default.
  std::uint64_t all = 0;
  std::size_t size = sizeof all;
  return ::sysctlbyname("hw.memsize", &all, &size, nullptr, 0) == 0 ? all / 2 : 0;
#else
  return 0;
#endif
}

std::uint64_t most_memory_used() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr std::uint64_t kUnit = 1;
#else
  constexpr std::uint64_t kUnit = 1024;
#endif
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit;
}

}  // namespace nearkin
