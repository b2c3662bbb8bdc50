#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/theory.h>

#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "support/query_support.h"

namespace nearkin::tables_test {
namespace {

using test::Neighbour;
using test::neighbours;
using test::plan_of;
using test::PlanParts;

bool inside(const Plan& plan, double value) {
  return is_distance(plan.measure) ? value <= plan.radius + 1e-9 : value >= plan.threshold.value() - 1e-9;
}

// One for each measure and kind of points, with bands that find about nine in ten at the border.
struct Case {
  const char* name;
  PlanParts parts;
  Points (*points)(std::size_t count, std::uint64_t seed);
};

std::vector<Case> threshold_cases() {
  using enum Measure;
  return {
      {"sets jaccard",
       {.measure = jaccard, .near_enough = 0.5, .bands = 17, .rows = 3},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::set_groups(n, seed); }},
      {"bags weighted jaccard",
       {.measure = weighted_jaccard, .near_enough = 0.4, .bands = 14, .rows = 2},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::set_groups(n, seed); }},
      {"tables hamming",
       {.measure = hamming, .near_enough = 12, .bands = 9, .rows = 4, .dimensions = 96},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::table_groups(n, 96, seed); }},
      {"bits hamming",
       {.measure = hamming, .family = Family::bit_sampling, .near_enough = 16, .bands = 8, .rows = 8, .dimensions = 130},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::bit_groups(n, 130, seed); }},
      {"dense cosine",
       {.measure = cosine, .family = Family::hyperplane, .near_enough = 0.8, .bands = 22, .rows = 10},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 24, seed); }},
      {"sparse cosine",
       {.measure = cosine, .family = Family::hyperplane, .near_enough = 0.7, .bands = 22, .rows = 8},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::sparse_groups(n, seed); }},
      {"dense euclidean",
       {.measure = euclidean, .family = Family::gaussian, .near_enough = 2.5, .bands = 12, .rows = 8, .width = 10},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 24, seed); }},
      {"dense manhattan",
       {.measure = manhattan, .family = Family::cauchy, .near_enough = 10, .bands = 20, .rows = 4, .width = 20},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 24, seed); }},
      {"sparse weighted jaccard",
       {.measure = weighted_jaccard, .family = Family::weighted_minhash, .near_enough = 0.5, .bands = 17, .rows = 3},
       [](std::size_t n, std::uint64_t seed) -> Points { return test::sparse_groups(n, seed); }},
  };
}

Plan without_sketch(PlanParts parts) {
  parts.bands = parts.rows = parts.hashes = 0;
  return plan_of(parts);
}

TEST(Tables, WithoutASketchGiveExactlyTheNeighboursWithinTheBorder) {
  for (const Case& test : threshold_cases()) {
    const Points points = test.points(120, 3);
    const Plan plan = without_sketch(test.parts);
    const Tables tables(points, plan);
    Searcher searcher(tables);
    std::size_t in_all = 0;
    for (Row query = 0; query < 40; ++query) {
      const Answer answer = searcher.find(points, query, {.except = query});
      std::vector<Neighbour> truth = neighbours(points, query, points, plan.measure, false);
      std::erase_if(truth, [&](const Neighbour& one) { return !inside(plan, one.value); });
      ASSERT_EQ(answer.hits.size(), truth.size()) << test.name << " query " << query;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        EXPECT_EQ(answer.hits[i].a, query);
        EXPECT_EQ(answer.hits[i].b, truth[i].row) << test.name << " query " << query;
        EXPECT_NEAR(measured(answer.hits[i], plan.measure), truth[i].value, 1e-9) << test.name;
      }
      in_all += truth.size();
    }
    EXPECT_GT(in_all, 40u) << test.name << " has hardly any neighbours to find";
  }
}

TEST(Tables, WithoutASketchGiveExactlyTheNearest) {
  for (const Case& test : threshold_cases()) {
    const Points points = test.points(90, 5);
    PlanParts parts = test.parts;
    parts.nearest = 7;
    const Plan plan = without_sketch(parts);
    const Tables tables(points, plan);
    Searcher searcher(tables);
    for (Row query = 0; query < 20; ++query) {
      const Answer answer = searcher.find(points, query, {.except = query});
      const std::vector<Neighbour> truth = neighbours(points, query, points, plan.measure, false);
      ASSERT_EQ(answer.hits.size(), 7u) << test.name;
      for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(answer.hits[i].b, truth[i].row) << test.name << " query " << query;
        EXPECT_NEAR(measured(answer.hits[i], plan.measure), truth[i].value, 1e-9) << test.name;
      }
    }
  }
}

