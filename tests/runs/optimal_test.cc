// One to one with the greatest sum: held against all pairs of the same run, each item for itself.
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nearkin/tools/truth.h>

#include "collect/stage.h"
#include "group/assignment.h"
#include "group/one_to_one.h"
#include "support/random.h"
#include "support/run_support.h"

namespace nearkin::optimal_test {
namespace {

using test::json_record;
using test::sure_plan;

const Partners kOptimal{.rule = Partners::Rule::optimal}, kOneToOne{.rule = Partners::Rule::one_to_one};

std::int64_t gain(const Match& match) { return std::llround(match.similarity() * 1e9); }

template <typename Gain>
std::int64_t sum_of(const Matches& matches, Gain gain_of) {
  std::int64_t sum = 0;
  for (const Match& match : matches) sum += gain_of(match);
  return sum;
}

/// Of pairs of items: no copies are folded here.
template <typename Gain>
std::int64_t greatest(const Matches& all, Gain gain_of) {
  std::vector<Offer> offers;
  Row rows = 0;
  for (const Match& match : all) {
    offers.push_back({match.a, match.b, gain_of(match)});
    rows = std::max({rows, match.a + 1, match.b + 1});
  }
  const std::vector<std::uint32_t> one_of_each(rows, 1);
  const auto taken = greatest_sum(offers, one_of_each, one_of_each, UINT64_MAX);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) sum += offers[i].gain * (*taken)[i];
  return sum;
}

/// Each item at most once, and only pairs that are there.
void expect_matching(const Matches& chosen, const Matches& all) {
  std::set<Row> met;
  for (const Match& match : chosen) {
    EXPECT_TRUE(met.insert(match.a).second);
    EXPECT_TRUE(met.insert(match.b).second);
    EXPECT_TRUE(std::find(all.begin(), all.end(), match) != all.end());
  }
}

struct Smaller {
  explicit Smaller(LargestGroup bounds) { largest_group = bounds; }
  ~Smaller() { largest_group = {}; }
};

class Optimal : public test::Runs {
 protected:
  /// Every item of one with every item of the other, about equally similar.
  std::pair<Input, Input> tangle(int items) {
    std::string left, right;
    for (int i = 0; i < items; ++i) {
      left += json_record("l" + std::to_string(i), "common l" + std::to_string(i));
      right += json_record("r" + std::to_string(i), "common r" + std::to_string(i));
    }
    return {file("l.jsonl", left), file("r.jsonl", right)};
  }
};

TEST_F(Optimal, HasTheGreatestSumOnRandomCollections) {
  const Plan sketches = tune({.threshold = 0.25, .recall = 0.9}, {.shingle = parse_shingle("word:1")});
  const Plan contained = tune({.measure = Measure::containment, .threshold = 0.4}, {.shingle = parse_shingle("word:1")});
  bool differed = false;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = few_words("a", seed, 20 + 15 * seed, 3 + 2 * seed),
                other = few_words("b", seed + 100, 150 - 15 * seed, 3 + 2 * seed);
    for (const Plan& plan : {sure_plan(0.25), sketches, contained, test::exact_plan()}) {
      const Matches all = pairs(input, plan, {}, &other).matches;
      const PairsResult chosen = pairs(input, plan, {}, &other, kOptimal);
      expect_matching(chosen.matches, all);
      EXPECT_EQ(sum_of(chosen.matches, gain), greatest(all, gain)) << plan << " seed " << seed;
      EXPECT_EQ(chosen.stats.listed, chosen.matches.size());
      EXPECT_EQ(chosen.stats.too_large.groups, 0u);
      differed |= sum_of(chosen.matches, gain) > sum_of(pairs(input, plan, {}, &other, kOneToOne).matches, gain);
      if (seed % 4 != 0) continue;
      share_in_tests = std::uint64_t{1} << 20;  // so that what is chosen is in many files
      EXPECT_EQ(pairs(input, plan, {.threads = 1, .scratch = dir_.path("scratch")}, &other, kOptimal).matches, chosen.matches);
      share_in_tests.reset();
    }
  }
  EXPECT_TRUE(differed) << "never better than the most similar pair first: nothing was tested";
}

TEST_F(Optimal, OfDistancesTakesTheNearest) {
  for (const auto& [metric, radius] : {std::pair{Measure::euclidean, 1.5}, {Measure::manhattan, 2.0}}) {
    test::Random random(5);
    std::string first, second;
    for (std::string* text : {&first, &second}) {
      for (int i = 0; i < 60; ++i) *text += fmt::format("{}.{},{}.{}\n", random() % 5, random() % 10, random() % 5, random() % 10);
    }
    Input input = file("a.csv", first), other = file("b.csv", second);
    input.format = other.format = Format::dense;
    input.header = other.header = false;
    const Plan plan = tune({.measure = metric, .recall = 1, .radius = radius});
    const auto counts = [most = radius](const Match& match) { return std::llround((1 - match.value / (2 * most)) * 1e9); };
    const Matches all = pairs(input, plan, {}, &other).matches, chosen = pairs(input, plan, {}, &other, kOptimal).matches;
    expect_matching(chosen, all);
    EXPECT_GT(all.size(), chosen.size());
    EXPECT_EQ(sum_of(chosen, counts), greatest(all, counts));
  }
}

