#include "match/space.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "support/random_vectors.h"

namespace nearkin::space_test {
namespace {

using test::bits_of;
using test::dense_of;
using test::distance_plan;
using test::NumberShape;
using test::random_bits;
using test::random_dense;
using test::random_rows;
using test::random_sparse;
using test::similarity_plan;
using test::sparse_of;

double value_of(const Vectors& vectors, Measure measure) { return Space(vectors, vectors, measure).value(0, 1); }

TEST(Space, GivesTheValuesOfSmallExamples) {
  const Vectors dense = dense_of(3, {{1, 2, 2}, {4, 2, 6}});
  EXPECT_DOUBLE_EQ(value_of(dense, Measure::cosine), 20 / (3 * std::sqrt(56.0)));
  EXPECT_DOUBLE_EQ(value_of(dense, Measure::weighted_jaccard), 5.0 / 12);
  EXPECT_EQ(value_of(dense, Measure::euclidean), 5);
  EXPECT_EQ(value_of(dense, Measure::manhattan), 7);
  const Vectors sparse = sparse_of({{{1, 1}, {7, 2}, {9, 2}}, {{1, 4}, {8, 2}, {9, 6}}});
  EXPECT_DOUBLE_EQ(value_of(sparse, Measure::cosine), 16 / (3 * std::sqrt(56.0)));
  EXPECT_DOUBLE_EQ(value_of(sparse, Measure::weighted_jaccard), 3.0 / 14);
  EXPECT_EQ(value_of(sparse, Measure::euclidean), std::sqrt(33.0));
  EXPECT_EQ(value_of(sparse, Measure::manhattan), 11);
  EXPECT_EQ(value_of(bits_of(5, {{1, 0, 1, 1, 0}, {0, 0, 1, 0, 1}}), Measure::hamming), 3);
}

// Each measure by its definition, in more precision than the library has.
double by_definition(const std::vector<float>& a, const std::vector<float>& b, Measure measure) {
  long double dot = 0, aa = 0, bb = 0, least = 0, most = 0, squares = 0, sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double x = a[i], y = b[i];
    dot += x * y;
    aa += x * x;
    bb += y * y;
    least += std::min(x, y);
    most += std::max(x, y);
    squares += (x - y) * (x - y);
    sum += std::abs(x - y);
  }
  switch (measure) {
    case Measure::cosine: return static_cast<double>(dot / std::sqrt(aa * bb));
    case Measure::weighted_jaccard: return static_cast<double>(least / most);
    case Measure::euclidean: return static_cast<double>(std::sqrt(squares));
    default: return static_cast<double>(sum);
  }
}

TEST(Space, AgreesWithTheDefinitionsAndIsSymmetricToTheLastBit) {
  SplitMix random(1);
  for (const Measure measure : {Measure::cosine, Measure::weighted_jaccard, Measure::euclidean, Measure::manhattan}) {
    for (const std::uint32_t dimensions : {1u, 7u, 65u, 784u}) {
      const bool negative = measure != Measure::weighted_jaccard;
      const NumberShape shape{.count = 12, .dimensions = dimensions, .whole = false, .negative = negative, .filled = 0.6};
      SplitMix again = random;
      const std::vector<std::vector<float>> rows = random_rows(random, shape);
      const Vectors dense = dense_of(dimensions, rows), sparse = random_sparse(again, shape);
      const Space dense_space(dense, dense, measure), sparse_space(sparse, sparse, measure);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
          const double expected = by_definition(rows[i], rows[j], measure);
          EXPECT_NEAR(dense_space.value(i, j), expected, 1e-12 * (1 + expected)) << name(measure) << ' ' << dimensions;
          EXPECT_NEAR(sparse_space.value(i, j), expected, 1e-12 * (1 + expected)) << name(measure) << ' ' << dimensions;
          EXPECT_EQ(dense_space.value(i, j), dense_space.value(j, i));
          EXPECT_EQ(sparse_space.value(i, j), sparse_space.value(j, i));
        }
      }
    }
  }
}

