// What other thresholds would give, and what an audit says, against runs made for it and brute force.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nearkin/error.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/sample.h>
#include <nearkin/tools/what_if.h>

#include "support/run_support.h"

namespace nearkin::what_if_test {
namespace {

using test::json_record;
using test::sure_plan;

class WhatIfRuns : public test::Runs {
 protected:
  Input corpus(std::uint64_t seed) const {
    test::Random random(seed);
    return file("corpus.jsonl", test::as_jsonl(test::random_texts(random)));
  }
  Input against(std::uint64_t seed) const {
    test::Random random(seed);
    return file("against.jsonl", test::as_jsonl(test::random_texts(random)));
  }
};

TEST_F(WhatIfRuns, EachThresholdGivesWhatARunForItGives) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = corpus(seed);
    for (const Linkage linkage : {Linkage::star, Linkage::connected}) {
      const std::vector<double> borders{0.4, 0.5, 0.666666666, 0.8, 1};
      const WhatIfResult result = what_if(input, sure_plan(0.4), {.borders = borders, .linkage = linkage, .keep = parse_keep("longest")});
      ASSERT_EQ(result.rows.size(), borders.size());
      for (std::size_t i = 0; i < borders.size(); ++i) {
        const DedupResult run = dedup(input, dir_.path("kept"), sure_plan(borders[i]), {.linkage = linkage, .keep = parse_keep("longest")});
        EXPECT_EQ(result.rows[i].border, borders[i]);
        EXPECT_EQ(result.rows[i].pairs, pairs(input, sure_plan(borders[i])).matches.size()) << seed << " at " << borders[i];
        EXPECT_EQ(result.rows[i].clusters, run.clusters) << seed << " at " << borders[i];
        EXPECT_EQ(result.rows[i].removed, run.removed) << seed << " at " << borders[i];
        EXPECT_EQ(result.rows[i].recall->estimate, 1);
      }
    }
  }
}

// Clusters are chains of pairs, and removals what dedup removes by itself: in the answer and on the pages of `pairs` and `cluster`.
TEST_F(WhatIfRuns, ConnectedClustersWithTheRemovalsOfStars) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = few_words("chains", seed, 60, 6);
    Report of_pairs, of_clusters;
    pairs(input, sure_plan(0.4), {.report = &of_pairs});
    cluster(input, sure_plan(0.4), {}, {.report = &of_clusters});
    const std::vector<double> borders{0.4, 0.5, 0.8, 1};
    const WhatIfResult result =
        what_if(input, sure_plan(0.4), {.borders = borders, .linkage = Linkage::connected, .removal = Linkage::star});
    for (const WhatIf& row : result.rows) {
      const DedupResult run = dedup(input, dir_.path("kept"), sure_plan(row.border));
      EXPECT_EQ(row.removed, run.removed) << seed << " at " << row.border;
      const DedupResult chains = dedup(input, dir_.path("kept"), sure_plan(row.border), {.linkage = Linkage::connected});
      EXPECT_EQ(row.clusters, chains.clusters) << seed << " at " << row.border;
      for (const Report* const report : {&of_pairs, &of_clusters}) {
        const auto same = [&](const WhatIf& other) { return other.border == row.border; };
        const auto shown = std::find_if(report->what_if.begin(), report->what_if.end(), same);
        ASSERT_NE(shown, report->what_if.end());
        EXPECT_EQ(shown->removed, run.removed) << seed << " at " << row.border;
        EXPECT_EQ(shown->clusters, chains.clusters) << seed << " at " << row.border;
      }
    }
    EXPECT_EQ(of_pairs.linkage, Linkage::connected);
  }
}

TEST_F(WhatIfRuns, RemovalsFollowTheRuleOfTheRun) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Input input = few_words("chains", seed, 60, 6);
    for (const DedupOptions& options :
         {DedupOptions{}, DedupOptions{.keep_at_most = 2}, DedupOptions{.linkage = Linkage::connected, .keep_at_most = 3},
          DedupOptions{.drop_repeated = true}}) {
      Report report;
      dedup(input, dir_.path("kept"), sure_plan(0.4), options, {.report = &report});
      ASSERT_GT(report.what_if.size(), 10u);
      for (std::size_t i = 0; i < report.what_if.size(); i += 10) {
        const WhatIf& row = report.what_if[i];
        EXPECT_EQ(row.removed, dedup(input, dir_.path("kept"), sure_plan(row.border), options).removed)
            << seed << " at " << row.border << ", at most " << options.keep_at_most;
      }
    }
  }
}

