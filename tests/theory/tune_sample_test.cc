// Tuning for a collection of sets, from a sample of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/theory.h>

namespace nearkin::tune_sample_test {
namespace {

std::string refusal(const Goal& goal, const Choices& choices = {}) {
  try {
    const Plan plan = tune(goal, choices);
    return "no error: " + to_string(plan);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    return error.what();
  }
}

/// Collections made up: how many others an item has at each step of similarity.
class Collections {
 public:
  explicit Collections(std::uint64_t seed) : random_(seed) {}

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double spread(double low, double high) { return std::pow(10, between(low, high)); }

  /// Items that have next to nothing in common.
  DataSample light() {
    const double items = std::floor(spread(0.7, 9));
    DataSample sample{.items = static_cast<std::uint64_t>(items), .shingles = spread(0.5, 3.5), .asked = 200, .against = 10000};
    sample.pairs.push_back({.at = between(0, 1) < 0.5 ? 0 : 0.003, .pairs = all_pairs(items), .seen = 1000});
    return sample;
  }
  /// Fewer the more similar.
  DataSample heavy() {
    DataSample sample = light();
    const double most = spread(-1, 4), falls = between(2, 15);
    return with(sample, [&](double s) { return most * std::exp(-falls * s); });
  }
  /// Many that share a part of fixed size.
  DataSample boilerplate() {
    DataSample sample = light();
    const double most = spread(0, 5), centre = between(0.1, 0.97), width = between(0.01, 0.1);
    return with(sample, [&](double s) { return most * std::exp(-std::pow((s - centre) / width, 2) / 2) + 0.001; });
  }
  DataSample any() {
    const double kind = between(0, 3);
    return kind < 1 ? light() : kind < 2 ? heavy() : boilerplate();
  }

 private:
  template <typename Neighbours>
  DataSample with(DataSample sample, Neighbours neighbours) {
    for (int step = 1; step <= 100; ++step) {
      const double s = std::min(1.0, step / 100.0 + 0.004), others = neighbours(s);
      sample.pairs.push_back(
          {.at = s, .pairs = others * static_cast<double>(sample.items), .seen = static_cast<std::uint64_t>(200 * others)});
    }
    return sample;
  }
  std::mt19937_64 random_;
};

/// Nominal ns for an item, written out a second time, from the description of the model and from nothing but the sample. `unseen`: with the
/// neighbours of a nominal collection as well.
class Described {
 public:
  Described(const DataSample& sample, double threshold, bool unseen = false) : sample_(sample), threshold_(threshold) {
    if (sample.items < 10000) sample_.shingles = 200;  // those of a small collection say little
    const double per_item = static_cast<double>(sample.items);
    if (unseen) sample_.pairs.push_back({.at = std::nextafter(threshold, 0), .pairs = 2 * per_item});
    for (const auto& [s, count] : {std::pair(0.2, 100.0), {0.4, 20.0}, {0.6, 8.0}}) {
      if (unseen && s < threshold - 1e-9) sample_.pairs.push_back({.at = s, .pairs = count * per_item});
    }
  }

  double sketch(double hashes) const {
    const double n = sample_.shingles;
    return 0.9 * n + hashes + 0.1 * n * hashes * std::exp(-n / hashes);
  }
  /// Of 1, 2, 3 … bands of so many rows: what is not asked for, or all.
  std::vector<double> candidates(std::uint32_t rows, std::uint32_t most_bands, bool all = false) const {
    std::vector<double> cost(most_bands + 1);
    for (const PairsAt& step : sample_.pairs) {
      if (step.at >= (all ? 1 : threshold_)) continue;
      const bool dropped = std::round(step.at * 1e6) < std::round(threshold_ * 1e6) - 200000;
      const double each = step.pairs / static_cast<double>(sample_.items) * (dropped ? 60 : 60 + 1440 * sample_.shingles / 200);
      const double missed_by_one = 1 - std::pow(step.at, rows);
      double missed = 1;
      for (std::uint32_t bands = 1; bands <= most_bands; ++bands) cost[bands] += each * (1 - (missed *= missed_by_one));
    }
    return cost;
  }
  double of(const Plan& plan) const {
    return sketch(plan.sketch.hashes) + 17 * plan.band.bands + candidates(plan.band.rows, plan.band.bands).back();
  }
  /// All that a run does: nine pairs a band and item where buckets are large, else each of those that meet.
  double of_run(const Plan& plan) const {
    double mates = 0;
    for (const PairsAt& step : sample_.pairs) {
      if (step.at < 1) mates += 2 * step.pairs / static_cast<double>(sample_.items) * std::pow(step.at, plan.band.rows);
    }
    const double share = mates > plan.band.large_bucket ? std::min(1.0, 18 / mates) : 1;
    return sketch(plan.sketch.hashes) + 17 * plan.band.bands + share * candidates(plan.band.rows, plan.band.bands, true).back();
  }

