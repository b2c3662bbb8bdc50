// Run files whose checksums are made right again after their bytes were changed, so that what they say is all that is wrong with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/hash.h"
#include "io/run_file/run_file_layout.h"

namespace nearkin::test {

template <typename T>
T value_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
void put_at(std::string& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline std::size_t trailer_place(const std::string& bytes) { return bytes.size() - sizeof(run_layout::FileTrailer); }

/// The checksum of the header, of the blocks as far as there is room for them, of the footer and of the trailer. Lengths and offsets
/// stay as they are; a part that does not lie within the file is left alone.
inline void seal(std::string& bytes) {
  using namespace run_layout;
  if (bytes.size() < sizeof(FileHeader) + sizeof(FileTrailer)) return;
  const std::uint64_t end = trailer_place(bytes), length = value_at<FileHeader>(bytes, 0).length;
  FileTrailer trailer = value_at<FileTrailer>(bytes, end);
  if (length < sizeof(std::uint64_t) || length > end) return;
  trailer.header_checksum = checksum64(bytes.data(), length - sizeof(std::uint64_t));
  put_at(bytes, length - sizeof(std::uint64_t), trailer.header_checksum);
  const std::uint64_t footer = trailer.footer_offset;
  if (footer >= length && footer <= end && trailer.footer_length <= end - footer) {
    const std::uint64_t blocks = std::min(blocks_in(footer - length), trailer.footer_length / sizeof(std::uint64_t));
    const std::uint64_t table = footer + trailer.footer_length - blocks * sizeof(std::uint64_t);
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const std::uint64_t at = length + i * kBlock;
      put_at(bytes, table + i * sizeof(std::uint64_t), checksum64(bytes.data() + at, std::min<std::uint64_t>(kBlock, footer - at)));
    }
    trailer.footer_checksum = checksum64(bytes.data() + footer, trailer.footer_length);
  }
  trailer.checksum = checksum64(&trailer, kTrailerChecked);
  put_at(bytes, end, trailer);
}

}  // namespace nearkin::test
