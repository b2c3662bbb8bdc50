#include "search/loaded_text.h"

#include <algorithm>

#include "base/hash.h"

namespace nearkin {
namespace {

// Polynomials modulo the prime 2^61 - 1. Modulo a power of two there are texts that agree whatever the base.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kPrefixBase = 0x1cf2a5f3d9e84b67u % kPrime;

std::uint64_t reduced(std::uint64_t x) {
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const Product128 product = multiply128(a, b);
  return reduced((product.low & kPrime) + (product.low >> 61 | product.high << 3));
}

constexpr std::size_t kOneByOne = 1024;  // tokens that are compared themselves

// The largest n <= most for which agree(n) holds, which holds for all below it too; it does for `known`.
template <typename Agree>
std::size_t farthest(std::size_t known, std::size_t most, const Agree& agree) {
  std::size_t step = known;
  while (known + step <= most && agree(known + step)) {
    known += step;
    step *= 2;
  }
  for (; step > 0; step /= 2) {
    if (known + step <= most && agree(known + step)) known += step;
  }
  return known;
}

}  // namespace

void LoadedText::load(Row row, std::string_view text, PassageTokeniser& tokeniser) {
  constexpr std::size_t kRoomKept = std::size_t{16} << 20;
  if (text_.capacity() > kRoomKept) *this = LoadedText();  // what one very long text needed is not kept for the next
  row_ = row;
  piece_ = nullptr;
  masks_ = tokeniser.masks();
  text_ = text;
  prefixes_.clear();
  masked_.reset();
  const std::span<const std::uint64_t> tokens = tokeniser.tokens(text_, &spans_);
  tokens_.assign(tokens.begin(), tokens.end());
  tokeniser.give_back();
}

void LoadedText::view(const TextPiece& piece, bool masks) {
  row_ = piece.row;
  piece_ = &piece;
  piece.copy_tokens(tokens_);
  masks_ = masks;
  prefixes_.clear();
  masked_.reset();
}

TextSpan LoadedText::span(std::size_t token, PassageTokeniser& tokeniser) {
  if (piece_ != nullptr) return piece_->span(static_cast<std::uint32_t>(token));
  if (spans_.size() != tokens_.size()) spans_ = tokeniser.spans(text_);
  return spans_[token];
}

void LoadedText::hash_prefixes() {
  prefixes_.assign(1, 0);
  powers_.assign(1, 1);
  for (const std::uint64_t token : tokens()) {
    prefixes_.push_back(reduced(times(prefixes_.back(), kPrefixBase) + reduced(mix64(token))));
    powers_.push_back(times(powers_.back(), kPrefixBase));
  }
}

std::uint64_t LoadedText::hash(std::size_t first, std::size_t count) {
  if (prefixes_.empty()) hash_prefixes();
  first -= begin();
  return reduced(prefixes_[first + count] + (kPrime - times(prefixes_[first], powers_[count])));
}

const std::vector<std::size_t>& LoadedText::masked() {
  if (masked_) return *masked_;
  masked_.emplace();
  for (std::size_t token = begin(); token < end(); ++token) {
    if (*this->token(token) == kMaskedToken) masked_->push_back(token);
  }
  return *masked_;
}

std::size_t LoadedText::plain_ahead(std::size_t first) {
  if (!masks_) return end() - first;
  const std::vector<std::size_t>& all = masked();
  const auto next = std::lower_bound(all.begin(), all.end(), first);
  return (next == all.end() ? end() : *next) - first;
}

std::size_t LoadedText::plain_behind(std::size_t last) {
  if (!masks_) return last - begin();
  const std::vector<std::size_t>& all = masked();
  const auto next = std::lower_bound(all.begin(), all.end(), last);
  return last - (next == all.begin() ? begin() : *(next - 1) + 1);
}

std::size_t equal_ahead(LoadedText& a, std::size_t i, LoadedText& b, std::size_t j) {
  const std::size_t most = std::min(a.plain_ahead(i), b.plain_ahead(j)), few = std::min(most, kOneByOne);
  const std::uint64_t *p = a.token(i), *q = b.token(j);
  std::size_t equal = 0;
  while (equal < few && p[equal] == q[equal]) ++equal;
  if (equal < few || few == most) return equal;
  return farthest(equal, most, [&](std::size_t n) { return a.hash(i, n) == b.hash(j, n); });
}

std::size_t equal_behind(LoadedText& a, std::size_t i, LoadedText& b, std::size_t j) {
  const std::size_t most = std::min(a.plain_behind(i), b.plain_behind(j)), few = std::min(most, kOneByOne);
  const std::uint64_t *p = a.token(i), *q = b.token(j);
  std::size_t equal = 0;
  while (equal < few && p[-1 - static_cast<std::ptrdiff_t>(equal)] == q[-1 - static_cast<std::ptrdiff_t>(equal)]) ++equal;
  if (equal < few || few == most) return equal;
  return farthest(equal, most, [&](std::size_t n) { return a.hash(i - n, n) == b.hash(j - n, n); });
}

LoadedText& TextLoader::operator()(Row row) {
  const auto found = std::find_if(texts_.begin(), texts_.end(), [&](const auto& text) { return text->row() == row; });
  if (found != texts_.end()) {
    std::rotate(texts_.begin(), found, found + 1);
    return *texts_.front();
  }
  std::size_t bytes = 0;
  for (const auto& text : texts_) bytes += text->bytes();
  for (; texts_.size() > 1 && bytes > kBytes; texts_.pop_back()) bytes -= texts_.back()->bytes();
  if (texts_.size() < kTexts) texts_.push_back(std::make_unique<LoadedText>());
  std::rotate(texts_.begin(), texts_.end() - 1, texts_.end());
  load(row, *texts_.front());
  return *texts_.front();
}

}  // namespace nearkin
