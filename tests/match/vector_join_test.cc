#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <nearkin/tools/names.h>

#include "match/space.h"
#include "support/random_vectors.h"

namespace nearkin::vector_join_test {
namespace {

using test::all_rows;
using test::dense_of;
using test::distance_plan;
using test::look_at_all;
using test::NumberShape;
using test::random_dense;
using test::random_sparse;
using test::similarity_plan;
using test::sparse_of;

// Every road must give the very same values, not only the same pairs; looked_at and closest_below may not depend on the threads.
void expect_exact(const Vectors& vectors, const std::vector<Row>& members, Row split, const Plan& plan) {
  const Matches expected = look_at_all(vectors, members, split, plan);
  const VectorJoinResult one = join_vectors(vectors, members, split, plan, 1), four = join_vectors(vectors, members, split, plan, 4);
  EXPECT_EQ(one.matches, expected);
  EXPECT_EQ(four.matches, expected);
  EXPECT_EQ(one.looked_at, four.looked_at);
  EXPECT_EQ(one.closest_below, four.closest_below);
  EXPECT_GE(one.looked_at, expected.size());
  EXPECT_TRUE(one.closest_below == 0 || !Border(plan, vectors.dimensions).inside(one.closest_below));
}

std::vector<Plan> plans_for(Measure measure, std::uint32_t dimensions) {
  std::vector<Plan> plans;
  if (!is_distance(measure)) {
    for (const double threshold : {0.0, 0.1, 0.5, 0.6, 0.8, 0.95, 1.0}) plans.push_back(similarity_plan(measure, threshold));
  } else {
    for (const double radius : {0.0, 0.5, 1.0, 2.0, 5.0, 0.3 * dimensions, 1e6}) plans.push_back(distance_plan(measure, radius));
  }
  return plans;
}

TEST(VectorJoin, FindsWhatLookingAtAllPairsFinds) {
  SplitMix random(1);
  for (const Measure measure : {Measure::cosine, Measure::weighted_jaccard, Measure::euclidean, Measure::manhattan}) {
    for (const std::uint32_t dimensions : {1u, 7u, 65u, 784u}) {
      for (const bool whole : {true, false}) {
        const NumberShape shape{.count = dimensions > 100 ? 40u : 90u,
                                .dimensions = dimensions,
                                .whole = whole,
                                .negative = measure != Measure::weighted_jaccard && !whole,
                                .filled = dimensions > 100 ? 0.1 : 0.7};
        for (const Vectors& vectors : {random_dense(random, shape), random_sparse(random, shape)}) {
          for (const Plan& plan : plans_for(measure, dimensions)) {
            SCOPED_TRACE(std::string(name(measure)) + " " + std::to_string(dimensions) + (whole ? " whole " : " ") +
                         std::to_string(plan.threshold.value()) + " " + std::to_string(plan.radius));
            expect_exact(vectors, all_rows(vectors), 0, plan);
            expect_exact(vectors, all_rows(vectors), 15, plan);
          }
        }
      }
    }
  }
}

TEST(VectorJoin, TakesMembersInAnyOrderAndNoOthers) {
  SplitMix random(2);
  const NumberShape shape{.count = 200, .dimensions = 9, .whole = true, .negative = false, .filled = 0.5};
  for (const Vectors& vectors : {random_dense(random, shape), random_sparse(random, shape)}) {
    std::vector<Row> members = all_rows(vectors);
    std::shuffle(members.begin(), members.end(), std::mt19937_64(3));
    members.resize(120);
    for (const Row split : {0u, 1u, 60u, 100u, 199u, 200u}) {
      expect_exact(vectors, members, split, similarity_plan(Measure::cosine, 0.8));
      expect_exact(vectors, members, split, similarity_plan(Measure::weighted_jaccard, 0.6));
      expect_exact(vectors, members, split, distance_plan(Measure::euclidean, 2));
    }
  }
}

TEST(VectorJoin, TakesTiesInOnEveryRoad) {
  const Vectors dense = dense_of(2, {{1, 0}, {4, 3}, {8, 6}, {3, 4}});
  const Vectors sparse = sparse_of({{{0, 1}}, {{0, 4}, {9, 3}}, {{0, 8}, {9, 6}}, {{0, 3}, {9, 4}}});
  for (const Vectors& vectors : {dense, sparse}) {
    const auto pairs = [&](const Plan& plan) {
      std::vector<Pair> found;
      for (const Match& match : join_vectors(vectors, all_rows(vectors), 0, plan, 1).matches) found.push_back({match.a, match.b});
      return found;
    };
    EXPECT_EQ(pairs(similarity_plan(Measure::cosine, 0.8)), (std::vector<Pair>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(pairs(similarity_plan(Measure::weighted_jaccard, 0.5)), (std::vector<Pair>{{1, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(pairs(distance_plan(Measure::euclidean, 5)), (std::vector<Pair>{{0, 1}, {0, 3}, {1, 2}, {1, 3}}));
    EXPECT_EQ(pairs(distance_plan(Measure::manhattan, 6)), (std::vector<Pair>{{0, 1}, {0, 3}, {1, 3}}));
  }
}

// Points on one ray, far out: the difference of the norms is the distance, so that their rounding could lose pairs at the radius.
TEST(VectorJoin, LosesNoPairWhoseNormsDifferByTheWholeRadius) {
  SplitMix random(4);
  for (const Measure measure : {Measure::euclidean, Measure::manhattan}) {
    std::vector<float> direction(37);
    for (float& x : direction) x = static_cast<float>(1 + random() % 3);
    std::vector<std::vector<float>> rows(200, direction);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (float& x : rows[i]) x *= static_cast<float>((1 << 20) + i % 64);
    }
    const Vectors vectors = dense_of(37, rows);
    const double step = Space(vectors, vectors, measure).value(0, 1);
    for (const double radius : {step / 2, step, 3 * step}) expect_exact(vectors, all_rows(vectors), 0, distance_plan(measure, radius));
  }
}

TEST(VectorJoin, SkewedSparseVectorsOfAnySignAreJoinedExactly) {
  SplitMix random(5);
  std::vector<std::map<std::uint64_t, double>> rows(300);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 3 == 2) rows[i] = rows[random() % i];
    for (std::uint64_t n = 1 + random() % 20; i % 3 != 2 && n > 0; --n) {
      const double u = test::uniform(random);
      rows[i][static_cast<std::uint64_t>(u * u * u * 500)] = (test::uniform(random) + 0.01) * (random() % 4 == 0 ? -1 : 1);
    }
    rows[i][1000] = 0.3;  // in every vector
    rows[i][random() % 50] = 0.4;
  }
  const Vectors vectors = sparse_of(rows);
  for (const double threshold : {0.05, 0.3, 0.7, 0.9, 0.99}) {
    expect_exact(vectors, all_rows(vectors), 0, similarity_plan(Measure::cosine, threshold));
  }
}

TEST(VectorJoin, TheIndexLooksAtFewPairsOfSparseVectors) {
  SplitMix random(6);
  const Vectors vectors = random_sparse(random, {.count = 1000, .dimensions = 400, .whole = false, .negative = false, .filled = 0.03});
  for (const Measure measure : {Measure::cosine, Measure::weighted_jaccard}) {
    const VectorJoinResult result = join_vectors(vectors, all_rows(vectors), 0, similarity_plan(measure, 0.8), 2);
    EXPECT_GT(result.matches.size(), 100u);
    EXPECT_LT(result.looked_at, 5'000u) << name(measure);
  }
}

TEST(VectorJoin, NumbersAtTheEndsOfTheirRangeLoseNoPair) {
  const Vectors vectors = sparse_of({{{1, 1e300}}, {{1, 4e-300}, {2, 3e-300}}, {{1, 4}, {2, 3}}, {{3, 1e-320}}, {{3, 5}}});
  expect_exact(vectors, all_rows(vectors), 0, similarity_plan(Measure::cosine, 0.8));
  EXPECT_EQ(join_vectors(vectors, all_rows(vectors), 0, similarity_plan(Measure::cosine, 0.8), 1).matches.size(), 4u);
  expect_exact(vectors, all_rows(vectors), 0, distance_plan(Measure::euclidean, 10));
}

TEST(VectorJoin, NamesTheClosestThatStayedOutside) {
  const Vectors vectors = dense_of(1, {{0}, {10}, {13}});
  const VectorJoinResult result = join_vectors(vectors, all_rows(vectors), 0, distance_plan(Measure::euclidean, 2.9999999999), 1);
  EXPECT_TRUE(result.matches.empty());
  EXPECT_LE(result.looked_at, 3u);
  EXPECT_TRUE(result.closest_below == 0 || result.closest_below == 3);
  const Vectors angles = dense_of(2, {{1, 0}, {4, 3}, {0, 1}});
  EXPECT_DOUBLE_EQ(join_vectors(angles, all_rows(angles), 0, similarity_plan(Measure::cosine, 0.9), 1).closest_below, 0.8);
}

TEST(VectorJoin, OfOneOrNoItemIsNothing) {
  for (const Vectors& vectors : {dense_of(2, {{1, 2}}), sparse_of({{{1, 2.0}}})}) {
    for (const Plan& plan : {similarity_plan(Measure::cosine, 0.5), distance_plan(Measure::euclidean, 1)}) {
      EXPECT_TRUE(join_vectors(vectors, all_rows(vectors), 0, plan, 2).matches.empty());
      EXPECT_TRUE(join_vectors(vectors, {}, 0, plan, 2).matches.empty());
      EXPECT_TRUE(join_vectors(vectors, {}, 1, plan, 2).matches.empty());
    }
  }
  EXPECT_TRUE(join_vectors({}, {}, 0, distance_plan(Measure::euclidean, 1), 1).matches.empty());
}

}  // namespace
}  // namespace nearkin::vector_join_test
