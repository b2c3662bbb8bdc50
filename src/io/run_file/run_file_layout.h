// How a run file is laid out:
//
//   FileHeader, kind, plan line, zeros up to a multiple of 8, checksum of all this
//   payload: the sections' bytes, each section beginning at a multiple of 8, zeros between them; blocks are counted from its start
//   footer: the sections, then the checksum of each block of the payload, the last of which may be short
//   FileTrailer
//
// Whole numbers of fixed width, lowest byte first. FROZEN for each version: a change needs a new kVersion.
#pragma once

#include <array>
#include <bit>
#include <type_traits>

#include "io/run_file/run_file.h"

namespace nearkin::run_layout {

static_assert(std::endian::native == std::endian::little, "run files hold numbers as a little-endian machine has them in memory");

// No text begins with the first byte: it starts no character of UTF-8.
constexpr std::array<char, 8> kMagic{'\x89', 'n', 'e', 'a', 'r', 'k', 'i', 'n'};
constexpr std::array<char, 8> kEndMagic{'n', 'i', 'k', 'r', 'a', 'e', 'n', '\x98'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kBlock = 4096;
constexpr std::uint64_t kAlignment = 8;
constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 20;

struct FileHeader {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t block = kBlock;
  std::uint32_t length = 0;  ///< of the header with its checksum: where the payload begins
  std::uint32_t kind_length = 0;
  std::uint32_t plan_length = 0;
  std::uint32_t zero = 0;
  std::uint64_t run_low = 0, run_high = 0;
};

struct FileTrailer {
  std::uint64_t footer_offset = 0, footer_length = 0, footer_checksum = 0;
  std::uint64_t sections = 0;
  std::uint64_t header_checksum = 0;  ///< detects the beginning of one file joined with the end of another
  std::uint64_t file_size = 0;
  std::uint64_t checksum = 0;  ///< of the fields above
  std::array<char, 8> magic = kEndMagic;
};
constexpr std::size_t kTrailerChecked = sizeof(FileTrailer) - sizeof(std::uint64_t) - sizeof(kEndMagic);

static_assert(sizeof(FileHeader) == 48 && sizeof(FileTrailer) == 64 && sizeof(Section) == 24);
static_assert(std::has_unique_object_representations_v<FileHeader> && std::has_unique_object_representations_v<FileTrailer>);

constexpr std::uint64_t aligned(std::uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }
constexpr std::uint64_t blocks_in(std::uint64_t payload) { return payload / kBlock + (payload % kBlock != 0); }
/// The length of a header with its checksum.
constexpr std::uint64_t header_length(std::uint64_t kind_length, std::uint64_t plan_length) {
  return aligned(sizeof(FileHeader) + kind_length + plan_length) + sizeof(std::uint64_t);
}

/// The places of the sections, ascending by kind and number.
std::vector<std::size_t> by_name(const std::vector<Section>& sections);
/// The first section, in the order of their names, that has the same name as another; null if all differ.
const Section* first_repeated(const std::vector<Section>& sections, const std::vector<std::size_t>& order);

/// With its checksum, which is the last eight bytes. Throws Error(file) naming `path` for a header over kLongestHeader.
std::string header_bytes(const RunFileInfo& info, const std::string& path);
/// Footer and trailer of a file whose payload ends at `offset`, a multiple of kAlignment.
std::string end_bytes(std::uint64_t header_checksum, std::uint64_t offset, const std::vector<Section>& sections,
                      const std::vector<std::uint64_t>& checksums);

}  // namespace nearkin::run_layout