// Neighbours found and expected to be found, over all queries of one collection and seed.
struct SearchResult {
  double count = 0, expected = 0, variance = 0;
};

void add_found(const Case& test, const PlanParts& parts, const Points& points, SearchResult& found) {
  const Plan plan = plan_of(parts);
  const Tables tables(points, plan, 2);
  Searcher searcher(tables);
  for (Row query = 0; query < 100; query += 5) {
    const Answer answer = searcher.find(points, query, {.except = query});
    std::set<Row> rows;
    for (const Match& hit : answer.hits) rows.insert(hit.b);
    EXPECT_LE(answer.hits.size(), answer.looked_at);
    std::size_t truths = 0;
    for (const Neighbour& one : neighbours(points, query, points, plan.measure, false)) {
      if (!inside(plan, one.value)) continue;
      ++truths;
      const double p = found_probability(plan, one.value, true);
      found.count += static_cast<double>(rows.count(one.row));
      found.expected += p;
      found.variance += p * (1 - p);
      rows.erase(one.row);
    }
    EXPECT_TRUE(rows.empty()) << test.name << ": hits outside the border";
  }
}

TEST(Tables, FindEachNeighbourWithinTheBorderWithThePlansProbability) {
  for (const Case& test : threshold_cases()) {
    SearchResult found;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      PlanParts parts = test.parts;
      parts.seed = seed;
      add_found(test, parts, test.points(100, seed), found);
    }
    // Neighbours of one query are not independent: twice the binomial error, five times.
    EXPECT_NEAR(found.count, found.expected, 5 * 2 * std::sqrt(found.variance) + 1) << test.name;
    EXPECT_GT(found.expected, 100) << test.name;
    EXPECT_LT(found.count, found.expected + found.variance * 10) << test.name;
  }
}

TEST(Tables, WithProbesFindMoreWithFewerBands) {
  const Case test{
      "probes",
      {.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 2.5, .bands = 4, .rows = 8, .width = 8, .probes = 20},
      [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 24, seed); }};
  SearchResult probed, plain;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PlanParts parts = test.parts;
    parts.seed = seed;
    add_found(test, parts, test.points(100, seed), probed);
    parts.probes = 1;
    add_found(test, parts, test.points(100, seed), plain);
  }
  EXPECT_NEAR(probed.count, probed.expected, 5 * 2 * std::sqrt(probed.variance));
  EXPECT_NEAR(plain.count, plain.expected, 5 * 2 * std::sqrt(plain.variance));
  EXPECT_GT(probed.count, plain.count + 5 * 2 * std::sqrt(plain.variance));
}

std::vector<Case> nearest_cases() {
  using enum Measure;
  const auto adaptive = [](PlanParts parts) {
    parts.nearest = 3;  // of the four others of a group
    parts.recall = 0.8;
    return parts;
  };
  return {
      {"sets jaccard", adaptive({.measure = jaccard, .bands = 24, .hashes = 24 * 8}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::set_groups(n, seed); }},
      {"tables hamming", adaptive({.measure = hamming, .bands = 24, .dimensions = 96, .hashes = 24 * 8}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::table_groups(n, 96, seed); }},
      {"bits hamming", adaptive({.measure = hamming, .family = Family::bit_sampling, .bands = 24, .dimensions = 256, .hashes = 24 * 24}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::bit_groups(n, 256, seed); }},
      {"dense cosine", adaptive({.measure = cosine, .family = Family::hyperplane, .bands = 24, .hashes = 24 * 24}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 32, seed); }},
      {"wide cosine", adaptive({.measure = cosine, .family = Family::hyperplane, .bands = 24, .hashes = 24 * 24}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 130, seed); }},
      {"sparse cosine", adaptive({.measure = cosine, .family = Family::hyperplane, .bands = 24, .hashes = 24 * 24}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::sparse_groups(n, seed); }},
      {"dense euclidean", adaptive({.measure = euclidean, .family = Family::gaussian, .bands = 24, .width = 8, .hashes = 24 * 16}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 32, seed); }},
      {"wide euclidean", adaptive({.measure = euclidean, .family = Family::gaussian, .bands = 24, .width = 20, .hashes = 24 * 16}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 130, seed, 3); }},
      {"dense manhattan", adaptive({.measure = manhattan, .family = Family::cauchy, .bands = 24, .width = 40, .hashes = 24 * 16}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::dense_groups(n, 24, seed); }},
      {"sparse weighted jaccard",
       adaptive({.measure = weighted_jaccard, .family = Family::weighted_minhash, .bands = 24, .hashes = 24 * 8}),
       [](std::size_t n, std::uint64_t seed) -> Points { return test::sparse_groups(n, seed); }},
  };
}

