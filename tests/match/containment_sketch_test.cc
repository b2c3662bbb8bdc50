#include "match/containment_sketch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <nearkin/tools/theory.h>

#include "match/containment.h"
#include "support/random_sets.h"

namespace nearkin::containment_sketch_test {
namespace {

using test::features_of;
using test::Set;
using Random = std::mt19937_64;

// Sketches made up, so that many agree here and there.
struct MadeUp {
  std::uint32_t hashes;
  std::vector<std::uint32_t> slots, sizes;
  std::vector<Row> members;

  MadeUp(Random& random, std::size_t items, std::uint32_t hash_count, std::uint32_t largest, std::uint32_t values) : hashes(hash_count) {
    for (Row row = 0; row < items; ++row) {
      members.push_back(row);
      sizes.push_back(static_cast<std::uint32_t>(random() % (1 + random() % largest)));  // some are empty
      for (std::uint32_t i = 0; i < hashes; ++i) slots.push_back(static_cast<std::uint32_t>(random() % values * (random() % 3)));
    }
  }
  ContainmentSearch search(Ratio t, Row split = 0, std::uint32_t large_bucket = 1'000'000) const {
    return {.slots = rows_in_memory(std::span(slots), hashes, 1),
            .hashes = hashes,
            .sizes = sizes,
            .members = members,
            .split = split,
            .threshold = t,
            .recall = 0.9,
            .large_bucket = large_bucket};
  }
  std::uint32_t slots_shared(Row a, Row b) const { return bands_shared(a, b, {.bands = hashes, .rows = 1}); }
  std::uint32_t bands_shared(Row a, Row b, const ContainmentBands& plan) const {
    std::uint32_t shared = 0;
    for (std::uint32_t band = 0; band < plan.bands; ++band) {
      const std::size_t first = std::size_t{band} * plan.rows;
      const std::uint32_t *x = &slots[a * hashes + first], *y = &slots[b * hashes + first];
      shared += std::equal(x, x + plan.rows, y);
    }
    return shared;
  }
};

ContainmentCandidates brute_force(const MadeUp& items, const ContainmentSearch& search) {
  ContainmentCandidates result;
  for (const Row a : items.members) {
    for (const Row b : items.members) {
      const std::uint32_t x = items.sizes[a], y = items.sizes[b];
      if (a == b || x == 0 || y == 0 || y < least_shared(x, search.threshold)) continue;
      if (search.split != 0 && !(a < search.split && search.split <= b)) continue;
      const ContainmentBands plan = containment_bands(x, y, search.threshold, search.recall, items.hashes);
      const std::uint32_t shared = items.bands_shared(a, b, plan);
      result.looked_at += shared;
      if (shared > 0 && items.slots_shared(a, b) >= plan.least_equal) result.pairs.push_back({a, b});
    }
  }
  return result;
}

TEST(ContainmentSketch, FindsExactlyThePairsThatAgreeInABandOfTheirSizes) {
  Random random(1);
  for (const std::uint32_t largest : {3u, 40u, 5000u}) {
    const MadeUp items(random, 150, 64, largest, 4);
    for (const Ratio t : {Ratio{3, 10}, Ratio{5, 10}, Ratio{8, 10}, Ratio{1, 1}}) {
      for (const Row split : {0u, 50u}) {
        const ContainmentSearch search = items.search(t, split);
        const ContainmentCandidates expected = brute_force(items, search);
        ASSERT_FALSE(expected.pairs.empty());
        for (const unsigned threads : {1u, 4u}) {
          const ContainmentCandidates found = containment_candidates(search, UINT64_MAX, threads);
          ASSERT_EQ(found.pairs, expected.pairs) << largest << " at " << t.value() << " split at " << split;
          ASSERT_EQ(found.looked_at, expected.looked_at);
          EXPECT_EQ(found.notes.not_compared, 0u);
          EXPECT_EQ(found.notes.large, 0u);
        }
      }
    }
  }
}

TEST(ContainmentSketch, LooksAtItsMembersOnlyInWhateverOrder) {
  Random random(2);
  MadeUp items(random, 100, 32, 60, 3);
  std::erase_if(items.members, [](Row row) { return row % 3 == 0; });
  const Pairs expected = brute_force(items, items.search({5, 10})).pairs;
  std::reverse(items.members.begin(), items.members.end());
  EXPECT_EQ(containment_candidates(items.search({5, 10}), UINT64_MAX, 2).pairs, expected);
}

// 400 items that agree in everything: in each band one bucket, in which each may meet all others.
TEST(ContainmentSketch, MeetsOnlySoManyInALargeBucketAndCountsTheRest) {
  Random random(3);
  MadeUp items(random, 400, 64, 1, 1);
  std::fill(items.sizes.begin(), items.sizes.end(), 200u);
  std::fill(items.slots.begin(), items.slots.end(), 7u);
  const std::uint64_t bands = containment_bands(200, 200, {5, 10}, 0.9, 64).bands;
  for (const Row split : {0u, 150u}) {
    const std::uint64_t contained = split == 0 ? 400 : split, others = split == 0 ? 399 : 400 - split;
    const ContainmentCandidates found = containment_candidates(items.search({5, 10}, split, 20), UINT64_MAX, 1);
    EXPECT_EQ(found.looked_at, bands * contained * 20);
    EXPECT_EQ(found.notes.not_compared, bands * contained * (others - 20));
    EXPECT_EQ(found.notes.large, bands);
    EXPECT_EQ(found.notes.largest, 400u);
    // Bands choose for themselves: together they meet more than one of them does.
    EXPECT_GT(found.pairs.size(), contained * 30);
    for (const Pair& pair : found.pairs) ASSERT_TRUE(pair.a != pair.b && (split == 0 || (pair.a < split && split <= pair.b)));
    EXPECT_EQ(containment_candidates(items.search({5, 10}, split, 20), UINT64_MAX, 3).pairs, found.pairs);
  }
}

TEST(ContainmentSketch, LeavesNoPairOutUntilABucketIsLarge) {
  Random random(4);
  MadeUp items(random, 21, 16, 1, 1);
  std::fill(items.sizes.begin(), items.sizes.end(), 50u);
  EXPECT_EQ(containment_candidates(items.search({5, 10}, 0, 20), UINT64_MAX, 1).notes.not_compared, 0u);
  EXPECT_GT(containment_candidates(items.search({5, 10}, 0, 19), UINT64_MAX, 1).notes.not_compared, 0u);
}

// Items of sizes and sketches of their own beside these change nothing between these.
TEST(ContainmentSketch, DependsOnTheItemsOfABucketAlone) {
  Random random(5);
  MadeUp items(random, 120, 32, 300, 3);
  const Pairs alone = containment_candidates(items.search({6, 10}, 0, 4), UINT64_MAX, 1).pairs;
  const MadeUp strangers(random, 80, 32, 9000, 5);
  items.sizes.insert(items.sizes.end(), strangers.sizes.begin(), strangers.sizes.end());
  for (const std::uint32_t slot : strangers.slots) items.slots.push_back(1000 + slot);
  for (Row row = 120; row < 200; ++row) items.members.push_back(row);
  Pairs together = containment_candidates(items.search({6, 10}, 0, 4), UINT64_MAX, 1).pairs;
  std::erase_if(together, [](const Pair& pair) { return pair.a >= 120 && pair.b >= 120; });
  EXPECT_EQ(together, alone);
}

TEST(ContainmentSketch, KnowsTheLeastJaccardOfSetsOfItsSizes) {
  for (const Ratio t : {Ratio{3, 10}, Ratio{5, 10}, Ratio{8, 10}, Ratio{1, 1}}) {
    for (std::uint64_t a = 1; a < 60; ++a) {
      for (std::uint64_t b = least_shared(a, t); b < 90; ++b) {
        const double shared = static_cast<double>(least_shared(a, t));
        const double jaccard = shared / (static_cast<double>(a + b) - shared);
        EXPECT_LE(least_jaccard(a, b, t), jaccard * (1 + 1e-12));
        // The bands of the classes reach the recall for every pair of sizes in them.
        const ContainmentBands plan = containment_bands(a, b, t, 0.9, 4096);
        EXPECT_GE(found_probability(jaccard, plan.bands, plan.rows), 0.9 - 1e-9) << a << " in " << b;
        EXPECT_LE(plan.bands * plan.rows, 4096u);
      }
    }
  }
  EXPECT_DOUBLE_EQ(least_jaccard(200, 5000, {8, 10}), 160.0 / 5040);
  EXPECT_DOUBLE_EQ(least_jaccard(10, 8, {8, 10}), 0.8);
}

// Least slots are taken for the lowest Jaccard similarity of the classes, so that the pairs of their sizes are safe.
TEST(ContainmentSketch, DropsPairsThatAgreeInTooFewSlots) {
  const ContainmentBands plan = containment_bands(200, 200, {8, 10}, 0.95, 256);
  EXPECT_GT(plan.least_equal, 60u);
  EXPECT_LE(plan.least_equal, least_agreement(least_jaccard(200, 200, {8, 10}), 256, 32, 1e-6));
  EXPECT_EQ(containment_bands(7, 7000, {8, 10}, 0.95, 256).least_equal, 0u);
  for (const std::uint32_t equal : {plan.least_equal - 1, plan.least_equal}) {
    std::vector<std::uint32_t> slots(2 * 256);
    for (std::uint32_t i = 0; i < 256; ++i) slots[256 + i] = i < equal ? 0 : 1 + i;
    const std::vector<std::uint32_t> sizes{200, 200};
    const std::vector<Row> members{0, 1};
    const ContainmentCandidates found = containment_candidates({.slots = rows_in_memory(std::span<const std::uint32_t>(slots), 256, 1),
                                                                .hashes = 256,
                                                                .sizes = sizes,
                                                                .members = members,
                                                                .threshold = {8, 10}},
                                                               UINT64_MAX, 1);
    EXPECT_GT(found.looked_at, 0u);
    EXPECT_EQ(found.pairs.size(), equal == plan.least_equal ? 2u : 0u);
  }
}

TEST(ContainmentSketch, TakesTheMostRowsThatReachTheRecall) {
  const ContainmentBands near = containment_bands(7, 7, {8, 10}, 0.95, 256);  // a class of one size: Jaccard 2/3
  EXPECT_EQ(near.rows, 6u);
  EXPECT_EQ(near.bands, bands_needed(2.0 / 3, 6, 0.95));
  EXPECT_GT(7 * bands_needed(2.0 / 3, 7, 0.95), 256u);
  const ContainmentBands far = containment_bands(7, 7000, {8, 10}, 0.95, 256);
  EXPECT_EQ(far.rows, 1u);
  EXPECT_EQ(far.bands, 256u);
}

// Sets of 60 and of 60 · ratio elements that share exactly t · 60; other sets share nothing.
struct Trials {
  std::uint64_t found = 0, pairs = 0;
  double least_recall = 1;
};

Trials try_pairs(std::uint64_t ratio_of_sizes, Ratio t, double recall, std::uint32_t hashes) {
  constexpr std::uint64_t kSize = 60, kPairs = 30, kSeeds = 25;
  Trials trials;
  SplitMix random(ratio_of_sizes * 1000 + t.numerator);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::vector<Set> sets;
    const std::uint64_t shared = least_shared(kSize, t);
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      auto [a, b] = test::random_sets(random, {shared, kSize - shared, kSize * ratio_of_sizes - shared});
      sets.push_back(std::move(a));
      sets.push_back(std::move(b));
    }
    const Sketches sketches = sketch(features_of(sets), {.hashes = hashes, .seed = seed});
    std::vector<std::uint32_t> sizes;
    for (const Set& set : sets) sizes.push_back(static_cast<std::uint32_t>(set.size()));
    std::vector<Row> members(sets.size());
    std::iota(members.begin(), members.end(), Row{0});
    const ContainmentCandidates found = containment_candidates({.slots = rows_in_memory(std::span(sketches.slots), hashes, 1),
                                                                .hashes = hashes,
                                                                .sizes = sizes,
                                                                .members = members,
                                                                .threshold = t,
                                                                .recall = recall},
                                                               UINT64_MAX, 1);
    for (Row row = 0; row < sets.size(); row += 2) {
      trials.found += std::binary_search(found.pairs.begin(), found.pairs.end(), Pair{row, row + 1});
    }
    trials.pairs += kPairs;
    trials.least_recall = std::min(trials.least_recall, found.least_recall);
  }
  return trials;
}

