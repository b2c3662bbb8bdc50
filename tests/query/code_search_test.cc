// Queries over dense vectors that are answered by their codes: always exactly as by looking at every item.
#include "query/code_search.h"

#include <gtest/gtest.h>

#include "query/tables.h"
#include "support/query_support.h"

namespace nearkin::code_search_test {
namespace {

using test::count_of;
using test::Neighbour;
using test::neighbours;

// Vectors near a few directions, in groups, some of them copies: codes are worth it, and there are ties.
Vectors digits(std::size_t count, std::uint32_t dimensions, std::uint64_t seed) {
  SplitMix random(77);
  std::vector<double> directions(std::size_t{8} * dimensions);
  for (double& x : directions) x = test::bell(random);
  SplitMix own(seed);
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = count};
  double centre[8] = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 20 == 0) std::generate(centre, centre + 8, [&] { return 3 * test::bell(own); });
    if (i % 50 == 49) {
      vectors.numbers.insert(vectors.numbers.end(), vectors.numbers.end() - dimensions, vectors.numbers.end());
      continue;
    }
    double along[8];
    for (std::size_t k = 0; k < 8; ++k) along[k] = centre[k] + 0.5 * test::bell(own);
    for (std::size_t c = 0; c < dimensions; ++c) {
      double sum = 0.3 * test::bell(own);
      for (std::size_t k = 0; k < 8; ++k) sum += along[k] * directions[k * dimensions + c];
      vectors.numbers.push_back(static_cast<float>(sum));
    }
  }
  return vectors;
}

Plan nearest_plan(Measure measure, std::uint32_t nearest, bool sketched) {
  test::PlanParts parts{.measure = measure,
                        .family = measure == Measure::cosine ? Family::hyperplane : Family::gaussian,
                        .nearest = nearest,
                        .width = measure == Measure::cosine ? 0.0 : 20.0};
  if (sketched) parts.bands = 16, parts.hashes = 16 * 20;
  return test::plan_of(parts);
}

void expect_like_brute_force(const Points& points, const Points& queries, const Plan& plan, const Ask& ask, std::size_t most) {
  const Tables tables(points, plan, 2);
  Searcher searcher(tables);
  for (Row query = 0; query < count_of(queries); ++query) {
    const Answer answer = searcher.find(queries, query, ask);
    std::vector<Neighbour> truth = neighbours(queries, query, points, plan.measure, true);
    if (plan.nearest == 0) {
      const double border = ask.threshold.value_or(is_distance(plan.measure) ? plan.radius : plan.threshold.value());
      std::erase_if(truth, [&](const Neighbour& one) { return is_distance(plan.measure) ? one.value > border : one.value < border; });
    }
    truth.resize(std::min(truth.size(), most));
    ASSERT_EQ(answer.hits.size(), truth.size()) << "query " << query;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      // Of two equally near, brute force with another order of sums may see either first.
      EXPECT_NEAR(measured(answer.hits[i], plan.measure), truth[i].value, 1e-9) << "query " << query;
      EXPECT_FALSE(i > 0 && nearer(answer.hits[i], answer.hits[i - 1], plan.measure));
    }
    EXPECT_LT(answer.looked_at, count_of(points) / 4);
  }
}

TEST(CodeSearch, FindsExactlyTheNearestWhateverRecallIsAskedFor) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    for (const std::uint32_t dimensions : {20u, 60u, 200u}) {
      const Points points = digits(1500, dimensions, 1), queries = digits(40, dimensions, 2);
      for (const bool sketched : {false, true}) {
        expect_like_brute_force(points, queries, nearest_plan(measure, 10, sketched), {}, 10);
        expect_like_brute_force(points, queries, nearest_plan(measure, 10, sketched), {.limit = 3}, 3);
      }
    }
  }
}

