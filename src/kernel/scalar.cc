#include <algorithm>

#include "base/hash.h"
#include "kernel/kernel.h"

namespace nearkin::kernel::scalar {

bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks) {
  std::fill_n(word_masks, (size + 63) / 64, std::uint64_t{0});
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 128) return false;
    const bool upper = c >= 'A' && c <= 'Z';
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    lowered[i] = static_cast<char>(upper && !keep_case ? c + ('a' - 'A') : c);
    word_masks[i / 64] |= static_cast<std::uint64_t>(word) << (i % 64);
  }
  return true;
}

void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t x = mix64(elements[i] ^ key);
    const Product128 product = multiply128(x, hashes);
    places[i] = product.high << 32 | product.low >> 32;
    low[i] = static_cast<std::uint32_t>(x);
  }
}

void fill_empty_slots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                      std::size_t slot_count, std::uint32_t* slots) {
  for (std::size_t j = 0; j < slot_count; ++j) {
    if (slots[j] != kEmptySlot) continue;
    for (std::size_t i = 0; i < count; ++i) slots[j] = std::min(slots[j], multipliers[j] * elements[i] + addends[j]);
  }
}

void signature_bytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(slots[i] * kSignatureFactor >> 24);
}

std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < size; ++i) equal += a[i] == b[i];
  return equal;
}

}  // namespace nearkin::kernel::scalar
