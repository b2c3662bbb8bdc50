// The estimate of the recall against simulated runs, in which the truth is known, and the probabilities that it rests on.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nearkin/stages.h>
#include <nearkin/tools/describe.h>
#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "support/random_sets.h"
#include "theory/recall.h"

namespace nearkin::recall_test {
namespace {

double uniform(SplitMix& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

struct Simulated {
  double covered = 0;     // share of the runs whose interval holds the true recall
  double mean_error = 0;  // of the estimate
};

// Runs of `pairs` pairs with similarities spread evenly over [0.8, 1).
Simulated simulate(std::uint32_t pairs, std::uint32_t bands, std::uint32_t rows) {
  constexpr int kRuns = 600;
  SplitMix random(11);
  Simulated result;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<FoundPairs> found;
    for (std::uint32_t i = 0; i < pairs; ++i) {
      const double probability = found_probability(0.8 + 0.2 * uniform(random), bands, rows);
      if (uniform(random) < probability) found.push_back({.probability = probability, .count = 1, .group = i});
    }
    const double truth = static_cast<double>(found.size()) / pairs;
    const Recall recall = estimate_recall(found, {.at_threshold = found_probability(0.8, bands, rows)});
    result.covered += (recall.low <= truth && truth <= recall.high) / static_cast<double>(kRuns);
    result.mean_error += (recall.estimate - truth) / kRuns;
  }
  return result;
}

TEST(RecallEstimate, CoversTheTruthWhenPairsAreIndependent) {
  for (const auto& [bands, rows] : {std::pair{17u, 8u}, {9u, 13u}, {16u, 8u}}) {
    const Simulated simulated = simulate(1000, bands, rows);
    EXPECT_GT(simulated.covered, 0.925) << bands << 'x' << rows;
    EXPECT_LT(simulated.covered, 0.985) << bands << 'x' << rows;
    EXPECT_LT(std::abs(simulated.mean_error), 0.003) << bands << 'x' << rows;
  }
}

TEST(RecallEstimate, IsCertainWhereNothingCanBeMissed) {
  const std::vector<FoundPairs> found(5, FoundPairs{.probability = 1, .count = 3, .group = 0});
  const Recall recall = estimate_recall(found);
  EXPECT_EQ(recall.estimate, 1);
  EXPECT_EQ(recall.low, 1);
  EXPECT_EQ(recall.high, 1);
}

TEST(RecallEstimate, CountsAPairFoundHalfTheTimeTwice) {
  const std::vector<FoundPairs> found{{.probability = 0.5, .count = 1, .group = 0}, {.probability = 1, .count = 2, .group = 1}};
  const Recall recall = estimate_recall(found);
  EXPECT_DOUBLE_EQ(recall.estimate, 3.0 / 4.0);
  EXPECT_LT(recall.low, recall.estimate);
  EXPECT_LE(recall.high, 1);
}

TEST(RecallEstimate, OfNothingIsOne) { EXPECT_EQ(estimate_recall({}).estimate, 1); }

// 100 pairs at 0.8: the variance of the missed is 100·0.2/0.64 = 31.25.
TEST(RecallEstimate, IsAsWideAsThePairsStray) {
  const std::vector<FoundPairs> found(100, FoundPairs{.probability = 0.8});
  const Recall alone = estimate_recall(found), together = estimate_recall(found, {.least_missed = 0.5, .most_missed = 2.5});
  EXPECT_DOUBLE_EQ(alone.estimate, 0.8);
  EXPECT_NEAR(100 / alone.low, std::ceil(125 + 1.959964 * std::sqrt(31.25)), 1e-9) << "whole pairs are missed";
  EXPECT_DOUBLE_EQ(together.estimate, 0.8);
  EXPECT_DOUBLE_EQ(together.low, 0.5);
  EXPECT_DOUBLE_EQ(together.high, 0.9);
}

TEST(RecallEstimate, OfAFewPairsHoldsTheLossOfOne) {
  const std::vector<FoundPairs> found(5, FoundPairs{.probability = 0.97});
  EXPECT_LE(estimate_recall(found, {.at_threshold = 0.95}).low, 5.0 / 6);
  const std::vector<FoundPairs> sure(5, FoundPairs{.probability = 1 - 1e-9});
  EXPECT_GT(estimate_recall(sure, {.at_threshold = 0.999}).low, 0.9);
}

TEST(RecallEstimate, AllowsForAPairAtTheThresholdThatLeftNoTrace) {
  const std::vector<FoundPairs> found(60, FoundPairs{.probability = 1, .count = 1, .group = 0});
  const Recall recall = estimate_recall(found, {.at_threshold = 0.8});
  EXPECT_EQ(recall.estimate, 1);
  EXPECT_EQ(recall.high, 1);
  EXPECT_LT(recall.low, 1);
  EXPECT_GT(recall.low, 60 / 62.0);
}

// A few pairs count a hundred times as much as the others: copies of their items. One of them, missed, is most of what was missed, and
// nothing that was found tells of it.
TEST(RecallEstimate, HoldsTheLossOfAPairOfManyCopies) {
  constexpr std::uint32_t kBands = 20, kRows = 4;
  constexpr int kRuns = 600;
  std::vector<FoundPairs> all;
  for (const double copies : {180.0, 95.0, 38.0, 38.0, 30.0, 30.0, 30.0, 19.0, 19.0, 14.0})
    all.push_back({.probability = found_probability(0.55, kBands, kRows), .count = copies, .group = 0});
  for (int i = 0; i < 700; ++i) all.push_back({.probability = found_probability(0.5 + i / 1400.0, kBands, kRows), .count = 1, .group = 0});
  double sum = 0;
  for (const FoundPairs& pairs : all) sum += pairs.count;
  SplitMix random(5);
  int outside = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<FoundPairs> found;
    double seen = 0;
    for (const FoundPairs& pairs : all) {
      if (uniform(random) >= pairs.probability) continue;
      found.push_back(pairs);
      seen += pairs.count;
    }
    const Recall recall = estimate_recall(found, {.at_threshold = found_probability(0.5, kBands, kRows)});
    outside += seen / sum < recall.low || seen / sum > recall.high;
  }
  EXPECT_LE(outside, kRuns * 0.05);
}

double binomial(std::uint32_t n, std::uint32_t k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

// All ways to agree in some of 11 slots, three bands of three and two slots to spare.
TEST(MissedByAgreements, CountsTheWaysToFillNoBand) {
  const BandPlan plan{.bands = 3, .rows = 3};
  std::vector<double> missed(12), ways(12);
  for (std::uint32_t slots = 0; slots < 1u << 11; ++slots) {
    const auto agreeing = static_cast<std::size_t>(__builtin_popcount(slots));
    const bool found = (slots & 7) == 7 || (slots >> 3 & 7) == 7 || (slots >> 6 & 7) == 7;
    ++ways[agreeing];
    missed[agreeing] += !found;
  }
  const std::vector<double> computed = missed_by_agreements(plan, 11);
  ASSERT_EQ(computed.size(), 12u);
  for (std::size_t a = 0; a < 12; ++a) EXPECT_NEAR(computed[a], missed[a] / ways[a], 1e-12) << a;
}

TEST(MissedByAgreements, OverIndependentSlotsIsTheSCurve) {
  const BandPlan plan{.bands = 17, .rows = 8};
  const std::vector<double> missed = missed_by_agreements(plan, 150);
  for (const double s : {0.5, 0.8, 0.9}) {
    double sum = 0;
    for (std::uint32_t a = 0; a <= 150; ++a) sum += binomial(150, a) * std::pow(s, a) * std::pow(1 - s, 150.0 - a) * missed[a];
    EXPECT_NEAR(sum, 1 - found_probability(s, 17, 8), 1e-10) << s;
  }
}

Plan banded(std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes) {
  Plan plan;
  plan.band.bands = bands;
  plan.band.rows = rows;
  plan.sketch.hashes = hashes;
  return plan;
}

// Far below the threshold, where the S-curve bends the other way, they are found less often.
TEST(FoundSets, AboveTheThresholdAreNeverFoundLessOftenThanTheSCurveSays) {
  FoundSets found(banded(17, 8, 136), 1);
  for (const std::uint32_t total : {10u, 50u, 200u, 1000u, 50'000u}) {
    for (const std::uint32_t tenths : {8u, 9u}) {
      const double curve = found_probability(tenths / 10.0, 17, 8);
      EXPECT_GT(found(total / 10 * tenths, total), curve - 1e-4) << tenths << " tenths of " << total;
    }
  }
  EXPECT_LT(found(100, 200), found_probability(0.5, 17, 8));
  EXPECT_EQ(found(7, 7), 1);
}

TEST(FoundSets, OfManyElementsFollowTheSCurve) {
  FoundSets found(banded(17, 8, 136), 1);
  EXPECT_NEAR(found(800'000, 1'000'000), found_probability(0.8, 17, 8), 1e-4);
}

// 20,000 pairs at 0.8 with 200 elements: the S-curve says that 4.4 % are missed, and the standard error is 0.14 %.
TEST(FoundSets, OfAsManyElementsAsSlotsAreMissedAsOftenAsComputed) {
  const Plan plan = banded(17, 8, 136);
  constexpr int kSketches = 40, kPairs = 500;
  SplitMix random(21);
  int missed = 0;
  for (int i = 0; i < kSketches; ++i) {
    std::vector<test::Set> sets;
    for (int pair = 0; pair < kPairs; ++pair) {
      auto [a, b] = test::random_sets(random, {.shared = 160, .only_a = 20, .only_b = 20});
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      sets.push_back(std::move(a));
      sets.push_back(std::move(b));
    }
    const Sketches sketches = sketch(test::features_of(sets), {.hashes = 136, .seed = random()});
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const std::vector<std::uint32_t> a = band_keys(sketches[2 * pair], plan.band), b = band_keys(sketches[2 * pair + 1], plan.band);
      bool found = false;
      for (std::size_t band = 0; band < a.size(); ++band) found |= a[band] == b[band];
      missed += !found;
    }
  }
  FoundSets computed(plan, 1);
  const double share = static_cast<double>(missed) / (kSketches * kPairs), expected = 1 - computed(160, 200);
  const double error = std::sqrt(expected / (kSketches * kPairs));
  EXPECT_NEAR(share, expected, 3.5 * error);
  EXPECT_LT(share, 1 - found_probability(0.8, 17, 8) - 3 * error) << "the S-curve would do as well";
}

}  // namespace
}  // namespace nearkin::recall_test