TEST(Space, EqualVectorsAreAtDistanceZeroAndWholeSimilarity) {
  SplitMix random(2);
  const NumberShape shape{.count = 50, .dimensions = 33, .whole = false, .negative = false, .filled = 0.5};
  for (const Vectors& vectors : {random_dense(random, shape), random_sparse(random, shape)}) {
    const Space cosine(vectors, vectors, Measure::cosine), jaccard(vectors, vectors, Measure::weighted_jaccard);
    const Space euclidean(vectors, vectors, Measure::euclidean), manhattan(vectors, vectors, Measure::manhattan);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      EXPECT_NEAR(cosine.value(i, i), 1, 1e-15);
      EXPECT_LE(cosine.value(i, i), 1);
      EXPECT_EQ(jaccard.value(i, i), 1);
      EXPECT_EQ(euclidean.value(i, i), 0);
      EXPECT_EQ(manhattan.value(i, i), 0);
    }
  }
}

TEST(Space, CountsBitsOfAnyWidth) {
  SplitMix random(3);
  for (const std::uint32_t width : {1u, 7u, 64u, 65u, 256u, 1000u}) {
    const Vectors vectors = random_bits(random, {.count = 20, .dimensions = width});
    const Space space(vectors, vectors, Measure::hamming);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      for (std::size_t j = 0; j < vectors.size(); ++j) {
        std::uint64_t differ = 0;
        for (std::size_t b = 0; b < width; ++b) differ += ((vectors.bits(i)[b / 64] ^ vectors.bits(j)[b / 64]) >> (b % 64)) & 1;
        EXPECT_EQ(space.value(i, j), static_cast<double>(differ)) << width;
      }
    }
  }
}

TEST(Space, AQueryWithNormsAtHandHasTheValuesOfTheWholeSpace) {
  SplitMix random(4);
  const NumberShape shape{.count = 20, .dimensions = 19, .whole = false, .negative = false, .filled = 0.7};
  for (const bool dense : {true, false}) {
    const Vectors queries = dense ? random_dense(random, shape) : random_sparse(random, shape);
    const Vectors items = dense ? random_dense(random, shape) : random_sparse(random, shape);
    for (const Measure measure : {Measure::cosine, Measure::weighted_jaccard, Measure::euclidean, Measure::manhattan}) {
      const Norms norms = norms_of(items, measure);
      const Space whole(queries, items, measure);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        Space made(queries, i, items, norms, measure);
        const Space one = std::move(made);
        for (std::size_t j = 0; j < items.size(); ++j) EXPECT_EQ(one.value(i, j), whole.value(i, j));
      }
    }
  }
}

TEST(Space, NumbersAtTheEndsOfTheirRangeKeepTheirSimilarity) {
  for (const double scale : {1e300, 1.0, 1e-300}) {
    const Vectors cosine = sparse_of({{{1, 1 * scale}}, {{1, 4 * scale}, {2, 3 * scale}}});
    EXPECT_NEAR(value_of(cosine, Measure::cosine), 0.8, 1e-12) << scale;
    const Vectors jaccard = sparse_of({{{1, 9e7 * scale}, {2, 3e7 * scale}}, {{1, 9e7 * scale}, {3, 3e7 * scale}}});
    EXPECT_NEAR(value_of(jaccard, Measure::weighted_jaccard), 0.6, 1e-12) << scale;
  }
}

TEST(Space, VectorsWithoutLengthAreSimilarToNothing) {
  for (const Measure measure : {Measure::cosine, Measure::weighted_jaccard}) {
    EXPECT_EQ(value_of(dense_of(2, {{0, 0}, {1, 2}}), measure), 0);
    EXPECT_EQ(value_of(dense_of(2, {{0, 0}, {0, 0}}), measure), 0);
    EXPECT_EQ(value_of(sparse_of({{}, {{3, 1}}}), measure), 0);
    EXPECT_EQ(value_of(sparse_of({{}, {}}), measure), 0);
  }
}

