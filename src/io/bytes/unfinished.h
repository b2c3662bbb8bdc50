// Names of files that are to go when the process is ended by a signal.
#pragma once

#include <string>

namespace nearkin {

/// A file of this process that is not yet what it is to become: `remove_unfinished_outputs` (front_end.h) unlinks it while this object is.
/// To be made right after the file, so that no file of another process is ever unlinked. There is room for a few dozen names at a time; one
/// more, and one longer than a path may be, is not remembered, and its file stays behind when a signal ends the process.
class Unfinished {
 public:
  Unfinished() = default;  ///< of nothing
  explicit Unfinished(const std::string& path);
  ~Unfinished() { release(); }
  Unfinished(Unfinished&& other) noexcept;
  Unfinished& operator=(Unfinished&& other) noexcept;

  /// The file is in place, or removed.
  void release() noexcept;

 private:
  struct Slot;
  friend void remove_unfinished_outputs() noexcept;
  static Slot slots_[];
  Slot* slot_ = nullptr;  ///< where the name stands
};

}  // namespace nearkin