TEST_F(Optimal, GivesUpAnEqualPairForTwo) {
  const Input input = file("a.jsonl", json_record("a", "1 2 3 4 5") + json_record("b", "1 2 3 4 6"));
  const Input other = file("b.jsonl", json_record("A", "1 2 3 4 5") + json_record("B", "1 2 3 5 7"));
  const auto told = [&](const Partners& partners) {
    std::string text;
    for (const Match& match : pairs(input, sure_plan(0.5), {}, &other, partners).matches) text += fmt::format("{}-{} ", match.a, match.b);
    return text;
  };
  EXPECT_EQ(told(kOneToOne), "0-2 ");     // then b and B have too little in common
  EXPECT_EQ(told(kOptimal), "0-3 1-2 ");  // 2/3 twice
}

TEST_F(Optimal, TakesAcceptedPairsFirst) {
  const Input input = file("a.jsonl", json_record("a", "1 2 3 4 5") + json_record("b", "1 2 3 4 6") + json_record("c", "1 2 3 4 5"));
  const Input other = file("b.jsonl", json_record("A", "1 2 3 4 5") + json_record("B", "1 2 3 5 7"));
  const auto told = [&](std::vector<PairDecision> decisions) {
    std::string text;
    const Partners partners{.rule = Partners::Rule::optimal, .decisions = std::move(decisions)};
    for (const Match& match : pairs(input, sure_plan(0.5), {}, &other, partners).matches) text += fmt::format("{}-{} ", match.a, match.b);
    return text;
  };
  EXPECT_EQ(told({}), "0-3 2-4 ");  // 1 and 2/3; a and c are copies
  EXPECT_EQ(told({{"b", "A", true}}), "0-4 1-3 ");
  EXPECT_EQ(told({{"b", "B", true}}), "0-3 1-4 ");
  EXPECT_EQ(told({{"a", "A", false}, {"c", "A", false}}), "0-4 1-3 ");
}

TEST_F(Optimal, MatchesGroupsThatAreTooLargeTheMostSimilarFirst) {
  const Input input = few_words("a", 3, 90, 9), other = few_words("b", 4, 80, 9);
  const Matches greedy = pairs(input, sure_plan(0.25), {}, &other, kOneToOne).matches;
  const Matches best = pairs(input, sure_plan(0.25), {}, &other, kOptimal).matches;
  ASSERT_NE(best, greedy);
  for (const LargestGroup bounds : {LargestGroup{.matches = 20}, LargestGroup{.steps = 200}}) {
    const Smaller smaller(bounds);
    const PairsResult chosen = pairs(input, sure_plan(0.25), {}, &other, kOptimal);
    EXPECT_EQ(chosen.matches, greedy);
    EXPECT_EQ(chosen.stats.too_large.groups, 1u);
    EXPECT_GT(chosen.stats.too_large.pairs, 100u);
    share_in_tests = std::uint64_t{1} << 20;
    EXPECT_EQ(pairs(input, sure_plan(0.25), {.threads = 1, .scratch = dir_.path("scratch")}, &other, kOptimal).matches, greedy);
    share_in_tests.reset();
  }
}

TEST_F(Optimal, NeedsMemoryForALargeGroup) {
  const auto [input, other] = tangle(120);
  share_in_tests = 4096;
  const Error error = test::error_of(
      [&, &first = input, &second = other] { pairs(first, sure_plan(0.3), {.threads = 1, .scratch = dir_.path("s")}, &second, kOptimal); });
  share_in_tests.reset();
  EXPECT_EQ(error.subject(), "memory");
  EXPECT_NE(error.message().find("an optimal matching of 14400 pairs that are connected; give about "), std::string::npos)
      << error.message();
  EXPECT_EQ(pairs(input, sure_plan(0.3), {}, &other, kOptimal).matches.size(), 120u);
}

TEST_F(Optimal, IsRefusedWithinOneCollection) {
  const Input input = few_words("a", 3, 9, 9);
  EXPECT_EQ(test::error_of([&] { pairs(input, sure_plan(0.25), {}, nullptr, kOptimal); }).subject(), "partners");
}

/// At a stricter border other pairs may be the best ones: each is matched for itself, as in a run of its own.
TEST_F(Optimal, IsEvaluatedByARunAtEachThreshold) {
  const Input input = few_words("a", 11, 70, 9), other = few_words("b", 12, 60, 9);
  std::string labels = "a,b\n";
  for (int i = 0; i < 60; ++i) labels += fmt::format("a{},b{}\n", i, (i * 7) % 60);
  const TruthTable truth = read_truth({.path = dir_.write("t.csv", labels), .between = true});
  const std::vector<double> borders{0.6, 0.25, 0.4};
  const TruthResult result = evaluate_truth(input, truth, sure_plan(0.25), {.borders = borders, .partners = kOptimal}, {}, &other);
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const Matches alone = pairs(input, sure_plan(borders[i]), {}, &other, kOptimal).matches;
    std::uint64_t right = 0;
    for (const Match& match : alone) right += static_cast<int>(match.b) - 70 == static_cast<int>(match.a) * 7 % 60 && match.a < 60;
    EXPECT_EQ(result.rows[i].found, alone.size()) << borders[i];
    EXPECT_EQ(result.rows[i].right, right) << borders[i];
    EXPECT_EQ(result.rows[i].border, borders[i]);
  }
}

}  // namespace
}  // namespace nearkin::optimal_test
