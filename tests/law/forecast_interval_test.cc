// What a forecast says of pairs and candidates is within its intervals, over many collections.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/sample.h>

#include "support/random.h"
#include "support/sets_in_memory.h"

namespace nearkin::forecast_interval_test {
namespace {

using Sets = std::vector<std::string>;
using test::input_of;

constexpr std::size_t kItems = 3000, kElements = 60;

std::string some_set(test::Random& random, std::size_t elements) {
  std::string set;
  for (std::size_t i = 0; i < elements; ++i) set += std::to_string(random.between(0, 20'000)) + " ";
  return set;
}

/// The first `same` elements, and others in the place of the rest.
std::string edited(const std::string& set, std::size_t same, test::Random& random) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < same; ++i) end = set.find(' ', end) + 1;
  return set.substr(0, end) + some_set(random, kElements - same);
}

/// Groups of the sizes that size_of() draws; members are at .6 to 1 of their first.
Sets groups(std::uint64_t seed, const std::function<std::size_t(test::Random&)>& size_of) {
  test::Random random(seed);
  Sets sets;
  while (sets.size() < kItems) {
    const std::string first = some_set(random, kElements);
    sets.push_back(first);
    for (std::size_t left = size_of(random); left > 1 && sets.size() < kItems; --left) {
      sets.push_back(edited(first, random.between(kElements - 12, kElements), random));
    }
  }
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

Sets twins(std::uint64_t seed) {
  return groups(seed, [](test::Random& random) { return random.between(1, 3); });
}

/// Most are alone, a few groups have most of the pairs.
Sets uneven(std::uint64_t seed) {
  return groups(seed, [](test::Random& random) {
    return static_cast<std::size_t>(std::pow(static_cast<double>(random.between(1, 1000)) / 1000, -0.9));
  });
}

/// A third of the items is one of 40 sets again and again.
Sets copied(std::uint64_t seed) {
  Sets sets = twins(seed);
  test::Random random(seed);
  for (std::size_t i = 0; i < sets.size() / 3; ++i) sets[i] = sets[sets.size() - 1 - i % 40];
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

Plan plan_of(double recall) {
  const ShinglePlan elements{.token = Token::element, .size = 1, .bag = false, .normalise = Normalise::none};
  return tune({.recall = recall}, {.shingle = elements, .large_bucket = BandPlan::kLargeBucketOfPairs});
}

bool covers(const Interval& interval, double truth) { return interval.low <= truth * (1 + 1e-9) && truth <= interval.high * (1 + 1e-9); }

/// Matches of which neither item is a copy of an earlier one.
std::uint64_t between_different(const Matches& matches, const Sets& sets) {
  std::set<std::string> seen;
  std::vector<bool> first(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) first[i] = seen.insert(sets[i]).second;
  return static_cast<std::uint64_t>(
      std::count_if(matches.begin(), matches.end(), [&](const Match& match) { return first[match.a] && first[match.b]; }));
}

void expect_covered(const std::function<Sets(std::uint64_t)>& collection) {
  constexpr int kRuns = 50;
  int similar = 0, candidates = 0, dropped = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const Sets sets = collection(seed);
    const Plan plan = plan_of(0.95);
    const std::optional<DataSample> sample = sample_sets(input_of(sets), plan, seed, true);
    ASSERT_TRUE(sample);
    const Forecast told = forecast(plan, {.sample = sample}, sets.size(), {.byte = 1, .slot = 1, .band = 1, .dropped = 1, .compared = 1});
    ASSERT_TRUE(told.intervals);
    const PairsResult exact = pairs(input_of(sets), plan_of(1), {.threads = 1});
    const PairsResult found = pairs(input_of(sets), plan, {.threads = 1});
    similar += covers(told.intervals->similar, static_cast<double>(exact.stats.pairs));
    candidates += covers(told.intervals->candidates, static_cast<double>(found.stats.candidates));
    dropped += covers(told.intervals->dropped, static_cast<double>(found.stats.candidates - between_different(found.matches, sets)));
    EXPECT_LT(told.intervals->similar.high, 4 * told.intervals->similar.low) << "so wide that it says nothing";
  }
  EXPECT_GE(similar, 44) << "of 50";
  EXPECT_GE(candidates, 44) << "of 50";
  EXPECT_GE(dropped, 44) << "of 50";
}

TEST(ForecastInterval, CoversWhatTwinsGive) { expect_covered(twins); }
TEST(ForecastInterval, CoversWhatUnevenGroupsGive) { expect_covered(uneven); }
TEST(ForecastInterval, CoversWhatCopiesGive) { expect_covered(copied); }

}  // namespace
}  // namespace nearkin::forecast_interval_test