TEST(Tables, FindTheNearestWithTheRecallPromised) {
  for (const Case& test : nearest_cases()) {
    double found = 0, asked = 0, looked_at = 0, queries = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Points points = test.points(100, seed);
      PlanParts parts = test.parts;
      parts.seed = seed;
      const Tables tables(points, plan_of(parts), 2);
      Searcher searcher(tables);
      for (Row query = 0; query < 100; query += 10) {
        const Answer answer = searcher.find(points, query, {.except = query});
        const std::vector<Neighbour> truth = neighbours(points, query, points, parts.measure, false);
        ASSERT_EQ(answer.hits.size(), parts.nearest);
        const double last = truth[parts.nearest - 1].value;
        for (const Match& hit : answer.hits) {
          const double value = measured(hit, parts.measure);
          found += is_distance(parts.measure) ? value <= last + 1e-9 : value >= last - 1e-9;
        }
        asked += parts.nearest, looked_at += static_cast<double>(answer.looked_at), ++queries;
      }
    }
    // Those of one query are found or missed together at worst.
    const double error = std::sqrt(test.parts.recall * (1 - test.parts.recall) / queries);
    EXPECT_GE(found / asked, test.parts.recall - 3 * error) << test.name;
    EXPECT_LT(looked_at / queries, 75) << test.name << ": three quarters of all";
    RecordProperty(test.name, std::to_string(found / asked) + " looked at " + std::to_string(looked_at / queries));
  }
}

// A query and items in random directions from it, all about as far: whoever is among the nearest is as hard to find as the last of them.
Points shell(std::size_t count, std::uint32_t dimensions, std::uint64_t seed) {
  SplitMix random(seed);
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = count};
  std::vector<double> query(dimensions), direction(dimensions);
  std::generate(query.begin(), query.end(), [&] { return test::bell(random); });
  for (std::size_t i = 0; i < count; ++i) {
    std::generate(direction.begin(), direction.end(), [&] { return test::bell(random); });
    double squares = 0;
    for (const double x : direction) squares += x * x;
    const double length = i == 0 ? 0 : 0.6 * std::sqrt(dimensions) * (1 + 1e-4 * static_cast<double>(i)) / std::sqrt(squares);
    for (std::size_t place = 0; place < dimensions; ++place) {
      vectors.numbers.push_back(static_cast<float>(query[place] + length * direction[place]));
    }
  }
  return vectors;
}

TEST(Tables, MissAboutAsManyOfTheNearestAsThePlanAllowsWhereAllAreAsHardToFind) {
  for (const std::size_t number : {3u, 4u, 6u, 7u}) {
    const Case test = nearest_cases()[number];
    double found = 0;
    constexpr int kSeeds = 100;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      PlanParts parts = test.parts;
      parts.seed = seed;
      parts.nearest = 4;
      const Points points = shell(60, number == 4 || number == 7 ? 130 : 32, seed);
      const Tables tables(points, plan_of(parts));
      const std::vector<Neighbour> truth = neighbours(points, 0, points, parts.measure, false);
      for (const Match& hit : Searcher(tables).find(points, 0, {.except = 0}).hits) {
        for (std::size_t i = 0; i < 4; ++i) found += hit.b == truth[i].row;
      }
    }
    const double share = found / (4 * kSeeds), error = std::sqrt(0.8 * 0.2 / (4 * kSeeds));
    EXPECT_GE(share, 0.8 - 4 * error) << test.name;
    EXPECT_LE(share, 0.95) << test.name;
    RecordProperty(test.name, std::to_string(share));
  }
}

