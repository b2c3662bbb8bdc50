// Which pairs are listed: the best of each item, and one to one. Held against the rule itself, on all pairs of the same run.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "collect/stage.h"
#include "support/run_support.h"

namespace nearkin::partners_test {
namespace {

using test::json_record;
using test::sure_plan;
using Rule = Partners::Rule;

const Partners kOneToOne{.rule = Rule::one_to_one};
Partners best(std::uint32_t most = 1) { return {.rule = Rule::best, .most = most}; }

bool is_nearer(const Match& x, const Match& y) { return std::uint64_t{x.shared} * y.total > std::uint64_t{y.shared} * x.total; }

Matches in_order(Matches pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const Match& x, const Match& y) {
    if (is_nearer(x, y) != is_nearer(y, x)) return is_nearer(x, y);
    return Pair{x.a, x.b} < Pair{y.a, y.b};
  });
  return pairs;
}

std::set<Pair> one_to_one(const Matches& all) {
  std::set<Row> taken;
  std::set<Pair> left;
  for (const Match& match : in_order(all)) {
    if (taken.contains(match.a) || taken.contains(match.b)) continue;
    taken.insert({match.a, match.b});
    left.insert({match.a, match.b});
  }
  return left;
}

std::set<Pair> best_of_each(const Matches& all, std::uint32_t most, bool first_alone) {
  std::map<Row, std::uint32_t> counts;
  std::set<Pair> left;
  for (const Match& match : in_order(all)) {
    if (counts[match.a]++ < most) left.insert({match.a, match.b});
    if (!first_alone && counts[match.b]++ < most) left.insert({match.a, match.b});
  }
  return left;
}

/// What the rule leaves, with what is known of each pair.
std::string by_rule(const Matches& all, const Partners& partners, bool first_alone) {
  const std::set<Pair> left = partners.rule == Rule::one_to_one ? one_to_one(all) : best_of_each(all, partners.most, first_alone);
  std::string text;
  for (const Match& match : all) {
    if (left.contains({match.a, match.b})) text += fmt::format("{} {} {}/{}\n", match.a, match.b, match.shared, match.total);
  }
  return text;
}

std::string as_text(const Matches& matches) {
  std::string text;
  for (const Match& match : matches) text += fmt::format("{} {} {}/{}\n", match.a, match.b, match.shared, match.total);
  return text;
}

class PartnersRun : public test::Runs {
 protected:
  void expect_rule(const Input& input, const Plan& plan, const Input* other, const RunOptions& options) {
    const bool first_alone = other != nullptr || plan.measure == Measure::containment;
    const Matches all = pairs(input, plan, {}, other).matches;
    for (const Partners& partners : {kOneToOne, best(), best(2), best(5), best(100'000)}) {
      const PairsResult result = pairs(input, plan, options, other, partners);
      EXPECT_EQ(as_text(result.matches), by_rule(all, partners, first_alone)) << plan << " most " << partners.most;
      EXPECT_EQ(result.stats.listed, result.matches.size());
      EXPECT_EQ(result.stats.pairs, all.size());
    }
  }
};

TEST_F(PartnersRun, FollowTheRuleOnRandomCollections) {
  const Plan exact = sure_plan(0.25), sketches = tune({.threshold = 0.25, .recall = 0.9}, {.shingle = parse_shingle("word:1")});
  const Plan contained = tune({.measure = Measure::containment, .threshold = 0.4}, {.shingle = parse_shingle("word:1")});
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = few_words("a", seed, 20 + 25 * seed, 3 + seed), other = few_words("b", seed + 100, 200 - 20 * seed, 3 + seed);
    for (const Plan& plan : {exact, sketches, contained, test::exact_plan()}) {
      expect_rule(input, plan, nullptr, {});
      expect_rule(input, plan, &other, {});
    }
  }
}

TEST_F(PartnersRun, AreTheSameInFiles) {
  const Input input = few_words("a", 31, 260, 7), other = few_words("b", 32, 240, 7);
  const RunOptions options{.threads = 1, .memory = std::uint64_t{64} << 20, .scratch = dir_.path("scratch")};
  for (const Plan& plan : {sure_plan(0.25), tune({.threshold = 0.25, .recall = 0.9}, {.shingle = parse_shingle("word:1")})}) {
    share_in_tests = std::uint64_t{1} << 18;  // so that what is chosen is in many files
    expect_rule(input, plan, nullptr, options);
    expect_rule(input, plan, &other, options);
    share_in_tests.reset();
  }
}

TEST_F(PartnersRun, ACopyIsTakenBeforeAnythingElse) {
  const Input input = file("a.jsonl", json_record("1", "a b c d") + json_record("2", "a b c d"));
  const Input other = file("b.jsonl", json_record("x", "a b c e") + json_record("y", "a b c d") + json_record("z", "a b c f"));
  EXPECT_EQ(as_text(pairs(input, sure_plan(0.5), {}, &other, kOneToOne).matches), "0 3 4/4\n1 2 3/5\n");
  EXPECT_EQ(as_text(pairs(input, sure_plan(0.5), {}, &other, best()).matches), "0 3 4/4\n1 3 4/4\n") << "both have the same best";
  EXPECT_EQ(as_text(pairs(other, sure_plan(0.5), {}, nullptr, kOneToOne).matches), "0 1 3/5\n");
}

TEST_F(PartnersRun, ManyCopiesAreNoPairsToList) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += json_record(std::to_string(i), "the same words in each");
  const Input input = file("many.jsonl", many);
  const PairsResult result = pairs(input, sure_plan(), {.max_pairs = 3000}, nullptr, best());
  EXPECT_EQ(result.matches.size(), 2999u) << "the first with the second, all others with the first";
  EXPECT_EQ(result.stats.pairs, 3000u * 2999 / 2);
  EXPECT_EQ(pairs(input, sure_plan(), {.max_pairs = 1500}, nullptr, kOneToOne).matches.size(), 1500u);
  EXPECT_EQ(test::error_of([&] { pairs(input, sure_plan(), {.max_pairs = 1499}, nullptr, kOneToOne); }).subject(), "max_pairs");
}

