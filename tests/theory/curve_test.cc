#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/stages.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

namespace nearkin::curve_test {
namespace {

TEST(Curve, GivesTheTextbookFiguresOfTwentyBandsOfFiveRows) {
  EXPECT_NEAR(found_probability(0.8, 1, 5), 0.328, 0.0005);
  EXPECT_NEAR(1 - found_probability(0.8, 20, 5), 0.00036, 0.000005);
  EXPECT_NEAR(found_probability(0.8, 20, 5), 0.99964, 0.000005);
  EXPECT_NEAR(found_probability(0.3, 1, 5), 0.00243, 0.000005);
  EXPECT_NEAR(found_probability(0.3, 20, 5), 0.0475, 0.00005);
}

TEST(Curve, GivesTheFiguresOfSevenTablesOfOneRow) {
  EXPECT_NEAR(found_probability(0.5, 7, 1), 0.992, 0.0005);
  EXPECT_NEAR(found_probability(0.25, 7, 1), 0.867, 0.0005);
}

TEST(Curve, GivesTheWorkOfAQueryOnTenMillionItems) {
  EXPECT_NEAR(found_probability(0.9, 50, 25), 0.976, 0.0005);
  EXPECT_NEAR(found_probability(0.7, 50, 25), 0.0067, 0.00005);
  const double items = 10'000'000, near = 10, between = 10'000;
  const double looked_at = near + between + (items - near - between) * found_probability(0.7, 50, 25);
  EXPECT_NEAR(looked_at, 76'500, 500);
}

TEST(Curve, TellsItsThresholdFromItsHalfPoint) {
  EXPECT_NEAR(curve_threshold(30, 5), 0.5065, 0.00005);
  EXPECT_NEAR(half_point(30, 5), 0.4694, 0.0005);
  for (const auto& [bands, rows] : {std::pair{1u, 1u}, {30u, 5u}, {20u, 13u}, {450u, 20u}}) {
    EXPECT_NEAR(found_probability(half_point(bands, rows), bands, rows), 0.5, 1e-12);
  }
}

TEST(Curve, GivesWhatTheDefaultsOfOtherToolsFind) {
  struct Row {
    std::uint32_t bands, rows;
    double at[8];  // 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95
  };
  const double similarity[] = {0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
  const Row rows[] = {
      {8, 16, {0, .002, .026, .077, .204, .461, .806, .990}},
      {5, 25, {0, 0, .001, .004, .019, .083, .311, .803}},
      {9, 13, {.001, .012, .084, .195, .399, .686, .929, .998}},
      {20, 13, {.002, .026, .177, .382, .677, .924, .997, 1}},
      {14, 8, {.053, .211, .565, .772, .924, .988, 1, 1}},
      {16, 8, {.061, .237, .613, .815, .947, .994, 1, 1}},
      {20, 5, {.470, .802, .975, .996, 1, 1, 1, 1}},
      {50, 4, {.960, .999, 1, 1, 1, 1, 1, 1}},
      {450, 20, {0, .016, .302, .761, .995, 1, 1, 1}},
  };
  for (const Row& row : rows) {
    for (int i = 0; i < 8; ++i) {
      EXPECT_NEAR(found_probability(similarity[i], row.bands, row.rows), row.at[i], 0.001)
          << row.bands << "x" << row.rows << " at " << similarity[i];
    }
  }
}

TEST(Curve, StaysAProbabilityAtTheEnds) {
  EXPECT_EQ(found_probability(0, 20, 5), 0);
  EXPECT_EQ(found_probability(1, 20, 5), 1);
  EXPECT_EQ(found_probability(1, 0, 5), 0);
  EXPECT_EQ(found_probability(0.5, 0, 5), 0);
  // 1 − (1 − x)^b in plain arithmetic would give 0 here.
  EXPECT_NEAR(found_probability(0.1, 2, 30) / 2e-30, 1, 1e-12);
}

TEST(BandsNeeded, IsTheFewestThatMeetTheRecall) {
  for (const double threshold : {0.05, 0.3, 0.5, 0.75, 0.8, 0.95, 0.99}) {
    for (const double recall : {0.1, 0.5, 0.9, 0.95, 0.999, 0.999999}) {
      for (std::uint32_t rows = 1; rows <= 5; ++rows) {
        const std::uint32_t bands = bands_needed(threshold, rows, recall);
        EXPECT_GE(found_probability(threshold, bands, rows), recall - 1e-9);
        if (bands > 1) {
          EXPECT_LT(found_probability(threshold, bands - 1, rows), recall);
        }
      }
    }
  }
}

TEST(BandsNeeded, TakesAnExactHitAsMet) {
  EXPECT_EQ(bands_needed(0.5, 1, 0.5), 1u);
  EXPECT_EQ(bands_needed(0.5, 1, 0.75), 2u);
  EXPECT_EQ(bands_needed(0.5, 1, 0.875), 3u);
  EXPECT_EQ(bands_needed(0.9, 1, 0.999), 3u);
  EXPECT_EQ(bands_needed(0.8, 1, 0.96), 2u);
  EXPECT_EQ(bands_needed(0.8, 1, 0.992), 3u);
}

TEST(BandsNeeded, IsWhatTheMathematicalLibraryGives) {
  for (int percent = 1; percent < 100; ++percent) {
    for (const double recall : {0.1, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.999999}) {
      for (std::uint32_t rows = 1; rows <= 40; ++rows) {
        const double similarity = percent / 100.0;
        const double exact = std::log1p(-recall) / std::log1p(-std::pow(similarity, rows)) * (1 - 1e-9);
        const double bands = std::max(1.0, std::min(std::ceil(exact), 4294967295.0));
        ASSERT_EQ(bands_needed(similarity, rows, recall), bands) << similarity << ' ' << rows << ' ' << recall;
      }
    }
  }
}

TEST(BandsNeeded, HoldsAtTheEnds) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(bands_needed(1, 64, 0.999), 1u);
  EXPECT_EQ(bands_needed(0.5, 3, 0), 1u);
  EXPECT_EQ(bands_needed(0.5, 3, 1), kMost);
  EXPECT_EQ(bands_needed(0, 3, 0.5), kMost);
  EXPECT_EQ(bands_needed(0.1, 64, 0.9), kMost);
  EXPECT_EQ(bands_needed(0.01, 4000, 0.9), kMost);
  EXPECT_EQ(bands_needed(0.5, 0, 0.9), 1u);
  EXPECT_EQ(bands_needed(std::nan(""), 3, 0.9), kMost);
  EXPECT_EQ(bands_needed(0.5, 3, std::nan("")), kMost);
}

TEST(BandsNeeded, GivesTheLargestRowsOfTheTableOfTheLiterature) {
  const auto largest_rows = [](double threshold, double recall, std::uint32_t hashes) {
    std::uint32_t rows = 0;
    for (std::uint32_t r = 1; r <= 64; ++r) {
      if (std::uint64_t{bands_needed(threshold, r, recall)} * r <= hashes) rows = r;
    }
    return std::pair(bands_needed(threshold, rows, recall), rows);
  };
  using Shape = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(largest_rows(0.5, 0.90, 128), Shape(18, 3));
  EXPECT_EQ(largest_rows(0.5, 0.95, 512), Shape(95, 5));
  EXPECT_EQ(largest_rows(0.7, 0.99, 256), Shape(37, 6));
  EXPECT_EQ(largest_rows(0.8, 0.90, 256), Shape(21, 10));
  EXPECT_EQ(largest_rows(0.8, 0.95, 128), Shape(13, 7));
  EXPECT_EQ(largest_rows(0.8, 0.95, 256), Shape(21, 9));
  EXPECT_EQ(largest_rows(0.8, 0.99, 512), Shape(41, 10));
  EXPECT_EQ(largest_rows(0.9, 0.99, 128), Shape(11, 10));
  EXPECT_EQ(largest_rows(0.9, 0.95, 512), Shape(24, 20));
}

TEST(SampleSize, GivesTheHashesForAnErrorOfTheEstimate) {
  EXPECT_EQ(hashes_for_error(0.1, 0.05, 0.8), 749u);
  EXPECT_EQ(hashes_for_error(0.1, 0.05, 0.5), 1199u);
  EXPECT_EQ(hashes_for_error(0.2, 0.05, 0.8), 188u);
  EXPECT_EQ(hashes_for_error(1e-200, 0.05, 0.8), std::numeric_limits<std::uint64_t>::max());
}

TEST(SampleSize, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(hashes_for_error(0, 0.05, 0.8), Error);
  EXPECT_THROW(hashes_for_error(1, 0.05, 0.8), Error);
  EXPECT_THROW(hashes_for_error(0.1, 0, 0.8), Error);
  EXPECT_THROW(hashes_for_error(0.1, 1, 0.8), Error);
  EXPECT_THROW(hashes_for_error(0.1, 0.05, 0), Error);
  EXPECT_THROW(hashes_for_error(0.1, 0.05, 1.1), Error);
  EXPECT_THROW(hashes_for_error(std::nan(""), 0.05, 0.8), Error);
}

TEST(Counts, AreThoseOfTheLiterature) {
  EXPECT_EQ(possible_shingles(27, 5), 14'348'907);
  EXPECT_EQ(all_pairs(1e6), 499'999'500'000);
  EXPECT_NEAR(all_pairs(100'000) / 5e9, 1, 1e-4);
  EXPECT_EQ(all_pairs(1), 0);
  Sketches sketches;
  EXPECT_EQ(100'000 * 100 * sizeof(sketches.slots[0]), 40'000'000u);  // bytes of signatures
}

/// P[X < m] by Pascal's triangle, as far as doubles carry it.
double tail_below(std::uint32_t m, std::uint32_t slots, double p) {
  std::vector<double> chance(slots + 1);
  chance[0] = 1;
  for (std::uint32_t trial = 0; trial < slots; ++trial) {
    for (std::uint32_t k = trial + 1; k > 0; --k) chance[k] = chance[k] * (1 - p) + chance[k - 1] * p;
    chance[0] *= 1 - p;
  }
  double sum = 0;
  for (std::uint32_t k = 0; k < m; ++k) sum += chance[k];
  return sum;
}

TEST(LeastAgreement, IsTheCutOfTheBinomialTail) {
  for (const std::uint32_t slots : {1u, 2u, 16u, 128u, 300u}) {
    for (const double similarity : {0.01, 0.3, 0.5, 0.8, 0.95}) {
      for (const std::uint32_t bits : {1u, 8u, 32u}) {
        for (const double miss : {1e-9, 1e-6, 1e-3, 0.05, 0.5}) {
          const double p = similarity + (1 - similarity) * std::pow(0.5, bits);
          const std::uint32_t least = least_agreement(similarity, slots, bits, miss);
          EXPECT_LE(tail_below(least, slots, p), miss * (1 + 1e-6));
          if (least < slots) {
            EXPECT_GT(tail_below(least + 1, slots, p), miss * (1 - 1e-6));
          }
        }
      }
    }
  }
}

std::uint32_t least_by_library(double similarity, std::uint32_t slots, std::uint32_t bits, double miss) {
  const double agree = similarity + (1 - similarity) * std::pow(0.5, bits);
  const double odds = std::log(agree) - std::log1p(-agree);
  double log_term = slots * std::log1p(-agree), below = 0;
  for (std::uint32_t k = 0; k < slots; ++k) {
    below += std::exp(log_term);
    if (below > miss * (1 + 1e-9)) return k;
    log_term += std::log(static_cast<double>(slots - k) / (k + 1.0)) + odds;
  }
  return slots;
}

TEST(LeastAgreement, IsWhatTheMathematicalLibraryGives) {
  for (int percent = 1; percent < 100; ++percent) {
    for (const std::uint32_t slots : {1u, 64u, 128u, 200u, 256u, 512u, 1000u, 4096u}) {
      for (const std::uint32_t bits : {1u, 8u, 32u}) {
        ASSERT_EQ(least_agreement(percent / 100.0, slots, bits, 1e-6), least_by_library(percent / 100.0, slots, bits, 1e-6))
            << percent << "% of " << slots << ", " << bits << " bits";
      }
    }
  }
}

TEST(LeastAgreement, IsMonotoneWhereTheFirstTermsUnderflow) {
  std::uint32_t last = 0;
  for (int percent = 1; percent <= 99; ++percent) {
    const std::uint32_t least = least_agreement(percent / 100.0, 4096, 32, 1e-6);
    EXPECT_GE(least, last);
    // Φ(−4.7534) = 1e-6; the last term corrects the normal approximation for skewness (Cornish and Fisher).
    const double p = percent / 100.0, z = 4.7534;
    EXPECT_NEAR(least, 4096 * p - z * std::sqrt(4096 * p * (1 - p)) + (z * z - 1) / 6 * (1 - 2 * p), 2) << p;
    last = least;
  }
  last = 0;
  for (const double miss : {0.0, 1e-300, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.9}) {
    const std::uint32_t least = least_agreement(0.8, 512, 32, miss);
    EXPECT_GE(least, last);
    last = least;
  }
  for (std::uint32_t slots = 1; slots < 300; ++slots) {
    EXPECT_LE(least_agreement(0.8, slots, 32, 1e-6), least_agreement(0.8, slots + 1, 32, 1e-6));
  }
}

TEST(LeastAgreement, HoldsAtTheEnds) {
  EXPECT_EQ(least_agreement(1, 128, 32, 1e-9), 128u);
  EXPECT_EQ(least_agreement(0.8, 128, 32, 0), 0u);
  EXPECT_EQ(least_agreement(0.8, 4096, 32, 0), 0u);
  EXPECT_EQ(least_agreement(0.8, 0, 32, 0.1), 0u);
  EXPECT_EQ(least_agreement(0.5, 10, 32, 1e-4), 0u);  // even no agreement at all happens more often
  EXPECT_EQ(least_agreement(0.5, 10, 32, 1e-3), 1u);
  EXPECT_EQ(least_agreement(0, 128, 5000, 0.5), 0u);
}

/// The slope of a plan's curve, by a small difference.
double slope_at(const Plan& plan, double x) {
  constexpr double kStep = 1e-5;
  const double step = is_distance(plan.measure) ? kStep * (1 + x) : kStep;
  return std::abs(found_probability(plan, x + step) - found_probability(plan, x - step)) / (2 * step);
}

TEST(SteepestPoint, IsTheFormulaOfTextbooksForSetsAndBits) {
  const Plan sets = parse_plan("jaccard>=0.8 recall=0.95 shingle=word:5 sketch=minhash:100 bands=20x5 verify=exact seed=1");
  EXPECT_DOUBLE_EQ(steepest_point(sets).value(), curve_threshold(20, 5));
  EXPECT_DOUBLE_EQ(half_point(sets), half_point(20, 5));
  const Plan bits = parse_plan("hamming<=6 recall=0.95 features=bits sketch=bit-sampling:96 dimensions=64 bands=12x8 verify=exact seed=1");
  EXPECT_NEAR(steepest_point(bits).value(), 17.0882, 0.0001);
}

TEST(SteepestPoint, OfOtherFamiliesIsSearchedForOnTheCurve) {
  for (const char* const line : {"cosine>=0.8 recall=0.95 features=numbers sketch=hyperplane:160 bands=20x8 verify=exact seed=1",
                                 "cosine>=0.95 recall=0.95 features=numbers sketch=hyperplane:1200 bands=20x60 verify=exact seed=1",
                                 "euclidean<=2 recall=0.95 features=numbers sketch=gaussian:100 width=4 bands=20x5 verify=exact seed=1",
                                 "manhattan<=2 recall=0.95 features=numbers sketch=cauchy:100 width=4 bands=20x5 verify=exact seed=1"}) {
    const Plan plan = parse_plan(line);
    const double steepest = steepest_point(plan).value(), size = is_distance(plan.measure) ? steepest : 1 - steepest;
    const double most = slope_at(plan, steepest);
    for (const double away : {-0.5, -0.2, -0.05, 0.05, 0.2, 0.5}) EXPECT_GT(most, slope_at(plan, steepest + away * size)) << line << away;
    EXPECT_NEAR(found_probability(plan, half_point(plan)), 0.5, 1e-9) << line;
  }
}

TEST(SteepestPoint, IsAbsentWhereTheCurveIsNoS) {
  EXPECT_FALSE(steepest_point(parse_plan("jaccard>=0.8 recall=0.95 shingle=word:5 sketch=minhash:5 bands=5x1 verify=exact seed=1")));
  // A single band of a hyperplane only gets steeper towards equal vectors.
  EXPECT_FALSE(steepest_point(parse_plan("cosine>=0.8 recall=0.95 features=numbers sketch=hyperplane:8 bands=1x8 verify=exact seed=1")));
}

}  // namespace
}  // namespace nearkin::curve_test
