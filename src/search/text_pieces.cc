#include "search/text_pieces.h"

#include <algorithm>

#include "base/library.h"
#include "base/system.h"

namespace nearkin {
namespace {

std::uint64_t packed(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }
std::uint32_t high(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }
std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

}  // namespace

// A text has less than 4 GiB.
void append_span(std::vector<std::uint64_t>& data, TextSpan span) { data.push_back(packed(span.begin, span.end)); }

void append_anchor(std::vector<std::uint64_t>& data, const Anchor& anchor) {
  data.push_back(anchor.at);
  data.push_back(packed(anchor.first, anchor.last));
}

TextSpan TextPiece::span(std::uint32_t token) const {
  if (token >= from && token < to) {
    const TextSpan &there = common->spans[at + (token - from)], &first = common->spans[at];
    return {base + (there.begin - first.begin), base + (there.end - first.begin)};
  }
  const std::uint64_t own_span = data[own() + (token < from ? token - begin : token - to + (from - begin))];
  return {high(own_span), low(own_span)};
}

std::optional<Anchor> TextPiece::anchor_at(std::uint32_t token) const {
  const std::uint64_t* const all = data + 2 * own();
  std::size_t first = 0, last = anchors;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (all[2 * middle] < token) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == anchors || all[2 * first] != token) return {};
  return Anchor{token, high(all[2 * first + 1]), low(all[2 * first + 1])};
}

void TextPiece::copy_tokens(std::vector<std::uint64_t>& out) const {
  const std::uint64_t* const shared = common->tokens.data() + at;
  out.clear();
  out.reserve(size());
  out.insert(out.end(), data, data + (from - begin));
  out.insert(out.end(), shared, shared + (to - from));
  out.insert(out.end(), data + (from - begin), data + own());
}

bool TextPieces::reserve(std::uint64_t bytes) {
  if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_bytes_) return true;
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void TextPieces::add(Row row, TextPiece piece) {
  const std::size_t numbers = piece.numbers();
  if (numbers > kLeastBlock || !reserve(numbers * sizeof(std::uint64_t) + sizeof piece)) return;
  std::uint64_t* const data = room_for(numbers);
  std::copy_n(piece.data, numbers, data);
  piece.row = row;
  piece.data = data;
  firsts_.resize(std::max(firsts_.size(), std::size_t{row / kRows} + 1), static_cast<std::uint32_t>(pieces_.size()));
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
  const std::size_t block = row / kRows;
  if (block >= firsts_.size()) return {};
  const auto begin = pieces_.begin() + firsts_[block];
  const auto end = block + 1 < firsts_.size() ? pieces_.begin() + firsts_[block + 1] : pieces_.end();
  const auto first = std::find_if(begin, end, [&](const TextPiece& piece) { return piece.row >= row; });
  const auto last = std::find_if(first, end, [&](const TextPiece& piece) { return piece.row > row; });
  return {first, last};
}

}  // namespace nearkin