 private:
  DataSample sample_;
  double threshold_;
};

/// Of the pairs at or above the threshold that are no copies, the share that is found.
double average_found(const DataSample& sample, double threshold, std::uint32_t bands, std::uint32_t rows) {
  double all = 0, found = 0;
  for (const PairsAt& step : sample.pairs) {
    if (step.at < threshold - 1e-9 || step.at >= 1) continue;
    all += step.pairs;
    found += step.pairs * (1 - std::pow(1 - std::pow(step.at, rows), bands));
  }
  return all > 0 ? found / all : 1;
}

/// Whether they keep the promise: on average; or at the threshold, and halfway from there to 1 with a hundredth of the misses.
bool keeps(const DataSample& sample, const Plan& plan, std::uint32_t bands, std::uint32_t rows) {
  const double t = plan.threshold.value();
  if (plan.recall_at == RecallAt::average) return average_found(sample, t, bands, rows) >= plan.recall - 1e-9;
  return found_probability(t, bands, rows) >= plan.recall - 1e-9 &&
         found_probability((1 + t) / 2, bands, rows) >= 1 - (1 - plan.recall) / 100 - 1e-9;
}

/// The least cost of all bands, rows and hashes that `tune` may choose and that keep the promise.
double least_cost(const DataSample& sample, const Plan& plan, const Described& described) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t rows = 1; rows <= 64; ++rows) {
    const std::uint32_t most = 512 / rows;
    const std::vector<double> candidates = described.candidates(rows, most);
    for (std::uint32_t bands = 1; bands <= most; ++bands) {
      if (!keeps(sample, plan, bands, rows)) continue;
      for (const std::uint32_t hashes : {std::max(128u, bands * rows), 256u, 384u, 512u}) {
        if (hashes >= bands * rows) least = std::min(least, described.sketch(hashes) + 17 * bands + candidates[bands]);
      }
    }
  }
  return least;
}

TEST(TuneSample, KeepsThePromiseAndCostsAtMostThreeTenthsMoreThanTheBestPlanOfAGrid) {
  Collections collections(1);
  double worst = 0;
  int averages = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const DataSample sample = collections.any();
    const double threshold = std::round(collections.between(0.3, 0.95) * 100) / 100;
    const double recall = std::round(1000 * (1 - std::pow(10, collections.between(-3, -0.69897)))) / 1000;
    const RecallAt at = trial % 2 == 0 ? RecallAt::threshold : RecallAt::average;
    const Plan plan = tune({.threshold = threshold, .recall = recall, .recall_at = at}, {.sample = sample});
    ASSERT_TRUE(keeps(sample, plan, plan.band.bands, plan.band.rows)) << plan;
    // A small collection is taken for a part of a larger one of its kind.
    const bool small = sample.items < 10000;
    const Described described(sample, threshold, small);
    const double ratio = described.of(plan) / least_cost(sample, plan, described);
    ASSERT_LE(ratio, small ? 1 + 1e-6 : 1.3) << plan << " for " << sample.items << " items";
    ASSERT_GE(ratio, 1 - 1e-6) << plan;
    worst = std::max(worst, ratio);
    averages += plan.recall_at == RecallAt::average;
  }
  // The collections were not so easy that nothing was tried.
  EXPECT_GT(worst, 1.1);
  EXPECT_GT(averages, 100);
}

TEST(TuneSample, CountsTheWorkOfAPlanAsItIsDescribed) {
  Collections collections(2);
  for (int trial = 0; trial < 100; ++trial) {
    const Choices choices{.sample = collections.any()};
    const Plan plan = tune({.threshold = 0.7}, choices);
    const Work work = work_of(plan, choices);
    const double described = Described(*choices.sample, 0.7).of_run(plan);
    EXPECT_NEAR(work.total() / described, 1, 1e-6) << plan;
    EXPECT_EQ(work.bands, 17.0 * plan.band.bands);
    EXPECT_NEAR(work.sketch, Described(*choices.sample, 0.7).sketch(plan.sketch.hashes), 1e-6 * work.sketch);
  }
  EXPECT_EQ(work_of(tune({.recall = 1}), {}).total(), 0);
}

