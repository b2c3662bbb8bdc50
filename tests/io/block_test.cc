#include "io/bytes/compression.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace nearkin::test::block_test {
namespace {

std::string prose(std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += "word" + std::to_string(i % 50) + ' ';
  return text;
}

TEST(Block, ComesBackAsItWas) {
  std::string noise;
  std::uint64_t state = 1;
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>((state = state * 6364136223846793005U + 1442695040888963407U) >> 56U);
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(3, '\0'), prose(1000), noise}) {
    const std::string block = compress_block(bytes);
    EXPECT_EQ(decompress_block(block, bytes.size()), bytes);
    EXPECT_LE(block.size(), bytes.size() + 1);
  }
}

TEST(Block, IsSmallerThanProse) { EXPECT_LT(compress_block(prose(1000)).size(), prose(1000).size() / 4); }

TEST(Block, LargerThanAllowedIsNotUnpacked) {
  for (const std::size_t words : {2U, 1000U}) {
    const std::string bytes = prose(words);
    EXPECT_TRUE(decompress_block(compress_block(bytes), bytes.size()));
    EXPECT_FALSE(decompress_block(compress_block(bytes), bytes.size() - 1));
  }
}

TEST(Block, CutShortOrOfAnUnknownKindIsDamaged) {
  const std::string block = compress_block(prose(200));
  ASSERT_EQ(block.front(), 1);
  for (std::size_t size = 0; size < block.size(); ++size)
    EXPECT_FALSE(decompress_block(std::string_view(block).substr(0, size), 1 << 20)) << size;
  EXPECT_FALSE(decompress_block(block + "x", 1 << 20));
  EXPECT_FALSE(
      decompress_block("\x02"
                       "abc",
                       1 << 20));
}

TEST(Block, WithAChangedByteIsDamaged) {
  const std::string bytes = prose(200), block = compress_block(bytes);
  for (std::size_t at = 1; at < block.size(); ++at) {
    std::string changed = block;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const auto back = decompress_block(changed, 1 << 20);
    EXPECT_TRUE(!back || *back == bytes) << at;
  }
}

}  // namespace
}  // namespace nearkin::test::block_test