TEST_F(WhatIfRuns, BetweenTwoInputsToo) {
  const Input input = corpus(1), other = against(2);
  const WhatIfResult result = what_if(input, sure_plan(0.3), {.borders = {0.3, 0.6}}, {}, &other);
  for (const WhatIf& row : result.rows) {
    const DedupResult run = dedup(input, dir_.path("kept"), sure_plan(row.border), {.against = other});
    EXPECT_EQ(row.pairs, pairs(input, sure_plan(row.border), {}, &other).matches.size());
    EXPECT_EQ(row.clusters, run.clusters);
    EXPECT_EQ(row.removed, run.removed);
  }
}

TEST_F(WhatIfRuns, RadiiOfVectorsAreCountedLikeThresholds) {
  test::Random random(5);
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += std::to_string(random.below(60)) + "," + std::to_string(random.below(60)) + "\n";
  Input input = file("points.csv", rows);
  input.format = Format::dense;
  input.header = false;
  const auto plan = [](double radius) { return tune({.measure = Measure::euclidean, .recall = 1, .radius = radius}); };
  const WhatIfResult result = what_if(input, plan(5), {.borders = {1, 2.5, 5}});
  for (const WhatIf& row : result.rows) {
    const DedupResult run = dedup(input, dir_.path("kept"), plan(row.border));
    EXPECT_EQ(row.pairs, pairs(input, plan(row.border)).matches.size());
    EXPECT_EQ(row.removed, run.removed);
  }
}

TEST_F(WhatIfRuns, WhatWasNotSearchedForIsRefused) {
  const Input input = corpus(1);
  EXPECT_THROW(what_if(input, sure_plan(0.8), {.borders = {0.7}}), Error);
  EXPECT_THROW(what_if(input, test::exact_plan(), {.borders = {1}}), Error);
  EXPECT_THROW(what_if(input, tune({.threshold = 0.8}, {.verify = Verify::estimate}), {.borders = {0.9}}), Error);
}

/// Jaccard by words, as the engine is not asked.
double similarity(const std::string& a, const std::string& b) {
  const Comparison c = compare(a, b, sure_plan(0.5), 0);
  return c.total == 0 ? 0 : static_cast<double>(c.shared) / static_cast<double>(c.total);
}

struct Truth {
  std::uint64_t pairs = 0;                  ///< of all items, each pair seen from both its ends, copies not counted
  std::map<int, std::uint64_t> by_percent;  ///< whole percents of similarity, copies included, each pair once
};

Truth truth_of(const std::vector<std::string>& texts, double threshold) {
  Truth truth;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double s = similarity(texts[i], texts[j]);
      truth.pairs += s >= threshold && s < 1 ? 2 : 0;
      if (s > 0) ++truth.by_percent[static_cast<int>(std::floor(100 * s + 1e-9))];
    }
  }
  return truth;
}

/// Texts of different words each: only copies, in whatever order, have similarity 1.
std::vector<std::string> texts_of_different_words(std::uint64_t seed) {
  test::Random random(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    std::set<std::size_t> words;
    const std::size_t size = random.between(3, 9);
    while (words.size() < size) words.insert(random.below(12));
    std::string text;
    for (const std::size_t word : words)
      text = random.chance(50) ? text + " w" + std::to_string(word) : "w" + std::to_string(word) + " " + text;
    texts.push_back(text);
  }
  texts.emplace_back();
  return texts;
}

TEST_F(WhatIfRuns, AnAuditOfAllItemsIsTheTrueRecall) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<std::string> texts = texts_of_different_words(seed);
    const Input input = file("all.jsonl", test::as_jsonl(texts));
    // So few bands that pairs are missed.
    const Plan plan =
        tune({.threshold = 0.4, .recall = 0.3}, {.shingle = parse_shingle("word:1"), .bands = 2, .rows = 3, .large_bucket = 1000});
    const PairsResult result = pairs(input, plan, {.audit = 1'000});
    const Truth truth = truth_of(texts, 0.4);
    std::uint64_t found = 0;
    for (const Match& match : result.matches) found += match.shared < match.total ? 2 : 0;
    ASSERT_TRUE(result.stats.audit);
    EXPECT_EQ(result.stats.audit->true_pairs, truth.pairs) << seed;
    EXPECT_EQ(result.stats.audit->found, found) << seed;
    const double expected = truth.pairs == 0 ? 1 : static_cast<double>(found) / static_cast<double>(truth.pairs);
    EXPECT_DOUBLE_EQ(result.stats.audit->recall.estimate, expected);
  }
}

