#include "match/overlap.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <nearkin/stages.h>

#include "match/verify.h"
#include "support/random_sets.h"

namespace nearkin::overlap_test {
namespace {

using test::features_of;
using test::Set;
__extension__ using Wide = unsigned __int128;

const std::vector<Ratio> kThresholds{{0, 1},
                                     {1, 1},
                                     {8, 10},
                                     {5, 10},
                                     {1, 10},
                                     {75, 100},
                                     {333'333'333, 1'000'000'000},
                                     {666'666'667, 1'000'000'000},
                                     {999'999'999, 1'000'000'000},
                                     {1, 1'000'000'000},
                                     {123'456'789, 1'000'000'000}};

// shared / (a + b - shared) ≥ t in whole numbers wide enough for anything.
bool reaches(std::uint64_t shared, std::uint64_t a, std::uint64_t b, Ratio t) {
  return Wide{shared} * t.denominator >= Wide{t.numerator} * (a + b - shared);
}

TEST(LeastOverlap, IsTheExactBorderForAllSmallSizes) {
  for (const Ratio t : kThresholds) {
    for (std::uint64_t a = 0; a <= 60; ++a) {
      for (std::uint64_t b = 0; b <= 60; ++b) {
        const std::uint64_t least = least_overlap(a, b, t);
        for (std::uint64_t shared = 0; shared <= std::min(a, b); ++shared) {
          ASSERT_EQ(shared >= least, reaches(shared, a, b, t)) << shared << " of " << a << " and " << b << " at " << to_string(t);
        }
      }
    }
  }
}

TEST(LeastOverlap, IsTheExactBorderForHugeSizes) {
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::uint64_t a = random() % 4'000'000'000, b = random() % 4'000'000'000;
    const Ratio t = kThresholds[random() % kThresholds.size()];
    const std::uint64_t least = least_overlap(a, b, t);
    ASSERT_TRUE(reaches(least, a, b, t));
    ASSERT_TRUE(least == 0 || !reaches(least - 1, a, b, t));
  }
}

TEST(LeastSize, IsTheSmallestSetThatCanReachTheThreshold) {
  for (const Ratio t : kThresholds) {
    for (std::uint64_t size = 1; size <= 500; ++size) {
      const std::uint64_t least = least_size(size, t);
      ASSERT_LE(least, size);
      ASSERT_TRUE(reaches(least, size, least, t));
      ASSERT_TRUE(least == 0 || !reaches(least - 1, size, least - 1, t));
    }
  }
}

Set random_set(std::mt19937_64& random, std::size_t size, std::uint64_t universe) {
  std::set<std::uint64_t> set;
  while (set.size() < size) set.insert(random() % universe);
  return {set.begin(), set.end()};
}

std::uint64_t shared_by_std(const Set& a, const Set& b) {
  Set shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return shared.size();
}

TEST(Overlap, CountsLikeSetIntersectionOrGivesUpRightly) {
  std::mt19937_64 random(2);
  int given_up = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    const std::size_t largest = turn % 2 == 0 ? 12 : 200;
    const Set a = random_set(random, random() % largest, 250), b = random_set(random, random() % largest, 250);
    const std::uint64_t expected = shared_by_std(a, b), least = random() % (largest + 1);
    const Overlap found = overlap(a, b, least);
    if (found.complete) {
      ASSERT_EQ(found.shared, expected);
    } else {
      ASSERT_LT(expected, least);
      ++given_up;
    }
    ASSERT_EQ(overlap(a, b, 0).shared, expected);
    ASSERT_TRUE(overlap(a, b, 0).complete);
  }
  EXPECT_GT(given_up, 500);
}

Set range(std::uint64_t begin, std::uint64_t end) {
  Set set;
  for (; begin < end; ++begin) set.push_back(begin);
  return set;
}

TEST(Verify, TakesPairsExactlyAtTheThreshold) {
  // 8 of 10, 799 of 1000, 1 of 2, all of all
  const Features features = features_of({range(0, 8), range(0, 10), range(100, 899), range(100, 1100), {7'000}, {7'000, 7'001}});
  const Pairs pairs{{0, 1}, {2, 3}, {4, 5}};
  EXPECT_EQ(verify(pairs, features, {8, 10}), (Matches{{0, 1, 8, 10}}));
  EXPECT_EQ(verify(pairs, features, {799, 1000}), (Matches{{0, 1, 8, 10}, {2, 3, 799, 1000}}));
  EXPECT_EQ(verify(pairs, features, {5, 10}), (Matches{{0, 1, 8, 10}, {2, 3, 799, 1000}, {4, 5, 1, 2}}));
  EXPECT_EQ(verify(pairs, features, {500'000'001, 1'000'000'000}).size(), 2u);
  EXPECT_EQ(verify(pairs, features, {800'000'001, 1'000'000'000}).size(), 0u);
  EXPECT_EQ(verify(pairs, features, ratio(0.8)), (Matches{{0, 1, 8, 10}}));
}

TEST(Verify, AtOneTakesEqualSetsOnly) {
  const Features features = features_of({range(0, 1000), range(0, 1000), range(0, 999)});
  EXPECT_EQ(verify({{0, 1}, {0, 2}, {1, 2}}, features, {1, 1}), (Matches{{0, 1, 1000, 1000}}));
}

TEST(Verify, NeverMatchesEmptyOrDisjointItems) {
  const Features features = features_of({{}, {}, {1}, {2}});
  for (const Ratio t : kThresholds) EXPECT_TRUE(verify({{0, 1}, {0, 2}, {2, 3}}, features, t).empty()) << to_string(t);
}

TEST(Verify, GivesTheSimilaritiesOfTheTextbooks) {
  // Columns of the rows 1110, 1101, 0101, 0001, 1001, 1110, 1010.
  const Features columns = features_of({{0, 1, 4, 5, 6}, {0, 1, 2, 5}, {0, 5, 6}, {1, 2, 3, 4}});
  const auto similarity = [&](Row a, Row b) { return exact_match(a, b, columns[a], columns[b]); };
  EXPECT_EQ(similarity(0, 1), (Match{0, 1, 3, 6}));
  EXPECT_EQ(similarity(0, 2), (Match{0, 2, 3, 5}));
  EXPECT_EQ(similarity(0, 3), (Match{0, 3, 2, 7}));
  EXPECT_EQ(similarity(1, 2), (Match{1, 2, 2, 5}));
  EXPECT_EQ(similarity(1, 3), (Match{1, 3, 2, 6}));
  EXPECT_EQ(similarity(2, 3), (Match{2, 3, 0, 7}));
  EXPECT_EQ(exact_match(0, 1, range(0, 5), range(2, 8)).similarity(), 3.0 / 8);
  EXPECT_EQ(exact_match(0, 1, Set{0, 2, 3, 4}, Set{0, 3, 4}).similarity(), 3.0 / 4);  // 10111 and 10011
}

TEST(Verify, KeepsTheOrderOfThePairsOnAnyNumberOfThreads) {
  std::mt19937_64 random(3);
  std::vector<Set> sets;
  for (int i = 0; i < 200; ++i) sets.push_back(random_set(random, 1 + random() % 8, 12));
  const Features features = features_of(sets);
  Pairs pairs;
  Matches expected;
  for (int i = 0; i < 15'000; ++i) {
    const Row a = static_cast<Row>(random() % 199), b = a + 1 + static_cast<Row>(random() % (199 - a));
    pairs.push_back({a, b});
    const std::uint64_t shared = shared_by_std(sets[a], sets[b]), total = sets[a].size() + sets[b].size() - shared;
    if (2 * shared >= total) expected.push_back({a, b, static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(total)});
  }
  for (const unsigned threads : {1u, 2u, 5u}) EXPECT_EQ(verify(pairs, features, {5, 10}, threads), expected) << threads;
}

TEST(Verify, NotesTheClosestPairBelow) {
  const Set eight = range(0, 8), ten = range(0, 10), nine = range(0, 9), others = range(50, 60);
  VerifyResult found;
  decide(0, 3, eight, others, {9, 10}, found);
  EXPECT_EQ(found.closest_below, 0.0);
  decide(0, 2, Set{1, 2, 3}, Set{1, 2, 4}, {6, 10}, found);
  EXPECT_EQ(found.closest_below, 0.5);
  decide(3, 0, Set{1, 3, 4}, Set{1, 5, 6}, {3, 10}, found);
  EXPECT_EQ(found.closest_below, 0.5);
  EXPECT_TRUE(found.matches.empty());
  decide(2, 1, nine, ten, {9, 10}, found);
  EXPECT_EQ(found.matches, (Matches{{1, 2, 9, 10}}));
  EXPECT_EQ(found.closest_below, 0.5);
}

}  // namespace
}  // namespace nearkin::overlap_test
