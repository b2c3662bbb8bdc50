// Tokens: where the tokens of a normalised text begin and end, and their hashes.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include <nearkin/plan.h>

#include "base/hash.h"
#include "base/words.h"
#include "feature/normalise.h"

namespace nearkin {

static_assert(std::endian::native == std::endian::little, "token hashes are defined over little-endian words");

/// Bytes behind a token that must be readable (they do not count).
inline constexpr std::size_t kTokenPadding = 16;

namespace token_hash_detail {

inline constexpr std::uint64_t kLowKey = 0x2d358dccaa6c78a5u;
inline constexpr std::uint64_t kHighKey = 0x8bb84b93962eacc9u;

struct Mask16 {
  std::uint64_t low, high;
};

constexpr std::array<Mask16, 17> make_masks() {
  std::array<Mask16, 17> masks{};
  for (unsigned n = 0; n <= 16; ++n) {
    masks[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
    masks[n].high = n <= 8 ? 0 : n == 16 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * (n - 8))) - 1;
  }
  return masks;
}
inline constexpr std::array<Mask16, 17> kMasks = make_masks();

inline std::uint64_t load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline std::uint64_t absorb(std::uint64_t state, const char* p, std::size_t size) {
  const Mask16& mask = kMasks[size];
  return fold_multiply((load64(p) & mask.low) ^ state, (load64(p + 8) & mask.high) ^ kHighKey);
}

}  // namespace token_hash_detail

/// FROZEN: features and sketches depend on it. `size` bytes at p, 16 at a time: a token of up to 16 bytes costs one multiplication. The
/// length is part of the hash, so trailing zero bytes count. kTokenPadding bytes after the token must be readable.
inline std::uint64_t token_hash(const char* p, std::size_t size) {
  using namespace token_hash_detail;
  std::uint64_t state = kLowKey + size;
  for (; size > 16; p += 16, size -= 16) state = absorb(state, p, 16);
  return absorb(state, p, size);
}

/// The text as the tokens are cut from it, for this token and normalisation. Lines keep their '\n', each line normalised by itself.
void prepare_text(std::string_view text, const ShinglePlan& plan, std::string& out);

/// The same for a program that is already reduced (reduce_code.h).
void prepare_reduced(std::string_view text, const ShinglePlan& plan, std::string& out);

/// emit(begin, end) for every code point.
template <typename Emit>
void for_each_character(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const char* const begin = p;
    next_code_point(p, end);
    emit(begin, p);
  }
}

/// emit(begin, end) for every line that is not empty, without its '\n'.
template <typename Emit>
void for_each_line(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const std::size_t length = std::string_view(p, static_cast<std::size_t>(end - p)).find('\n');
    const char* const stop = length == std::string_view::npos ? end : p + length;
    if (stop != p) emit(p, stop);
    p = stop + 1;
  }
}

/// emit(begin, end) for every run of bytes between blanks.
template <typename Emit>
void for_each_element(std::string_view text, Emit&& emit) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    while (p < end && is_blank(*p)) ++p;
    const char* const begin = p;
    while (p < end && !is_blank(*p)) ++p;
    if (p != begin) emit(begin, p);
  }
}

/// The tokens of a prepared text.
template <typename Emit>
void for_each_token(std::string_view prepared, Token token, Emit&& emit) {
  switch (token) {
    case Token::character: return for_each_character(prepared, emit);
    case Token::word: return for_each_word(prepared, false, emit);
    case Token::code: return for_each_word(prepared, true, emit);
    case Token::line: return for_each_line(prepared, emit);
    case Token::element: return for_each_element(prepared, emit);
  }
}

}  // namespace nearkin
