// The tables behind normalise.h: what NFKC_Casefold makes of a single code point, and where a text may be cut so that the pieces can be
// folded one by one.
//
// NFKC_Casefold, as utf8proc does it, has three steps: (1) every code point is replaced by its case-folded full compatibility
// decomposition, without regard to its neighbours; (2) in each maximal run of code points with combining class != 0, these are sorted
// by class, stably; (3) from left to right, each code point is joined with the last starter (class 0) before it if the two form a
// composite and nothing between them blocks it.
//
// Call a code point *safe* if its decomposition is not empty and begins with a code point d of class 0 that is never the second half
// of a composite. A cut before a safe code point changes nothing: step 1 knows no neighbours; step 2 moves nothing across d, whose
// class is 0; and step 3, on reaching d, joins it to nothing and makes it the last starter, which forgets all that came before, just
// as at the start of a text. So the result is that of the piece before the cut followed by that of the piece after it; and where
// two safe code points follow each other, the first is a piece by itself, whose result is known from a table.
//
// Call a code point *inert* if it decomposes to itself, has class k != 0 and is never the second half of a composite. At the end
// of a piece that ends, decomposed and sorted, in a code point of class <= k, it is not moved in step 2 nor joined in step 3, so it is
// simply appended to the result of the piece. (Thai tone marks, the viramas, most Arabic and Hebrew points.)
//
// All else is *unsafe*: marks that may compose, vowel and final jamo, code points that vanish (soft hyphen, variation selectors), whose
// piece must be folded as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearkin {

/// The bytes of the result for a safe or inert code point, if there are at most 3, and what to mind about it.
struct FoldEntry {
  char bytes[3];
  std::uint8_t info;
};

// Bits of FoldEntry::info. Below kFoldWhite is the common case: safe, a few bytes, none of them white space.
inline constexpr std::uint8_t kFoldLength = 0x03;
inline constexpr std::uint8_t kFoldOpen = 0x04;    ///< the decomposition ends in a class other than 0
inline constexpr std::uint8_t kFoldWhite = 0x08;   ///< one code point, white space
inline constexpr std::uint8_t kFoldLonger = 0x10;  ///< the result is FoldTable::longer[bytes[0] | bytes[1] << 8]
inline constexpr std::uint8_t kFoldInert = 0x20;
inline constexpr std::uint8_t kFoldUnsafe = 0x40;

struct FoldTable {
  std::vector<FoldEntry> bmp;          ///< one entry for each code point below U+10000
  std::vector<std::u32string> longer;  ///< results of more than 3 bytes, or with white space among other code points
  std::vector<bool> seconds;           ///< for every code point: may be the second half of a composite (some more are set)
};

/// Built on first use, by any thread.
const FoldTable& fold_table();

/// Whether a cut before `c` changes nothing: `c` is safe.
bool fold_safe(const FoldTable& table, char32_t c);

int combining_class(char32_t c);

/// Appends the folded decomposition of `c`: step 1.
void append_decomposed(char32_t c, std::vector<std::int32_t>& code_points);

/// Steps 2 and 3, in place, in O(n log n). utf8proc's own step 2 takes quadratic time for marks out of order.
void order_and_compose(std::vector<std::int32_t>& code_points);

}  // namespace nearkin
