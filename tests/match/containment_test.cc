#include "match/containment.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "support/random_sets.h"
#include "support/spilled_rows.h"

namespace nearkin::containment_test {
namespace {

using test::features_of;
using test::Set;
using Random = std::mt19937_64;

std::vector<Row> rows_up_to(std::size_t count) {
  std::vector<Row> rows(count);
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

Match match_of(const std::vector<Set>& sets, Row a, Row b) {
  Set shared;
  std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(shared));
  return {a, b, static_cast<std::uint32_t>(shared.size()), static_cast<std::uint32_t>(sets[a].size())};
}

// Every ordered pair that shares something.
Matches all_sharing(const std::vector<Set>& sets) {
  Matches matches;
  for (Row a = 0; a < sets.size(); ++a) {
    for (Row b = 0; b < sets.size(); ++b) {
      if (a == b) continue;
      if (const Match match = match_of(sets, a, b); match.shared > 0) matches.push_back(match);
    }
  }
  return matches;
}

Matches those_at(Matches matches, Row split, Ratio t) {
  std::erase_if(matches, [&](const Match& match) {
    const bool across = split == 0 || (match.a < split && split <= match.b);
    return !across || match.shared * t.denominator < t.numerator * match.total;
  });
  return matches;
}

Matches brute_force(const std::vector<Set>& sets, Row split, Ratio t) { return those_at(all_sharing(sets), split, t); }

struct Shape {
  const char* name;
  std::size_t most;        // sizes go from 1 to here, the small ones more often
  std::uint64_t universe;  // different elements
  bool skewed;             // low elements far more often
  bool spread = true;      // elements mixed over 64 bits; otherwise small numbers, whose high halves all agree
};

const Shape kShapes[] = {
    {"tiny sets of few elements", 6, 10, false},        {"few elements in many sets", 150, 300, false},
    {"rare elements", 2000, 1'000'000, false},          {"skewed frequencies", 200, 1000, true},
    {"small numbers as hashes", 60, 200, false, false},
};

std::uint64_t draw_element(Random& random, const Shape& shape) {
  std::uint64_t element = random() % shape.universe;
  if (shape.skewed) element = element * (random() % shape.universe) / shape.universe * (random() % shape.universe) / shape.universe;
  return shape.spread ? mix64(element + 1) : element;
}

void add_elements(Random& random, const Shape& shape, std::size_t count, std::set<std::uint64_t>& set) {
  for (std::size_t i = 0; i < count; ++i) set.insert(draw_element(random, shape));
}

// New ones, copies, parts of earlier ones with or without something added, and empty ones; of very unequal sizes.
std::vector<Set> draw_corpus(Random& random, const Shape& shape, std::size_t count) {
  std::vector<Set> sets;
  while (sets.size() < count) {
    std::set<std::uint64_t> set;
    const std::size_t size = 1 + random() % (1 + random() % shape.most);
    const Set* earlier = sets.empty() ? nullptr : &sets[random() % sets.size()];
    const std::uint64_t kind = random() % 10;
    if (earlier == nullptr || kind < 4) {
      add_elements(random, shape, size, set);
    } else if (kind == 4) {
      set = {earlier->begin(), earlier->end()};
    } else if (kind < 9) {
      const std::uint64_t share = 1 + random() % 100;
      for (const std::uint64_t element : *earlier) {
        if (random() % 100 < share) set.insert(element);
      }
      if (kind < 7) add_elements(random, shape, random() % (1 + set.size()), set);
    }
    sets.emplace_back(set.begin(), set.end());
  }
  return sets;
}

const Ratio kThresholds[] = {{1, 10}, {3, 10}, {5, 10}, {8, 10}, {1, 1}};

TEST(Containment, OfEveryPairEqualsBruteForce) {
  Random random(1);
  for (const Shape& shape : kShapes) {
    std::size_t upwards = 0, downwards = 0;
    for (int turn = 0; turn < 4; ++turn) {
      const std::vector<Set> sets = draw_corpus(random, shape, 100);
      const Matches sharing = all_sharing(sets);
      const Features features = features_of(sets);
      for (const Ratio t : kThresholds) {
        const Matches expected = those_at(sharing, 0, t);
        for (const Match& match : expected) ++(match.a < match.b ? upwards : downwards);
        ASSERT_EQ(join_containment(features, rows_up_to(sets.size()), 0, t, 1).matches, expected) << shape.name << " at " << t.value();
      }
    }
    EXPECT_GT(std::min(upwards, downwards), 100u) << shape.name;
  }
}

TEST(Containment, BetweenTwoCollectionsEqualsBruteForce) {
  Random random(2);
  for (const Shape& shape : kShapes) {
    const std::vector<Set> sets = draw_corpus(random, shape, 120);
    const Matches sharing = all_sharing(sets);
    const Features features = features_of(sets);
    std::size_t found = 0;
    for (const Row split : {1u, 40u, 119u}) {
      for (const Ratio t : kThresholds) {
        const Matches expected = those_at(sharing, split, t);
        found += expected.size();
        const Matches matches = join_containment(features, rows_up_to(sets.size()), split, t, 2).matches;
        ASSERT_EQ(matches, expected) << shape.name << " split at " << split << " at " << t.value();
      }
    }
    EXPECT_GT(found, 20u) << shape.name;
  }
}

TEST(Containment, IsTheSameOnAnyNumberOfThreads) {
  Random random(3);
  for (const Shape& shape : kShapes) {
    const Features features = features_of(draw_corpus(random, shape, 400));
    for (const Row split : {0u, 150u}) {
      const JoinResult one = join_containment(features, rows_up_to(400), split, {5, 10}, 1);
      for (const unsigned threads : {2u, 4u, 40u}) {
        const JoinResult many = join_containment(features, rows_up_to(400), split, {5, 10}, threads);
        EXPECT_EQ(many.matches, one.matches) << shape.name;
        EXPECT_EQ(many.looked_at, one.looked_at) << shape.name;
        EXPECT_EQ(many.closest_below, one.closest_below) << shape.name;
      }
    }
  }
}

TEST(Containment, LooksAtItsMembersOnlyInWhateverOrder) {
  Random random(4);
  const std::vector<Set> sets = draw_corpus(random, kShapes[1], 100);
  std::vector<Row> members;
  for (Row row = 0; row < 100; row += 1 + static_cast<Row>(random() % 2)) members.push_back(row);
  Matches expected;
  for (const Match& match : brute_force(sets, 0, {4, 10})) {
    if (std::binary_search(members.begin(), members.end(), match.a) && std::binary_search(members.begin(), members.end(), match.b)) {
      expected.push_back(match);
    }
  }
  ASSERT_FALSE(expected.empty());
  const std::vector<Row> backwards(members.rbegin(), members.rend());
  EXPECT_EQ(join_containment(features_of(sets), members, 0, {4, 10}, 2).matches, expected);
  EXPECT_EQ(join_containment(features_of(sets), backwards, 0, {4, 10}, 2).matches, expected);
}

TEST(Containment, CountsATieAsInside) {
  const Features features = features_of({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2, 3, 4, 5, 6, 7, 8, 20, 21, 22}, {1, 2, 3, 4, 5, 6, 7, 30}});
  const std::vector<Row> all = rows_up_to(3);
  EXPECT_EQ(join_containment(features, all, 0, {8, 10}, 1).matches, (Matches{{0, 1, 8, 10}, {2, 0, 7, 8}, {2, 1, 7, 8}}));
  EXPECT_EQ(join_containment(features, all, 0, {875, 1000}, 1).matches, (Matches{{2, 0, 7, 8}, {2, 1, 7, 8}}));
  const JoinResult none = join_containment(features, all, 0, {876, 1000}, 1);
  EXPECT_TRUE(none.matches.empty());
  EXPECT_LE(none.closest_below, 0.875);
}

TEST(Containment, OfAPartInItsWholeIsOneAndNotTheOtherWayRound) {
  const Features features = features_of({{1, 2}, {1, 2, 3, 4, 5}, {1, 2}});
  const Matches whole{{0, 1, 2, 2}, {0, 2, 2, 2}, {2, 0, 2, 2}, {2, 1, 2, 2}};
  EXPECT_EQ(join_containment(features, rows_up_to(3), 0, {1, 1}, 1).matches, whole);
  EXPECT_DOUBLE_EQ(join_containment(features, rows_up_to(3), 0, {4, 10}, 1).matches[2].similarity(), 0.4);
}

TEST(Containment, OfEmptySetsIsNone) {
  const Features features = features_of({{}, {1, 2}, {}, {1, 2, 3}});
  for (const Ratio t : {Ratio{0, 1}, Ratio{5, 10}, Ratio{1, 1}}) {
    for (const Match& match : join_containment(features, rows_up_to(4), 0, t, 1).matches) EXPECT_TRUE(match.a % 2 == 1 && match.b % 2 == 1);
    EXPECT_TRUE(join_containment(features, rows_up_to(4), 1, t, 1).matches.empty());
  }
  EXPECT_TRUE(join_containment(features_of({}), {}, 0, {8, 10}, 1).matches.empty());
  EXPECT_TRUE(join_containment(features_of({{}, {}}), rows_up_to(2), 0, {8, 10}, 1).matches.empty());
}

TEST(Containment, OfPassagesInDocumentsIsFoundWithFewPairsLookedAt) {
  Random random(5);
  std::vector<Set> passages, documents;
  for (std::uint64_t d = 0; d < 40; ++d) {
    Set document(5000);
    for (std::uint64_t& element : document) element = random();
    Set passage(document.begin() + 1000, document.begin() + 1160);  // 160 of 200: exactly 0.8
    for (int i = 0; i < 40; ++i) passage.push_back(random());
    std::sort(document.begin(), document.end());
    std::sort(passage.begin(), passage.end());
    documents.push_back(document);
    passages.push_back(passage);
  }
  std::vector<Set> sets = passages;
  sets.insert(sets.end(), documents.begin(), documents.end());
  const JoinResult found = join_containment(features_of(sets), rows_up_to(80), 40, {8, 10}, 2);
  ASSERT_EQ(found.matches.size(), 40u);
  for (Row row = 0; row < 40; ++row) EXPECT_EQ(found.matches[row], (Match{row, row + 40, 160, 200}));
  EXPECT_LE(found.looked_at, 41u);
  EXPECT_TRUE(join_containment(features_of(sets), rows_up_to(80), 40, {801, 1000}, 1).matches.empty());
}

// Every set has 60 features in common with every other, and 40 of its own or of one neighbour.
TEST(Containment, DoesNotCountOutEveryPairForFeaturesThatAreEverywhere) {
  std::vector<Set> sets;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Set set;
    for (std::uint64_t everywhere = 0; everywhere < 60; ++everywhere) set.push_back(mix64(everywhere + 1));
    for (std::uint64_t own = 0; own < 40; ++own) set.push_back(mix64(1000 + 40 * (i / 2) + own));
    std::sort(set.begin(), set.end());
    sets.push_back(set);
  }
  const JoinResult found = join_containment(features_of(sets), rows_up_to(1500), 0, {7, 10}, 1);
  EXPECT_EQ(found.matches.size(), 1500u);
  EXPECT_EQ(found.looked_at, 1500u);  // of 2.2 million
}