TEST_F(WhatIfRuns, AnAuditAsksNoMoreItemsThanItWasTold) {
  const Input input = corpus(3);
  const PairsResult result = pairs(input, sure_plan(0.4), {.audit = 4});
  EXPECT_EQ(result.stats.audit->items, 4u);
  EXPECT_EQ(result.stats.audit->found, result.stats.audit->true_pairs) << "an exact join misses nothing";
}

TEST_F(WhatIfRuns, AnAuditIsTheSameForAnyNumberOfThreads) {
  const Input input = corpus(4);
  const Plan plan = tune({.threshold = 0.4, .recall = 0.3}, {.shingle = parse_shingle("word:1"), .bands = 2, .rows = 3});
  const Audit one = *pairs(input, plan, {.threads = 1, .audit = 10}).stats.audit,
              three = *pairs(input, plan, {.threads = 3, .audit = 10}).stats.audit;
  EXPECT_EQ(one.true_pairs, three.true_pairs);
  EXPECT_EQ(one.found, three.found);
  EXPECT_EQ(one.recall.low, three.recall.low);
  EXPECT_EQ(one.recall.high, three.recall.high);
}

TEST_F(WhatIfRuns, AContainmentIsAuditedInItsDirection) {
  const Input input =
      file("parts.jsonl", json_record("part", "a b c") + json_record("whole", "a b c d e f") + json_record("other", "x y z"));
  const Plan plan = tune({.measure = Measure::containment, .threshold = 0.9, .recall = 1}, {.shingle = parse_shingle("word:1")});
  const Audit audit = *pairs(input, plan, {.audit = 3}).stats.audit;
  EXPECT_EQ(audit.true_pairs, 1u) << "the part stands in the whole, not the whole in the part";
  EXPECT_EQ(audit.found, 1u);
}

TEST_F(WhatIfRuns, VectorsAreAuditedByTheirValues) {
  Input input = file("points.csv", "0,0\n0,1\n5,5\n5,6\n9,9\n");
  input.format = Format::dense;
  input.header = false;
  const Audit audit = *pairs(input, tune({.measure = Measure::euclidean, .recall = 1, .radius = 1}), {.audit = 5}).stats.audit;
  EXPECT_EQ(audit.true_pairs, 4u) << "two pairs, each from both its ends";
  EXPECT_EQ(audit.found, 4u);
}

TEST_F(WhatIfRuns, ASmallAuditIsNotTheSampleOfAReport) {
  const Plan plan = tune({.threshold = 0.5}, {.shingle = parse_shingle("word:1")});
  Report report;
  const RunStats stats = pairs(corpus(3), plan, {.audit = 2, .report = &report}).stats;
  EXPECT_EQ(stats.audit->items, 2u);
  EXPECT_TRUE(report.sample->complete) << "all items of a small collection are asked for";
}

TEST_F(WhatIfRuns, TheSampleOfAReportHasOnlyPairsThatAreWanted) {
  for (const Scope::Rule rule : {Scope::Rule::within, Scope::Rule::across}) {
    test::Random random(5);
    std::string records;
    for (int i = 0; i < 80; ++i) {
      std::string text;
      for (std::size_t left = random.between(1, 5); left > 0; --left) text += "w" + std::to_string(random.below(8)) + " ";
      records += R"({"id":")" + std::to_string(i) + R"(","group":")" + std::to_string(random.below(3)) + R"(","text":")" + text + "\"}\n";
    }
    Input input = file("scoped.jsonl", records);
    input.scope = {rule, "group"};
    Report report;
    const std::uint64_t found = pairs(input, sure_plan(0.2), {.report = &report}).stats.pairs;
    ASSERT_TRUE(report.sample->complete);
    double similar = 0;
    for (const PairsAt& step : report.sample->pairs) similar += step.at >= 0.2 ? step.pairs : 0;
    EXPECT_EQ(std::llround(similar), static_cast<long long>(found));
    input.scope = {};
    EXPECT_LT(found, pairs(input, sure_plan(0.2)).stats.pairs);
  }
}

