// The inner loops worth SIMD, each with a plain scalar twin that defines what is right. The SIMD code gives the same bytes.
// NEARKIN_KERNEL=scalar in the environment forces the scalar twins; it is read once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearkin::kernel {

/// Bytes that scan_ascii may write past the end of its lowered output.
inline constexpr std::size_t kOverrun = 64;

/// Classifies and lower-cases text, 64 bytes to a mask word. For i < size: lowered[i] is text[i] with A–Z made a–z (or as it is when
/// `keep_case`), bit i%64 of word_masks[i/64] says whether text[i] is an ASCII letter or digit. Bits past `size` are 0.
/// Returns false, with outputs unspecified, when a byte above 127 occurs.
bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks);

/// Mixes elements and throws each into one of `hashes` slots. With x = mix64(element ^ key), of the 96-bit product x·hashes:
/// places[i] = slot (bits 64 and up) << 32 | value (bits 32 to 63), and low[i] = the low half of x.
void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low);

/// Classic MinHash of single slots: minima[i] = min over elements x of (multipliers[slots[i]]·x + addends[slots[i]]) mod 2^32.
void slot_minima(const std::uint32_t* elements, std::size_t count, const std::uint32_t* slots, std::size_t slot_count,
                 const std::uint32_t* multipliers, const std::uint32_t* addends, std::uint32_t* minima);

/// Number of equal bytes at equal places.
std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);

/// The scalar twins, for tests and for NEARKIN_KERNEL=scalar.
namespace scalar {
bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks);
void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low);
void slot_minima(const std::uint32_t* elements, std::size_t count, const std::uint32_t* slots, std::size_t slot_count,
                 const std::uint32_t* multipliers, const std::uint32_t* addends, std::uint32_t* minima);
std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);
}  // namespace scalar

/// "scalar", or the name of the instruction set in use ("NEON", "AVX2", "AVX3" …).
const char* name();

}  // namespace nearkin::kernel
