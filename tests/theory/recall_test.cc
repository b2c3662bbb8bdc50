// The estimate of the recall against simulated runs, in which the truth is known.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nearkin/theory.h>

#include "base/hash.h"

namespace nearkin {
namespace {

double uniform(SplitMix& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

struct Simulated {
  double covered = 0;     // share of the runs whose interval holds the true recall
  double mean_error = 0;  // of the estimate
};

// Runs of `pairs` pairs with similarities spread evenly over [0.8, 1), in groups of `together` that are found or missed as one.
Simulated simulate(std::uint32_t pairs, std::uint32_t together, std::uint32_t bands, std::uint32_t rows) {
  constexpr int kRuns = 600;
  SplitMix random(11);
  Simulated result;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<FoundPairs> found;
    for (std::uint32_t i = 0; i < pairs; i += together) {
      const double probability = found_probability(0.8 + 0.2 * uniform(random), bands, rows);
      if (uniform(random) >= probability) continue;
      for (std::uint32_t j = 0; j < together; ++j) found.push_back({.probability = probability, .count = 1, .group = i});
    }
    const double truth = static_cast<double>(found.size()) / pairs;
    const Recall recall = estimate_recall(found);
    result.covered += (recall.low <= truth && truth <= recall.high) / static_cast<double>(kRuns);
    result.mean_error += (recall.estimate - truth) / kRuns;
  }
  return result;
}

TEST(RecallEstimate, CoversTheTruthWhenPairsAreIndependent) {
  for (const auto& [bands, rows] : {std::pair{17u, 8u}, {9u, 13u}, {16u, 8u}}) {
    const Simulated simulated = simulate(1000, 1, bands, rows);
    EXPECT_GT(simulated.covered, 0.925) << bands << 'x' << rows;
    EXPECT_LT(simulated.covered, 0.985) << bands << 'x' << rows;
    EXPECT_LT(std::abs(simulated.mean_error), 0.003) << bands << 'x' << rows;
  }
}

TEST(RecallEstimate, CoversTheTruthWhenPairsOfAGroupAreMissedTogether) {
  const Simulated simulated = simulate(3000, 10, 17, 8);
  EXPECT_GT(simulated.covered, 0.925);
  EXPECT_LT(std::abs(simulated.mean_error), 0.004);
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

}  // namespace
}  // namespace nearkin
