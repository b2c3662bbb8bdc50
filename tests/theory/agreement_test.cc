#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "theory/chances.h"

namespace nearkin::agreement_test {
namespace {

double uniform(SplitMix& random) { return (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52; }
double gaussian(SplitMix& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}
double cauchy(SplitMix& random) { return std::tan(std::numbers::pi * (uniform(random) - 0.5)); }

Plan plan_of(Measure measure, Kind kind, Family family) {
  Plan plan;
  plan.measure = measure;
  plan.kind = kind;
  plan.sketch.family = family;
  return plan;
}

TEST(Agreement, GivesTheFiguresOfTheLiterature) {
  EXPECT_NEAR(hyperplane_agreement(std::cos(std::numbers::pi / 6)), 0.8333, 0.00005);
  EXPECT_NEAR(gaussian_agreement(1, 4), 0.8005, 0.00005);
  EXPECT_NEAR(gaussian_agreement(2, 4), 0.6095, 0.00005);
  EXPECT_NEAR(gaussian_agreement(4, 4), 0.3687, 0.00005);
}

TEST(Agreement, OfHyperplanesGoesFromOppositeToEqual) {
  EXPECT_EQ(hyperplane_agreement(1), 1);
  EXPECT_EQ(hyperplane_agreement(1 + 1e-15), 1);
  EXPECT_EQ(hyperplane_agreement(-1), 0);
  EXPECT_NEAR(hyperplane_agreement(0), 0.5, 1e-15);
}

/// |∫ of the density of |projection| over one slot, weighed by the share of the offsets that keep both points in it.
template <typename Density>
double by_integration(double distance, double width, Density density) {
  constexpr int kSteps = 100000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) / kSteps * width;
    sum += 2 * density(t / distance) / distance * (1 - t / width);
  }
  return sum * width / kSteps;
}

TEST(Agreement, OfProjectionsIsTheIntegralOfTheirDensity) {
  const auto normal = [](double u) { return std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi); };
  const auto heavy = [](double u) { return 1 / (std::numbers::pi * (1 + u * u)); };
  for (const double width : {0.01, 0.5, 1.0, 4.0, 50.0}) {
    for (const double distance : {0.1, 1.0, 3.0, 200.0}) {
      EXPECT_NEAR(gaussian_agreement(distance, width) / by_integration(distance, width, normal), 1, 1e-5) << width << " " << distance;
      EXPECT_NEAR(cauchy_agreement(distance, width) / by_integration(distance, width, heavy), 1, 1e-5) << width << " " << distance;
    }
  }
}

TEST(Agreement, OfProjectionsHoldsAtTheEnds) {
  for (const auto agrees : {gaussian_agreement, cauchy_agreement}) {
    EXPECT_EQ(agrees(0, 4), 1);
    EXPECT_NEAR(agrees(1e-9, 4), 1, 1e-6);
    EXPECT_GT(agrees(1e9, 4), 0);
    EXPECT_LT(agrees(1e9, 4), 1e-8);
    // The short form for far points continues the long one.
    EXPECT_NEAR(agrees(1, 0.99e-4) / agrees(1, 1.01e-4), 0.99 / 1.01, 1e-4);
    double last = 1;
    for (int step = 1; step < 400; ++step) {
      const double now = agrees(std::pow(1.1, step - 200), 1);
      EXPECT_LE(now, last);
      last = now;
    }
  }
}

TEST(Agreement, OfProjectionsIsWhatProjectionsDo) {
  SplitMix random(3);
  constexpr int kTrials = 200000;
  const double width = 3, distance = 1.7;
  int normal = 0, heavy = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double offset = uniform(random) * width;
    normal += std::floor((offset + distance * gaussian(random)) / width) == 0;
    heavy += std::floor((offset + distance * cauchy(random)) / width) == 0;
  }
  // Four standard errors.
  EXPECT_NEAR(normal / double{kTrials}, gaussian_agreement(distance, width), 4 * 0.5 / std::sqrt(kTrials));
  EXPECT_NEAR(heavy / double{kTrials}, cauchy_agreement(distance, width), 4 * 0.5 / std::sqrt(kTrials));
}

