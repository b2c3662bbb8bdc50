// The promise of a plan: of the pairs at or above the threshold, at least the share `recall` is found.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <nearkin/nearkin.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::recall_test {
namespace {

using test::Random;

std::string elements(Random& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(random()) + ' ';
  return text;
}

// Two sets with |A∩B| = `shared` and |A∪B| = `total`, as two lines.
std::string planted_pair(Random& random, std::size_t shared, std::size_t total) {
  const std::string common = elements(random, shared);
  const std::size_t own = total - shared, half = own / 2;
  return common + elements(random, half) + '\n' + elements(random, own - half) + common + '\n';
}

struct Planted {
  std::string text;
  std::size_t reaching = 0;  ///< pairs at or above the threshold
};

// Pairs whose similarities lie within 0.02 of the threshold, a fifth of them exactly on it.
Planted plant(Random& random, Ratio threshold, std::size_t pairs) {
  Planted planted;
  const std::size_t hundredths = threshold.numerator * 100 / threshold.denominator;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t similarity = hundredths - 2 + i % 5;
    const std::size_t scale = random.between(1, 3);
    planted.text += planted_pair(random, similarity * scale, 100 * scale);
    planted.reaching += similarity >= hundredths;
  }
  return planted;
}

constexpr std::size_t kCorpora = 10, kPairs = 150;

// Pairs found and pairs there are, over kCorpora collections, each with another seed of the sketches.
std::pair<std::size_t, std::size_t> found_of_all(double threshold, double recall) {
  const test::TempDir dir;
  std::size_t found = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= kCorpora; ++seed) {
    Random random(seed * 1000 + static_cast<std::uint64_t>(threshold * 100));
    const Choices choices{.shingle = ShinglePlan{.token = Token::element, .size = 1}, .seed = seed};
    const Plan plan = tune({.threshold = threshold, .recall = recall}, choices);
    const Planted planted = plant(random, plan.threshold, kPairs);
    const PairsResult result = pairs(test::input_from(dir.write("docs.sets", planted.text)), plan, {.threads = 1});
    for (const Match& match : result.matches) {
      EXPECT_EQ(match.a % 2, 0u);
      EXPECT_EQ(match.b, match.a + 1) << "only planted pairs are similar";
      EXPECT_GE(match.similarity(), threshold);
    }
    found += result.matches.size();
    all += planted.reaching;
  }
  return {found, all};
}

class Recall : public testing::TestWithParam<double> {};

TEST_P(Recall, IsAtLeastWhatThePlanPromises) {
  for (const double promised : {0.8, 0.95}) {
    const auto [found, all] = found_of_all(GetParam(), promised);
    ASSERT_EQ(all, kCorpora * kPairs * 3 / 5);
    const double error = std::sqrt(promised * (1 - promised) / static_cast<double>(all));
    EXPECT_GE(static_cast<double>(found) / static_cast<double>(all), promised - 3 * error) << "recall " << promised;
    EXPECT_LT(found, all) << "a plan that finds everything does more than was asked for, or the test is too easy";
  }
}

TEST_P(Recall, OfOneFindsEveryPlantedPair) {
  Random random(99);
  const test::TempDir dir;
  const Plan plan = tune({.threshold = GetParam(), .recall = 1}, {.shingle = ShinglePlan{.token = Token::element, .size = 1}});
  const Planted planted = plant(random, plan.threshold, 200);
  EXPECT_EQ(pairs(test::input_from(dir.write("docs.sets", planted.text)), plan, {.threads = 1}).matches.size(), planted.reaching);
}

// What a run says of its own recall, against the truth.
TEST_P(Recall, IsEstimatedByTheRunItself) {
  const test::TempDir dir;
  constexpr std::uint64_t kRuns = 40;
  std::size_t covered = 0;
  double error = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    Random random(seed);
    const Plan plan =
        tune({.threshold = GetParam(), .recall = 0.8}, {.shingle = ShinglePlan{.token = Token::element, .size = 1}, .seed = seed});
    const Planted planted = plant(random, plan.threshold, kPairs);
    const PairsResult result = pairs(test::input_from(dir.write("docs.sets", planted.text)), plan, {.threads = 1});
    const double truth = static_cast<double>(result.matches.size()) / static_cast<double>(planted.reaching);
    ASSERT_TRUE(result.stats.recall.has_value());
    covered += result.stats.recall->low <= truth && truth <= result.stats.recall->high;
    error += (result.stats.recall->estimate - truth) / kRuns;
  }
  // 38 of 40 are expected; 33 or fewer have a probability below 0.002.
  EXPECT_GE(covered, 34u);
  EXPECT_LT(std::abs(error), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Thresholds, Recall, testing::Values(0.5, 0.7, 0.8, 0.9),
                         [](const auto& threshold) { return "At" + std::to_string(static_cast<int>(threshold.param * 100 + 0.5)); });

}  // namespace
}  // namespace nearkin::recall_test
