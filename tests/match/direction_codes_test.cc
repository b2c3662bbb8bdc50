#include "match/direction_codes.h"

#include <cmath>

#include <gtest/gtest.h>

#include "match/space.h"
#include "support/query_support.h"

namespace nearkin::direction_codes_test {
namespace {

std::vector<Row> all_rows(const Vectors& vectors) {
  std::vector<Row> rows(vectors.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Row>(i);
  return rows;
}

struct Passed {
  std::size_t codes = 0, all = 0;
};

// Every item is within its own distance: no score may say otherwise. Counts the items that codes pass at half of it.
Passed check_bounds(const Vectors& vectors, const Vectors& queries, Measure measure, const char* what) {
  const DirectionCodes codes(vectors, all_rows(vectors), measure, 1);
  const Space space(queries, vectors, measure);
  CodeAim aim(codes);
  std::vector<std::int32_t> scores;
  const std::vector<std::uint32_t> items = all_rows(vectors);
  Passed passed;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    aim.aim(queries, q);
    for (std::size_t level = 0; level < aim.levels(); ++level) {
      level == 0 ? aim.score(0, vectors.size(), scores) : aim.score(level, items, scores);
      EXPECT_EQ(scores.size(), vectors.size());
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        const double distance = aim.distance_at(space.value(q, i));
        EXPECT_LE(scores[i], aim.most(level, distance)) << what << " query " << q << " item " << i << " level " << level;
        passed.codes += scores[i] <= aim.most(level, distance / 2);
      }
      passed.all += vectors.size();
    }
  }
  return passed;
}

TEST(DirectionCodes, NeverRuleOutWhatIsNear) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    for (const std::uint32_t dimensions : {1, 2, 3, 22, 23, 24, 25, 59, 60, 61, 119, 120, 255, 256, 257, 300}) {
      for (const double offset : {0.0, 100.0}) {
        const Vectors vectors = test::dense_groups(150, dimensions, dimensions, offset);
        check_bounds(vectors, test::dense_groups(10, dimensions, 7, offset), measure, "groups");
      }
    }
  }
}

TEST(DirectionCodes, NeverRuleOutWhatIsNearAmongOddVectors) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    Vectors vectors = test::dense_groups(200, 40, 3);
    // All equal; far longer and far shorter than the others; the largest and the smallest numbers there are.
    for (std::size_t i = 40; i < 60; ++i)
      std::copy_n(vectors.numbers.begin(), 40, vectors.numbers.begin() + static_cast<std::ptrdiff_t>(i * 40));
    for (std::size_t c = 0; c < 40; ++c) vectors.numbers[70 * 40 + c] *= 1e20f, vectors.numbers[71 * 40 + c] *= 1e-20f;
    for (std::size_t c = 0; c < 40; ++c) vectors.numbers[72 * 40 + c] = c % 2 == 0 ? 3e38f : -3e38f, vectors.numbers[73 * 40 + c] = 1e-45f;
    check_bounds(vectors, vectors, measure, "odd");
    Vectors equal = test::dense_groups(1, 40, 4);
    for (int i = 0; i < 20; ++i) equal.numbers.insert(equal.numbers.end(), equal.numbers.begin(), equal.numbers.begin() + 40);
    equal.count = 21;
    check_bounds(equal, equal, measure, "equal");
    check_bounds(equal, vectors, measure, "others among equal ones");
  }
}

// Vectors near a few directions.
Vectors near_few_directions(std::uint32_t dimensions) {
  SplitMix random(9);
  std::vector<double> directions(std::size_t{12} * dimensions);
  for (double& x : directions) x = test::bell(random);
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = 500};
  for (std::size_t i = 0; i < vectors.count; ++i) {
    double along[12];
    for (double& x : along) x = test::bell(random);
    for (std::size_t c = 0; c < dimensions; ++c) {
      double sum = 0.1 * test::bell(random);
      for (std::size_t k = 0; k < 12; ++k) sum += along[k] * directions[k * dimensions + c];
      vectors.numbers.push_back(static_cast<float>(sum));
    }
  }
  return vectors;
}

// Of what is twice as far as asked.
TEST(DirectionCodes, RuleOutMostOfWhatIsFar) {
  const Vectors vectors = near_few_directions(300);
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    const Passed passed = check_bounds(vectors, vectors, measure, "few directions");
    EXPECT_LT(passed.codes, passed.all / 100);
  }
}

TEST(DirectionCodes, RuleOutMostOfWhatIsFarAmongAFewGiantsAndFarFromZero) {
  Vectors giants = near_few_directions(60), moved = giants;
  for (const std::size_t giant : {3, 77, 250}) {
    for (std::size_t c = 0; c < 60; ++c) giants.numbers[giant * 60 + c] *= 1e8f;
  }
  for (float& number : moved.numbers) number += 1e4f;
  for (const Vectors* vectors : {&giants, &moved}) {
    const Passed passed = check_bounds(*vectors, *vectors, Measure::euclidean, "giants, or far from 0");
    EXPECT_LT(passed.codes, passed.all / 50);
  }
}

TEST(DirectionCodes, DoNotDependOnThreads) {
  const Vectors vectors = test::dense_groups(3000, 70, 5);
  const DirectionCodes one(vectors, all_rows(vectors), Measure::euclidean, 1), three(vectors, all_rows(vectors), Measure::euclidean, 3);
  CodeAim by_one(one), by_three(three);
  std::vector<std::int32_t> first, second;
  by_one.aim(vectors, 5), by_three.aim(vectors, 5);
  by_one.score(0, vectors.size(), first), by_three.score(0, vectors.size(), second);
  EXPECT_EQ(first, second);
  by_one.score(1, all_rows(vectors), first), by_three.score(1, all_rows(vectors), second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(by_one.most(0, 1), by_three.most(0, 1));
}

}  // namespace
}  // namespace nearkin::direction_codes_test