TEST(Agreement, FollowsThePlan) {
  EXPECT_EQ(agreement(Plan{}, 0.37), 0.37);
  EXPECT_EQ(agreement(plan_of(Measure::weighted_jaccard, Kind::numbers, Family::weighted_minhash), 0.37), 0.37);
  EXPECT_EQ(agreement(plan_of(Measure::cosine, Kind::numbers, Family::hyperplane), 0.37), hyperplane_agreement(0.37));
  Plan euclidean = plan_of(Measure::euclidean, Kind::numbers, Family::gaussian);
  euclidean.sketch.width = 4;
  EXPECT_EQ(agreement(euclidean, 2), gaussian_agreement(2, 4));
  Plan manhattan = plan_of(Measure::manhattan, Kind::numbers, Family::cauchy);
  manhattan.sketch.width = 4;
  EXPECT_EQ(agreement(manhattan, 2), cauchy_agreement(2, 4));
}

TEST(Agreement, OfBitsIsTheShareThatIsEqual) {
  Plan plan = plan_of(Measure::hamming, Kind::bits, Family::bit_sampling);
  plan.sketch.dimensions = 256;
  plan.radius = 16;
  EXPECT_EQ(agreement(plan, 0), 1);
  EXPECT_EQ(agreement(plan, 16), 1 - 16.0 / 256);
  EXPECT_EQ(agreement(plan, 256), 0);
  EXPECT_EQ(agreement(plan, 300), 0);
  plan.radius = 0.05;
  EXPECT_EQ(agreement(plan, 0.05), 0.95);
  EXPECT_EQ(agreement(plan, 16), 1 - 16.0 / 256);
  plan.sketch.dimensions = 0;
  EXPECT_EQ(agreement(plan, 0.05), 0.95);
  EXPECT_THROW(agreement(plan, 16), Error);
}

TEST(Agreement, OfRowsOfATableIsTheJaccardSimilarityOfTheirAnswers) {
  Plan plan = plan_of(Measure::hamming, Kind::shingles, Family::minhash);
  plan.sketch.dimensions = 10;
  plan.radius = 2;
  // 8 answers shared, 2 + 2 not: 8 of 12.
  EXPECT_NEAR(agreement(plan, 2), 8.0 / 12, 1e-15);
  EXPECT_EQ(agreement(plan, 0), 1);
  EXPECT_EQ(agreement(plan, 10), 0);
  plan.radius = 0.2;
  EXPECT_NEAR(agreement(plan, 0.2), 8.0 / 12, 1e-15);
}

TEST(PlanCurve, OfAShareOfThePlacesIsThatOfThePlaces) {
  const Plan places = tune({.measure = Measure::hamming, .radius = 16}, {.bands = 20, .rows = 5, .dimensions = 64});
  Plan shares = places;
  shares.radius = 0.25;
  for (int place = 0; place <= 64; ++place) {
    EXPECT_NEAR(found_at_share(shares, place / 64.0), found_probability(places, place), 1e-9) << place;
    EXPECT_EQ(found_at_share(places, place / 64.0), found_at_share(shares, place / 64.0)) << place;
  }
  EXPECT_LT(found_probability(tune({.measure = Measure::hamming, .radius = 1}, {.bands = 1, .rows = 1, .dimensions = 4}), 0.5), 1)
      << "half a place of four is an eighth, not none";
}

TEST(PlanCurve, IsTheCurveOfTheAgreement) {
  const Plan plan = tune({.measure = Measure::cosine, .threshold = 0.8}, {.bands = 20, .rows = 12});
  for (const double cosine : {-0.3, 0.0, 0.5, 0.8, 0.97, 1.0}) {
    EXPECT_NEAR(found_probability(plan, cosine), found_probability(hyperplane_agreement(cosine), 20, 12), 1e-15);
    EXPECT_EQ(found_probability(plan, cosine, true), found_probability(plan, cosine));
  }
  EXPECT_EQ(found_probability(tune({.measure = Measure::cosine, .recall = 1}), 0.2), 1);
  EXPECT_EQ(found_probability(tune({.measure = Measure::cosine, .nearest = 5}), 0.2), 1);
}

