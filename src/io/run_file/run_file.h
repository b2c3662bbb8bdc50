// Run files: what a run keeps on disk, in sections of bytes, each block of which is checked when it is read.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <nearkin/error.h>

#include "base/hash.h"

namespace nearkin {

/// What a file is: stored in its header, and checked when it is opened.
struct RunFileInfo {
  std::string kind;  ///< "segment", "pairs" …
  Hash128 run = {};  ///< which run it belongs to; all zero: to none (a sketch file)
  std::string plan;  ///< the plan line
};

/// A section: bytes of one sort, told apart by its kind and a number.
struct Section {
  std::uint32_t kind = 0, number = 0;
  std::uint64_t offset = 0, length = 0;  ///< in the file
};

/// Writes `path`, which appears under its name only when it is complete and on the disk: until then it is `path`.part, which a later
/// writer replaces. Throws Error(file) naming the path when the disk is full ("disk full …") or a write fails.
class RunFileWriter {
 public:
  RunFileWriter(const std::string& path, const RunFileInfo& info);
  ~RunFileWriter();  ///< without `finish`: what was written is removed
  RunFileWriter(RunFileWriter&&) noexcept;
  RunFileWriter& operator=(RunFileWriter&&) noexcept;

  /// Begins a section; the one before it ends here.
  void begin(std::uint32_t kind, std::uint32_t number = 0);
  void write(const void* bytes, std::size_t size);
  template <typename T>
  void write(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(values.data(), values.size_bytes());
  }
  /// A whole section.
  template <typename T>
  void section(std::uint32_t kind, std::uint32_t number, const std::vector<T>& values) {
    begin(kind, number);
    write(std::span<const T>(values));
  }
  /// Checksums, fdatasync, rename. Returns the file's size.
  std::uint64_t finish();
  std::uint64_t bytes() const;  ///< written so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A run file, opened. Reads may come from many threads at once.
class RunFile {
 public:
  /// True for a file that begins as run files do; false for all else, and for what cannot be read.
  static bool is_one(const std::string& path);
  /// Throws Error(file) naming the path for what is no run file, of another version, cut short or damaged ("damaged: …").
  explicit RunFile(const std::string& path);
  /// Also throws Error(file) if kind, run or plan are not those expected.
  RunFile(const std::string& path, const RunFileInfo& expected);
  ~RunFile();
  RunFile(RunFile&&) noexcept;
  RunFile& operator=(RunFile&&) noexcept;

  const std::string& path() const;
  const RunFileInfo& info() const;
  std::uint64_t bytes() const;
  const std::vector<Section>& sections() const;
  /// Null where there is none.
  const Section* find(std::uint32_t kind, std::uint32_t number = 0) const;
  /// Throws Error(file) if there is no such section.
  const Section& at(std::uint32_t kind, std::uint32_t number = 0) const;

  /// `size` bytes of a section from `offset` on. Throws Error(file) naming path and block when a checksum fails, and where the range is not
  /// within the section.
  void read(const Section& section, std::uint64_t offset, void* to, std::size_t size) const;
  template <typename T>
  void read(const Section& section, std::uint64_t first, std::span<T> to) const {
    static_assert(std::is_trivially_copyable_v<T>);
    read(section, first * sizeof(T), to.data(), to.size_bytes());
  }
  template <typename T>
  std::vector<T> read_all(const Section& section) const {
    std::vector<T> values(static_cast<std::size_t>(section.length / sizeof(T)));
    read(section, 0, std::span<T>(values));
    return values;
  }

 private:
  friend class BlockReader;
  struct State;
  std::unique_ptr<State> state_;
};

/// For many small reads, mostly ascending: remembers the last range of blocks. For one thread; the file must outlive it.
class BlockReader {
 public:
  BlockReader(const RunFile& file, const Section& section);
  /// Good until the next call.
  std::span<const std::byte> bytes(std::uint64_t offset, std::size_t size);
  template <typename T>
  T value(std::uint64_t index) {
    static_assert(std::is_trivially_copyable_v<T>);
    T result{};
    std::memcpy(&result, bytes(index * sizeof(T), sizeof(T)).data(), sizeof(T));
    return result;
  }

 private:
  const RunFile* file_;
  Section section_;
  std::uint64_t begin_ = 0, end_ = 0;  ///< of the section's bytes in buffer_
  std::vector<std::byte> buffer_;
};

class NoteWriter {
 public:
  NoteWriter& add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  NoteWriter& add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
    return *this;
  }
  void write(RunFileWriter& writer, std::uint32_t kind, std::uint32_t number = 0) const {
    writer.begin(kind, number);
    writer.write(bytes_.data(), bytes_.size());
  }

 private:
  std::string bytes_;
};

class NoteReader {
 public:
  /// `problem` completes "damaged: …" in the message about a section that is not what a NoteWriter wrote.
  NoteReader(const RunFile& file, const Section& section, const char* problem)
      : path_(file.path()), problem_(problem), bytes_(file.read_all<char>(section)) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {take(size), static_cast<std::size_t>(size)};
  }
  bool at_end() const { return at_ == bytes_.size(); }
  /// Throws Error(file) naming the run file.
  [[noreturn]] void damaged() const { throw Error(ErrorCode::file, path_, std::string("damaged: ") + problem_); }

 private:
  const char* take(std::uint64_t size) {
    if (size > bytes_.size() - at_) damaged();
    const char* const taken = bytes_.data() + at_;
    at_ += static_cast<std::size_t>(size);
    return taken;
  }

  std::string path_;
  const char* problem_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace nearkin
