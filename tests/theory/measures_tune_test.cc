#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "theory/chances.h"
#include "theory/plan_check.h"
#include "theory/tune_cost.h"

namespace nearkin::measures_tune_test {
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

double border(const Plan& plan) { return is_distance(plan.measure) ? plan.radius : plan.threshold.value(); }

void expect_reaches(const Goal& goal, const Choices& choices = {}) {
  const Plan plan = tune(goal, choices);
  EXPECT_GE(found_probability(plan, border(plan), plan.band.probes > 1), goal.recall - 1e-9) << plan;
  EXPECT_LE(std::uint64_t{plan.band.bands} * plan.band.rows, plan.sketch.hashes) << plan;
  EXPECT_LE(plan.sketch.hashes, 4096u);
  EXPECT_EQ(parse_plan(to_string(plan)), plan);
  EXPECT_EQ(tune(goal, choices), plan);
}

TEST(TuneMeasures, MeetTheRecallOverAGridOfSimilarities) {
  for (const double recall : {0.1, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    for (int percent = 5; percent <= 100; percent += 5) {
      const double threshold = percent / 100.0;
      expect_reaches({.measure = Measure::cosine, .threshold = threshold, .recall = recall});
      expect_reaches({.measure = Measure::cosine, .threshold = threshold, .recall = recall}, {.kind = Kind::tfidf});
      expect_reaches({.measure = Measure::weighted_jaccard, .threshold = threshold, .recall = recall}, {.kind = Kind::numbers});
      expect_reaches({.measure = Measure::weighted_jaccard, .threshold = threshold, .recall = recall});
    }
  }
}

TEST(TuneMeasures, MeetTheRecallOverAGridOfDistances) {
  for (const double recall : {0.1, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    for (const double radius : {1e-6, 0.1, 1.0, 3.5, 1e9}) {
      expect_reaches({.measure = Measure::euclidean, .recall = recall, .radius = radius});
      expect_reaches({.measure = Measure::manhattan, .recall = recall, .radius = radius});
      expect_reaches({.measure = Measure::euclidean, .recall = recall, .radius = radius}, {.rows = 6});
      expect_reaches({.measure = Measure::manhattan, .recall = recall, .radius = radius}, {.bands = 40});
      expect_reaches({.measure = Measure::euclidean, .recall = recall, .radius = radius}, {.width = 3 * radius});
    }
    for (const double radius : {0.0, 1.0, 8.0, 40.0, 120.0, 0.01, 0.2, 0.6}) {
      expect_reaches({.measure = Measure::hamming, .recall = recall, .radius = radius}, {.dimensions = 128});
      expect_reaches({.measure = Measure::hamming, .recall = recall, .radius = radius}, {.kind = Kind::shingles, .dimensions = 128});
    }
  }
}

DataSample sample(std::uint64_t items, double low, double high) {
  DataSample sample{.items = items, .dimensions = 64};
  for (int i = 0; i < 2000; ++i) sample.values.push_back(low + (high - low) * i / 2000);
  for (int i = 0; i < 100; ++i) sample.nearest.push_back(low * (0.5 + i / 100.0));
  return sample;
}

TEST(TuneMeasures, MeetTheRecallOnSampledData) {
  for (const std::uint64_t items : {100u, 10000u, 1000000u}) {
    expect_reaches({.measure = Measure::jaccard, .threshold = 0.7}, {.sample = sample(items, 0, 0.5)});
    expect_reaches({.measure = Measure::cosine, .threshold = 0.7}, {.sample = sample(items, -0.5, 0.5)});
    expect_reaches({.measure = Measure::weighted_jaccard, .threshold = 0.7}, {.kind = Kind::numbers, .sample = sample(items, 0, 0.9)});
    expect_reaches({.measure = Measure::euclidean, .radius = 2}, {.sample = sample(items, 4, 9)});
    expect_reaches({.measure = Measure::manhattan, .radius = 2}, {.sample = sample(items, 4, 9)});
    expect_reaches({.measure = Measure::hamming, .radius = 6}, {.sample = sample(items, 20, 40)});
  }
}

TEST(TuneMeasures, UseMoreRowsForMoreItems) {
  std::uint32_t last = 0;
  for (const std::uint64_t items : {100u, 10000u, 1000000u}) {
    const Plan plan = tune({.measure = Measure::cosine, .threshold = 0.8}, {.sample = sample(items, -0.5, 0.5)});
    EXPECT_GT(plan.band.rows, last);
    last = plan.band.rows;
  }
}

/// ns for an item, written out from the description of the model, for one dense vector of 128 numbers and no sample.
double described_cost(Family family, double p_of[], const double share[], int count, double bands, double rows) {
  double cost = bands * rows * (family == Family::hyperplane ? 3 : 0.2 * 128) + 17 * bands;
  for (int i = 0; i < count; ++i) cost += 5e5 * share[i] * (60 + 0.2 * 128) * (1 - std::pow(1 - std::pow(p_of[i], rows), bands));
  return cost;
}

TEST(TuneMeasures, EqualASearchOfAllShapesForCosine) {
  double p[] = {-0.1, 0, 0.1, 0.2, 0.3};
  for (double& cosine : p) cosine = 1 - std::acos(cosine) / std::acos(-1);
  const double share[] = {0.25, 0.45, 0.25, 0.045, 0.005};
  for (const double threshold : {0.5, 0.8, 0.95}) {
    const double at_border = 1 - std::acos(threshold) / std::acos(-1);
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t rows = 1; rows <= 64; ++rows) {
      for (std::uint32_t bands = 1; bands * rows <= 4096; ++bands) {
        if (found_probability(at_border, bands, rows) < 0.95 - 1e-9) continue;
        least = std::min(least, described_cost(Family::hyperplane, p, share, 5, bands, rows));
        break;  // more bands cost more
      }
    }
    const Plan plan = tune({.measure = Measure::cosine, .threshold = threshold});
    EXPECT_NEAR(described_cost(Family::hyperplane, p, share, 5, plan.band.bands, plan.band.rows) / least, 1, 1e-9) << plan;
  }
}

TEST(TuneMeasures, EqualASearchOfAllShapesAndWidthsForEuclidean) {
  double least = std::numeric_limits<double>::infinity();
  const double share[] = {0.8, 0.17, 0.03};
  const auto cost_of = [&](double width, std::uint32_t bands, std::uint32_t rows) {
    double p[] = {gaussian_agreement(3, width), gaussian_agreement(2.5, width), gaussian_agreement(2, width)};
    return described_cost(Family::gaussian, p, share, 3, bands, rows);
  };
  for (const double width : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0}) {
    for (std::uint32_t rows = 1; rows <= 64; ++rows) {
      const std::uint32_t bands = bands_needed(gaussian_agreement(1, width), rows, 0.95);
      if (std::uint64_t{bands} * rows <= 4096) least = std::min(least, cost_of(width, bands, rows));
    }
  }
  const Plan plan = tune({.measure = Measure::euclidean, .radius = 1});
  EXPECT_NEAR(cost_of(plan.sketch.width, plan.band.bands, plan.band.rows) / least, 1, 1e-9) << plan;
}

TEST(TuneMeasures, NeedFewerBandsWithMoreProbes) {
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t probes : {1u, 4u, 16u}) {
    const Plan plan = tune({.measure = Measure::euclidean, .radius = 1}, {.rows = 10, .width = 4, .probes = probes});
    EXPECT_EQ(plan.band.probes, probes);
    EXPECT_LT(plan.band.bands, last);
    EXPECT_GE(found_probability(plan, 1, true), 0.95 - 1e-9);
    last = plan.band.bands;
  }
  expect_reaches({.measure = Measure::euclidean, .radius = 2}, {.probes = 8, .sample = sample(10000, 4, 9)});
}

