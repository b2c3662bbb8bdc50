// Calls that not every system has, each with a replacement for those that lack it. What a call does on Linux is the contract.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace nearkin {

/// When the contents of a file last changed.
std::timespec modified_at(const struct stat& file);

/// Waits until the bytes of a file are on the disk: 0, or -1 and errno.
int sync_bytes(int descriptor);
/// Asks the system to begin with writing these bytes to the disk, and does not wait.
void begin_sync(int descriptor, off_t from, off_t length);
/// These bytes of a file are not needed any more: their place on the disk may be used again.
void drop_bytes(int descriptor, off_t from, off_t length);

/// Gives the first `length` bytes of a file their place on the disk: 0, or -1 and errno (EOPNOTSUPP where that cannot be done).
int take_room(int descriptor, off_t length);

/// A new file without a name, on the disk of this folder: its descriptor, closed in programs that are started, or -1 and errno. `access` is
/// O_WRONLY or O_RDWR.
int open_unnamed(const char* folder, int access, mode_t mode);
/// A pipe whose ends are closed in programs that are started: 0, or -1 and errno.
int closing_pipe(int* ends);

/// These bytes, which were not used yet, will be used all over: larger pages where the system has them. Worth it from some MiB on.
void prefer_large_pages(void* begin, std::size_t bytes);
/// Makes room in such pages for an array that is empty yet.
template <typename T>
void reserve_pages(std::vector<T>& array, std::size_t size) {
  array.reserve(size);
  prefer_large_pages(array.data(), array.capacity() * sizeof(T));
}
/// Memory that was freed goes back to the system.
void give_back_memory();
/// Bytes of memory that nothing uses; 0 where the system does not tell.
std::uint64_t free_memory();
/// The most bytes of memory that this process ever held.
std::uint64_t most_memory_used();

}  // namespace nearkin