TEST(CodeSearch, FindsExactlyWhatIsWithinTheBorder) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    const bool distance = is_distance(measure);
    const Points points = digits(16'400, 30, 1), queries = digits(20, 30, 1);
    const Plan plan = test::plan_of(
        {.measure = measure, .family = distance ? Family::gaussian : Family::hyperplane, .near_enough = distance ? 14 : 0.97});
    expect_like_brute_force(points, queries, plan, {}, 16'400);
    expect_like_brute_force(points, queries, plan, {.limit = 2}, 2);
    expect_like_brute_force(points, queries, plan, {.threshold = distance ? 9 : 0.99}, 16'400);
  }
}

TEST(CodeSearch, GivesTheSameAsALookAtAllItemsTiesIncluded) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    const Points points = digits(3000, 70, 4);
    const Tables tables(points, nearest_plan(measure, 5, true), 2);
    const Space space(std::get<Vectors>(points), std::get<Vectors>(points), measure);
    Searcher searcher(tables);
    for (Row query = 0; query < 100; ++query) {
      Matches all;
      for (Row row = 0; row < 3000; ++row) {
        if (row != query) all.push_back({query, row, 0, 0, space.value(query, row)});
      }
      std::stable_sort(all.begin(), all.end(), [&](const Match& x, const Match& y) { return nearer(x, y, measure); });
      all.resize(5);
      EXPECT_EQ(searcher.find(points, query, {.except = query}).hits, all) << "query " << query;
    }
  }
}

// More items than scores are held of at a time.
TEST(CodeSearch, FindsTheNearestOfManyItems) {
  const Points points = digits(70'000, 12, 6), queries = digits(12, 12, 7);
  expect_like_brute_force(points, queries, nearest_plan(Measure::euclidean, 20, true), {}, 20);
}

TEST(CodeSearch, ComparesExactlyWhereThePlanHasNoSketch) {
  const Points points = digits(16'400, 20, 1);
  const std::vector<Neighbour> truth = neighbours(points, 5, points, Measure::euclidean, true);
  for (const Verify verify : {Verify::exact, Verify::none, Verify::estimate}) {
    Plan plan = test::plan_of({.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 12});
    plan.verify = verify;
    const Tables tables(points, plan, 1);
    const Answer answer = Searcher(tables).find(points, 5);
    const auto inside = std::count_if(truth.begin(), truth.end(), [](const Neighbour& one) { return one.value <= 12; });
    EXPECT_EQ(answer.hits.size(), static_cast<std::size_t>(inside));
    EXPECT_LT(answer.looked_at, 8000u);
  }
}

TEST(CodeSearch, AnswersQueriesFarFromTheCollection) {
  const Points points = digits(1500, 60, 1);
  Vectors far = digits(6, 60, 2);
  for (std::size_t c = 0; c < 60; ++c) {
    far.numbers[c] = 0;
    far.numbers[60 + c] *= 1000, far.numbers[120 + c] *= 1e15f, far.numbers[180 + c] *= 1e-15f, far.numbers[240 + c] *= -1;
  }
  const Points queries(far);
  const Tables tables(points, nearest_plan(Measure::euclidean, 4, true), 1);
  Searcher searcher(tables);
  for (Row query = 0; query < 6; ++query) {
    const std::vector<Neighbour> truth = neighbours(queries, query, points, Measure::euclidean, true);
    const Answer answer = searcher.find(queries, query);
    ASSERT_EQ(answer.hits.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(answer.hits[i].value, truth[i].value, 1e-9 * truth[i].value) << query;
  }
}

TEST(CodeSearch, StopsAfterTheCandidatesAllowed) {
  const Points points = digits(1500, 60, 1);
  const Tables tables(points, nearest_plan(Measure::cosine, 10, true), 1);
  Searcher searcher(tables);
  const Answer whole = searcher.find(points, 7);
  for (std::uint64_t most = 0; most <= whole.looked_at; ++most) {
    const Answer part = searcher.find(points, 7, {.max_candidates = most});
    EXPECT_EQ(part.looked_at, most);
    EXPECT_EQ(part.stopped_early, most < whole.looked_at);
    EXPECT_EQ(part.hits.size(), std::min<std::size_t>(10, most));
    EXPECT_TRUE(most < whole.looked_at || part.hits == whole.hits);
  }
}

}  // namespace
}  // namespace nearkin::code_search_test