TEST(Tables, WithFixedBandsGiveTheBestOfWhatTheBucketsHold) {
  const Points points = test::dense_groups(200, 24, 8);
  PlanParts parts{.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 2.5, .bands = 6, .rows = 4, .width = 10};
  const Plan within = plan_of({.measure = parts.measure, .family = parts.family, .near_enough = 1e9, .bands = 6, .rows = 4, .width = 10});
  parts.nearest = 3;
  const Tables all(points, within), best(points, plan_of(parts));
  Searcher all_of(all), best_of(best);
  for (Row query = 0; query < 50; ++query) {
    Answer everything = all_of.find(points, query), few = best_of.find(points, query);
    EXPECT_EQ(everything.looked_at, few.looked_at);
    everything.hits.resize(std::min<std::size_t>(3, everything.hits.size()));
    EXPECT_EQ(few.hits, everything.hits);
    EXPECT_EQ(few.hits.at(0).b, query);
  }
}

TEST(Tables, StopAfterTheCandidatesAllowed) {
  for (const Case& test : threshold_cases()) {
    const Points points = test.points(100, 6);
    const Plan plan = plan_of(test.parts);
    const Tables tables(points, plan);
    Searcher searcher(tables);
    for (Row query = 0; query < 10; ++query) {
      const Answer whole = searcher.find(points, query);
      for (std::uint64_t most = 0; most <= whole.looked_at + 1; ++most) {
        const Answer part = searcher.find(points, query, {.max_candidates = most});
        EXPECT_EQ(part.looked_at, std::min(most, whole.looked_at)) << test.name;
        EXPECT_EQ(part.stopped_early, most < whole.looked_at) << test.name;
        for (const Match& hit : part.hits) EXPECT_EQ(std::count(whole.hits.begin(), whole.hits.end(), hit), 1) << test.name;
        EXPECT_TRUE(part.stopped_early || part.hits == whole.hits) << test.name;
      }
    }
  }
}

TEST(Tables, StopANearestSearchAfterTheCandidatesAllowed) {
  const Case test = nearest_cases()[3];
  const Points points = test.points(200, 6);
  const Tables tables(points, plan_of(test.parts));
  Searcher searcher(tables);
  const Answer whole = searcher.find(points, 3);
  const Answer part = searcher.find(points, 3, {.max_candidates = whole.looked_at - 1});
  EXPECT_TRUE(part.stopped_early);
  EXPECT_EQ(part.looked_at, whole.looked_at - 1);
  EXPECT_FALSE(searcher.find(points, 3, {.max_candidates = whole.looked_at}).stopped_early);
}

TEST(Tables, GiveTheFirstOfWhatIsFoundWhereThereIsALimit) {
  for (const Case& test : threshold_cases()) {
    const Points points = test.points(100, 6);
    const Tables tables(points, plan_of(test.parts));
    Searcher searcher(tables);
    for (Row query = 0; query < 20; ++query) {
      const Answer whole = searcher.find(points, query), two = searcher.find(points, query, {.limit = 2});
      Matches but_itself = whole.hits;
      EXPECT_EQ(std::erase_if(but_itself, [&](const Match& hit) { return hit.b == query; }), 1u) << test.name << ": an item finds itself";
      EXPECT_EQ(two.looked_at, whole.looked_at);
      EXPECT_EQ(two.hits, Matches(whole.hits.begin(), whole.hits.begin() + std::min<std::ptrdiff_t>(2, std::ssize(whole.hits))));
      const Answer others = searcher.find(points, query, {.except = query});
      EXPECT_EQ(others.hits, but_itself) << test.name;
      EXPECT_EQ(others.looked_at, whole.looked_at - 1);
    }
  }
}

