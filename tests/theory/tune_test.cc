#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "theory/tune_cost.h"

namespace nearkin::tune_test {
namespace {

/// The text of the error that a goal and choices bring.
std::string refusal(const Goal& goal, const Choices& choices = {}) {
  try {
    const Plan plan = tune(goal, choices);
    return "no error: " + to_string(plan);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    return error.what();
  }
}

double modelled_cost(const Plan& plan) {
  BandChance chance(false);
  return run_cost(plan, sketch_cost(plan, {}, plan.sketch.hashes), background(plan, {}), plan.band.bands, plan.band.rows, chance);
}

/// The cost model written out a second time, from its description.
double described_cost(double t, double b, double r, double K) {
  const double n = 200;
  double cost = 0.9 * n + 1.0 * K + 0.1 * n * K * std::exp(-n / K) + b * 17;
  const auto found = [&](double s) { return 1 - std::pow(1 - std::pow(s, r), b); };
  const double populations[][2] = {{0.2, 100}, {0.4, 20}, {0.6, 8}, {t, 2}};
  for (const auto& [s, count] : populations) {
    const bool just_below = &s == &populations[3][0];
    if (!just_below && std::round(s * 1000) >= std::round(t * 1000)) continue;
    cost += count * found(s) * (std::round(s * 1000) < std::round(t * 1000) - 200 ? 60 : 1500);
  }
  return cost;
}

/// Halfway between the threshold and 1, a hundred times fewer pairs are missed than may be missed at the threshold.
bool is_sane(double threshold, double recall, std::uint32_t bands, std::uint32_t rows) {
  return found_probability((1 + threshold) / 2, bands, rows) >= 1 - (1 - recall) / 100 - 1e-9;
}

TEST(Tune, MeetsTheRecallAtTheThresholdOverAGridOfGoals) {
  for (int percent = 5; percent <= 100; ++percent) {
    for (const double recall : {0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
      const double threshold = percent / 100.0;
      if (bands_needed(threshold, 1, recall) > 512) continue;
      const Plan plan = tune({.threshold = threshold, .recall = recall});
      EXPECT_GE(found_probability(threshold, plan.band.bands, plan.band.rows), recall - 1e-9) << plan;
      EXPECT_TRUE(is_sane(threshold, recall, plan.band.bands, plan.band.rows)) << plan;
      EXPECT_EQ(plan.sketch.hashes, std::max(128u, plan.band.bands * plan.band.rows));
      EXPECT_LE(plan.sketch.hashes, 512u);
      EXPECT_EQ(plan.recall, recall);
      EXPECT_FALSE(plan.exact_join());
    }
  }
}

TEST(Tune, EqualsASearchOfAllShapes) {
  for (const double threshold : {0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0}) {
    for (const double recall : {0.5, 0.9, 0.95, 0.99, 0.999}) {
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t rows = 1; rows <= 64; ++rows) {
        for (std::uint32_t bands = 1; bands * rows <= 512; ++bands) {
          if (found_probability(threshold, bands, rows) < recall - 1e-9 || !is_sane(threshold, recall, bands, rows)) continue;
          least = std::min(least, described_cost(threshold, bands, rows, std::max(bands * rows, 128u)));
        }
      }
      const Plan plan = tune({.threshold = threshold, .recall = recall});
      const double cost = described_cost(threshold, plan.band.bands, plan.band.rows, plan.sketch.hashes);
      EXPECT_NEAR(modelled_cost(plan), cost, 1e-6);
      EXPECT_LE(cost, least + 1e-6) << plan;
    }
  }
}

TEST(Tune, PrefersManyRowsWhereTheHashesAreThereAnyway) {
  const Plan few = tune({});
  const Plan many = tune({}, {.hashes = 512});
  EXPECT_EQ(many.sketch.hashes, 512u);
  EXPECT_GT(many.band.rows, few.band.rows);
  EXPECT_LE(many.band.bands * many.band.rows, 512u);
}

TEST(Tune, TakesGivenBandsAndRowsAsTheyAre) {
  const Plan plan = tune({.threshold = 0.8, .recall = 0.95}, {.bands = 9, .rows = 13});
  EXPECT_EQ(plan.band.bands, 9u);
  EXPECT_EQ(plan.band.rows, 13u);
  EXPECT_EQ(plan.sketch.hashes, 117u);
  EXPECT_EQ(plan.recall, 0.95);
  EXPECT_EQ(tune({}, {.hashes = 128, .bands = 9, .rows = 13}).sketch.hashes, 128u);
}

TEST(Tune, ChoosesTheOtherOfBandsAndRows) {
  const Plan rows_given = tune({.threshold = 0.8, .recall = 0.95}, {.rows = 9});
  EXPECT_EQ(rows_given.band.bands, 21u);
  const Plan bands_given = tune({.threshold = 0.8, .recall = 0.95}, {.bands = 21});
  EXPECT_EQ(bands_given.band.rows, 9u);
  EXPECT_EQ(bands_given.sketch.hashes, 189u);
  EXPECT_EQ(tune({.threshold = 0.8, .recall = 0.95}, {.hashes = 128, .bands = 21}).band.rows, 6u);
  EXPECT_EQ(tune({.threshold = 0.8, .recall = 0.95}, {.bands = 2}).band.rows, 1u);
  EXPECT_EQ(tune({.threshold = 1, .recall = 0.95}, {.bands = 1}).band.rows, 64u);
}

TEST(Tune, KeepsTheOtherChoices) {
  const ShinglePlan shingle{.token = Token::character, .size = 9, .normalise = Normalise::none};
  const Plan plan = tune({}, {.shingle = shingle, .large_bucket = 2, .verify = Verify::none, .seed = 0xffffffffffffffffu});
  EXPECT_EQ(plan.shingle, shingle);
  EXPECT_EQ(plan.band.large_bucket, 2u);
  EXPECT_EQ(plan.verify, Verify::none);
  EXPECT_EQ(plan.sketch.seed, 0xffffffffffffffffu);
  EXPECT_EQ(tune({}, {.verify = Verify::estimate}).verify, Verify::estimate);
  EXPECT_EQ(tune({}).verify, Verify::exact);
}

TEST(Tune, TurnsRecallOneIntoTheExactJoin) {
  const Plan plan = tune({.threshold = 0.7, .recall = 1}, {.verify = Verify::exact, .seed = 7});
  EXPECT_TRUE(plan.exact_join());
  EXPECT_EQ(plan.sketch, SketchPlan{});
  EXPECT_EQ(plan.band, BandPlan{});
  EXPECT_EQ(plan.threshold, (Ratio{7, 10}));
}

TEST(Tune, TurnsMeasureExactIntoAPlanWithoutASketch) {
  const Plan plan = tune({.measure = Measure::exact, .threshold = 80}, {.shingle = ShinglePlan{.size = 3, .normalise = Normalise::code}});
  EXPECT_EQ(plan.measure, Measure::exact);
  EXPECT_EQ(plan.sketch.hashes, 0u);
  EXPECT_FALSE(plan.exact_join());
  EXPECT_EQ(plan.shingle.normalise, Normalise::code);
}

TEST(Tune, MakesBagAndWeightedJaccardAgree) {
  const Plan by_bag = tune({}, {.shingle = ShinglePlan{.bag = true}});
  EXPECT_EQ(by_bag.measure, Measure::weighted_jaccard);
  const Plan by_measure = tune({.measure = Measure::weighted_jaccard});
  EXPECT_TRUE(by_measure.shingle.bag);
  EXPECT_EQ(by_bag, by_measure);
  EXPECT_FALSE(tune({}).shingle.bag);
}

TEST(Tune, HoldsAThresholdAsTheDecimalFractionThatWasMeant) {
  EXPECT_EQ(tune({.threshold = 0.8}).threshold, (Ratio{8, 10}));
  EXPECT_EQ(tune({.threshold = 0.1 + 0.2}).threshold, (Ratio{3, 10}));
  EXPECT_EQ(tune({.threshold = 1}).threshold, (Ratio{1, 1}));
}

TEST(TuneErrors, NameAThresholdOrRecallOutOfRange) {
  EXPECT_EQ(refusal({.threshold = 80}), "threshold: 80 is not between 0 and 1; did you mean 0.8?");
  EXPECT_EQ(refusal({.threshold = -0.5}), "threshold: -0.5 is not between 0 and 1");
  EXPECT_EQ(refusal({.threshold = 1000}), "threshold: 1000 is not between 0 and 1");
  EXPECT_EQ(refusal({.threshold = std::nan("")}), "threshold: nan is not between 0 and 1");
  EXPECT_EQ(refusal({.threshold = 0}), "threshold: 0 would match everything; use a number above 0, such as 0.8");
  EXPECT_EQ(refusal({.threshold = 1e-12}), "threshold: 1e-12 is too small; use 0.000000001 at least");
  EXPECT_EQ(refusal({.recall = 95}), "recall: 95 is not between 0 and 1; did you mean 0.95?");
  EXPECT_EQ(refusal({.recall = 0}), "recall: 0 would find nothing; use a number above 0, such as 0.95");
}

TEST(TuneErrors, NameChoicesOutOfRange) {
  EXPECT_EQ(refusal({}, {.hashes = 0}), "hashes: 0 is not between 1 and 4096");
  EXPECT_EQ(refusal({}, {.hashes = 4097}), "hashes: 4097 is not between 1 and 4096");
  EXPECT_EQ(refusal({}, {.bands = 0}), "bands: 0 is not between 1 and 4096");
  EXPECT_EQ(refusal({}, {.bands = 4097}), "bands: 4097 is not between 1 and 4096");
  EXPECT_EQ(refusal({}, {.rows = 0}), "rows: 0 is not between 1 and 4096");
  EXPECT_EQ(refusal({}, {.large_bucket = 1}), "bucket: 1 is not between 2 and 4294967295");
  EXPECT_EQ(refusal({}, {.shingle = ShinglePlan{.size = 0}}), "shingle: size 0 is not between 1 and 1000");
  EXPECT_EQ(refusal({}, {.shingle = ShinglePlan{.size = 1001}}), "shingle: size 1001 is not between 1 and 1000");
}

TEST(TuneErrors, SayWhichBandsWouldFit) {
  EXPECT_EQ(refusal({}, {.hashes = 128, .bands = 20, .rows = 7}),
            "bands: 20 with rows 7 needs 140 hashes, the sketch has 128; use rows 6 or hashes 140");
  EXPECT_EQ(refusal({}, {.hashes = 16, .bands = 20, .rows = 7}),
            "bands: 20 with rows 7 needs 140 hashes, the sketch has 16; use bands 2 or hashes 140");
  EXPECT_EQ(refusal({}, {.bands = 4096, .rows = 2}), "bands: 4096 with rows 2 needs 8192 hashes, at most 4096 are possible; use rows 1");
  EXPECT_EQ(refusal({}, {.hashes = 16, .bands = 20}),
            "bands: 20 with rows 1 needs 20 hashes, the sketch has 16; use bands 16 or hashes 20");
}

TEST(TuneErrors, SayWhichRecallCanBeReached) {
  EXPECT_EQ(refusal({.threshold = 0.005, .recall = 0.95}),
            "recall: 0.95 at threshold 0.005 needs 598 hashes, 512 reach 0.92319; ask for recall 0.92319 or less, or for 598 hashes");
  EXPECT_EQ(tune({.threshold = 0.005, .recall = 0.95}, {.hashes = 598}).band.bands, 598u);
  EXPECT_NO_THROW(tune({.threshold = 0.005, .recall = 0.92319}));
  EXPECT_EQ(refusal({.threshold = 0.0001, .recall = 0.95}),
            "recall: 0.95 at threshold 0.0001 needs more than 4096 hashes, 512 reach 0.049913; ask for recall 0.049913 or less, for a "
            "higher threshold, or for recall 1");
  EXPECT_EQ(refusal({.threshold = 0.5, .recall = 0.99}, {.rows = 20}),
            "rows: 20 need more than 4096 bands for recall 0.99 at threshold 0.5, more than fit into 4096 hashes; use fewer "
            "rows or a lower recall");
  EXPECT_EQ(refusal({.threshold = 0.5, .recall = 0.99}, {.bands = 3}),
            "bands: 3 reach recall 0.875 at threshold 0.5 at most, not 0.99; use 7 bands or a lower recall");
  EXPECT_EQ(refusal({.threshold = 0.0001, .recall = 0.99}, {.bands = 10}),
            "bands: 10 reach recall 0.000999 at threshold 0.0001 at most, not 0.99; use a higher threshold or a lower recall");
}

TEST(TuneErrors, RefuseASketchWhereNoneIsUsed) {
  const Goal join{.recall = 1};
  const std::string rest = " has no use with recall 1, which needs no sketch; leave it out or ask for a recall below 1";
  EXPECT_EQ(refusal(join, {.hashes = 128}), "hashes: 128" + rest);
  EXPECT_EQ(refusal(join, {.bands = 20}), "bands: 20" + rest);
  EXPECT_EQ(refusal(join, {.rows = 5}), "rows: 5" + rest);
  EXPECT_EQ(refusal(join, {.verify = Verify::estimate}), "verify: estimate" + rest);
  EXPECT_EQ(refusal(join, {.verify = Verify::none}), "verify: none" + rest);
  const Goal exact{.measure = Measure::exact};
  EXPECT_EQ(refusal(exact, {.bands = 20}), "bands: 20 has no use with measure exact, which needs no sketch; leave it out");
  EXPECT_EQ(refusal(exact, {.verify = Verify::none}), "verify: none has no use with measure exact, which needs no sketch; leave it out");
}

}  // namespace
}  // namespace nearkin::tune_test
