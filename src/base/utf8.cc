#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace nearkin {

namespace {

bool ascii_block(const char* p) {
  std::uint64_t words[4];
  std::memcpy(words, p, sizeof words);
  return ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) == 0;
}

}  // namespace

bool valid_utf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    while (end - p >= 32 && ascii_block(p)) p += 32;
    // The inner loop goes to the next border of about a block, so that dense non-ASCII text does not test a block at every character.
    const char* const pause = end - p > 32 ? p + 32 : end;
    while (p < pause) {
      const char* const start = p;
      if (next_code_point(p, end) == kReplacement && p - start == 1) return false;
    }
  }
  return true;
}

}  // namespace nearkin