TEST(Containment, DropsCandidatesBeforeCountingThemWhereFeaturesAreFew) {
  Random random(6);
  std::vector<Set> sets(300);
  for (Set& set : sets) {
    std::set<std::uint64_t> drawn;
    while (drawn.size() < 100) drawn.insert(mix64(1 + random() % 500));
    set = {drawn.begin(), drawn.end()};
  }
  const JoinResult found = join_containment(features_of(sets), rows_up_to(300), 0, {5, 10}, 1);
  EXPECT_EQ(found.matches, brute_force(sets, 0, {5, 10}));
  EXPECT_LT(found.looked_at, 8'970u);  // a tenth of all pairs, nearly all of which share a feature of the prefix
}

TEST(Containment, NeedsTheThresholdRoundedUp) {
  EXPECT_EQ(least_shared(10, {8, 10}), 8u);
  EXPECT_EQ(least_shared(11, {8, 10}), 9u);
  EXPECT_EQ(least_shared(7, {1, 1}), 7u);
  EXPECT_EQ(least_shared(0, {8, 10}), 0u);
}

TEST(Containment, InPartsIsTheSameAsAsAWhole) {
  Random random(11);
  for (const Shape& shape : kShapes) {
    const std::vector<Set> sets = draw_corpus(random, shape, 100);
    const std::vector<Row> members = rows_up_to(sets.size());
    for (const Row split : {0u, 40u}) {
      for (const Ratio t : {Ratio{3, 10}, Ratio{8, 10}, Ratio{1, 1}}) {
        const Matches expected = brute_force(sets, split, t);
        for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{20'000}, std::uint64_t{1} << 30}) {
          for (const unsigned threads : {1u, 3u}) {
            const JoinResult found = collect_matches(threads, [&](const MatchSink& emit) {
              return join_containment(test::rows_in_buffers(sets, threads), members, split, t, {memory, threads}, emit);
            });
            ASSERT_EQ(found.matches, expected) << shape.name << " with " << memory << " bytes";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace nearkin::containment_test
