// Pieces of texts that are kept while all are read: the tokens around anchors that many texts have.
//
// A text that shares a passage is read again to measure the passage. Where a passage is in every record, that would be every record, more
// than once. What most comparisons need of it is a piece; one that needs more reads the text, so no answer depends on what was kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <nearkin/items.h>

#include "feature/trace.h"

namespace nearkin {

/// An anchor is common if its key was seen this often. Tests change it.
inline std::uint32_t common_in_tests = 4;

/// Which keys are seen again and again, by counts of a fixed number of them. A key that is met where another is counted takes one off that
/// count, and the place of a count of 0. By many threads at once, which may lose a count.
class CommonKeys {
 public:
  CommonKeys() : counts_(kCounts) {}
  /// Counts the key; true if it is common.
  bool see(std::uint64_t key) {
    std::atomic<std::uint64_t>& count = counts_[key % kCounts];
    const std::uint64_t was = count.load(std::memory_order_relaxed), seen = was % kCounts, name = key - key % kCounts;
    const bool same = was - seen == name, add = same ? seen + 1 < kCounts : false;
    const std::uint64_t now = same ? was + (add ? 1 : 0) : seen > 1 ? was - 1 : name + 1;
    count.store(now, std::memory_order_relaxed);
    return now - now % kCounts == name && now % kCounts >= common_in_tests;
  }

 private:
  static constexpr std::uint64_t kCounts = std::uint64_t{1} << 13;  // a count is in the bits of a key that its place tells
  std::vector<std::atomic<std::uint64_t>> counts_;
};

/// Consecutive tokens of a text. Their places are those in the whole text.
struct TextPiece {
  Row row = 0;
  std::uint32_t begin = 0, end = 0;                 ///< tokens of the text
  std::uint32_t first_anchor = 0, last_anchor = 0;  ///< the windows of these anchors, and of those between them, are in the piece
  bool ends_text = false;                           ///< the text has no tokens behind it
  std::uint32_t base = 0;                           ///< the byte that its first token begins with
  const std::uint64_t* data = nullptr;              ///< hashes of the tokens, then their spans, two to a number

  std::size_t size() const { return end - begin; }
  std::span<const std::uint64_t> tokens() const { return {data, size()}; }
  TextSpan span(std::size_t token) const {
    const std::size_t i = token - begin;
    const auto packed = static_cast<std::uint32_t>(data[size() + i / 2] >> (32 * (i % 2)));
    const std::size_t first = std::size_t{base} + (packed >> kLengthBits);
    return {first, first + packed % (std::uint32_t{1} << kLengthBits)};
  }
  /// Makes `numbers_of` the data of the piece; it stays without where a token is too long, or too far from the first.
  void pack(std::span<const std::uint64_t> hashes, std::span<const TextSpan> spans, std::vector<std::uint64_t>& numbers_of);
  /// Numbers of the data.
  std::size_t numbers() const { return size() + (size() + 1) / 2; }

 private:
  static constexpr unsigned kLengthBits = 12;  // of 32; the others tell how far from the first token it begins
};

/// In memory, as many as its bound allows; ascending by row and place.
class TextPieces {
 public:
  explicit TextPieces(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  /// Copies the data. Rows ascend.
  void add(Row row, TextPiece piece);
  /// The pieces of a row. By many threads at once when all are added.
  std::span<const TextPiece> of(Row row) const;

 private:
  std::uint64_t* room_for(std::size_t numbers);

  static constexpr std::size_t kLeastBlock = std::size_t{1} << 16, kMostBlock = std::size_t{1} << 21;  // numbers; each twice the one before
  std::uint64_t most_bytes_, bytes_ = 0;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t room_ = 0, used_ = 0;  // of the last block
  std::vector<TextPiece> pieces_;
};

}  // namespace nearkin