TEST_F(WhatIfRuns, EqualTextsNeedNoAudit) { EXPECT_FALSE(pairs(corpus(1), test::exact_plan(), {.audit = 5}).stats.audit); }

TEST_F(WhatIfRuns, ASampleOfTheWholeKnowsHowPairsAreSpread) {
  test::Random random(9);
  const std::vector<std::string> texts = test::random_texts(random);
  const Input input = file("all.jsonl", test::as_jsonl(texts));
  const Truth truth = truth_of(texts, 1);
  for (const bool whole : {false, true}) {
    const DataSample sample = *sample_sets(input, sure_plan(0.5), 1, whole);
    EXPECT_EQ(sample.items, texts.size());
    EXPECT_TRUE(sample.complete);
    EXPECT_FALSE(scaled(sample, 2 * texts.size()).complete);
    std::map<int, std::uint64_t> seen;
    for (const PairsAt& step : sample.pairs) {
      if (step.at > 0) seen[static_cast<int>(std::floor(100 * step.at + 1e-9))] = static_cast<std::uint64_t>(std::llround(step.pairs));
    }
    EXPECT_EQ(seen, truth.by_percent) << "all items are asked for, so that nothing is left to chance; whole " << whole;
  }
}

TEST_F(WhatIfRuns, ASampleOfAPartIsNotTakenForTheWhole) {
  test::Random random(9);
  std::vector<std::string> texts;
  while (texts.size() < 400) {
    for (std::string& text : test::random_texts(random)) texts.push_back(std::move(text));
  }
  const Input input = file("all.jsonl", test::as_jsonl(texts));
  for (const bool whole : {false, true}) {
    const DataSample sample = *sample_sets(input, sure_plan(0.5), 1, whole);
    EXPECT_LT(sample.asked, texts.size());
    EXPECT_FALSE(sample.complete) << "most pairs of items that were asked are seen twice, others never; whole " << whole;
  }
}

TEST_F(WhatIfRuns, CopiesInAnotherInputAreLeftOutOfEveryRecall) {
  const Input input = file("a.jsonl", json_record("1", "a b c d") + json_record("2", "p q r s"));
  const Input other = file("b.jsonl", json_record("x", "d c b a") + json_record("y", "p q r t"));
  const Plan plan = tune({.threshold = 0.5, .recall = 0.9}, {.shingle = parse_shingle("word:1"), .bands = 1, .rows = 20});
  const PairsResult result = pairs(input, plan, {.audit = 10}, &other);
  EXPECT_EQ(result.stats.pairs, 1u) << "the copy; the other pair is missed by so few bands";
  EXPECT_EQ(result.stats.audit->true_pairs, 1u);
  EXPECT_EQ(result.stats.audit->found, 0u);
  EXPECT_FALSE(result.stats.recall) << "nothing but a copy was found";
}

TEST_F(WhatIfRuns, AnEmptyInputCanBeAuditedAgainstAnother) {
  const Input nothing = file("none.jsonl", "");
  const Input other = against(2);
  Report report;
  EXPECT_FALSE(pairs(nothing, sure_plan(0.5), {.audit = 3, .report = &report}, &other).stats.audit);
  EXPECT_EQ(report.against, other.paths);
}

TEST_F(WhatIfRuns, OutputsStayAsTheyWereWhenAReportCannotBeWritten) {
  dir_.write("kept", "as it was");
  const RunOptions run{.before_output = [] { throw Error(ErrorCode::file, "page.html", "cannot be written"); }};
  EXPECT_THROW(dedup(corpus(1), dir_.path("kept"), sure_plan(0.5), {}, run), Error);
  EXPECT_EQ(dir_.read("kept"), "as it was");
}

TEST_F(WhatIfRuns, EqualTextsAreNotSampled) { EXPECT_FALSE(sample_sets(corpus(1), test::exact_plan())); }

}  // namespace
}  // namespace nearkin::what_if_test