TEST(TuneSample, TakesMoreRowsTheMoreNeighboursThereAre) {
  std::uint32_t least = 64, last = 0;
  for (const double neighbours : {0.0, 10.0, 100.0, 1000.0, 10000.0}) {
    DataSample sample{.items = 1000000, .shingles = 200, .asked = 200, .against = 1000000};
    sample.pairs.push_back({.at = 0.5, .pairs = neighbours * 1e6, .seen = 1});
    const Plan plan = tune({}, {.sample = sample});
    EXPECT_GE(plan.band.rows, last) << plan;
    last = plan.band.rows;
    least = std::min(least, plan.band.rows);
  }
  EXPECT_GT(last, least + 2);
}

TEST(TuneSample, KeepsSomeRowsForACollectionThatShowsNoNeighboursAtAll) {
  const DataSample few{.items = 10, .shingles = 200, .asked = 10, .against = 10};
  const DataSample many{.items = 1000000, .shingles = 200, .asked = 200, .against = 1000000};
  for (const double threshold : {0.5, 0.8, 0.9}) {
    EXPECT_EQ(tune({.threshold = threshold}, {.sample = few}), tune({.threshold = threshold}));
    const Plan plan = tune({.threshold = threshold}, {.sample = many});
    EXPECT_LT(found_probability(threshold / 4, plan.band.bands, plan.band.rows), 0.2) << plan;
  }
}

TEST(TuneSample, IsTheSameHoweverManyCopiesThereAre) {
  DataSample sample = Collections(3).heavy();
  const Plan plan = tune({}, {.sample = sample});
  sample.pairs.back() = {.at = 1, .pairs = 1e15, .seen = 1000000};
  EXPECT_EQ(tune({}, {.sample = sample}), plan);
  EXPECT_EQ(tune({.recall_at = RecallAt::average}, {.sample = sample}).band,
            tune({.recall_at = RecallAt::average}, {.sample = Collections(3).heavy()}).band);
}

TEST(RecallOnAverage, NeedsFewerBandsThanAtTheThreshold) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DataSample sample = Collections(seed).heavy();
    for (PairsAt& step : sample.pairs) step.seen = 10;
    const Plan strict = tune({}, {.rows = 8, .sample = sample});
    const Plan average = tune({.recall_at = RecallAt::average}, {.rows = 8, .sample = sample});
    EXPECT_EQ(average.recall_at, RecallAt::average);
    EXPECT_LT(average.band.bands, strict.band.bands);
    // The fewest that do.
    EXPECT_GE(average_found(sample, 0.8, average.band.bands, 8), 0.95 - 1e-9);
    EXPECT_LT(average_found(sample, 0.8, average.band.bands - 1, 8), 0.95);
    EXPECT_EQ(parse_plan(to_string(average)), average);
  }
}

TEST(RecallOnAverage, TakesTheMostRowsThatGivenBandsCanDoWith) {
  DataSample sample = Collections(5).heavy();
  for (PairsAt& step : sample.pairs) step.seen = 10;
  const Plan plan = tune({.threshold = 0.6, .recall_at = RecallAt::average}, {.bands = 20, .sample = sample});
  EXPECT_EQ(plan.band.bands, 20u);
  EXPECT_GE(average_found(sample, 0.6, 20, plan.band.rows), 0.95 - 1e-9);
  EXPECT_LT(average_found(sample, 0.6, 20, plan.band.rows + 1), 0.95);
}

TEST(RecallOnAverage, IsPromisedAtTheThresholdWhereTooFewPairsWereSeen) {
  DataSample sample{.items = 1000, .shingles = 100, .asked = 200, .against = 1000};
  sample.pairs = {{.at = 0.3, .pairs = 5000, .seen = 1000}, {.at = 0.95, .pairs = 50, .seen = 29}, {.at = 1, .pairs = 500, .seen = 200}};
  const Plan plan = tune({.recall_at = RecallAt::average}, {.sample = sample});
  EXPECT_EQ(plan.recall_at, RecallAt::threshold);
  EXPECT_EQ(plan, tune({}, {.sample = sample}));
  sample.pairs[1].seen = 30;
  EXPECT_EQ(tune({.recall_at = RecallAt::average}, {.sample = sample}).recall_at, RecallAt::average);
}

