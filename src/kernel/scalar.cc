#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "kernel/shared_blocks.h"

namespace nearkin::kernel::scalar {
namespace {

template <typename Term>
double sum_of_eight(std::size_t size, Term&& term) {
  double s[8] = {};
  for (std::size_t i = 0; i < size; ++i) s[i % 8] += term(i);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace

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

std::uint64_t count_shared(const std::uint64_t* a, std::size_t a_size, const std::uint64_t* b, std::size_t b_size, std::uint64_t least) {
  return walk_blocks(a, a_size, b, b_size, least, [](const std::uint64_t* x, const std::uint64_t* y) {
    return std::count_if(x, x + kSharedBlock,
                         [&](std::uint64_t value) { return std::find(y, y + kSharedBlock, value) != y + kSharedBlock; });
  });
}

void add_bits(const std::uint64_t* const* maps, std::size_t map_count, std::size_t words, std::uint16_t* counts) {
  for (std::size_t map = 0; map < map_count; ++map) {
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t bits = maps[map][word]; bits != 0; bits &= bits - 1) ++counts[64 * word + std::countr_zero(bits)];
    }
  }
}

void mark_at_least(const std::uint16_t* counts, std::size_t words, std::uint16_t least, std::uint64_t* marks) {
  for (std::size_t word = 0; word < words; ++word) {
    marks[word] = 0;
    for (std::size_t i = 0; i < 64; ++i) marks[word] |= std::uint64_t{counts[64 * word + i] >= least} << i;
  }
}

double dot(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) { return double{a[i]} * double{b[i]}; });
}

double squared_distance(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) {
    const double difference = double{a[i]} - double{b[i]};
    return difference * difference;
  });
}

double absolute_distance(const float* a, const float* b, std::size_t size) {
  return sum_of_eight(size, [=](std::size_t i) {
    const double difference = double{a[i]} - double{b[i]};
    return difference < 0 ? -difference : difference;
  });
}

void float_sums(FloatSum sum, const float* query, const float* items, const std::uint32_t* rows, std::size_t size, std::size_t count,
                double* values) {
  const auto one = sum == FloatSum::dot ? dot : sum == FloatSum::squared_distance ? squared_distance : absolute_distance;
  for (std::size_t k = 0; k < count; ++k) values[k] = one(query, items + rows[k] * size, size);
}

std::uint32_t bit_distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::uint32_t different = 0;
  for (std::size_t i = 0; i < words; ++i) different += static_cast<std::uint32_t>(std::popcount(a[i] ^ b[i]));
  return different;
}

void bit_distances(const std::uint64_t* query, const std::uint64_t* codes, std::size_t words, std::size_t count, std::uint32_t* distances) {
  for (std::size_t j = 0; j < count; ++j) distances[j] = bit_distance(query, codes + j * words, words);
}

void hadamard(float* values, std::size_t size) {
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t base = 0; base < size; base += 2 * half) {
      for (std::size_t i = base; i < base + half; ++i) {
        const float x = values[i], y = values[i + half];
        values[i] = x + y;
        values[i + half] = x - y;
      }
    }
  }
}

float largest_magnitude(const float* values, std::size_t size) {
  float largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, values[i] < 0 ? -values[i] : values[i]);
  return largest;
}

void multiply(const float* a, const float* b, float factor, std::size_t size, float* products) {
  for (std::size_t i = 0; i < size; ++i) products[i] = (a[i] * b[i]) * factor;
}

void sum_rows(const float* panel, const std::uint32_t* rows, const double* factors, std::size_t count, double* sums) {
  std::fill_n(sums, kPanel, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const float* const row = panel + rows[k] * kPanel;
    for (std::size_t c = 0; c < kPanel; ++c) sums[c] += factors[k] * double{row[c]};
  }
}

void sum_lookups(const float* table, const std::uint64_t* keys, const float* factors, std::size_t count, std::size_t blocks, float* sums) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kLookupBits) - 1;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t state = keys[k];
    for (std::size_t block = 0; block < blocks; ++block) {
      float* const sum = sums + block * kLookupBlock;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        std::uint64_t word = mix64(state += 0x9e3779b97f4a7c15u);
        for (std::size_t part = 0; part < 5; ++part, word >>= kLookupBits) sum[8 * part + lane] += factors[k] * table[word & kMask];
      }
    }
  }
}

void block_scores(const std::int16_t* query, const std::int8_t* codes, const std::int32_t* heights, std::size_t pairs, std::size_t count,
                  std::int32_t* scores) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t block = i / kCodeBlock * kCodeBlock;
    const std::int8_t* bytes = codes + 2 * (pairs * block + (i - block));
    scores[i] = heights[i];
    for (std::size_t p = 0; p < pairs; ++p, bytes += 2 * kCodeBlock) scores[i] -= query[2 * p] * bytes[0] + query[2 * p + 1] * bytes[1];
  }
}

void row_scores(const std::int16_t* query, const std::int8_t* codes, const std::uint32_t* rows, std::size_t count, std::int32_t* scores) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::int8_t* const code = codes + rows[k] * kRowCode;
    std::memcpy(&scores[k], code + kRowCode - sizeof(std::int32_t), sizeof(std::int32_t));
    for (std::size_t c = 0; c < kRowCode; ++c) scores[k] -= query[c] * code[c];
  }
}

std::size_t places_up_to(const std::int32_t* scores, std::size_t count, std::int32_t most, std::uint32_t* places) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    places[found] = static_cast<std::uint32_t>(i);
    found += scores[i] <= most;
  }
  return found;
}

std::int32_t lowest_score(const std::int32_t* scores, std::size_t count) { return *std::min_element(scores, scores + count); }

}  // namespace nearkin::kernel::scalar
