#include "analysis/evaluate.h"
#include "analysis/sample_rows.h"

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/evaluate.h>

#include "support/query_support.h"

namespace nearkin::evaluate_test {
namespace {

using test::plan_of;
using test::PlanParts;

const PlanParts kNear{.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 2.5, .bands = 6, .rows = 6, .width = 8};

EvaluationResult evaluated(const Points& collection, const Points* queries, const std::vector<EvaluationPoint>& points,
                           const EvaluateOptions& options = {}, unsigned threads = 2) {
  RunOptions run;
  run.threads = threads;
  return evaluate_points(std::make_shared<const Points>(collection), queries, points, options, run);
}

// The same figures, by asking the tables one query after the other and looking at every item.
struct Figures {
  double recall, precision, search_length, error, no_answer;
};

Figures figures_of(const Points& collection, const Plan& plan, std::optional<std::uint64_t> most) {
  const Tables tables(collection, plan);
  Searcher searcher(tables);
  double truths = 0, found = 0, hits = 0, looked = 0, ratios = 0, with_ratio = 0, none = 0, queries = 0;
  for (Row query = 0; query < test::count_of(collection); ++query, ++queries) {
    const Answer answer = searcher.find(collection, query, {.max_candidates = most, .except = query});
    double nearest = -1;
    std::size_t true_here = 0;
    for (const test::Neighbour& one : test::neighbours(collection, query, collection, plan.measure, false)) {
      if (one.value > plan.radius) break;
      if (true_here++ == 0) nearest = one.value;
      for (const Match& hit : answer.hits) found += hit.b == one.row;
    }
    truths += static_cast<double>(true_here), hits += static_cast<double>(answer.hits.size());
    looked += static_cast<double>(answer.looked_at);
    none += true_here > 0 && answer.hits.empty();
    if (true_here > 0 && !answer.hits.empty()) ratios += answer.hits[0].value / nearest, ++with_ratio;
  }
  return {found / truths, found / hits, looked / queries, ratios / with_ratio, none / queries};
}

TEST(Evaluate, GivesTheFiguresOfASlowCount) {
  const Points points = test::dense_groups(150, 24, 3);
  const Plan plan = plan_of(kNear);
  const EvaluationResult result = evaluated(points, nullptr, {{plan}, {plan, 2}});
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.items, 150u);
  EXPECT_EQ(result.queries, 150u);
  for (const Evaluation& row : result.rows) {
    const Figures slow = figures_of(points, plan, row.max_candidates);
    EXPECT_DOUBLE_EQ(row.recall.value(), slow.recall);
    EXPECT_DOUBLE_EQ(row.precision.value(), slow.precision);
    EXPECT_DOUBLE_EQ(row.search_length, slow.search_length);
    EXPECT_NEAR(row.error.value(), slow.error, 1e-9);
    EXPECT_DOUBLE_EQ(row.no_answer, slow.no_answer);
    EXPECT_EQ(row.plan, plan);
    EXPECT_GE(row.build_seconds, 0);
    EXPECT_GE(row.query_seconds, 0);
    EXPECT_GE(row.exact_seconds, 0);
  }
  EXPECT_LT(result.rows[0].recall, 1);
  EXPECT_EQ(result.rows[0].precision, 1);
  EXPECT_EQ(result.rows[0].stopped_early, 0);
  EXPECT_GT(result.rows[1].stopped_early, 0);
  EXPECT_LT(result.rows[1].recall, result.rows[0].recall);
}

TEST(Evaluate, IsTheSameForAnyNumberOfThreads) {
  const Points points = test::dense_groups(100, 24, 4);
  const Evaluation one = evaluated(points, nullptr, {{plan_of(kNear)}}, {.queries = 60}, 1).rows.at(0);
  const Evaluation three = evaluated(points, nullptr, {{plan_of(kNear)}}, {.queries = 60}, 3).rows.at(0);
  EXPECT_EQ(one.recall, three.recall);
  EXPECT_EQ(one.error, three.error);
  EXPECT_EQ(one.search_length, three.search_length);
}

TEST(Evaluate, OfAnExactPlanFindsEverything) {
  const Points sets = test::set_groups(100, 4), bits = test::bit_groups(100, 96, 4);
  const Plan within = plan_of({.measure = Measure::jaccard, .near_enough = 0.4});
  const Plan nearest = plan_of({.measure = Measure::hamming, .family = Family::bit_sampling, .nearest = 10, .dimensions = 96});
  for (const Evaluation& row : {evaluated(sets, nullptr, {{within}}).rows.at(0), evaluated(bits, nullptr, {{nearest}}).rows.at(0)}) {
    EXPECT_EQ(row.recall, 1);
    EXPECT_EQ(row.precision, 1);
    EXPECT_EQ(row.error, 1);
    EXPECT_EQ(row.no_answer, 0);
  }
}

TEST(Evaluate, CountsAnswersAsNearAsTheLastTrueOne) {
  // Seven bit strings at distance 1 from the query, of which only two are asked for: any two of them are right.
  Vectors vectors{.kind = Vectors::Kind::bits, .dimensions = 64, .count = 7};
  for (int i = 0; i < 7; ++i) vectors.words.push_back(std::uint64_t{1} << (8 * i));
  Vectors query{.kind = Vectors::Kind::bits, .dimensions = 64, .count = 1};
  query.words.push_back(0);
  const Points points = vectors, queries = query;
  const Plan plan =
      plan_of({.measure = Measure::hamming, .family = Family::bit_sampling, .bands = 1, .rows = 30, .nearest = 2, .dimensions = 64});
  const Evaluation row = evaluated(points, &queries, {{plan}}).rows.at(0);
  const Answer answer = Searcher(Tables(points, plan)).find(queries, 0);
  EXPECT_EQ(row.recall, static_cast<double>(answer.hits.size()) / 2);
  EXPECT_EQ(row.precision, 1);
}

TEST(Evaluate, StatesNoShareOfNothing) {
  const Points none = test::set_groups(0, 8), alone = Features{.hashes = {1, 2, 3, 4}, .ends = {2, 4}};
  for (const Points& points : {none, alone}) {
    const Evaluation row = evaluated(points, nullptr, {{plan_of({.near_enough = 0.6, .bands = 20, .rows = 2})}}).rows.at(0);
    EXPECT_EQ(row.recall, std::nullopt);
    EXPECT_EQ(row.precision, std::nullopt);
    EXPECT_EQ(row.error, std::nullopt);
    EXPECT_EQ(row.no_answer, 0);
  }
}

TEST(Evaluate, MeasuresAnswersThatWereNotVerified) {
  const Points points = test::set_groups(100, 8);
  Plan plan = plan_of({.near_enough = 0.6, .bands = 20, .rows = 2});
  plan.verify = Verify::none;
  const Evaluation row = evaluated(points, nullptr, {{plan}}).rows.at(0);
  EXPECT_GT(row.recall, 0.9);
  EXPECT_LT(row.precision, 0.9);
  EXPECT_GT(row.precision, 0.1);
  EXPECT_GE(row.error, 0.99);
  EXPECT_LT(row.error, 1.5);
}

TEST(Evaluate, OfAdaptivePlansReachesTheirRecall) {
  const Points points = test::dense_groups(400, 32, 3), queries = test::dense_groups(100, 32, 3);
  std::vector<EvaluationPoint> sweep;
  for (const double recall : {0.5, 0.9, 0.99}) {
    sweep.push_back({plan_of(
        {.measure = Measure::cosine, .family = Family::hyperplane, .bands = 24, .nearest = 10, .recall = recall, .hashes = 24 * 24})});
  }
  const EvaluationResult result = evaluated(points, &queries, sweep, {.queries = 50, .limit = 5});
  EXPECT_EQ(result.queries, 50u);
  for (std::size_t i = 0; i < sweep.size(); ++i) EXPECT_GE(result.rows[i].recall, sweep[i].plan.recall - 0.05);
  EXPECT_LT(result.rows[0].search_length, result.rows[2].search_length);
}

TEST(Evaluate, RefusesPlansThatAskForDifferentThings) {
  const Points points = test::dense_groups(10, 8, 1);
  PlanParts farther = kNear;
  farther.near_enough = 3;
  EXPECT_THROW(evaluated(points, nullptr, {{plan_of(kNear)}, {plan_of(farther)}}), Error);
  EXPECT_THROW(evaluated(points, nullptr, {}), Error);
}

TEST(Evaluate, TakesASampleThatDependsOnTheSeedAlone) {
  const std::vector<Row> rows = sample_rows(1000, 100, 7);
  EXPECT_EQ(rows.size(), 100u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows, sample_rows(1000, 100, 7));
  EXPECT_NE(rows, sample_rows(1000, 100, 8));
  EXPECT_EQ(sample_rows(5, 100, 1), (std::vector<Row>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(sample_rows(0, 10, 1).empty());
}

}  // namespace
}  // namespace nearkin::evaluate_test
