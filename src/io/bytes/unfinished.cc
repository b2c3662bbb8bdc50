#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nearkin/run.h>
#include <nearkin/tools/front_end.h>

#include "io/bytes/output.h"
#include "io/bytes/program.h"

namespace nearkin {
namespace {

enum State : int {
  kFree,
  kFilling,
  kNamed,
  kTaken,  ///< by a handler of signals; it stays so
};

constexpr std::size_t kSlots = 32;

/// Unlinks the files of a folder, by system calls alone: opendir allocates.
void remove_files_of(const char* folder) noexcept {
  struct Entry {  // linux_dirent64
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[1];
  };
  const int fd = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  alignas(Entry) std::array<char, 4096> buffer;
  for (long size = 0; (size = ::syscall(SYS_getdents64, fd, buffer.data(), buffer.size())) > 0;) {
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      ::unlinkat(fd, entry->name, 0);  // "." and ".." are folders, which this refuses
      at += entry->size;
    }
  }
  ::close(fd);
}

}  // namespace

/// A handler may interrupt any thread at any moment, so that it can neither wait nor allocate: hence slots of a fixed size, each of which
/// has one owner at a time, by its state.
struct Unfinished::Slot {
  std::atomic<int> state{kFree};
  std::atomic<Kind> kind{Kind::file_or_folder};
  std::array<char, PATH_MAX> path{};

  static_assert(std::atomic<int>::is_always_lock_free);
  bool change(int from, int to) noexcept { return state.compare_exchange_strong(from, to); }
};

Unfinished::Slot Unfinished::slots_[kSlots];

Unfinished::Unfinished(const std::string& path, Kind kind) {
  if (path.size() >= PATH_MAX) return;
  for (Slot& slot : slots_) {
    if (!slot.change(kFree, kFilling)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.kind = kind;
    slot.state = kNamed;
    slot_ = &slot;
    return;
  }
}

Unfinished::Unfinished(Unfinished&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}

Unfinished& Unfinished::operator=(Unfinished&& other) noexcept {
  if (this == &other) return *this;
  release();
  slot_ = std::exchange(other.slot_, nullptr);
  return *this;
}

void Unfinished::release() noexcept {
  if (Slot* const slot = std::exchange(slot_, nullptr)) slot->change(kNamed, kFree);
}

void remove_unfinished_outputs() noexcept {
  const int saved = errno;
  const bool complete = outputs_are_complete();
  for (Unfinished::Slot& slot : Unfinished::slots_) {
    if (slot.kind == Unfinished::Kind::spare_folder && !complete) continue;
    if (slot.change(kNamed, kTaken) && slot.kind == Unfinished::Kind::file_or_folder) ::unlink(slot.path.data());
  }
  // What is still there is a folder. The first time round it may have another in it, or a file that another thread makes just now.
  for (int times = 0; times < 3; ++times) {
    for (Unfinished::Slot& slot : Unfinished::slots_) {
      if (slot.state != kTaken) continue;
      if (slot.kind != Unfinished::Kind::file_or_folder) remove_files_of(slot.path.data());
      ::rmdir(slot.path.data());
    }
  }
  end_programs();
  errno = saved;
}

}  // namespace nearkin
