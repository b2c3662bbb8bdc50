#include "match/star.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "match/containment.h"
#include "match/exact_join.h"
#include "support/random_corpora.h"
#include "support/spilled_rows.h"

namespace nearkin::star_test {
namespace {

using test::draw_corpus;
using test::features_of;
using test::kCorpusShapes;
using test::Random;
using test::rows_up_to;
using test::Set;

// Greedy stars over all matches, by the stage that makes them.
std::vector<Removed> from_matches(const Matches& matches, std::span<const Row> order, bool directed) {
  const Clusters clusters = cluster(matches, order.size(), Linkage::star, order, directed);
  std::map<std::pair<Row, Row>, const Match*> found;
  for (const Match& match : matches) {
    found[{match.a, match.b}] = &match;
    if (!directed) found[{match.b, match.a}] = &match;
  }
  std::vector<Removed> removed;
  for (const Row row : order) {
    const Row keeper = clusters.keeper[clusters.cluster[row]];
    if (keeper != row) removed.push_back({row, keeper, found.at({row, keeper})->shared, found.at({row, keeper})->total});
  }
  return removed;
}

struct Case {
  std::vector<Set> sets;
  std::vector<Row> order;
  Ratio threshold;
  bool directed;
};

StarResult star(const Case& test_case, const RowBytes& sets, const JoinLimits& limits) {
  return test_case.directed ? star_containment(sets, test_case.order, test_case.threshold, limits)
                            : star_exactly(sets, test_case.order, test_case.threshold, limits);
}

void expect_greedy(const Case& test_case, const std::string& name) {
  const Features features = features_of(test_case.sets);
  const JoinResult all = test_case.directed ? join_containment(features, test_case.order, 0, test_case.threshold, 1)
                                            : join_exactly(features, test_case.order, 0, test_case.threshold, 1);
  const std::vector<Removed> expected = from_matches(all.matches, test_case.order, test_case.directed);
  const StarResult one = star(test_case, rows_in_memory(features, 1), {.threads = 1});
  ASSERT_EQ(one.removed, expected) << name;
  for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{30'000}, std::uint64_t{200'000}, std::uint64_t{1} << 30}) {
    for (unsigned threads = 1; threads <= 4; ++threads) {
      const StarResult other = star(test_case, test::rows_in_buffers(test_case.sets, threads), {memory, threads});
      ASSERT_EQ(other.removed, expected) << name << " with " << memory << " bytes on " << threads << " threads";
      if (memory < 200'000) continue;  // with less, the counters are fewer
      EXPECT_EQ(other.looked_at, one.looked_at);
      EXPECT_EQ(other.closest_below, one.closest_below);
    }
  }
}

TEST(Star, IsWhatGreedyStarsOverAllMatchesAre) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    for (const test::CorpusShape& shape : kCorpusShapes) {
      const std::vector<Set> sets = draw_corpus(random, shape, 40 + random() % 120);
      std::vector<Row> order = rows_up_to(sets.size());
      if (seed % 3 == 1) std::reverse(order.begin(), order.end());
      if (seed % 3 == 2) std::shuffle(order.begin(), order.end(), random);
      for (const Ratio t : {Ratio{1, 10}, Ratio{5, 10}, Ratio{8, 10}, Ratio{95, 100}, Ratio{1, 1}}) {
        for (const bool directed : {false, true}) expect_greedy({sets, order, t, directed}, shape.name);
      }
    }
  }
}

// More than one batch, so that several indexes are merged.
TEST(Star, OfManyBatchesIsTheSame) {
  Random random(9);
  for (const bool directed : {false, true}) {
    const std::vector<Set> sets = test::short_sentences(random, 9000, 3000);
    std::vector<Row> order = rows_up_to(sets.size());
    std::shuffle(order.begin(), order.end(), random);
    const Features features = features_of(sets);
    const Ratio t{8, 10};
    const JoinResult all = directed ? join_containment(features, order, 0, t, 2) : join_exactly(features, order, 0, t, 2);
    const std::vector<Removed> expected = from_matches(all.matches, order, directed);
    EXPECT_GT(expected.size(), 500u);
    const Case test_case{sets, order, t, directed};
    EXPECT_EQ(star(test_case, rows_in_memory(features, 2), {.threads = 2}).removed, expected);
    EXPECT_EQ(star(test_case, test::rows_in_buffers(sets, 3), {600'000, 3}).removed, expected);
  }
}

// Each is held against the one that is kept, not against all the others.
TEST(Star, OfNearCopiesLooksAtOnePairForEach) {
  Random random(10);
  const std::vector<Set> sets = test::near_copies(random, 20'000);
  const Features features = features_of(sets);
  for (const bool directed : {false, true}) {
    const StarResult result = star({{}, rows_up_to(sets.size()), {8, 10}, directed}, rows_in_memory(features, 2), {.threads = 2});
    EXPECT_EQ(result.removed.size(), sets.size() - 1);
    EXPECT_EQ(result.looked_at, sets.size() - 1);
    for (const Removed& removed : result.removed) ASSERT_EQ(removed.keeper, 0u);
  }
}

TEST(Star, OfNothingIsNothing) {
  const Features features;
  EXPECT_TRUE(star_exactly(rows_in_memory(features, 1), {}, {8, 10}, {}).removed.empty());
  EXPECT_TRUE(star_containment(rows_in_memory(features, 1), {}, {8, 10}, {}).removed.empty());
}

}  // namespace
}  // namespace nearkin::star_test