TEST(TuneMeasures, TakeTheNarrowestSlotsThatGivenBandsAndRowsCanDoWith) {
  const Plan plan = tune({.measure = Measure::euclidean, .radius = 2}, {.bands = 40, .rows = 10});
  EXPECT_GE(found_probability(plan, 2), 0.95 - 1e-9);
  Plan narrower = plan;
  for (const double width : {2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0}) {
    narrower.sketch.width = width;
    if (width < plan.sketch.width) {
      EXPECT_LT(found_probability(narrower, 2), 0.95);
    }
  }
  // Bands and rows given are taken as they are, even where no width reaches the recall.
  EXPECT_EQ(tune({.measure = Measure::euclidean, .radius = 2}, {.bands = 1, .rows = 60}).sketch.width, 24);
}

TEST(TuneMeasures, TurnRecallOneIntoTheExactJoin) {
  for (const Goal& goal : {Goal{.measure = Measure::cosine}, Goal{.measure = Measure::containment},
                           Goal{.measure = Measure::hamming, .radius = 3}, Goal{.measure = Measure::euclidean, .radius = 3},
                           Goal{.measure = Measure::manhattan, .radius = 3}, Goal{.measure = Measure::cosine, .nearest = 3}}) {
    Goal exact = goal;
    exact.recall = 1;
    const Plan plan = tune(exact);
    EXPECT_TRUE(plan.exact_join());
    EXPECT_EQ(plan.sketch, SketchPlan{});
    EXPECT_EQ(plan.band, BandPlan{});
    EXPECT_EQ(found_probability(plan, 0.5), 1);
  }
}

