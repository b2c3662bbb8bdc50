// Bands of the sketch against 1 − (1 − s^r)^b. A sketch that copies values between slots passes every test of its mean and fails here.
#include <cmath>

#include <gtest/gtest.h>

#include <nearkin/tools/theory.h>

#include "family/minhash.h"
#include "match/band.h"
#include "support/random_sets.h"

namespace nearkin::s_curve_test {
namespace {

using test::Overlapping;

double measured_share(const BandPlan& plan, const Overlapping& sizes, int trials) {
  const std::uint32_t hashes = plan.bands * plan.rows;
  SplitMix random(plan.bands * 1000 + sizes.shared);
  std::vector<std::uint32_t> left(hashes), right(hashes), left_keys(plan.bands), right_keys(plan.bands);
  int met = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto [a, b] = test::random_sets(random, sizes);
    MinHasher hasher({.hashes = hashes, .seed = random()});
    hasher.sketch(a, left.data());
    hasher.sketch(b, right.data());
    band_keys(left.data(), plan, left_keys.data());
    band_keys(right.data(), plan, right_keys.data());
    bool meets = false;
    for (std::uint32_t band = 0; band < plan.bands; ++band) meets = meets || left_keys[band] == right_keys[band];
    met += meets;
  }
  return met / static_cast<double>(trials);
}

void expect_s_curve(std::uint32_t bands, std::uint32_t rows) {
  constexpr int kTrials = 4000;
  const BandPlan plan{.bands = bands, .rows = rows};
  for (const Overlapping& sizes :
       {Overlapping{10, 10, 10}, Overlapping{13, 7, 7}, Overlapping{18, 2, 2}, Overlapping{46, 54, 54}, Overlapping{67, 33, 33},
        Overlapping{89, 11, 11}, Overlapping{230, 270, 270}, Overlapping{333, 167, 167}, Overlapping{444, 56, 56}}) {
    const double theory = found_probability(sizes.jaccard(), bands, rows);
    const double error = std::sqrt(theory * (1 - theory) / kTrials);
    const double share = measured_share(plan, sizes, kTrials);
    EXPECT_LE(std::abs(share - theory), 4 * error + 1.0 / kTrials)
        << bands << "x" << rows << " n=" << sizes.shared + sizes.only_a << " J=" << sizes.jaccard() << ": " << share << ", theory "
        << theory << ", " << (share - theory) / error << " standard errors";
  }
}

// Slots of one sketch fill up against each other, so that the estimate varies a little less than theory and the curve is a little
// steeper: it may lie above theory near the threshold, never below.
TEST(SCurve, FindsNoLessThanPromisedAtTheThreshold) {
  constexpr int kTrials = 20'000;
  for (const Overlapping& sizes : {Overlapping{8, 1, 1}, Overlapping{20, 2, 3}, Overlapping{80, 10, 10}, Overlapping{400, 50, 50}}) {
    ASSERT_EQ(sizes.jaccard(), 0.8);
    const double theory = found_probability(0.8, 17, 8);
    const double error = std::sqrt(theory * (1 - theory) / kTrials);
    EXPECT_GE(measured_share({.bands = 17, .rows = 8}, sizes, kTrials), theory - 3 * error) << sizes.shared;
  }
}

TEST(SCurve, HoldsFor16Bands8Rows) { expect_s_curve(16, 8); }
TEST(SCurve, HoldsFor17Bands8Rows) { expect_s_curve(17, 8); }
TEST(SCurve, HoldsFor25Bands5Rows) { expect_s_curve(25, 5); }
TEST(SCurve, HoldsFor50Bands4Rows) { expect_s_curve(50, 4); }

}  // namespace
}  // namespace nearkin::s_curve_test