/// Buckets in ascending order of Σ distance², from all 3^rows, and both points simulated: nothing shared with the code under test.
double simulated_chance(std::uint32_t rows, std::uint32_t probes, double distance, double width, int trials) {
  SplitMix random(17);
  int hits = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> fractions;
    std::vector<int> steps;
    for (std::uint32_t row = 0; row < rows; ++row) {
      fractions.push_back(uniform(random));
      steps.push_back(static_cast<int>(std::floor(fractions[row] + distance / width * gaussian(random))));
    }
    const auto cost_of = [&](const std::vector<int>& bucket) {
      double cost = 0;
      for (std::uint32_t row = 0; row < rows; ++row) {
        const double apart = bucket[row] < 0 ? fractions[row] : bucket[row] > 0 ? 1 - fractions[row] : 0;
        cost += apart * apart;
      }
      return cost;
    };
    bool reachable = true;
    for (const int step : steps) reachable = reachable && std::abs(step) <= 1;
    if (!reachable) continue;
    // The bucket is looked at where fewer than `probes` are cheaper.
    std::uint32_t cheaper = 0;
    std::vector<int> bucket(rows, -1);
    for (;;) {
      cheaper += cost_of(bucket) < cost_of(steps);
      std::uint32_t row = 0;
      while (row < rows && ++bucket[row] == 2) bucket[row++] = -1;
      if (row == rows) break;
    }
    hits += cheaper < probes;
  }
  return static_cast<double>(hits) / trials;
}

TEST(Probing, HasTheChanceOfAnIndependentSimulation) {
  constexpr int kTrials = 4000;
  for (const std::uint32_t rows : {1u, 3u, 5u}) {
    for (const std::uint32_t probes : {2u, 8u, 20u}) {
      for (const double distance : {0.5, 2.0, 5.0}) {
        const double chance = ProbedBand(rows, probes).chance(distance, 4);
        const double error = std::sqrt(chance * (1 - chance) / kTrials);
        // Four standard errors of this simulation, and the error of the other, which is below 0.01 of the chance.
        EXPECT_NEAR(simulated_chance(rows, probes, distance, 4, kTrials), chance, 4 * error + 0.01 * chance)
            << rows << " " << probes << " " << distance;
      }
    }
  }
}

TEST(Probing, OfOneBucketIsTheAgreementOfAllRows) {
  for (const std::uint32_t rows : {1u, 4u, 12u}) {
    for (const double distance : {0.3, 1.0, 3.0}) {
      const double expected = std::pow(gaussian_agreement(distance, 4), rows);
      EXPECT_NEAR(ProbedBand(rows, 1).chance(distance, 4) / expected, 1, 0.02) << rows << " " << distance;
    }
  }
}

TEST(Probing, FindsMoreWithEveryBucketAndLessWithEveryStepAway) {
  Plan plan = tune({.measure = Measure::euclidean, .radius = 1}, {.bands = 10, .rows = 8, .width = 4});
  const double unprobed = found_probability(plan, 1, true);
  EXPECT_EQ(unprobed, found_probability(plan, 1));
  double last = unprobed;
  for (const std::uint32_t probes : {4u, 16u, 64u, 256u}) {
    plan.band.probes = probes;
    EXPECT_GT(found_probability(plan, 1, true), last) << probes;
    EXPECT_EQ(found_probability(plan, 1), unprobed);
    last = found_probability(plan, 1, true);
  }
  double nearer = 1;
  for (const double distance : {0.0, 1e-300, 0.1, 0.5, 1.0, 2.0, 8.0, 1e4, 1e30}) {
    const double now = found_probability(plan, distance, true);
    EXPECT_LE(now, nearer);
    EXPECT_GE(now, 0);
    nearer = now;
  }
}

}  // namespace
}  // namespace nearkin::agreement_test
