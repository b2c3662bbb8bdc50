#include "analysis/spread.h"

#include "analysis/sample_rows.h"

#include <gtest/gtest.h>

namespace nearkin::spread_test {
namespace {

TEST(Spread, SimilaritiesFallIntoStepsOfAHundredthWithTheirMeans) {
  Spread spread(Measure::jaccard, 0);
  for (const double value : {0.8, 0.805, 0.29, 0.0, 1.0, 0.0}) spread.add(value);
  spread.add(0.5, 4, 4 * Spread::kDifferent, 0);
  const std::vector<PairsAt> steps = spread.scaled_to(100);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[0].at, 0);
  EXPECT_EQ(steps[0].seen, 2u);
  EXPECT_NEAR(steps[1].at, 0.29, 1e-5) << "0.29 * 100 is a little below 29 in binary";
  EXPECT_DOUBLE_EQ(steps[2].pairs, 40);
  EXPECT_NEAR(steps[3].at, 0.8025, 1e-5);
  EXPECT_EQ(steps[4].at, 1);
}

TEST(Spread, DistancesFallIntoStepsThatEndAtTheRadius) {
  Spread spread(Measure::euclidean, 2);
  for (const double value : {0.0, 2.0, 2.0001, 1.95}) spread.add(value);
  const std::vector<PairsAt> steps = spread.scaled_to(4);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].at, 0);
  EXPECT_NEAR(steps[1].at, 1.975, 1e-4);
  EXPECT_GT(steps[2].at, 2);
}

TEST(Spread, PlacesThatDifferAreWholeNumbers) {
  Spread spread(Measure::hamming, 3);
  spread.add(3);
  spread.add(7, 2, 2 * Spread::kDifferent, 0);
  const std::vector<PairsAt> steps = spread.scaled_to(3);
  EXPECT_EQ(steps[0].at, 3);
  EXPECT_EQ(steps[1].at, 7);
}

TEST(Spread, PartsAddUpInAnyOrder) {
  Spread one(Measure::cosine, 0), two(Measure::cosine, 0), all(Measure::cosine, 0);
  for (int i = -50; i <= 50; ++i) {
    (i % 3 == 0 ? one : two).add(i / 50.0);
    all.add(i / 50.0);
  }
  two.add(one);
  const std::vector<PairsAt> sum = two.scaled_to(1), whole = all.scaled_to(1);
  ASSERT_EQ(sum.size(), whole.size());
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_EQ(sum[i].at, whole[i].at);
}

TEST(Spread, TellsWhatEachPartOfTheAskedSaysAndWhatIsLeftWithoutCopies) {
  Spread spread(Measure::jaccard, 0);
  spread.add(0.5, 3, Spread::kDifferent / 2, 0);  // three copies, and the item that was asked has one
  spread.add(0.5, 1);
  spread.add(0.9, 1);
  const std::vector<PairsAt> whole = spread.scaled_to(50);
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_DOUBLE_EQ(whole[0].pairs, 40);
  EXPECT_DOUBLE_EQ(whole[0].repeated, 40 - 15);
  EXPECT_DOUBLE_EQ(whole[1].repeated, 0);
  const std::vector<std::vector<PairsAt>> parts = spread.parts_scaled_to(50, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_DOUBLE_EQ(parts[0][0].pairs, 60);
  EXPECT_DOUBLE_EQ(parts[1][0].pairs, 20);
  EXPECT_DOUBLE_EQ(parts[0][1].pairs, 0);
  EXPECT_DOUBLE_EQ(parts[1][1].pairs, 20);
  for (std::size_t step = 0; step < whole.size(); ++step) {
    EXPECT_EQ(parts[0][step].at, whole[step].at);
    EXPECT_DOUBLE_EQ((parts[0][step].pairs + parts[1][step].pairs) / 2, whole[step].pairs);
  }
}

TEST(Parts, AreEvenAndDoNotFollowTheOrder) {
  std::vector<Row> rows(256);
  for (Row i = 0; i < 256; ++i) rows[i] = 10 * i;
  const std::vector<std::uint8_t> parts = parts_of(rows, Spread::kParts);
  std::vector<int> counts(Spread::kParts);
  std::size_t in_order = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ++counts.at(parts[i]);
    in_order += parts[i] == i % Spread::kParts;
  }
  EXPECT_EQ(counts, std::vector<int>(Spread::kParts, 16));
  EXPECT_LT(in_order, 64u);
}

}  // namespace
}  // namespace nearkin::spread_test
