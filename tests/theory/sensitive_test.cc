#include <cmath>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/sensitive.h>
#include <nearkin/tools/theory.h>

namespace nearkin::sensitive_test {
namespace {

Plan plan_of(Measure measure, Family family, double width = 0, std::uint32_t dimensions = 0) {
  Plan plan;
  plan.measure = measure;
  plan.sketch.family = family;
  plan.sketch.hashes = 1;
  plan.sketch.width = width;
  plan.sketch.dimensions = dimensions;
  return plan;
}

const Plan kJaccard = plan_of(Measure::jaccard, Family::minhash);

TEST(Sensitive, MinHashAgreesAsOftenAsTheSimilarity) {
  const Sensitivity one = sensitivity(kJaccard, 0.2, 0.6);
  EXPECT_DOUBLE_EQ(one.p1, 0.8);
  EXPECT_DOUBLE_EQ(one.p2, 0.4);
  EXPECT_NEAR(rho(one), std::log(0.8) / std::log(0.4), 1e-15);
}

TEST(Sensitive, BitsHyperplanesAndProjectionsHaveTheirOwn) {
  const Sensitivity bits = sensitivity(plan_of(Measure::hamming, Family::bit_sampling, 0, 256), 16, 64);
  EXPECT_DOUBLE_EQ(bits.p1, 0.9375);
  EXPECT_DOUBLE_EQ(bits.p2, 0.75);
  const Sensitivity angles = sensitivity(plan_of(Measure::cosine, Family::hyperplane), 1 - std::sqrt(0.75), 0.5);  // 30 and 60 degrees
  EXPECT_NEAR(angles.p1, 5.0 / 6, 1e-12);
  EXPECT_NEAR(angles.p2, 2.0 / 3, 1e-12);
  const Sensitivity points = sensitivity(plan_of(Measure::euclidean, Family::gaussian, 4), 1, 2);
  EXPECT_NEAR(points.p1, 0.8005, 5e-5);
  EXPECT_NEAR(points.p2, 0.6095, 5e-5);
}

TEST(Sensitive, FourHashesInFourTables) {
  const TextbookTables four{4, 4};
  EXPECT_NEAR(and_of(0.8, 4), 0.4096, 1e-12);
  EXPECT_NEAR(or_of(0.8, 4), 0.9984, 1e-12);
  EXPECT_NEAR(and_then_or(0.8, four), 0.8785, 5e-5);
  EXPECT_NEAR(and_then_or(0.4, four), 0.0985, 5e-5);
  EXPECT_NEAR(or_then_and(0.8, four), 0.9936, 5e-5);
  EXPECT_NEAR(or_then_and(0.4, four), 0.5740, 5e-5);
}

TEST(Sensitive, TablesForACollection) {
  const Sensitivity one = sensitivity(kJaccard, 0.2, 0.6);
  const std::uint32_t k = hashes_in_table(one, 1e6);
  EXPECT_EQ(k, 16u);                      // 15.08
  EXPECT_EQ(tables_needed(one, k), 36u);  // 35.53
  EXPECT_EQ(tables_needed(one, k, 0.95), bands_needed(0.8, k, 0.95));
  // About one far item in a bucket, and a near one found with 1 − 1/e or more: as promised for any n.
  for (const double items : {1.0, 2.0, 10.0, 1e3, 1e9, 1e15}) {
    const TextbookTables tables{hashes_in_table(one, items), tables_needed(one, hashes_in_table(one, items))};
    EXPECT_LE(items * and_of(one.p2, tables.k), 1 + 1e-6) << items;
    EXPECT_GE(and_then_or(one.p1, tables), 1 - 1 / std::exp(1.0)) << items;
    EXPECT_GE(tables.l, std::pow(items, rho(one)) * (1 - 1e-6)) << items;
  }
}

TEST(Sensitive, AWholeNumberIsNotRoundedUp) {
  const Sensitivity halves{0, 1, 0.5, 0.25};
  EXPECT_EQ(hashes_in_table(halves, 1024), 5u);
  EXPECT_EQ(tables_needed(halves, 5), 32u);
  EXPECT_DOUBLE_EQ(rho(halves), 0.5);
}

TEST(Sensitive, CertainHashesNeedOneTable) {
  const Sensitivity certain = sensitivity(kJaccard, 0, 1);
  EXPECT_EQ(rho(certain), 0);
  EXPECT_EQ(hashes_in_table(certain, 1e9), 1u);
  EXPECT_EQ(tables_needed(certain, 7, 0.99), 1u);
}

TEST(Sensitive, RefusesWhatIsNoPairOfDistances) {
  EXPECT_THROW(sensitivity(kJaccard, 0.6, 0.2), Error);
  EXPECT_THROW(sensitivity(kJaccard, 0.2, 0.2), Error);
  EXPECT_THROW(sensitivity(kJaccard, -0.1, 0.2), Error);
  EXPECT_THROW(sensitivity(kJaccard, 0.1, 1.2), Error);
  EXPECT_THROW(sensitivity(kJaccard, std::nan(""), 0.2), Error);
  EXPECT_THROW(sensitivity(plan_of(Measure::hamming, Family::bit_sampling, 0, 8), 1, 9), Error);
  EXPECT_THROW(hashes_in_table({0, 1, 0.5, 0.25}, 0), Error);
  EXPECT_THROW(tables_needed({0, 1, 0.5, 0.25}, 1, 1), Error);
  EXPECT_THROW(tables_needed({0, 1, 0.5, 0.25}, 100), Error);  // 2^100 tables
  EXPECT_THROW(tables_needed({0, 1, 0.0, 0.0}, 1, 0.5), Error);
}

}  // namespace
}  // namespace nearkin::sensitive_test
