#include <cmath>

#include <gtest/gtest.h>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

namespace nearkin::expect_test {
namespace {

double found_by(double s, double bands, double rows) { return 1 - std::pow(1 - std::pow(s, rows), bands); }

DataSample sample_of(std::vector<PairsAt> pairs) {
  return {.items = 1000, .shingles = 100, .pairs = std::move(pairs), .asked = 100, .against = 1000};
}

TEST(Expect, WeighsTheSCurveByThePairsOfTheSample) {
  const Plan plan = tune({.threshold = 0.8}, {.bands = 20, .rows = 5});
  const Expectation expected = expect(plan, sample_of({{.at = 0.1, .pairs = 400000}, {.at = 0.6, .pairs = 500}, {.at = 0.9, .pairs = 40}}));
  EXPECT_NEAR(expected.similar, 40, 1e-9);
  EXPECT_NEAR(expected.missed, 40 * (1 - found_by(0.9, 20, 5)), 1e-9);
  EXPECT_NEAR(expected.dropped, 400000 * found_by(0.1, 20, 5) + 500 * found_by(0.6, 20, 5), 1e-6);
  EXPECT_NEAR(expected.candidates, expected.dropped + 40 * found_by(0.9, 20, 5), 1e-6);
  EXPECT_EQ(expected.copies, 0);
}

TEST(Expect, TakesTheThresholdItselfForSimilar) {
  const DataSample sample = sample_of({{.at = 0.1 + 0.2, .pairs = 7}, {.at = 0.29, .pairs = 100}});
  EXPECT_EQ(expect(tune({.threshold = 0.3}), sample).similar, 7);
  EXPECT_EQ(expect(tune({.threshold = 0.30001}), sample).similar, 0);
  EXPECT_EQ(expect(tune({.threshold = 0.2}), sample).similar, 107);
}

TEST(Expect, CountsCopiesAsSimilarButNotAsCandidates) {
  const Expectation expected = expect(tune({}, {.bands = 20, .rows = 5}), sample_of({{.at = 0.85, .pairs = 10}, {.at = 1, .pairs = 90}}));
  EXPECT_EQ(expected.similar, 100);
  EXPECT_EQ(expected.copies, 90);
  EXPECT_NEAR(expected.candidates, 10 * found_by(0.85, 20, 5), 1e-9);
  EXPECT_NEAR(expected.missed, 10 - expected.candidates, 1e-9);
}

TEST(Expect, FindsEverythingByAnExactJoin) {
  const Expectation expected = expect(tune({.recall = 1}), sample_of({{.at = 0.7, .pairs = 1000}, {.at = 0.85, .pairs = 10}}));
  EXPECT_EQ(expected.similar, 10);
  EXPECT_EQ(expected.missed, 0);
  EXPECT_EQ(expected.dropped, 0);
}

TEST(Expect, TakesTheValuesOfVectorsForAllPairs) {
  DataSample sample{.items = 101, .dimensions = 64, .values = {-0.5, 0, 0.2, 0.9, 0.95}};
  const Plan cosine = tune({.measure = Measure::cosine, .threshold = 0.9}, {.sample = sample});
  const Expectation by_angle = expect(cosine, sample);
  EXPECT_NEAR(by_angle.similar, 2 * 5050 / 5.0, 1e-9);
  EXPECT_NEAR(by_angle.missed, 1010 * (2 - found_probability(cosine, 0.9) - found_probability(cosine, 0.95)), 1e-6);
  sample.values = {0, 1, 2, 3, 40};
  const Expectation by_distance = expect(tune({.measure = Measure::euclidean, .radius = 2}, {.sample = sample}), sample);
  EXPECT_NEAR(by_distance.similar, 3 * 1010, 1e-9);
  EXPECT_NEAR(by_distance.copies, 1010, 1e-9);
}

TEST(Expect, UnderstandsAHammingRadiusThatIsAShare) {
  const DataSample sample{.items = 101, .dimensions = 100, .values = {1, 4, 5, 6, 50}};
  for (const double recall : {0.9, 1.0}) {
    EXPECT_NEAR(expect(tune({.measure = Measure::hamming, .recall = recall, .radius = 0.05}, {.sample = sample}), sample).similar, 3 * 1010,
                1e-9);
  }
  // A plan that does not know the places is told them by the sample.
  const Plan unknowing = parse_plan("hamming<=0.05 recall=0.9 features=bits sketch=bit-sampling:40 bands=4x10");
  EXPECT_EQ(unknowing.sketch.dimensions, 0u);
  EXPECT_NEAR(expect(unknowing, sample).missed, 1010 * (3 - found_by(0.99, 4, 10) - found_by(0.96, 4, 10) - found_by(0.95, 4, 10)), 1e-6);
}

TEST(Expect, IsNothingWhereTheSampleTellsNothing) {
  for (const DataSample& sample : {DataSample{}, DataSample{.items = 1000, .shingles = 100, .asked = 10, .against = 1000}}) {
    const Expectation expected = expect(tune({}), sample);
    EXPECT_EQ(expected.similar + expected.missed + expected.candidates + expected.dropped, 0);
  }
  const DataSample sample = sample_of({{.at = 0.9, .pairs = 10}});
  EXPECT_EQ(expect(tune({.measure = Measure::exact}), sample).similar, 0);
  EXPECT_EQ(expect(tune({.nearest = 5}), sample).similar, 0);
}

}  // namespace
}  // namespace nearkin::expect_test
