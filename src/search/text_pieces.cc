#include "search/text_pieces.h"

#include <algorithm>

#include "base/library.h"
#include "base/system.h"

namespace nearkin {

void TextPiece::pack(std::span<const std::uint64_t> hashes, std::span<const TextSpan> spans, std::vector<std::uint64_t>& numbers_of) {
  base = static_cast<std::uint32_t>(spans.front().begin);
  numbers_of.assign(hashes.begin(), hashes.end());
  numbers_of.resize(numbers());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::size_t from = spans[i].begin - base, length = spans[i].end - spans[i].begin;
    if (spans[i].begin < base || from >> (32 - kLengthBits) != 0 || length >> kLengthBits != 0) return;
    numbers_of[size() + i / 2] |= static_cast<std::uint64_t>(from << kLengthBits | length) << (32 * (i % 2));
  }
  data = numbers_of.data();
}

void TextPieces::add(Row row, TextPiece piece) {
  if (piece.data == nullptr) return;
  const std::size_t numbers = piece.numbers();
  if (numbers > kLeastBlock || bytes_ + numbers * sizeof(std::uint64_t) + sizeof piece > most_bytes_) return;
  bytes_ += numbers * sizeof(std::uint64_t) + sizeof piece;
  std::uint64_t* const data = room_for(numbers);
  std::copy_n(piece.data, numbers, data);
  piece.row = row;
  piece.data = data;
  pieces_.push_back(piece);
}

std::uint64_t* TextPieces::room_for(std::size_t numbers) {
  if (used_ + numbers > room_) {
    room_ = std::clamp(2 * room_, kLeastBlock, kMostBlock);
    blocks_.push_back(unfilled<std::uint64_t>(room_));
    prefer_large_pages(blocks_.back().get(), room_ * sizeof(std::uint64_t));
    used_ = 0;
  }
  used_ += numbers;
  return blocks_.back().get() + (used_ - numbers);
}

std::span<const TextPiece> TextPieces::of(Row row) const {
  const auto [first, last] = std::equal_range(pieces_.begin(), pieces_.end(), TextPiece{.row = row},
                                              [](const TextPiece& a, const TextPiece& b) { return a.row < b.row; });
  return {first, last};
}

}  // namespace nearkin