TEST(RecallOnAverage, IsKeptForVectorsAsWell) {
  DataSample distances{.items = 10000, .dimensions = 64};
  for (int i = 1; i <= 2000; ++i) distances.values.push_back(i * 0.005);
  DataSample cosines{.items = 10000, .dimensions = 64};
  for (int i = 0; i < 2000; ++i) cosines.values.push_back(-1 + i * 0.001);
  const auto check = [](const Goal& goal, const DataSample& sample) {
    const Plan plan = tune(goal, {.sample = sample});
    const double border = is_distance(goal.measure) ? plan.radius : plan.threshold.value();
    double all = 0, found = 0;
    for (const double x : sample.values) {
      if (is_distance(goal.measure) ? x > border : x < border) continue;
      all += 1;
      found += found_probability(plan, x);
    }
    EXPECT_EQ(plan.recall_at, RecallAt::average);
    EXPECT_GE(found / all, 0.95 - 1e-9) << plan;
    EXPECT_LT(found_probability(plan, border), 0.95) << plan;
  };
  check({.measure = Measure::cosine, .threshold = 0.7, .recall_at = RecallAt::average}, cosines);
  check({.measure = Measure::euclidean, .radius = 2, .recall_at = RecallAt::average}, distances);
  check({.measure = Measure::manhattan, .radius = 2, .recall_at = RecallAt::average}, distances);
}

TEST(RecallOnAverage, SaysWhatItNeeds) {
  const Goal average{.recall_at = RecallAt::average};
  EXPECT_EQ(refusal(average), "recall_at: average needs data to average over; name an input, or use threshold");
  EXPECT_EQ(tune(average, {.bands = 20, .rows = 5}).recall_at, RecallAt::average);
  EXPECT_EQ(refusal({.recall = 1, .recall_at = RecallAt::average}),
            "recall_at: average has no use with an exact join, which finds all; leave it out, or ask for a recall below 1");
  EXPECT_EQ(refusal({.measure = Measure::exact, .recall_at = RecallAt::average}),
            "recall_at: average has no use with measure exact, which finds equal texts; leave it out");
  EXPECT_EQ(refusal({.nearest = 10, .recall_at = RecallAt::average}),
            "recall_at: average has no use with nearest, which has no threshold; leave it out");
  DataSample sample{.items = 1000000, .shingles = 100, .asked = 200, .against = 1000};
  sample.pairs = {{.at = 0.5, .pairs = 1e6, .seen = 100}, {.at = 0.51, .pairs = 1e6, .seen = 100}};
  EXPECT_EQ(refusal({.threshold = 0.5, .recall = 0.99, .recall_at = RecallAt::average}, {.bands = 3, .sample = sample}),
            "bands: 3 reach recall 0.878675 on average at threshold 0.5 and above at most, not 0.99; use 7 bands or a lower recall");
}

TEST(Alternatives, AreTheFewestBandsForEachNumberOfRows) {
  const Choices choices{.sample = Collections(6).heavy()};
  const Goal goal{.threshold = 0.7, .recall = 0.9};
  const Plan chosen = tune(goal, choices);
  const std::vector<PlanWork> others = alternatives(goal, choices, 2);
  ASSERT_EQ(others.size(), 5u);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Plan& plan = others[i].plan;
    EXPECT_EQ(plan.band.rows, chosen.band.rows + i - 2);
    EXPECT_EQ(plan.band.bands, bands_needed(0.7, plan.band.rows, 0.9));
    EXPECT_EQ(others[i].work.total(), work_of(plan, choices).total());
  }
  EXPECT_EQ(others[2].plan, chosen);
}

TEST(Alternatives, EndWhereThereAreNoMore) {
  const Plan few = tune({.threshold = 0.3}, {.hashes = 60});
  const std::vector<PlanWork> others = alternatives({.threshold = 0.3}, {.hashes = 60}, 10);
  EXPECT_EQ(others.front().plan.band.rows, 1u);
  EXPECT_LT(others.size(), 10u);
  EXPECT_TRUE(std::any_of(others.begin(), others.end(), [&](const PlanWork& other) { return other.plan == few; }));
  for (const PlanWork& other : others) EXPECT_EQ(other.plan.sketch.hashes, 60u);
}

TEST(Alternatives, ShowGivenBandsAmongThoseThatWouldKeepTheRecall) {
  const std::vector<PlanWork> others = alternatives({}, {.bands = 9, .rows = 13}, 1);
  ASSERT_EQ(others.size(), 4u);
  EXPECT_EQ(others[0].plan.band.rows, 12u);
  EXPECT_EQ(others[1].plan.band.bands, 9u);
  EXPECT_EQ(others[2].plan.band.bands, bands_needed(0.8, 13, 0.95));
  EXPECT_EQ(others[3].plan.band.rows, 14u);
}

TEST(Alternatives, AreNoneForPlansWithoutBandsOfRows) {
  EXPECT_TRUE(alternatives({.recall = 1}, {}).empty());
  EXPECT_TRUE(alternatives({.measure = Measure::exact}, {}).empty());
  EXPECT_TRUE(alternatives({.measure = Measure::containment}, {}).empty());
  EXPECT_TRUE(alternatives({.measure = Measure::cosine, .nearest = 10}, {}).empty());
}

}  // namespace
}  // namespace nearkin::tune_sample_test
