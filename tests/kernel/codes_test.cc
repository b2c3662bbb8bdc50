#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "support/guarded.h"
#include "support/instruction_sets.h"

namespace nearkin::codes_test {
namespace {

constexpr std::int16_t kMostNumber = 127 * 256;

std::int8_t byte(SplitMix& random) { return static_cast<std::int8_t>(random() % 5 == 0 ? 127 : static_cast<int>(random() % 255) - 127); }
std::int16_t number(SplitMix& random) {
  return random() % 5 == 0 ? -kMostNumber : static_cast<std::int16_t>(static_cast<int>(random() % 65025) - kMostNumber);
}

TEST(CodeKernel, ScoresBlocksOfCodes) {
  test::with_each_instruction_set([] {
    SplitMix random(1);
    test::Guarded code_memory{1 << 14}, score_memory{1 << 12};
    for (const std::size_t count : {0, 16, 32, 48, 160}) {
      for (const std::size_t pairs : {1, 2, 12, 32}) {
        std::int8_t* const codes = code_memory.back<std::int8_t>(2 * pairs * count);
        std::generate_n(codes, 2 * pairs * count, [&] { return byte(random); });
        std::vector<std::int16_t> query(2 * pairs);
        std::generate(query.begin(), query.end(), [&] { return number(random); });
        std::vector<std::int32_t> heights(count), expected(count), twin(count);
        for (std::int32_t& height : heights) height = static_cast<std::int32_t>(random() % (1 << 27));
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t block = i / 16, lane = i % 16;
          expected[i] = heights[i];
          for (std::size_t c = 0; c < 2 * pairs; ++c) expected[i] -= query[c] * codes[(block * pairs + c / 2) * 32 + 2 * lane + c % 2];
        }
        std::int32_t* const scores = score_memory.back<std::int32_t>(count);
        kernel::block_scores(query.data(), codes, heights.data(), pairs, count, scores);
        kernel::scalar::block_scores(query.data(), codes, heights.data(), pairs, count, twin.data());
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), scores)) << count << " items of " << pairs << " pairs";
        ASSERT_EQ(twin, expected);
      }
    }
  });
}

TEST(CodeKernel, ScoresRowsInAnyOrder) {
  test::with_each_instruction_set([] {
    SplitMix random(2);
    constexpr std::size_t kItems = 60;
    test::Guarded memory{kItems * kernel::kRowCode};
    std::int8_t* const codes = memory.back<std::int8_t>(kItems * kernel::kRowCode);
    std::generate_n(codes, kItems * kernel::kRowCode, [&] { return byte(random); });
    constexpr std::size_t kNumbers = kernel::kRowCode - 4;
    std::vector<std::int32_t> heights(kItems);
    for (std::size_t i = 0; i < kItems; ++i) {
      heights[i] = static_cast<std::int32_t>(random() % (1 << 27));
      std::memcpy(codes + i * kernel::kRowCode + kNumbers, &heights[i], 4);
    }
    std::vector<std::int16_t> query(kernel::kRowCode);
    std::generate_n(query.begin(), kNumbers, [&] { return number(random); });
    for (std::size_t count = 0; count <= 40; ++count) {
      std::vector<std::uint32_t> rows(count);
      for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random() % kItems);
      std::vector<std::int32_t> scores(count), twin(count);
      kernel::row_scores(query.data(), codes, rows.data(), count, scores.data());
      kernel::scalar::row_scores(query.data(), codes, rows.data(), count, twin.data());
      for (std::size_t k = 0; k < count; ++k) {
        std::int32_t expected = heights[rows[k]];
        for (std::size_t c = 0; c < kNumbers; ++c) expected -= query[c] * codes[rows[k] * kernel::kRowCode + c];
        ASSERT_EQ(scores[k], expected) << "row " << rows[k];
      }
      ASSERT_EQ(twin, scores);
    }
  });
}

TEST(CodeKernel, FindsThePlacesUpToAScore) {
  test::with_each_instruction_set([] {
    SplitMix random(3);
    test::Guarded score_memory{1 << 12}, place_memory{1 << 12};
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min(), kMost = std::numeric_limits<std::int32_t>::max();
    for (std::size_t count = 0; count <= 100; ++count) {
      for (const std::int32_t most : {kLeast, -5, 0, 1, 7, kMost}) {
        std::int32_t* const scores = score_memory.back<std::int32_t>(count);
        for (std::size_t i = 0; i < count; ++i)
          scores[i] = i % 11 == 0 ? kMost : i % 13 == 0 ? kLeast : static_cast<std::int32_t>(random() % 20) - 8;
        std::uint32_t* const places = place_memory.back<std::uint32_t>(count);
        std::vector<std::uint32_t> expected, twin(count);
        for (std::size_t i = 0; i < count; ++i) {
          if (scores[i] <= most) expected.push_back(static_cast<std::uint32_t>(i));
        }
        ASSERT_EQ(kernel::places_up_to(scores, count, most, places), expected.size());
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), places)) << count << " scores up to " << most;
        if (count > 0) {
          EXPECT_EQ(kernel::lowest_score(scores, count), *std::min_element(scores, scores + count));
          EXPECT_EQ(kernel::scalar::lowest_score(scores, count), *std::min_element(scores, scores + count));
        }
        twin.resize(kernel::scalar::places_up_to(scores, count, most, twin.data()));
        ASSERT_EQ(twin, expected);
      }
    }
  });
}

}  // namespace
}  // namespace nearkin::codes_test
