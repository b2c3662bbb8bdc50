// The inner loops that are worth SIMD, each with a plain scalar twin that defines the result. The SIMD code gives the same bytes.
// NEARKIN_KERNEL=scalar in the environment forces the scalar twins; it is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace nearkin::kernel {

/// Whether the environment asks for the scalar twins.
inline bool scalar_forced() {
  static const bool forced = [] {
    const char* value = std::getenv("NEARKIN_KERNEL");
    return value != nullptr && std::string_view(value) == "scalar";
  }();
  return forced;
}

/// Bytes that scan_ascii may write past the end of its lowered output.
inline constexpr std::size_t kOverrun = 64;

/// The multiplier that signature_bytes uses.
inline constexpr std::uint32_t kSignatureFactor = 0x9e3779b1u;

/// Classifies and lower-cases text, 64 bytes to a mask word. For i < size: lowered[i] is text[i] with A–Z made a–z (or as it is when
/// `keep_case`), bit i%64 of word_masks[i/64] says whether text[i] is an ASCII letter or digit. Bits past `size` are 0.
/// Returns false, with outputs unspecified, when a byte above 127 occurs.
bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks);

/// Mixes elements and throws each into one of `hashes` slots. With x = mix64(element ^ key), of the 96-bit product x·hashes:
/// places[i] = slot (bits 64 and up) << 32 | value (bits 32 to 63), and low[i] = the low half of x.
void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low);

/// A slot that holds no value yet.
inline constexpr std::uint32_t kEmptySlot = UINT32_MAX;
/// Classic MinHash of the slots that are empty: slots[j] = min over elements x of (multipliers[j]·x + addends[j]) mod 2^32 where
/// slots[j] == kEmptySlot. The others stay.
void fill_empty_slots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                      std::size_t slot_count, std::uint32_t* slots);

/// A byte of each slot, for a first comparison: bytes[i] = (slots[i]·kSignatureFactor mod 2^32) >> 24. Slots are minima, so their high bits
/// are mostly zero; the multiplication spreads the other bits. FROZEN: run files hold these bytes.
void signature_bytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes);

/// Number of equal bytes at equal places.
std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);

/// What count_shared returns where it gives up.
inline constexpr std::uint64_t kOutOfReach = UINT64_MAX;
/// How many values two ascending lists without repeats share. After every eight values of a list, while both lists have eight left, it
/// checks whether `least` can still be reached, and gives up if not.
std::uint64_t count_shared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least);

/// counts[i] += the number of the `maps` bit strings that have bit i, for i < 64·words. No count may pass 65,535.
void add_bits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts);
/// Bit i of `marks` says whether counts[i] ≥ least, for i < 64·words.
void mark_at_least(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks);

/// Sums over floats in double precision, in one fixed order on every machine: eight running sums, the i-th over the places ≡ i mod 8, each
/// term rounded once per operation (no fused multiply-add), then added as ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)).
double dot(const float* a, const float* b, std::size_t size);                ///< Σ a·b
double squared_distance(const float* a, const float* b, std::size_t size);   ///< Σ (a−b)², the difference taken in double
double absolute_distance(const float* a, const float* b, std::size_t size);  ///< Σ |a−b|, the difference taken in double
/// Which of these sums.
enum class FloatSum { dot, squared_distance, absolute_distance };
/// values[k] = that sum of `query` and items + rows[k]·size, for k < count.
void float_sums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
                double* values);
/// Bits that differ.
std::uint32_t bit_distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
/// distances[j] = bit_distance(query, codes + j·words), for j < count: the linear scan.
void bit_distances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances);
/// The fast Walsh–Hadamard transform in place, not scaled; size a power of two. Float additions and subtractions in the textbook order.
void hadamard(float* values, std::size_t size);
/// max |values[i]|, 0 where there are none.
float largest_magnitude(const float* values, std::size_t size);
/// products[i] = (a[i]·b[i])·factor; products may be a or b.
void multiply(const float* a, const float* b, float factor, std::size_t size, float* products);
/// Columns of a panel of a matrix, which is stored row after row.
inline constexpr std::size_t kPanel = 32;
/// sums[c] = Σ factors[k]·panel[rows[k]·kPanel + c] over k ascending, in double precision, for c < kPanel.
void sum_rows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums);

/// Bits of an index into the tables of sum_lookups, and hashes in one block of it.
inline constexpr unsigned kLookupBits = 12;
inline constexpr std::size_t kLookupBlock = 40;
/// Rows of a matrix that is too large to keep, looked up in a table by hashes. Of row k, the number in column 40·block + 8·part + lane is
/// table[bits 12·part and up of word], with word = mix64(keys[k] + (8·block + lane + 1)·0x9e3779b97f4a7c15).
/// sums[c] += factors[k]·number, over k ascending, for c < 40·blocks, in float.
void sum_lookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums);

/// Items of one block of block_scores, and bytes of a code of row_scores.
inline constexpr std::size_t kCodeBlock = 16;
inline constexpr std::size_t kRowCode = 64;
/// How far codes of bytes are from a query, up to constants: scores[i] = heights[i] − Σ query[c]·code[c], for i < count, a multiple of
/// kCodeBlock. Codes lie in blocks: first bytes 0 and 1 of each item of the block, then bytes 2 and 3 of each, and so on.
void block_scores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                  std::int32_t* scores);
/// The same for some rows, whose codes lie one after the other, kRowCode bytes each, the last four of which are the height: scores[k] is
/// that of rows[k]. The query's numbers in these four places must be 0.
void row_scores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores);
/// The places i < count where scores[i] ≤ most, ascending; returns how many. `places` must have room for count.
std::size_t places_up_to(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places);
/// `count` is at least 1.
std::int32_t lowest_score(const std::int32_t* scores, std::size_t count);

/// The scalar twins, for tests and for NEARKIN_KERNEL=scalar.
namespace scalar {
bool scan_ascii(const char* text, std::size_t size, bool keep_case, char* lowered, std::uint64_t* word_masks);
void place_elements(const std::uint64_t* elements, std::size_t count, std::uint64_t key, std::uint32_t hashes, std::uint64_t* places,
                    std::uint32_t* low);
void fill_empty_slots(const std::uint32_t* elements, std::size_t count, const std::uint32_t* multipliers, const std::uint32_t* addends,
                      std::size_t slot_count, std::uint32_t* slots);
void signature_bytes(const std::uint32_t* slots, std::size_t count, std::uint8_t* bytes);
std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);
std::uint64_t count_shared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least);
void add_bits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts);
void mark_at_least(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks);
double dot(const float* a, const float* b, std::size_t size);
double squared_distance(const float* a, const float* b, std::size_t size);
double absolute_distance(const float* a, const float* b, std::size_t size);
void float_sums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
                double* values);
std::uint32_t bit_distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
void bit_distances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances);
void hadamard(float* values, std::size_t size);
float largest_magnitude(const float* values, std::size_t size);
void multiply(const float* a, const float* b, float factor, std::size_t size, float* products);
void sum_rows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums);
void sum_lookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums);
void block_scores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                  std::int32_t* scores);
void row_scores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores);
std::size_t places_up_to(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places);
std::int32_t lowest_score(const std::int32_t* scores, std::size_t count);
}  // namespace scalar

/// "scalar", or the name of the instruction set in use ("NEON", "AVX2", "AVX3" …).
const char* name();

}  // namespace nearkin::kernel
