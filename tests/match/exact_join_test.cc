#include "match/exact_join.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "support/random_sets.h"

namespace nearkin {
namespace {

using test::features_of;
using test::Set;
using Random = std::mt19937_64;

Matches brute_force(const std::vector<Set>& sets, Row split, Ratio t) {
  Matches matches;
  for (Row a = 0; a < sets.size(); ++a) {
    for (Row b = a + 1; b < sets.size(); ++b) {
      if (split != 0 && (a < split) == (b < split)) continue;
      Set shared;
      std::set_intersection(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(shared));
      const std::uint64_t total = sets[a].size() + sets[b].size() - shared.size();
      if (shared.empty() || shared.size() * t.denominator < t.numerator * total) continue;
      matches.push_back({a, b, static_cast<std::uint32_t>(shared.size()), static_cast<std::uint32_t>(total)});
    }
  }
  return matches;
}

struct Shape {
  const char* name;
  std::size_t least, most;  // sizes of sets
  std::uint64_t universe;   // different elements
  bool skewed;              // low elements far more often
  double copied;            // share of sets that are an earlier one, a little changed
  bool spread = true;       // elements mixed over 64 bits; otherwise small numbers, whose high halves all agree
};

std::uint64_t draw_element(Random& random, const Shape& shape) {
  std::uint64_t element = random() % shape.universe;
  if (shape.skewed) element = element * (random() % shape.universe) / shape.universe * (random() % shape.universe) / shape.universe;
  return shape.spread ? mix64(element + 1) : element;
}

Set draw_set(Random& random, const Shape& shape) {
  const std::size_t size = shape.least + random() % (shape.most - shape.least + 1);
  std::set<std::uint64_t> set;
  for (std::size_t tries = 0; set.size() < size && tries < 4 * size; ++tries) set.insert(draw_element(random, shape));
  return {set.begin(), set.end()};
}

Set changed(Random& random, const Set& original, const Shape& shape) {
  std::set<std::uint64_t> set(original.begin(), original.end());
  for (std::uint64_t edits = random() % 4; edits > 0; --edits) {
    if (set.size() > 1) set.erase(std::next(set.begin(), static_cast<std::ptrdiff_t>(random() % set.size())));
    set.insert(draw_element(random, shape));
  }
  return {set.begin(), set.end()};
}

std::vector<Set> draw_corpus(Random& random, const Shape& shape, std::size_t count) {
  std::vector<Set> sets;
  while (sets.size() < count) {
    const bool copy = !sets.empty() && static_cast<double>(random() % 1000) < 1000 * shape.copied;
    sets.push_back(copy ? changed(random, sets[random() % sets.size()], shape) : draw_set(random, shape));
  }
  return sets;
}

const std::vector<Shape> kShapes{
    {"single elements", 1, 1, 20, false, 0},
    {"tiny sets of few elements", 1, 6, 12, false, 0.1},
    {"near copies among rare elements", 1, 60, 100'000, false, 0.6},
    {"near copies among common elements", 5, 60, 300, false, 0.5},
    {"skewed frequencies", 1, 60, 400, true, 0.3},
    {"one size", 20, 20, 60, false, 0.5},
    {"nearly all copies", 10, 30, 5000, false, 0.97},
    {"small numbers as hashes", 1, 30, 200, false, 0.5, false},
};

TEST(ExactJoin, EqualsBruteForce) {
  Random random(1);
  for (const Shape& shape : kShapes) {
    std::size_t found = 0;
    for (int turn = 0; turn < 6; ++turn) {
      const std::vector<Set> sets = draw_corpus(random, shape, 120);
      const Features features = features_of(sets);
      for (const double share : {0.1, 0.3, 0.5, 0.666666667, 0.8, 0.9, 1.0}) {
        const Ratio t = ratio(share);
        const Matches expected = brute_force(sets, 0, t);
        found += expected.size();
        for (const unsigned threads : {1u, 3u}) {
          ASSERT_EQ(exact_join(features, t, threads), expected) << shape.name << " at " << share;
        }
      }
    }
    EXPECT_GT(found, 0u) << shape.name;
  }
}

std::vector<Row> rows_up_to(std::size_t count) {
  std::vector<Row> rows(count);
  for (Row row = 0; row < count; ++row) rows[row] = row;
  return rows;
}

TEST(ExactJoin, EqualsBruteForceBetweenTwoCollections) {
  Random random(2);
  for (const Shape& shape : kShapes) {
    const std::vector<Set> sets = draw_corpus(random, shape, 150);
    const Features features = features_of(sets);
    for (const Row split : {1u, 40u, 149u}) {
      for (const Ratio t : {Ratio{2, 10}, Ratio{8, 10}, Ratio{1, 1}}) {
        for (const unsigned threads : {1u, 3u}) {
          const JoinResult found = join_exactly(features, rows_up_to(sets.size()), split, t, threads);
          ASSERT_EQ(found.matches, brute_force(sets, split, t)) << shape.name << " split at " << split;
        }
      }
    }
  }
}

TEST(ExactJoin, LooksAtItsMembersOnlyInWhateverOrder) {
  Random random(3);
  const std::vector<Set> sets = draw_corpus(random, kShapes[3], 100);
  std::vector<Row> members;
  for (Row row = 0; row < 100; row += 1 + static_cast<Row>(random() % 2)) members.push_back(row);
  const std::set<Row> wanted(members.begin(), members.end());
  Matches expected;
  for (const Match& match : brute_force(sets, 0, {4, 10})) {
    if (wanted.contains(match.a) && wanted.contains(match.b)) expected.push_back(match);
  }
  ASSERT_FALSE(expected.empty());
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(join_exactly(features_of(sets), members, 0, {4, 10}, 2).matches, expected);
    std::shuffle(members.begin(), members.end(), random);
  }
}

TEST(ExactJoin, LeavesOutEmptyItems) {
  const Features features = features_of({{}, {1, 2}, {}, {1, 2}, {}});
  EXPECT_EQ(exact_join(features, {1, 10}), (Matches{{1, 3, 2, 2}}));
  EXPECT_TRUE(exact_join(features_of({}), {8, 10}).empty());
  EXPECT_TRUE(exact_join(features_of({{}, {}}), {8, 10}).empty());
}

TEST(ExactJoin, TakesNoThreadsAsOneForEachCore) {
  EXPECT_EQ(exact_join(features_of({{1, 2}, {1, 2}}), {8, 10}, 0), (Matches{{0, 1, 2, 2}}));
}

TEST(ExactJoin, LooksAtFewPairsWhereElementsAreRare) {
  Random random(4);
  const Shape shape{"rare", 40, 60, 1'000'000, false, 0.1};
  const std::vector<Set> sets = draw_corpus(random, shape, 3000);
  const JoinResult found = join_exactly(features_of(sets), rows_up_to(sets.size()), 0, {8, 10}, 1);
  EXPECT_GT(found.matches.size(), 100u);
  EXPECT_LT(found.looked_at, 3000u);  // of 4.5 million pairs
}

}  // namespace
}  // namespace nearkin
