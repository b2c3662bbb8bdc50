#include "match/vector_parts.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "support/random_vectors.h"

namespace nearkin::vector_parts_test {
namespace {

using test::all_rows;
using test::distance_plan;
using test::look_at_all;
using test::NumberShape;
using test::similarity_plan;

struct Case {
  std::string name;
  Vectors vectors;
  Plan plan;
};

std::vector<Case> cases(std::uint64_t seed) {
  SplitMix random(seed);
  const NumberShape shape{.count = 150, .dimensions = 11, .whole = true, .negative = false, .filled = 0.5};
  const Vectors dense = random_dense(random, shape), sparse = random_sparse(random, shape);
  std::vector<std::vector<bool>> rows(400, std::vector<bool>(70));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && i % 3 == 0) rows[i] = rows[random() % i];
    for (std::size_t b = 0; b < 70; ++b) {
      if (i % 3 != 0) rows[i][b] = random() % 2 == 0;
    }
    for (std::uint64_t flips = random() % 4; flips > 0; --flips) rows[i][random() % 70].flip();
  }
  std::vector<Case> all{{"bits 3", test::bits_of(70, rows), distance_plan(Measure::hamming, 3)},
                        {"bits 25", test::bits_of(70, rows), distance_plan(Measure::hamming, 25)}};
  for (const auto& [kind, vectors] : {std::pair{"dense", dense}, std::pair{"sparse", sparse}}) {
    for (const double threshold : {0.5, 0.8, 1.0}) {
      all.push_back({std::string(kind) + " cosine", vectors, similarity_plan(Measure::cosine, threshold)});
      all.push_back({std::string(kind) + " weighted", vectors, similarity_plan(Measure::weighted_jaccard, threshold)});
    }
    for (const double radius : {0.0, 2.0, 5.0}) {
      all.push_back({std::string(kind) + " euclidean", vectors, distance_plan(Measure::euclidean, radius)});
      all.push_back({std::string(kind) + " manhattan", vectors, distance_plan(Measure::manhattan, radius)});
    }
  }
  return all;
}

TEST(VectorParts, GiveTheSameAsAsAWhole) {
  for (const Case& test_case : cases(1)) {
    const VectorRows rows = rows_in_memory(test_case.vectors);
    std::vector<Row> members = all_rows(test_case.vectors);
    std::shuffle(members.begin(), members.end(), std::mt19937_64(2));
    members.resize(members.size() * 3 / 4);
    for (const Row split : {0u, 50u}) {
      const Matches expected = look_at_all(test_case.vectors, members, split, test_case.plan);
      for (const std::uint64_t memory : {std::uint64_t{6'000}, std::uint64_t{30'000}, std::uint64_t{1} << 30}) {
        for (const unsigned threads : {1u, 3u}) {
          const JoinResult found = collect_matches(threads, [&](const MatchSink& emit) {
            return join_vectors(rows, members, split, test_case.plan, {memory, threads}, emit);
          });
          ASSERT_EQ(found.matches, expected) << test_case.name << " with " << memory << " bytes";
        }
      }
    }
  }
}

TEST(VectorParts, LeaveOutWhatIsToBeSkipped) {
  const SkipPair skip = [](Row a, Row b) { return (a + b) % 3 == 0; };
  for (const Case& test_case : cases(3)) {
    const std::vector<Row> members = all_rows(test_case.vectors);
    Matches expected = look_at_all(test_case.vectors, members, 0, test_case.plan);
    std::erase_if(expected, [&](const Match& match) { return skip(match.a, match.b); });
    for (const std::uint64_t memory : {std::uint64_t{30'000}, std::uint64_t{1} << 30}) {
      const JoinResult found = collect_matches(2, [&](const MatchSink& emit) {
        return join_vectors(rows_in_memory(test_case.vectors), members, 0, test_case.plan, {memory, 2}, emit, skip);
      });
      ASSERT_EQ(found.matches, expected) << test_case.name;
    }
  }
}

// Greedy stars over all matches, by the stage that makes them.
std::vector<Removed> from_matches(const Matches& matches, std::span<const Row> order) {
  const Clusters clusters = cluster(matches, order.size(), Linkage::star, order);
  std::vector<Removed> removed;
  for (const Row row : order) {
    const Row keeper = clusters.keeper[clusters.cluster[row]];
    if (keeper == row) continue;
    const auto match = std::find_if(matches.begin(), matches.end(), [&](const Match& m) {
      return Pair{m.a, m.b} == Pair{std::min(row, keeper), std::max(row, keeper)};
    });
    removed.push_back({row, keeper, 0, 0, match->value});
  }
  return removed;
}

TEST(VectorParts, StarsAreWhatGreedyStarsOverAllMatchesAre) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 random(seed);
    for (const Case& test_case : cases(10 + seed)) {
      std::vector<Row> order = all_rows(test_case.vectors);
      if (seed % 2 == 0) std::shuffle(order.begin(), order.end(), random);
      const Matches matches = look_at_all(test_case.vectors, order, 0, test_case.plan);
      const std::vector<Removed> expected = from_matches(matches, order);
      for (const std::uint64_t memory : {std::uint64_t{20'000}, std::uint64_t{100'000}, std::uint64_t{1} << 30}) {
        for (const unsigned threads : {1u, 3u}) {
          const StarResult result = star_vectors(rows_in_memory(test_case.vectors), order, test_case.plan, {memory, threads});
          ASSERT_EQ(result.removed, expected) << test_case.name << " with " << memory << " bytes";
        }
      }
    }
  }
}

TEST(VectorParts, StarsOfNearCopiesLookAtFewPairs) {
  SplitMix random(5);
  std::vector<std::vector<float>> rows(5000, std::vector<float>(16, 1));
  for (std::vector<float>& row : rows) row[random() % 16] = static_cast<float>(1 + test::uniform(random) / 100);
  const Vectors vectors = test::dense_of(16, rows);
  const StarResult result = star_vectors(rows_in_memory(vectors), all_rows(vectors), similarity_plan(Measure::cosine, 0.9), {.threads = 2});
  EXPECT_EQ(result.removed.size(), rows.size() - 1);
  EXPECT_EQ(result.looked_at, rows.size() - 1);
}

TEST(VectorParts, OfNothingAreNothing) {
  const Vectors none;
  const auto refuse = [](std::span<const Match>) { FAIL(); };
  join_vectors(rows_in_memory(none), {}, 0, distance_plan(Measure::euclidean, 1), {}, refuse);
  EXPECT_TRUE(star_vectors(rows_in_memory(none), {}, distance_plan(Measure::euclidean, 1), {}).removed.empty());
}

TEST(VectorParts, NoThreadsAreOneForEachCore) {
  const Vectors vectors = test::dense_of(1, {{0}, {1}, {9}});
  EXPECT_EQ(exact_join(vectors, distance_plan(Measure::euclidean, 2), 0), (Matches{{0, 1, 0, 0, 1}}));
}

}  // namespace
}  // namespace nearkin::vector_parts_test