TEST(TuneMeasures, JoinContainmentExactlyWhateverRecallIsAskedFor) {
  const Plan plan = tune({.measure = Measure::containment, .recall = 0.8});
  EXPECT_TRUE(plan.exact_join());
  EXPECT_EQ(plan, tune({.measure = Measure::containment, .recall = 1}));
  for (const Choices& choices : {Choices{.hashes = 256}, Choices{.bands = 10}, Choices{.verify = Verify::none}}) {
    EXPECT_NE(refusal({.measure = Measure::containment}, choices).find("no use with containment"), std::string::npos);
  }
  Plan sketched = plan;
  sketched.sketch.hashes = 256;
  EXPECT_THROW(require_plan(sketched), Error);
}

TEST(TuneMeasures, FindTheNearestSetsExactlyWhateverTheRecall) {
  for (const Goal& goal : {Goal{.recall = 0.5, .nearest = 10}, Goal{.measure = Measure::weighted_jaccard, .recall = 0.9, .nearest = 1}}) {
    const Plan plan = tune(goal);
    EXPECT_EQ(plan.recall, 1);
    EXPECT_EQ(plan.sketch.hashes, 0u);
    EXPECT_EQ(plan.nearest, goal.nearest);
  }
  EXPECT_EQ(
      refusal({.nearest = 10}, {.bands = 40}),
      "bands: 40 has no use with a search for the nearest sets, which needs no sketch; leave it out, or give both bands and rows, and "
      "a recall below 1");
  const Plan banded = tune({.recall = 0.9, .nearest = 10}, {.bands = 20, .rows = 4});
  EXPECT_EQ(banded.recall, 0.9);
  EXPECT_EQ(banded.band.rows, 4u);
}

TEST(TuneMeasures, MakeTablesForTheNearest) {
  const Plan weighted = tune({.measure = Measure::weighted_jaccard, .nearest = 10}, {.kind = Kind::numbers});
  EXPECT_EQ(weighted.band.rows, 0u);
  EXPECT_EQ(weighted.band.bands, 32u);
  EXPECT_EQ(weighted.sketch.hashes, 32 * prefix_depth(Family::weighted_minhash));
  EXPECT_EQ(weighted.nearest, 10u);
  const Plan bits = tune({.measure = Measure::hamming, .nearest = 10}, {.bands = 20, .dimensions = 400});
  EXPECT_EQ(bits.band.bands, 20u);
  EXPECT_EQ(bits.sketch.hashes, 480u);
  EXPECT_EQ(bits.sketch.dimensions, 400u);
  const Plan fixed = tune({.measure = Measure::hamming, .nearest = 10}, {.bands = 20, .rows = 24, .dimensions = 400});
  EXPECT_EQ(fixed.band.rows, 24u);
  EXPECT_EQ(tune({.measure = Measure::cosine, .nearest = 10}, {.hashes = 500}).band.bands, 20u);
  for (const Family family :
       {Family::minhash, Family::weighted_minhash, Family::hyperplane, Family::bit_sampling, Family::gaussian, Family::cauchy}) {
    EXPECT_LE(prefix_depth(family) * prefix_digit_bits(family), 64u);
  }
}