TEST(Tables, GiveTheSameAnswersToManyThreadsAtOnce) {
  std::vector<Case> cases = threshold_cases();
  for (const Case& test : nearest_cases()) cases.push_back(test);
  for (const Case& test : cases) {
    const Points points = test.points(150, 9);
    const Tables one(points, plan_of(test.parts), 1);
    const Tables three(points, plan_of(test.parts), 3);
    std::vector<std::vector<Answer>> answers(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < answers.size(); ++t) {
      threads.emplace_back([&, t] {
        Searcher searcher(t % 2 == 0 ? one : three);
        for (Row i = 0; i < 30; ++i) answers[t].push_back(searcher.find(points, t < 2 ? i : 29 - i));
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(answers[0][i].hits, answers[1][i].hits) << test.name;
      EXPECT_EQ(answers[0][i].hits, answers[2][29 - i].hits) << test.name;
      EXPECT_EQ(answers[0][i].hits, answers[3][29 - i].hits) << test.name;
      EXPECT_EQ(answers[0][i].looked_at, answers[3][29 - i].looked_at) << test.name;
    }
  }
}

TEST(Tables, GiveEverythingThatSharesABucketWhereNothingIsVerified) {
  const Points points = test::set_groups(100, 4);
  Plan plan = plan_of({.near_enough = 0.5, .bands = 17, .rows = 3});
  const Tables exact(points, plan);
  plan.verify = Verify::none;
  const Tables none(points, plan);
  plan.verify = Verify::estimate;
  const Tables estimate(points, plan);
  Searcher by_count(exact), by_bucket(none), by_sketch(estimate);
  for (Row query = 0; query < 20; ++query) {
    const Answer met = by_bucket.find(points, query);
    EXPECT_EQ(met.hits.size(), met.looked_at);
    EXPECT_TRUE(std::is_sorted(met.hits.begin(), met.hits.end(), [](const Match& x, const Match& y) { return x.b < y.b; }));
    for (const Match& hit : met.hits) EXPECT_EQ(hit, (Match{query, hit.b, 0, 0}));
    for (const Match& hit : by_count.find(points, query).hits) {
      EXPECT_TRUE(std::any_of(met.hits.begin(), met.hits.end(), [&](const Match& other) { return other.b == hit.b; }));
    }
    for (const Match& hit : by_sketch.find(points, query).hits) {
      EXPECT_EQ(hit.total, 51u);
      EXPECT_GE(hit.similarity(), 0.5);
    }
  }
}

TEST(Tables, DecideASetExactlyAtTheThresholdInside) {
  Features features;
  features.hashes = {1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2, 3, 8};
  features.ends = {4, 9, 13};
  const Points points = features;
  const auto rows_at = [&](Measure measure, double threshold) {
    const Tables tables(points, plan_of({.measure = measure, .near_enough = threshold}));
    std::vector<Row> rows;
    for (const Match& hit : Searcher(tables).find(points, 0).hits) rows.push_back(hit.b);
    return rows;
  };
  EXPECT_EQ(rows_at(Measure::jaccard, 0.8), (std::vector<Row>{0, 1}));
  EXPECT_EQ(rows_at(Measure::jaccard, 0.800000001), (std::vector<Row>{0}));
  EXPECT_EQ(rows_at(Measure::jaccard, 0.6), (std::vector<Row>{0, 1, 2}));
  EXPECT_EQ(rows_at(Measure::containment, 0.75), (std::vector<Row>{0, 1, 2}));
  EXPECT_EQ(rows_at(Measure::containment, 1), (std::vector<Row>{0, 1}));
}

TEST(Tables, NeverGiveEmptyItemsNorAnswerEmptyQueries) {
  Features features;
  features.hashes = {1, 2, 3};
  features.ends = {0, 3, 3};
  const Points sets = features;
  for (const Plan& plan : {plan_of({.near_enough = 0.1}), plan_of({.bands = 4, .nearest = 3, .hashes = 32})}) {
    const Tables tables(sets, plan);
    Searcher searcher(tables);
    EXPECT_TRUE(searcher.find(sets, 0).hits.empty());
    EXPECT_EQ(searcher.find(sets, 1).hits, (Matches{{1, 1, 3, 3}}));
  }
  Vectors dense = test::dense_groups(5, 3, 1);
  std::fill_n(dense.numbers.begin(), 3, 0.0f);
  const Points vectors = dense;
  const Tables tables(vectors, plan_of({.measure = Measure::cosine, .family = Family::hyperplane, .bands = 4, .nearest = 9, .hashes = 96}));
  Searcher searcher(tables);
  EXPECT_TRUE(searcher.find(vectors, 0).hits.empty());
  EXPECT_EQ(searcher.find(vectors, 1).hits.size(), 4u);
}

TEST(Tables, OfNothingHaveNoAnswers) {
  for (const Case& test : threshold_cases()) {
    const Points none = test.points(0, 1), some = test.points(5, 1);
    const Tables tables(none, plan_of(test.parts));
    EXPECT_TRUE(Searcher(tables).find(some, 1).hits.empty()) << test.name;
  }
}

TEST(Tables, RefuseQueriesOfAnotherKind) {
  const Points dense = test::dense_groups(10, 8, 1), wider = test::dense_groups(10, 9, 1), sets = test::set_groups(10, 1);
  const Tables tables(dense, plan_of({.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 1}));
  Searcher searcher(tables);
  for (const Points& queries : {wider, sets}) {
    try {
      searcher.find(queries, 0);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_NE(error.message().find("vectors of 8 numbers"), std::string::npos) << error.what();
    }
  }
}

TEST(Tables, RefusePlansThatDoNotFit) {
  const Points sets = test::set_groups(10, 1);
  EXPECT_THROW(Tables(sets, plan_of({.measure = Measure::euclidean, .family = Family::gaussian, .near_enough = 1})), Error);
  Plan unranked = plan_of({.bands = 4, .rows = 2, .nearest = 3});
  unranked.verify = Verify::none;
  EXPECT_THROW(Tables(sets, unranked), Error);
  Plan estimated = plan_of({.measure = Measure::hamming, .near_enough = 3, .bands = 4, .rows = 2, .dimensions = 60});
  estimated.verify = Verify::estimate;
  EXPECT_THROW(Tables(sets, estimated), Error);
}

TEST(Tables, TakeANarrowerBorderThanThePlans) {
  for (const Case& test : threshold_cases()) {
    const Points points = test.points(100, 6);
    const Plan plan = plan_of(test.parts);
    const Tables tables(points, plan);
    Searcher searcher(tables);
    const double narrower = is_distance(plan.measure) ? plan.radius / 2 : (1 + plan.threshold.value()) / 2;
    const double wider = is_distance(plan.measure) ? plan.radius * 2 : plan.threshold.value() / 2;
    Plan asked = plan;
    is_distance(plan.measure) ? asked.radius = narrower : (asked.threshold = ratio(narrower), 0);
    std::size_t dropped = 0;
    for (Row row = 0; row < 100; ++row) {
      Matches expected = searcher.find(points, row).hits;
      dropped += std::erase_if(expected, [&](const Match& match) { return !inside(asked, measured(match, plan.measure)); });
      EXPECT_EQ(searcher.find(points, row, {.threshold = narrower}).hits, expected) << test.name << " row " << row;
    }
    EXPECT_GT(dropped, 0u) << test.name;
    EXPECT_THROW(searcher.find(points, 0, {.threshold = wider}), Error) << test.name;
  }
}

TEST(Tables, RefuseWhatOnlyAnIndexCanTell) {
  const Points points = test::set_groups(10, 1);
  const Tables tables(points, without_sketch({.measure = Measure::jaccard, .near_enough = 0.5}));
  Searcher searcher(tables);
  EXPECT_THROW(searcher.find(points, 0, {.where = {{"lang", "en"}}}), Error);
  EXPECT_THROW(searcher.find(points, 0, {.metadata = true}), Error);
}

TEST(Tables, RefuseArraysThatAreNotAsLongAsTheySay) {
  const Plan plan = without_sketch({.measure = Measure::jaccard, .near_enough = 0.5});
  const Points sound = Features{.hashes = {1, 2, 3}, .ends = {1, 3}};
  EXPECT_THROW(Tables(Features{.hashes = {1, 2}, .ends = {1, 3}}, plan), Error);
  EXPECT_THROW(Tables(Features{.hashes = {1, 2, 3}, .ends = {2, 1}}, plan), Error);
  const Tables tables(sound, plan);
  Searcher searcher(tables);
  EXPECT_EQ(searcher.find(sound, 1).hits.size(), 1u);
  EXPECT_THROW(searcher.find(sound, 2), Error);
  EXPECT_THROW(searcher.find(Features{.hashes = {1}, .ends = {2}}, 0), Error);
  QueryResult result;
  result.hits.push_back({0, 0, 1, 1});
  EXPECT_THROW(write_hits(result, "-", RowStyle::tsv), Error);
}

}  // namespace
}  // namespace nearkin::tables_test
