#include <cmath>

#include <gtest/gtest.h>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

#include "support/run_support.h"

namespace nearkin::forecast_test {
namespace {

constexpr MachineCosts kCosts{.byte = 2, .slot = 5, .band = 20, .dropped = 50, .compared = 1000};

DataSample sample_of(std::vector<PairsAt> pairs, double shingles = 200) {
  return {.items = 1000, .shingles = shingles, .text_bytes = 6 * shingles, .pairs = std::move(pairs), .asked = 100, .against = 1000};
}

double seconds(const Plan& plan, const Choices& choices, std::uint64_t items, const MachineCosts& costs = kCosts, unsigned threads = 1) {
  return forecast(plan, choices, items, costs, threads).seconds;
}

// What holds on any machine, whatever its speed and whatever else it does.
TEST(Calibrate, MeasuresEveryPart) {
  const MachineCosts costs = calibrate();
  for (const double cost : {costs.byte, costs.band, costs.dropped, costs.compared}) {
    EXPECT_GT(cost, 0);
    EXPECT_TRUE(std::isfinite(cost));
  }
  // A difference of two measurements, which noise may bring down to nothing.
  EXPECT_GE(costs.slot, 0);
  EXPECT_TRUE(std::isfinite(costs.slot));
}

TEST(Forecast, AddsUpWhatEachItemTakes) {
  const Plan plan = tune({}, {.hashes = 136, .bands = 17, .rows = 8});
  const Choices choices{.sample = sample_of({})};
  // 1200 bytes, 136 slots and 17 bands, for the shingles and slots that were calibrated.
  const double item = 1200 * 2 + 136 * 5 + 17 * 20;
  EXPECT_NEAR(seconds(plan, choices, 2'000'000) - seconds(plan, choices, 1'000'000), 1e6 * item * 1e-9, 1e-6);
}

TEST(Forecast, AddsWhatCandidatesTake) {
  const Plan plan = tune({}, {.hashes = 136, .bands = 17, .rows = 8});
  const double without = seconds(plan, {.sample = sample_of({})}, 1000);
  const double found = found_probability(0.5, 17, 8);
  const double dropped = seconds(plan, {.sample = sample_of({{.at = 0.5, .pairs = 1e6}})}, 1000);
  EXPECT_NEAR(dropped - without, 1e6 * found * 50e-9, 1e-9);
  // Near the threshold the sets are compared, and every item is read again for it.
  const double compared = seconds(plan, {.sample = sample_of({{.at = 0.75, .pairs = 1e6}})}, 1000);
  EXPECT_NEAR(compared - without, 1e6 * found_probability(0.75, 17, 8) * 1000e-9 + 1000 * 1200 * 2 * 2.5e-9, 1e-6);
  const double longer = seconds(plan, {.sample = sample_of({{.at = 0.75, .pairs = 1e6}}, 400)}, 1000);
  EXPECT_GT(longer, 1.9 * compared);
}

TEST(Forecast, SharesTheWorkBetweenThreads) {
  const Plan plan = tune({});
  const double one = seconds(plan, {}, 10'000'000), four = seconds(plan, {}, 10'000'000, kCosts, 4);
  EXPECT_NEAR(one / four, 4, 0.05);
  EXPECT_GT(seconds(plan, {}, 10'000'000, kCosts, 0), 0);
}

TEST(Forecast, GrowsWithTheItemsAndPairsWithTheirSquare) {
  const Plan plan = tune({});
  const Choices choices{.sample = sample_of({{.at = 0.85, .pairs = 500, .seen = 100}})};
  const Forecast here = forecast(plan, choices, 1000, kCosts), larger = forecast(plan, choices, 100'000, kCosts);
  EXPECT_NEAR(here.expected.similar, 500, 1e-9);
  EXPECT_NEAR(larger.expected.similar / here.expected.similar, all_pairs(100'000) / all_pairs(1000), 1e-6);
  EXPECT_EQ(larger.items, 100'000u);
  EXPECT_GT(larger.memory_bytes, 10 * here.memory_bytes);
  EXPECT_GT(larger.seconds, 10 * here.seconds);
  EXPECT_EQ(larger.scratch_bytes, 0);
}

TEST(Forecast, KnowsNominalCandidatesButNothingSimilarWithoutASample) {
  const Forecast nominal = forecast(tune({}), {}, 1'000'000, kCosts);
  EXPECT_GT(nominal.expected.candidates, 1e6);
  EXPECT_EQ(nominal.expected.similar, 0);
  EXPECT_EQ(nominal.expected.missed, 0);
  EXPECT_GT(nominal.seconds, 0.1);
  EXPECT_GT(nominal.memory_bytes, 1e6 * static_cast<double>(bytes_per_item(tune({}))));
}

TEST(Forecast, TellsNoTimeWhereItKnowsNone) {
  for (const Plan& plan : {tune({.recall = 1}), tune({.measure = Measure::containment}), tune({.nearest = 10})}) {
    const Forecast unknown = forecast(plan, {}, 1000, kCosts);
    EXPECT_EQ(unknown.seconds, 0) << plan;
    EXPECT_GT(unknown.memory_bytes, 1000 * 100) << plan;
  }
  EXPECT_GT(forecast(tune({.measure = Measure::exact}), {}, 1000, kCosts).seconds, 0);
}

TEST(Forecast, CountsTheShinglesThatAJoinKeeps) {
  const Choices choices{.sample = sample_of({{.at = 0.1, .pairs = 1}})};
  const double joined = forecast(tune({.recall = 1}), choices, 1'000'000, kCosts).memory_bytes;
  const double sketched = forecast(tune({}), choices, 1'000'000, kCosts).memory_bytes;
  EXPECT_GT(joined, 1e6 * 8 * 200);
  EXPECT_LT(sketched, joined / 2);
}

Forecast forecast_of_join(std::vector<JoinedPart> parts, std::uint64_t items) {
  DataSample sample = sample_of({});
  sample.joined = std::move(parts);
  return forecast(tune({.recall = 1}), {.sample = sample}, items, kCosts);
}

TEST(Forecast, TakesTheCandidatesOfAnExactJoinFromPartsThatWereJoined) {
  // All of it was joined: that many.
  EXPECT_NEAR(forecast_of_join({{1000, 50, 900}}, 1000).expected.candidates, 50, 1e-9);
  // Few pairs tell nothing of their growth, and one part neither.
  EXPECT_NEAR(forecast_of_join({{500, 20, 900}, {1000, 50, 3000}}, 10'000).expected.candidates, 5000, 1e-6);
  EXPECT_NEAR(forecast_of_join({{1000, 500'000, 900}}, 3000).expected.candidates, 4'500'000, 1e-3);
  // Many do, within reason.
  EXPECT_NEAR(forecast_of_join({{1000, 10'000, 0}, {2000, 35'000, 0}}, 4000).expected.candidates, 35'000 * 3.5, 1e-3);
  EXPECT_LT(forecast_of_join({{1000, 10'000, 0}, {2000, 1e6, 0}}, 4000).expected.candidates, 5.1e6);
  const Forecast here = forecast_of_join({{1000, 5000, 100'000}}, 1000), larger = forecast_of_join({{1000, 5000, 100'000}}, 1'000'000);
  EXPECT_GT(here.seconds, 0);
  EXPECT_GT(larger.seconds, 1000 * here.seconds);
  EXPECT_GT(larger.memory_bytes, 1e6 * 8 * 200);
}

// Sentences of single words, whose candidates depend on how rare words are: a quarter of them tells of all within a factor of two.
TEST(Forecast, OfAnExactJoinIsNearWhatItLooksAt) {
  const test::TempDir dir;
  test::Random random(5);
  std::string part, all;
  constexpr std::size_t kItems = 24'000;
  for (std::size_t i = 0; i < kItems; ++i) {
    std::string line;
    for (std::size_t words = random.between(5, 14); words > 0; --words) {
      line += "w" + std::to_string(random.below(1 + random.below(4000))) + " ";
    }
    if (i < kItems / 4) part += line + "\n";
    all += line + "\n";
  }
  const Plan plan = test::sure_plan(0.6);
  const std::optional<DataSample> sample = sample_sets(test::input_from(dir.write("part.lines", part)), plan, 1, true);
  ASSERT_TRUE(sample);
  ASSERT_EQ(sample->joined.size(), 2u);
  EXPECT_EQ(sample->joined.back().items, static_cast<double>(kItems / 4));
  const double expected = forecast(plan, {.sample = *sample}, kItems, kCosts).expected.candidates;
  const auto looked_at = static_cast<double>(pairs(test::input_from(dir.write("all.lines", all)), plan).stats.candidates);
  EXPECT_GT(looked_at, 1000);
  EXPECT_GT(expected, looked_at / 2);
  EXPECT_LT(expected, looked_at * 2);
}

// Norms leave out most pairs of vectors of different lengths; a part of these tells how many.
TEST(Forecast, OfAnExactJoinOfVectorsIsNearWhatItLooksAt) {
  const test::TempDir dir;
  test::Random random(6);
  constexpr std::size_t kItems = 6000;
  std::string rows;
  for (std::size_t i = 0; i < kItems; ++i) {
    const double length = 1 + 20 * test::uniform(random);
    for (int d = 0; d < 8; ++d) rows += std::to_string(length * (test::uniform(random) - 0.5)) + (d < 7 ? " " : "\n");
  }
  Input input = test::input_from(dir.write("rows.txt", rows));
  input.format = Format::dense;
  const Plan plan = tune({.measure = Measure::euclidean, .recall = 1, .radius = 0.5}, {.kind = Kind::numbers});
  const std::optional<DataSample> sample = sample_data(input, plan, {}, true);
  ASSERT_TRUE(sample);
  ASSERT_EQ(sample->joined.size(), 2u);
  EXPECT_LT(sample->joined.back().items, static_cast<double>(kItems));
  const Forecast told = forecast(plan, {.sample = *sample}, kItems, kCosts);
  const auto looked_at = static_cast<double>(pairs(input, plan).stats.candidates);
  EXPECT_NEAR(told.expected.candidates, looked_at, looked_at / 10);
  EXPECT_LT(looked_at, 0.3 * all_pairs(kItems));
  EXPECT_GT(told.seconds, 0);
}

TEST(Forecast, ScalesTheNominalWorkOfVectorsToTheMachine) {
  DataSample sample{.items = 10'000, .dimensions = 64};
  for (int i = 0; i < 1000; ++i) sample.values.push_back(-0.3 + i * 0.001);
  const Choices choices{.sample = sample};
  const Plan plan = tune({.measure = Measure::cosine}, choices);
  MachineCosts slower = kCosts;
  slower.band *= 10;
  EXPECT_GT(seconds(plan, choices, 100'000), 0.01);
  EXPECT_NEAR((seconds(plan, choices, 100'000, slower) - 0.01) / (seconds(plan, choices, 100'000) - 0.01), 10, 1e-6);
  EXPECT_GT(forecast(plan, choices, 10'000, kCosts).memory_bytes, 10'000 * 64 * 4);
}

TEST(Scaled, MultipliesPairsAndLeavesTheItemsAsTheyAre) {
  const DataSample sample = sample_of({{.at = 0.5, .pairs = 999, .seen = 7}});
  const DataSample larger = scaled(sample, 2000);
  EXPECT_EQ(larger.items, 2000u);
  EXPECT_NEAR(larger.pairs[0].pairs, 999 * all_pairs(2000) / all_pairs(1000), 1e-9);
  EXPECT_EQ(larger.pairs[0].seen, 7u);
  EXPECT_EQ(larger.shingles, sample.shingles);
  EXPECT_EQ(scaled(DataSample{.items = 1}, 50).items, 50u);
}

}  // namespace
}  // namespace nearkin::forecast_test
