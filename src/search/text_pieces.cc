#include "search/text_pieces.h"

#include <algorithm>

namespace nearkin {

void TextPieces::add(Row row, TextPiece piece) {
  const std::size_t numbers = 2 * piece.tokens().size();
  if (numbers > kBlock || bytes_ + numbers * sizeof(std::uint64_t) + sizeof piece > most_bytes_) return;
  bytes_ += numbers * sizeof(std::uint64_t) + sizeof piece;
  std::uint64_t* const data = room_for(numbers);
  std::copy_n(piece.data, numbers, data);
  piece.row = row;
  piece.data = data;
  pieces_.push_back(piece);
}

std::uint64_t* TextPieces::room_for(std::size_t numbers) {
  if (used_ + numbers > kBlock) {
    blocks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(kBlock));
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
