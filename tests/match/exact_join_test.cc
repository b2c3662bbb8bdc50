#include "match/exact_join.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "support/random_corpora.h"
#include "support/spilled_rows.h"

namespace nearkin::exact_join_test {
namespace {

using test::draw_corpus;
using test::features_of;
using test::kCorpusShapes;
using test::Random;
using test::rows_up_to;
using test::Set;
using Shape = test::CorpusShape;

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

TEST(ExactJoin, EqualsBruteForce) {
  Random random(1);
  for (const Shape& shape : kCorpusShapes) {
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

TEST(ExactJoin, EqualsBruteForceBetweenTwoCollections) {
  Random random(2);
  for (const Shape& shape : kCorpusShapes) {
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
  const std::vector<Set> sets = draw_corpus(random, kCorpusShapes[3], 100);
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

// Beyond what a small counter holds the order must still be by frequency: otherwise the candidates grow with the cube of the items.
TEST(ExactJoin, LooksAtAtMostFiveTimesAsManyPairsOfTwiceAsManyShortSentences) {
  Random random(5);
  const std::vector<Set> sets = test::short_sentences(random, 20'000, 4000);
  const Features features = features_of(sets);
  std::uint64_t before = 0;
  for (const std::size_t count : {5'000u, 10'000u, 20'000u}) {
    const JoinResult found = join_exactly(features, rows_up_to(count), 0, {8, 10}, 2);
    EXPECT_GT(found.matches.size(), count / 20);
    EXPECT_LT(found.looked_at, 20 * count) << count;
    EXPECT_LT(found.looked_at, before == 0 ? UINT64_MAX : 5 * before) << count;
    before = found.looked_at;
  }
}

struct Joined {
  Matches matches;  // ascending
  JoinNotes notes;
};

Joined join_rows(const RowBytes& sets, std::span<const Row> members, Row split, Ratio t, const JoinLimits& limits) {
  Joined joined;
  const auto take = [&](std::span<const Match> matches) { joined.matches.insert(joined.matches.end(), matches.begin(), matches.end()); };
  joined.notes = join_exactly(sets, members, split, t, limits, take);
  std::sort(joined.matches.begin(), joined.matches.end(), [](const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; });
  return joined;
}

TEST(ExactJoin, GivesTheSameInPartsAsAsAWhole) {
  Random random(6);
  for (const Shape& shape : kCorpusShapes) {
    const std::vector<Set> sets = draw_corpus(random, shape, 150);
    const Features features = features_of(sets);
    std::vector<Row> members = rows_up_to(sets.size());
    std::shuffle(members.begin(), members.end(), random);
    for (const Row split : {0u, 60u}) {
      for (const Ratio t : {Ratio{2, 10}, Ratio{8, 10}, Ratio{1, 1}}) {
        const JoinResult whole = join_exactly(features, members, split, t, 1);
        EXPECT_EQ(whole.matches, brute_force(sets, split, t));
        for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{12'000}, std::uint64_t{40'000}, std::uint64_t{1} << 30}) {
          for (const unsigned threads : {1u, 3u}) {
            const Joined parts = join_rows(test::rows_in_buffers(sets, threads), members, split, t, {memory, threads});
            ASSERT_EQ(parts.matches, whole.matches) << shape.name << " with " << memory << " bytes";
            if (memory > 12'000) {  // with less, the counters are fewer
              EXPECT_EQ(parts.notes.looked_at, whole.looked_at);
              EXPECT_EQ(parts.notes.closest_below, whole.closest_below);
            }
          }
        }
      }
    }
  }
}

TEST(ExactJoin, HandsMatchesOnInBlocksHoweverManyThereAre) {
  Random random(7);
  const std::vector<Set> sets(600, Set{1ull << 40, 2ull << 40, 3ull << 40});
  std::size_t blocks = 0, largest = 0, all = 0;
  const auto count = [&](std::span<const Match> matches) {
    ++blocks;
    largest = std::max(largest, matches.size());
    all += matches.size();
  };
  join_exactly(test::rows_in_buffers(sets, 2), rows_up_to(sets.size()), 0, {8, 10}, {.threads = 2}, count);
  EXPECT_EQ(all, 600u * 599 / 2);
  EXPECT_GT(blocks, 30u);
  EXPECT_LT(largest, 6000u);
}

}  // namespace
}  // namespace nearkin::exact_join_test
