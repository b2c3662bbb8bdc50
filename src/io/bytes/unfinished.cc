#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

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

}  // namespace

/// A handler may interrupt any thread at any moment, so that it can neither wait nor allocate: hence slots of a fixed size, each of which
/// has one owner at a time, by its state.
struct Unfinished::Slot {
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path{};

  static_assert(std::atomic<int>::is_always_lock_free);
  bool change(int from, int to) noexcept { return state.compare_exchange_strong(from, to); }
};

Unfinished::Slot Unfinished::slots_[kSlots];

Unfinished::Unfinished(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (Slot& slot : slots_) {
    if (!slot.change(kFree, kFilling)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
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
  for (Unfinished::Slot& slot : Unfinished::slots_) {
    if (slot.change(kNamed, kTaken)) ::unlink(slot.path.data());
  }
  // What is still there is a folder; the first time round it may have another in it.
  for (int times = 0; times < 2; ++times) {
    for (Unfinished::Slot& slot : Unfinished::slots_) {
      if (slot.state == kTaken) ::rmdir(slot.path.data());
    }
  }
  end_programs();
  errno = saved;
}

}  // namespace nearkin