TEST(TuneMeasures, TakeTheWidthForTheNearestFromTheSample) {
  DataSample points{.items = 1000, .dimensions = 8, .values = {5, 6, 7}, .nearest = {1, 2, 3.123456, 4, 5}};
  EXPECT_EQ(tune({.measure = Measure::euclidean, .nearest = 10}, {.sample = points}).sketch.width, 12.5);
  EXPECT_EQ(tune({.measure = Measure::manhattan, .nearest = 10}, {.sample = points}).sketch.width, 18.7);
  EXPECT_EQ(tune({.measure = Measure::euclidean, .nearest = 10}, {.width = 2, .sample = points}).sketch.width, 2);
  points.nearest = {0, 0, 0, 0, 3};  // copies are no measure of how far the nearest are
  EXPECT_EQ(tune({.measure = Measure::euclidean, .nearest = 10}, {.sample = points}).sketch.width, 12);
  points.nearest = {0, 0};
  EXPECT_EQ(tune({.measure = Measure::euclidean, .nearest = 10}, {.sample = points}).sketch.width, 24);
  points.values = {0, 0};
  EXPECT_EQ(tune({.measure = Measure::euclidean, .nearest = 10}, {.sample = points}).sketch.width, 1);
}

TEST(TuneMeasures, ChooseFamilyAndKind) {
  const auto family = [](const Goal& goal, const Choices& choices = {}) { return tune(goal, choices).sketch.family; };
  EXPECT_EQ(family({.measure = Measure::cosine}), Family::hyperplane);
  EXPECT_EQ(family({.measure = Measure::weighted_jaccard}), Family::minhash);
  EXPECT_EQ(family({.measure = Measure::weighted_jaccard}, {.kind = Kind::tfidf}), Family::weighted_minhash);
  EXPECT_EQ(family({.measure = Measure::hamming, .radius = 0.1}), Family::bit_sampling);
  EXPECT_EQ(family({.measure = Measure::hamming, .radius = 0.1}, {.kind = Kind::shingles}), Family::minhash);
  EXPECT_EQ(family({.measure = Measure::euclidean, .radius = 1}), Family::gaussian);
  EXPECT_EQ(family({.measure = Measure::manhattan, .radius = 1}, {.kind = Kind::tfidf}), Family::cauchy);
  EXPECT_EQ(tune({.measure = Measure::manhattan, .radius = 1}).kind, Kind::numbers);
  EXPECT_EQ(tune({.measure = Measure::hamming, .radius = 0.1}).kind, Kind::bits);
  EXPECT_FALSE(tune({.measure = Measure::weighted_jaccard}, {.kind = Kind::tfidf}).shingle.bag);
  EXPECT_EQ(tune({.measure = Measure::hamming, .radius = 0.1}, {.kind = Kind::shingles}).shingle, parse_shingle("element:1"));
  EXPECT_EQ(tune({.measure = Measure::hamming, .radius = 3}, {.binarise = Binarise::unary, .dimensions = 64}).levels, 8u);
}

TEST(TuneMeasureErrors, NameAGoalOfTheOtherKind) {
  EXPECT_EQ(refusal({.measure = Measure::euclidean}), "radius: missing; euclidean needs one: the greatest distance of the pairs to find");
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .threshold = 0.7}),
            "threshold: 0.7 has no use with euclidean, a distance; give a radius instead");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .radius = 3}), "radius: 3 has no use with cosine, a similarity; give a threshold instead");
  EXPECT_EQ(refusal({.measure = Measure::exact, .radius = 3}),
            "radius: 3 has no use with measure exact, which finds equal texts; leave it out");
  EXPECT_EQ(refusal({.measure = Measure::exact, .nearest = 3}),
            "nearest: 3 has no use with measure exact, which finds equal texts; leave it out");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 3, .nearest = 2}),
            "radius: 3 has no use with nearest, which takes any distance; leave one of them out");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .threshold = 0.9, .nearest = 2}),
            "threshold: 0.9 has no use with nearest, which takes any similarity; leave one of them out");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .threshold = 1.5}), "threshold: 1.5 is not between 0 and 1");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .threshold = 0}),
            "threshold: 0 would match everything; use a number above 0, such as 0.8");
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .radius = std::numeric_limits<double>::infinity()}),
            "radius: inf is not above 0; use a distance, such as 3.5");
  EXPECT_EQ(refusal({.measure = Measure::manhattan, .radius = std::nan("")}), "radius: nan is not above 0; use a distance, such as 3.5");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 2.5}),
            "radius: 2.5 is neither a number of places, such as 16, nor a share of them below 1, such as 0.05");
}