TEST(Space, RefusesWhatAMeasureDoesNotCompare) {
  const Vectors dense = dense_of(2, {{1, 2}}), wider = dense_of(3, {{1, 2, 3}}), bits = bits_of(2, {{true, false}});
  EXPECT_THROW(Space(dense, dense, Measure::hamming), Error);
  EXPECT_THROW(Space(bits, bits, Measure::cosine), Error);
  EXPECT_THROW(Space(dense, dense, Measure::jaccard), Error);
  EXPECT_THROW(Space(dense, wider, Measure::cosine), Error);
  EXPECT_THROW(Space(dense, bits, Measure::cosine), Error);
  EXPECT_NO_THROW(Space(Vectors{}, dense, Measure::cosine));
}

TEST(Border, TakesTiesIn) {
  EXPECT_TRUE(Border(similarity_plan(Measure::cosine, 0.8), 0).inside(value_of(dense_of(2, {{1, 0}, {4, 3}}), Measure::cosine)));
  EXPECT_FALSE(Border(similarity_plan(Measure::cosine, 0.8), 0).inside(0.7999999));
  EXPECT_TRUE(Border(distance_plan(Measure::euclidean, 5), 0).inside(value_of(dense_of(2, {{1, 1}, {4, 5}}), Measure::euclidean)));
  EXPECT_TRUE(Border(distance_plan(Measure::euclidean, 0.3), 0).inside(0.1 + 0.2));
  EXPECT_FALSE(Border(distance_plan(Measure::euclidean, 0.3), 0).inside(0.3000001));
  EXPECT_TRUE(Border(distance_plan(Measure::hamming, 3), 8).inside(3));
  EXPECT_FALSE(Border(distance_plan(Measure::hamming, 3), 8).inside(4));
}

TEST(Border, ReadsARadiusBelowOneAsAShareOfTheBits) {
  EXPECT_EQ(Border(distance_plan(Measure::hamming, 0.29), 100).limit(), 29);
  EXPECT_EQ(Border(distance_plan(Measure::hamming, 0.1), 256).limit(), 25);
  EXPECT_EQ(Border(distance_plan(Measure::hamming, 0), 256).limit(), 0);
  EXPECT_EQ(Border(distance_plan(Measure::hamming, 1), 256).limit(), 1);
}

TEST(Better, IsMoreSimilarOrNearer) {
  EXPECT_TRUE(better(Measure::cosine, 0.9, 0.8));
  EXPECT_FALSE(better(Measure::cosine, 0.8, 0.8));
  EXPECT_TRUE(better(Measure::hamming, 3, 4));
}

TEST(VerifyVectors, KeepsTheOrderOfThePairsOnAnyNumberOfThreads) {
  SplitMix random(5);
  const Vectors vectors = random_dense(random, {.count = 120, .dimensions = 8, .whole = true, .negative = false});
  Pairs pairs;
  for (Row b = 119; b > 0; --b) {
    for (Row a = 0; a < b; ++a) pairs.push_back({a, b});
  }
  const Plan cosine = similarity_plan(Measure::cosine, 0.9);
  for (const Plan& plan : {cosine, distance_plan(Measure::euclidean, 3), distance_plan(Measure::manhattan, 6)}) {
    const Space space(vectors, vectors, plan.measure);
    const Border border(plan, 8);
    Matches expected;
    double closest = 0;
    for (const auto [a, b] : pairs) {
      const double value = space.value(a, b);
      if (border.inside(value)) expected.push_back({a, b, 0, 0, value});
      if (!border.inside(value) && (closest == 0 || better(plan.measure, value, closest))) closest = value;
    }
    ASSERT_FALSE(expected.empty());
    for (const unsigned threads : {1u, 4u}) {
      const VerifyResult result = verify_vectors(pairs, vectors, plan, threads);
      EXPECT_EQ(result.matches, expected);
      EXPECT_EQ(result.closest_below, closest);
    }
  }
}

TEST(VerifyVectors, OfNoPairsIsNothing) {
  const VerifyResult result = verify_vectors({}, dense_of(1, {{1}}), distance_plan(Measure::euclidean, 1), 2);
  EXPECT_TRUE(result.matches.empty());
  EXPECT_EQ(result.closest_below, 0);
}

}  // namespace
}  // namespace nearkin::space_test
