// OutputFile: a file that appears under its name only when it is complete. Unfinished: files that go when a signal ends the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace nearkin {

/// Writes to a temporary file beside `path`, which has no name where the file system allows that (so that nothing is left of a run that is
/// killed), and puts it in place in `publish`; without that, whatever stood at `path` before is untouched. "-" is standard output; devices
/// and pipes are written directly. Names ending in .gz and .zst are compressed. When the reader of a pipe has gone, further bytes are
/// dropped silently: a closed pipe is not an error.
class OutputFile {
 public:
  /// Throws Error(file) when the file cannot be made.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  const std::string& name() const;  ///< as it was given
  /// Throws Error(file) when the disk is full or the write fails.
  void write(std::string_view bytes);
  /// What is written next is compressed on its own, in a member or frame that can be read without those before. Nothing where the output is
  /// not compressed.
  void end_member();
  /// All bytes are written, and those of a file are on the disk: what can fail has failed. Of several outputs, finish all before the first
  /// is published.
  void finish();
  /// The file has its name when this returns, and keeps it through a power cut.
  void publish();
  void commit() {
    finish();
    publish();
  }
  /// What was written is on the disk when this returns, in partial_name(), or on its way to the reader of the stream that this is.
  /// Compressed files end a frame. Throws Error(file), also where a file of that name is there already.
  void save();
  /// What was saved so far is wanted even if the rest never comes: without `publish` it stays in partial_name(), and nothing else.
  void hold_saved();
  /// A file beside the one that this is to become; empty for streams and devices.
  std::string partial_name() const;
  /// Throws Error(file) where that of an earlier run is still there: it holds what nothing else does.
  void require_no_partial() const;
  /// The reader of the pipe that this is has gone. May be asked by any thread.
  bool reader_gone() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

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