// Four standard errors of the share found, at the probability that theory gives.
TEST(ContainmentSketch, ReachesTheRecallForPairsExactlyAtTheThreshold) {
  for (const Ratio t : {Ratio{5, 10}, Ratio{8, 10}}) {
    for (const std::uint64_t ratio_of_sizes : {1u, 2u, 10u, 30u}) {
      for (const double recall : {0.9, 0.95}) {
        const Trials trials = try_pairs(ratio_of_sizes, t, recall, 256);
        const ContainmentBands plan = containment_bands(60, 60 * ratio_of_sizes, t, recall, 256);
        const double expected = found_probability(least_jaccard(60, 60 * ratio_of_sizes, t), plan.bands, plan.rows);
        const double n = static_cast<double>(trials.pairs), share = static_cast<double>(trials.found) / n;
        EXPECT_GE(expected, recall - 1e-9);
        EXPECT_NEAR(share, expected, 4 * std::sqrt(expected * (1 - expected) / n) + 1e-9) << ratio_of_sizes << ' ' << t.value();
        EXPECT_GE(share, recall - 4 * std::sqrt(recall * (1 - recall) / n)) << ratio_of_sizes << ' ' << t.value();
        EXPECT_GE(trials.least_recall, recall - 1e-9);
        EXPECT_LE(trials.least_recall, expected + 1e-9);
      }
    }
  }
}

