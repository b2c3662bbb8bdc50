#include "base/hash.h"

#include <bit>
#include <cstdlib>

#include <gtest/gtest.h>

namespace nearkin::hash_test {
namespace {

TEST(SplitMix, GivesThePublishedNumbers) {
  SplitMix random(1234567);
  EXPECT_EQ(random(), 6457827717110365317u);
  EXPECT_EQ(random(), 3203168211198807973u);
  EXPECT_EQ(random(), 9817491932198370423u);
  EXPECT_EQ(random(), 4593380528125082431u);
  EXPECT_EQ(random(), 16408922859458223821u);
}

TEST(Mixing, FlipsHalfOfTheBitsForOneBitOfInput) {
  SplitMix random(1);
  constexpr int kTrials = 200;
  for (unsigned bit = 0; bit < 64; ++bit) {
    int flipped = 0;
    for (int i = 0; i < kTrials; ++i) {
      const std::uint64_t x = random();
      flipped += std::popcount(mix64(x) ^ mix64(x ^ std::uint64_t{1} << bit));
    }
    EXPECT_NEAR(static_cast<double>(flipped) / kTrials, 32, 5 * 4 / 14.1) << bit;  // standard error 4 / √200
  }
}

TEST(Mixing, MultipliesToAFull128Bits) {
  const Product128 largest = multiply128(UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(largest.low, 1u);
  EXPECT_EQ(largest.high, UINT64_MAX - 1);
  EXPECT_EQ(fold_multiply(UINT64_MAX, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(fold_multiply(std::uint64_t{1} << 63, 2), 1u);
}

}  // namespace
}  // namespace nearkin::hash_test
