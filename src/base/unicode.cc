#include "base/unicode.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <utf8proc.h>

namespace nearkin {

namespace {

struct Range {
  char32_t first, last;
};

// Scripts written without spaces between words, in ascending order. Only the letters and numbers inside a range are meant. Tibetan
// (tsheg) and Hangul (spaces) are not among them.
constexpr Range kUnspaced[] = {
    {0x0E00, 0x0E7F},    // Thai
    {0x0E80, 0x0EFF},    // Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x197F},    // Tai Le
    {0x1980, 0x19DF},    // New Tai Lue
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x1B00, 0x1B7F},    // Balinese
    {0x3005, 0x3007},    // Han: iteration mark, closing mark, zero
    {0x3021, 0x3029},    // Han: Hangzhou numerals
    {0x3031, 0x3035},    // vertical kana repeat marks
    {0x3038, 0x303C},    // Han: Hangzhou numerals, vertical iteration mark, masu mark
    {0x3041, 0x309F},    // Hiragana
    {0x30A1, 0x30FF},    // Katakana
    {0x3100, 0x312F},    // Bopomofo
    {0x31A0, 0x31BF},    // Bopomofo Extended
    {0x31F0, 0x31FF},    // Katakana Phonetic Extensions
    {0x3400, 0x4DBF},    // CJK Extension A
    {0x4E00, 0x9FFF},    // CJK Unified Ideographs
    {0xA980, 0xA9DF},    // Javanese
    {0xA9E0, 0xA9FF},    // Myanmar Extended-B
    {0xAA60, 0xAA7F},    // Myanmar Extended-A
    {0xAA80, 0xAADF},    // Tai Viet
    {0xF900, 0xFAFF},    // CJK Compatibility Ideographs
    {0xFF66, 0xFF9F},    // halfwidth Katakana
    {0x116D0, 0x116FF},  // Myanmar Extended-C
    {0x16FE3, 0x16FE3},  // Han: Old Chinese iteration mark
    {0x1AFF0, 0x1AFFF},  // Kana Extended-B
    {0x1B000, 0x1B16F},  // Kana Supplement, Extended-A, Small Kana Extension
    {0x20000, 0x3FFFF},  // the planes of ideographs: CJK Extensions B and later, Compatibility Supplement
};

bool unspaced(char32_t c) {
  const auto before = [](char32_t x, const Range& range) { return x < range.first; };
  const Range* const after = std::upper_bound(std::begin(kUnspaced), std::end(kUnspaced), c, before);
  return after != std::begin(kUnspaced) && c <= std::prev(after)->last;
}

// Letters by category, but written as a part of the kana before them: the prolonged sound mark and the halfwidth marks.
bool kana_mark(char32_t c) { return c == 0x30FC || c == 0xFF70 || c == 0xFF9E || c == 0xFF9F; }

CharKind compute_kind(char32_t c) {
  if (is_white_space(c)) return CharKind::space;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME) return CharKind::mark;
  const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
  const bool number = category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
  if (!letter && !number) return CharKind::other;
  if (kana_mark(c)) return CharKind::mark;
  return unspaced(c) ? CharKind::single : CharKind::word;
}

std::vector<CharKind> bmp_kinds() {
  std::vector<CharKind> kinds(0x10000);
  for (char32_t c = 0; c < 0x10000; ++c) kinds[c] = compute_kind(c);
  return kinds;
}

}  // namespace

CharKind detail::non_ascii_kind(char32_t c) {
  static const std::vector<CharKind> table = bmp_kinds();
  if (c < 0x10000) return table[c];
  return c <= 0x10FFFF ? compute_kind(c) : CharKind::other;
}

std::string unicode_version() { return utf8proc_unicode_version(); }

}  // namespace nearkin
