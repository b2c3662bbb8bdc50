#include "base/hyperloglog.h"

#include <cmath>

#include <gtest/gtest.h>

#include <nearkin/error.h>

#include "base/hash.h"

namespace nearkin::hyperloglog_test {
namespace {

TEST(HyperLogLog, EstimatesWithinFourStandardErrors) {
  for (const unsigned precision : {4u, 10u, 14u, 18u}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SplitMix random(seed * 1000 + precision);
      HyperLogLog sketch(precision);
      std::uint64_t added = 0;
      for (const std::uint64_t n : {0u, 1u, 10u, 100u, 1000u, 10'000u, 100'000u, 1'000'000u}) {
        for (; added < n; ++added) sketch.add(random());
        const auto exact = static_cast<double>(n);
        EXPECT_NEAR(sketch.estimate(), exact, 4 * sketch.standard_error() * exact) << "precision " << precision << ", seed " << seed;
      }
    }
  }
}

TEST(HyperLogLog, IsNearlyExactWhereFewRegistersAreMet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SplitMix random(seed);
    HyperLogLog sketch(14);
    EXPECT_EQ(sketch.estimate(), 0);
    sketch.add(random());
    EXPECT_NEAR(sketch.estimate(), 1, 0.001);
    for (int i = 1; i < 100; ++i) sketch.add(random());
    EXPECT_NEAR(sketch.estimate(), 100, 4);  // each of the about 0.3 pairs in one register takes one away
  }
}

TEST(HyperLogLog, IsUnbiasedAcrossTheRangesWhereTheFirstEstimatorsNeededTables) {
  constexpr int kRuns = 400;
  const std::uint64_t m = 256;
  for (const std::uint64_t n : {m / 2, m, 5 * m / 2, 5 * m, 20 * m}) {
    double sum = 0;
    double error = 0;
    for (int run = 0; run < kRuns; ++run) {
      SplitMix random(n * 100'003 + run);
      HyperLogLog sketch(8);
      for (std::uint64_t i = 0; i < n; ++i) sketch.add(random());
      sum += sketch.estimate() / static_cast<double>(n);
      error = sketch.standard_error();
    }
    EXPECT_NEAR(sum / kRuns, 1, 4 * error / std::sqrt(kRuns) + 0.001) << n;
  }
}

TEST(HyperLogLog, CountsEachHashOnce) {
  HyperLogLog once(12), often(12);
  for (int round = 0; round < 3; ++round) {
    SplitMix random(1);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t hash = random();
      often.add(hash);
      if (round == 0) once.add(hash);
    }
  }
  EXPECT_EQ(once, often);
}

TEST(HyperLogLog, MergesToTheSketchOfTheUnion) {
  HyperLogLog left(12), right(12), both(12);
  SplitMix random(1);
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t hash = random();
    if (i < 20000) left.add(hash);
    if (i >= 10000) right.add(hash);
    both.add(hash);
  }
  HyperLogLog merged = left;
  merged.merge(right);
  EXPECT_EQ(merged, both);
  right.merge(left);
  EXPECT_EQ(right, both);
  EXPECT_THROW(merged.merge(HyperLogLog(13)), Error);
}

TEST(HyperLogLog, TakesHashesWithoutASingleOneBit) {
  HyperLogLog sketch(4);
  sketch.add(0);
  EXPECT_NEAR(sketch.estimate(), 1, 0.05);
  for (std::uint64_t i = 0; i < 16; ++i) sketch.add(i << 60);  // every register at its greatest value
  EXPECT_GT(sketch.estimate(), 1e18);
}

TEST(HyperLogLog, StatesItsErrorAndSize) {
  EXPECT_NEAR(HyperLogLog(14).standard_error(), 0.008125, 1e-9);
  EXPECT_EQ(HyperLogLog(14).bytes(), 16384u);
}

TEST(HyperLogLog, RefusesAPrecisionOutOfRange) {
  EXPECT_THROW(HyperLogLog(3), Error);
  try {
    HyperLogLog sketch(19);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "precision: 19 is not between 4 and 18");
  }
}

}  // namespace
}  // namespace nearkin::hyperloglog_test