TEST(TuneMeasureErrors, SayWhatMustBeKnownOfTheData) {
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 16}),
            "dimensions: unknown, and radius 16 is a number of places among them; name the input, give dimensions, or give the radius as a "
            "share, "
            "such as 0.05");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .nearest = 16}),
            "dimensions: unknown, and the nearest are found by them; name the input, or give dimensions");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 16}, {.dimensions = 16}),
            "radius: 16 is not below the 16 places of an item: every pair would be near enough; use a smaller one");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .recall = 1, .radius = 16}, {.dimensions = 16}),
            "radius: 16 is not below the 16 places of an item: every pair would be near enough; use a smaller one");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 16}, {.dimensions = 128, .sample = sample(10, 20, 30)}),
            "dimensions: 128 are not the 64 of the data; leave them out");
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .nearest = 3}),
            "width: unknown, as it follows from how far the nearest are; name the input, or give a width");
}

TEST(TuneMeasureErrors, NameChoicesThatMakeNoSense) {
  const Goal cosine{.measure = Measure::cosine};
  EXPECT_EQ(refusal(cosine, {.shingle = ShinglePlan{.bag = true}}),
            "bag: counted shingles have no use with cosine; leave it out, or use weighted-jaccard");
  EXPECT_EQ(refusal(cosine, {.shingle = ShinglePlan{.size = 3}}),
            "shingle: word:3 has no use with features=numbers, which are no texts; leave it out");
  EXPECT_EQ(refusal(cosine, {.kind = Kind::shingles}), "features: shingles cannot be compared by cosine; use numbers or tfidf");
  EXPECT_EQ(refusal({.measure = Measure::exact}, {.kind = Kind::numbers}), "features: numbers cannot be compared by exact; use shingles");
  EXPECT_EQ(refusal(cosine, {.binarise = Binarise::sign}),
            "binarise: sign makes bits, which features=numbers are not; leave it out, or use measure hamming");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .radius = 0.1}, {.binarise = Binarise::sign, .levels = 4}),
            "binarise: 4 bits per number have no use with sign; use unary:4");
  EXPECT_EQ(refusal(cosine, {.verify = Verify::estimate}),
            "verify: estimate has no use with vectors, which are in memory: the exact value costs no more; use exact");
  EXPECT_EQ(refusal({.measure = Measure::jaccard, .nearest = 2}, {.verify = Verify::estimate}),
            "verify: estimate has no use with nearest, which compares true values; use exact");
  EXPECT_EQ(refusal(cosine, {.width = 3}), "width: 3 has no use with measure cosine; leave it out");
  EXPECT_EQ(refusal({.measure = Measure::manhattan, .radius = 1}, {.width = -3}),
            "width: -3 is not above 0; use a distance, such as four times the radius");
  EXPECT_EQ(refusal({.measure = Measure::manhattan, .radius = 1}, {.probes = 3}),
            "probes: 3 have no use with measure manhattan; leave them out, or use measure euclidean");
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .nearest = 1}, {.width = 3, .probes = 3}),
            "probes: 3 have no use with nearest, which looks as far as it must; leave them out");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .nearest = 1}, {.rows = 3}),
            "rows: 3 have no use with nearest, whose tables take as many as they need; leave them out, or give bands too");
  EXPECT_EQ(refusal({.measure = Measure::cosine, .nearest = 1}, {.hashes = 10}),
            "bands: 1 table of 24 digits needs 24 hashes, the sketch has 10; use 24 hashes");
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .recall = 1, .radius = 1}, {.width = 3}),
            "width: 3 has no use with recall 1, which needs no sketch; leave it out or ask for a recall below 1");
  EXPECT_EQ(refusal(cosine, {.dimensions = 0}), "dimensions: 0 is not a number of places; use 1 or more");
}

TEST(TuneMeasureErrors, SayWhichRecallCanBeReached) {
  EXPECT_EQ(refusal({.measure = Measure::euclidean, .recall = 0.99, .radius = 1}, {.rows = 60, .width = 1}),
            "rows: 60 need more than 4096 bands for recall 0.99 at radius 1, more than fit into 4096 hashes; use fewer rows or a lower "
            "recall");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .recall = 0.99, .radius = 0.5}, {.bands = 3}),
            "bands: 3 reach recall 0.875 at radius 0.5 at most, not 0.99; use 7 bands or a lower recall");
  EXPECT_EQ(refusal({.measure = Measure::hamming, .recall = 0.99, .radius = 99999}, {.dimensions = 100000}),
            "recall: 0.99 at radius 99999 needs more than 4096 hashes, 4096 reach 0.040132; ask for recall 0.040132 or less, for a "
            "smaller radius, "
            "or for recall 1");
}

}  // namespace
}  // namespace nearkin::measures_tune_test
