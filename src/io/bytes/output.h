// OutputFile: a file that appears under its name only when it is complete. Unfinished: files that are removed if a signal ends the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace nearkin {

/// Writes to a temporary file beside `path` and puts it in place in `publish`; without that, an existing file at `path` stays untouched.
/// The temporary file has no name if the file system allows that, so a killed run leaves nothing behind. "-" is standard output; devices
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
  bool is_terminal() const;
  /// How many threads may compress, where the format allows it; before the first write. The bytes do not depend on it.
  void use_threads(unsigned threads);
  /// Throws Error(file) when the disk is full or the write fails.
  void write(std::string_view bytes);
  /// Ends a member or frame: what is written next is compressed on its own and can be read without what came before. No effect if the
  /// output is not compressed.
  void end_member();
  /// Writes all bytes; those of a file are durable when it returns, so `publish` can hardly fail. With several outputs, finish all before
  /// the first is published.
  void finish();
  /// Gives the file its name, durably.
  void publish();
  void commit() {
    finish();
    publish();
  }
  /// Makes what was written so far durable in partial_name(), or passes it on if this is a stream. Ends a frame of a compressed file.
  /// Throws Error(file), also if a file of that name already exists.
  void save();
  /// Keeps what was saved even if the run fails: without `publish`, only the saved part stays, in partial_name().
  void hold_saved();
  /// The name of a file beside the final one; empty for streams and devices.
  std::string partial_name() const;
  /// Throws Error(file) if the partial file of an earlier run still exists: it is the only copy of its records.
  void require_no_partial() const;
  /// Whether this is a pipe whose reader has gone. Thread-safe.
  bool reader_gone() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A temporary file or folder of this process: `remove_unfinished_outputs` (front_end.h) removes it as long as this object exists. A folder
/// goes only if it is empty by then, and with the folders in it if all in these is unfinished, too, two deep. Make it right after the file,
/// so that a file of another process is never unlinked. A folder of files goes with the files in it. There is room for a few dozen names;
/// further names, and overlong ones, are not remembered, and their files stay behind if a signal ends the process.
class Unfinished {
 public:
  enum class Kind {
    file_or_folder,
    folder_of_files,
    spare_folder,  ///< a folder of files that is kept as long as the outputs are not complete: from it the run can be continued
  };
  Unfinished() = default;  ///< of nothing
  explicit Unfinished(const std::string& path, Kind kind = Kind::file_or_folder);
  ~Unfinished() { release(); }
  Unfinished(Unfinished&& other) noexcept;
  Unfinished& operator=(Unfinished&& other) noexcept;

  /// Call when the file is in place or removed.
  void release() noexcept;

 private:
  struct Slot;
  friend void remove_unfinished_outputs() noexcept;
  static Slot slots_[];
  Slot* slot_ = nullptr;  ///< the slot that holds the name
};

}  // namespace nearkin
