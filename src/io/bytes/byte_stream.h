// ByteStream: the bytes of a file or pipe, decompressed where they begin as gzip or zstd do.
#pragma once

#include <atomic>

#include <nearkin/error.h>

#include "io/bytes/compression.h"
#include "io/bytes/opened_file.h"

namespace nearkin {

/// The input of a decoder. `bytes` is what has been read and not yet used.
class RawBytes {
 public:
  RawBytes(OpenedFile file, std::string name, std::atomic<std::uint64_t>* count);

  std::string_view bytes() const { return {block_.data() + begin_, end_ - begin_}; }
  void use(std::size_t count) { begin_ += count; }
  /// Reads on when nothing is left; false at the end.
  bool refill();
  /// Bypasses the block: reads straight into `to`.
  std::size_t read(char* to, std::size_t size);
  /// Continues at `offset`; drops what was read and not used. Throws Error(file) if the file cannot seek.
  void go_to(std::uint64_t offset);
  const std::string& name() const { return name_; }
  OpenedFile& file() { return file_; }

 private:
  OpenedFile file_;
  std::string name_;
  std::atomic<std::uint64_t>* count_;
  std::string block_;
  std::size_t begin_ = 0, end_ = 0;
};

class ByteStream {
 public:
  /// Reads the first bytes. `count`, when given, is increased by the bytes read from the file, before decompression.
  ByteStream(OpenedFile file, const std::string& name, std::atomic<std::uint64_t>* count = nullptr);

  /// Bytes stored at `to`, less than `size` only at the end. Throws Error(file).
  std::size_t read(char* to, std::size_t size);
  /// The same, but what comes before a fault is not lost: less than `size` also where one follows. `is_broken` then says so, and the next
  /// call throws.
  std::size_t read_sound(char* to, std::size_t size);
  bool is_broken() const { return trouble_.has_value(); }
  bool compressed() const { return decoder_ != nullptr; }
  const std::string& name() const { return raw_.name(); }
  /// Plain files alone.
  void go_to(std::uint64_t offset) { raw_.go_to(offset); }
  /// Gives the descriptor of a plain file away; nothing can be read afterwards.
  Descriptor take_file() { return raw_.file().take(); }

 private:
  RawBytes raw_;
  std::unique_ptr<Decoder> decoder_;
  std::optional<Error> trouble_;
};

}  // namespace nearkin