TEST(ContainmentSketch, SaysWhereAllHashesAreNotEnough) {
  const Trials trials = try_pairs(30, {3, 10}, 0.95, 64);
  const double expected = found_probability(0.3 / 30.7, 64, 1);
  EXPECT_LT(expected, 0.5);
  EXPECT_NEAR(trials.least_recall, expected, 1e-9);
  const double n = static_cast<double>(trials.pairs);
  EXPECT_NEAR(static_cast<double>(trials.found) / n, expected, 4 * std::sqrt(expected * (1 - expected) / n));
}

TEST(ContainmentSketch, FindsPassagesInDocuments) {
  constexpr Row kPassages = 120;
  Random random(6);
  std::vector<Set> sets(2 * kPassages);
  for (Row i = 0; i < kPassages; ++i) {
    Set &passage = sets[i], &document = sets[i + kPassages];
    for (int element = 0; element < 5000; ++element) document.push_back(random());
    passage.assign(document.begin() + 700, document.begin() + 700 + (i % 2 == 0 ? 160 : 159));  // just enough, just not
    while (passage.size() < 200) passage.push_back(random());
    std::sort(document.begin(), document.end());
    std::sort(passage.begin(), passage.end());
  }
  const Features features = features_of(sets);
  const Sketches sketches = sketch(features, {.hashes = 256});
  std::vector<std::uint32_t> sizes;
  std::vector<FeatureSpan> spans;
  std::vector<Row> members;
  for (Row row = 0; row < sets.size(); ++row) {
    sizes.push_back(static_cast<std::uint32_t>(sets[row].size()));
    spans.push_back(features[row]);
    members.push_back(row);
  }
  const ContainmentSearch search{.slots = rows_in_memory(std::span(sketches.slots), 256, 1),
                                 .hashes = 256,
                                 .sizes = sizes,
                                 .members = members,
                                 .split = kPassages,
                                 .threshold = {8, 10},
                                 .recall = 0.95};
  const ContainmentCandidates found = containment_candidates(search, UINT64_MAX, 2);
  EXPECT_GE(found.least_recall, 0.95 - 1e-9);
  EXPECT_LE(found.pairs.size(), kPassages);  // strangers do not meet
  const Matches matches = verify_containment(found.pairs, spans, {}, {8, 10}, 2).matches;
  EXPECT_GE(matches.size(), 50u);  // of 60; 57 expected, four standard errors are 7
  const Matches all = join_containment(features, members, kPassages, {8, 10}, 2).matches;
  EXPECT_EQ(all.size(), 60u);
  for (const Match& match : matches) EXPECT_NE(std::find(all.begin(), all.end(), match), all.end());
}

TEST(ContainmentSketch, OfNothingOrOfEmptySetsFindsNothing) {
  const std::vector<std::uint32_t> slots(4 * 8), sizes{0, 0, 5, 0};
  const std::vector<Row> members{0, 1, 2, 3};
  const ContainmentSearch search{
      .slots = rows_in_memory(std::span(slots), 8, 1), .hashes = 8, .sizes = sizes, .members = members, .threshold = {1, 2}};
  EXPECT_TRUE(containment_candidates(search, UINT64_MAX, 1).pairs.empty());
  EXPECT_EQ(containment_candidates(search, UINT64_MAX, 1).least_recall, 1);
  EXPECT_TRUE(containment_candidates({}, UINT64_MAX, 1).pairs.empty());
}

}  // namespace
}  // namespace nearkin::containment_sketch_test
