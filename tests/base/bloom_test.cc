#include "base/bloom.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <nearkin/error.h>

namespace nearkin::bloom_test {
namespace {

Hash128 next(SplitMix& random) {
  const std::uint64_t low = random();
  return {low, random()};
}

/// Share of hashes never added that the filter claims to know.
double measured_rate(const BloomFilter& filter, int trials) {
  SplitMix random(0x5eed);
  int known = 0;
  for (int i = 0; i < trials; ++i) known += filter.test(next(random));
  return static_cast<double>(known) / trials;
}

/// Four standard errors of a measured share.
double margin(double rate, int trials) { return 4 * std::sqrt(rate / trials); }

TEST(BloomFilter, NeverForgets) {
  for (const std::uint64_t expected : {0u, 1000u, 100'000u}) {
    BloomFilter filter(expected, 0.01);
    SplitMix random(1);
    for (int i = 0; i < 50'000; ++i) {
      const Hash128 hash = next(random);
      filter.test_and_set(hash);
      ASSERT_TRUE(filter.test(hash));
    }
    SplitMix again(1);
    for (int i = 0; i < 50'000; ++i) ASSERT_TRUE(filter.test_and_set(next(again)));
  }
}

TEST(BloomFilter, KeepsItsRateAtTheExpectedFill) {
  constexpr int kItems = 100'000, kTrials = 400'000;
  for (const double rate : {0.3, 0.1, 0.01, 0.001, 0.0001}) {
    BloomFilter filter(kItems, rate);
    SplitMix random(1);
    const std::size_t bytes = filter.bytes();
    while (filter.size() < kItems) filter.test_and_set(next(random));
    EXPECT_EQ(filter.bytes(), bytes) << "grown before the expected items were in";
    EXPECT_LE(filter.expected_rate(), rate / 2);  // the first layer takes half of the rate
    EXPECT_GE(filter.expected_rate(), rate * 0.35);
    EXPECT_LE(measured_rate(filter, kTrials), rate);
    EXPECT_NEAR(measured_rate(filter, kTrials), filter.expected_rate(), margin(rate, kTrials));
  }
}

TEST(BloomFilter, KeepsItsRateAfterGrowth) {
  constexpr int kItems = 300'000, kTrials = 400'000;
  for (const double rate : {0.1, 0.01, 0.0005}) {
    BloomFilter filter(2000, rate);
    SplitMix random(1);
    int wrong = 0;
    double last_rate = 0;
    for (int i = 0; i < kItems; ++i) {
      wrong += filter.test_and_set(next(random));
      if (i % 10'000 == 0) {
        EXPECT_GE(filter.expected_rate(), last_rate);
        EXPECT_LT(filter.expected_rate(), rate);
        last_rate = filter.expected_rate();
      }
    }
    EXPECT_LE(wrong, kItems * (rate + margin(rate, kItems)));
    EXPECT_EQ(filter.size(), static_cast<std::uint64_t>(kItems - wrong));
    EXPECT_NEAR(measured_rate(filter, kTrials), filter.expected_rate(), margin(rate, kTrials));
  }
}

TEST(BloomFilter, TellsNewHashesFromKnownOnes) {
  BloomFilter filter(1000, 1e-9);
  SplitMix random(1);
  const Hash128 first = next(random), second = next(random);
  EXPECT_FALSE(filter.test(first));
  EXPECT_FALSE(filter.test_and_set(first));
  EXPECT_TRUE(filter.test_and_set(first));
  EXPECT_FALSE(filter.test_and_set(second));
  EXPECT_EQ(filter.size(), 2u);
  EXPECT_LT(filter.expected_rate(), 1e-9);
}

TEST(BloomFilter, TakesTheBitsOfTheFormula) {
  // ln(1/rate) / ln² 2 bits an item, at half of the rate, and up to two hundredths more: whole probes, and room.
  const double bits = 1e6 * std::log(2 / 0.01) / (std::numbers::ln2 * std::numbers::ln2);
  EXPECT_NEAR(static_cast<double>(BloomFilter(1'000'000, 0.01).bytes()) * 8 / bits, 1.01, 0.01);
  EXPECT_EQ(BloomFilter(0, 0.01).bytes(), BloomFilter(1024, 0.01).bytes());
}

// The same formula by the mathematical library of this machine.
BloomShape shape_by_library(std::uint64_t capacity, double rate) {
  const double items = static_cast<double>(capacity) / (1 - rate) + 4 * std::sqrt(static_cast<double>(capacity));
  const double probes = std::max(1.0, std::round(-std::log2(rate))), filled = std::pow(rate, 1 / probes);
  const double bits = std::ceil(-probes * items / std::log1p(-filled));
  const std::uint64_t whole = (static_cast<std::uint64_t>(bits) / 64 + 1) * 64;
  return {static_cast<unsigned>(probes), whole, static_cast<std::uint64_t>(static_cast<double>(whole) * filled)};
}

TEST(BloomShape, HasTheSizesThatTheMathematicalLibraryGives) {
  for (const double given : {0.5, 0.3, 0.25, 0.1, 0.05, 0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-6, 1e-9, 1e-12}) {
    for (const std::uint64_t first : {1024u, 1500u, 10'000u, 65'536u, 1'000'000u, 100'000'000u}) {
      double rate = given / 2;
      for (std::uint64_t capacity = first; capacity <= first << 8; capacity *= 2, rate /= 2) {
        const BloomShape shape = bloom_shape(capacity, rate), expected = shape_by_library(capacity, rate);
        ASSERT_EQ(shape.probes, expected.probes) << capacity << " at " << rate;
        ASSERT_EQ(shape.bits, expected.bits) << capacity << " at " << rate;
        ASSERT_EQ(shape.full, expected.full) << capacity << " at " << rate;
      }
    }
  }
}

TEST(BloomFilter, StartsEmpty) {
  const BloomFilter filter(1000, 0.5);
  EXPECT_EQ(filter.size(), 0u);
  EXPECT_EQ(filter.expected_rate(), 0);
  EXPECT_EQ(measured_rate(filter, 1000), 0);
}

TEST(BloomFilter, RefusesARateThatIsNone) {
  for (const double rate : {0.0, 1.0, -0.1, 2.0, std::nan("")}) EXPECT_THROW(BloomFilter(10, rate), Error);
  try {
    BloomFilter filter(10, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bloom: 1 is not a rate above 0 and below 1, such as 0.0001");
  }
  EXPECT_THROW(BloomFilter(std::numeric_limits<std::uint64_t>::max(), 0.01), Error);
}

}  // namespace
}  // namespace nearkin::bloom_test