TEST_F(PartnersRun, VectorsHaveTheirNearest) {
  const Input input = file("v.csv", "0,0\n0,1\n0,1\n5,5\n5,6\n0,0.4\n");
  Input dense = input;
  dense.format = Format::dense;
  dense.header = false;
  const Plan plan = tune({.measure = Measure::euclidean, .recall = 1, .radius = 2});
  const auto rows = [&](const Partners& partners) {
    std::string text;
    for (const Match& match : pairs(dense, plan, {}, nullptr, partners).matches) text += fmt::format("{}-{} ", match.a, match.b);
    return text;
  };
  EXPECT_EQ(rows(kOneToOne), "0-5 1-2 3-4 ");
  EXPECT_EQ(rows(best()), "0-5 1-2 3-4 ");
}

TEST_F(PartnersRun, WhatCannotBeChosenIsRefused) {
  const Input input = few_words("a", 1, 10, 4);
  Plan plan = tune({.threshold = 0.5, .recall = 0.9}, {.shingle = parse_shingle("word:1"), .verify = Verify::none});
  EXPECT_EQ(test::error_of([&] { pairs(input, plan, {}, nullptr, best()); }).subject(), "verify");
  EXPECT_EQ(test::error_of([&] { pairs(input, sure_plan(), {}, nullptr, best(0)); }).subject(), "partners");
}

TEST_F(PartnersRun, TooManyCopiesOfOneSimilarityNeedMemory) {
  std::string left, right;
  for (int i = 0; i < 120; ++i) {
    left += json_record("l" + std::to_string(i), "common l" + std::to_string(i % 60));
    right += json_record("r" + std::to_string(i), "common r" + std::to_string(i % 60));
  }
  const Input input = file("l.jsonl", left), other = file("r.jsonl", right);
  share_in_tests = 4096;
  const Error error = test::error_of([&] { pairs(input, sure_plan(0.3), {.threads = 1, .scratch = dir_.path("s")}, &other, kOneToOne); });
  share_in_tests.reset();
  EXPECT_EQ(error.subject(), "memory");
  EXPECT_EQ(pairs(input, sure_plan(0.3), {}, &other, kOneToOne).matches.size(), 120u);
}

// What is reviewed is what is listed.
TEST_F(PartnersRun, ShowInTheReportWhatIsListed) {
  const Input input = file("a.jsonl", json_record("a", "x y z") + json_record("b", "x y z w"));
  const Input other = file("b.jsonl", json_record("A", "x y z") + json_record("B", "x y z v"));
  Report report;
  const PairsResult result = pairs(input, sure_plan(0.5), {.report = &report}, &other, kOneToOne);
  ASSERT_EQ(result.matches.size(), 2u);
  EXPECT_EQ(result.stats.pairs, 4u);
  std::set<std::pair<std::string, std::string>> shown;
  for (const ShownPair& pair : report.pairs) shown.insert({pair.a, pair.b});
  EXPECT_EQ(shown, (std::set<std::pair<std::string, std::string>>{{"a", "A"}, {"b", "B"}}));
  EXPECT_EQ(report.pairs_in_all, 2u);
  // A chain, whose last member was never compared with the first: by every measure that has groups, in memory and in files.
  const Input chain = file("c.jsonl", json_record("a", "1 2 3 4") + json_record("b", "2 3 4 5") + json_record("c", "3 4 5 6 7 8"));
  for (const Measure measure : {Measure::jaccard, Measure::containment, Measure::weighted_jaccard}) {
    for (const double recall : {1.0, 0.99}) {
      for (const bool in_files : {false, true}) {
        const Plan plan = tune({.measure = measure, .threshold = 0.4, .recall = recall}, {.shingle = parse_shingle("word:1")});
        Report page;
        RunOptions run{.report = &page};
        if (in_files) run.scratch = dir_.path();
        EXPECT_FALSE(pairs(chain, plan, run, nullptr, best()).matches.empty());
        EXPECT_EQ(page.clusters_in_all, 1u);
      }
    }
  }
}

}  // namespace
}  // namespace nearkin::partners_test
