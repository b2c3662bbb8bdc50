// What a run tells of itself for a report.
#include <algorithm>
#include <set>

#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "support/run_support.h"

namespace nearkin::examine_test {
namespace {

using test::json_record;
using test::sure_plan;

/// Different words that no other text has.
std::string own_words(int number, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += " own" + std::to_string(number) + "word" + std::to_string(i);
  return text;
}

class Examined : public test::Runs {
 protected:
  Report report_of_dedup(const Input& input, const Plan& plan, const DedupOptions& options = {}) {
    Report report;
    result_ = dedup(input, dir_.path("kept"), plan, options, {.report = &report});
    return report;
  }
};

TEST_F(Examined, AReportHoldsWhatTheRunDid) {
  const Input input = file("a.jsonl", json_record("1", "a b c d") + json_record("2", "a b c d") + json_record("3", "a b c e") +
                                          json_record("4", "p q r s") + json_record("5", "") + "nonsense\n");
  const Report report = report_of_dedup(input, sure_plan(0.6));
  EXPECT_EQ(report.command, "dedup");
  EXPECT_EQ(report.inputs, input.paths);
  EXPECT_EQ(report.plan, sure_plan(0.6));
  EXPECT_EQ(report.kept, 3u);
  EXPECT_EQ(report.removed, 2u);
  EXPECT_EQ(report.stats->faults.count, 1u);
  EXPECT_EQ(report.stats->empty, 1u);
  EXPECT_EQ(report.pairs_in_all, 3u);
  EXPECT_EQ(report.clusters_in_all, 1u);
}

TEST_F(Examined, ClustersAreShownLargestFirstWithTheirFarthestMember) {
  const Input input = file("a.jsonl", json_record("1", "a b c d") + json_record("2", "p q r s") + json_record("3", "p q r s") +
                                          json_record("4", "p q r t") + json_record("5", "a b c d"));
  const Report report = report_of_dedup(input, sure_plan(0.6));
  ASSERT_EQ(report.clusters.size(), 2u);
  EXPECT_EQ(report.clusters[0].keeper, "2");
  EXPECT_EQ(report.clusters[0].size, 3u);
  EXPECT_EQ(report.clusters[0].members, (std::vector<std::string>{"3", "4"}));
  EXPECT_DOUBLE_EQ(report.clusters[0].least, 0.6);
  EXPECT_DOUBLE_EQ(report.clusters[1].least, 1);
  ASSERT_EQ(report.sizes.size(), 2u);
  EXPECT_EQ(report.sizes[0].size, 2u);
  EXPECT_EQ(report.sizes[1].clusters, 1u);
}

TEST_F(Examined, TheBiggestBucketShowsTheBoilerplateThatMadeIt) {
  const std::string boilerplate = "subscribe to our newsletter and follow us on every channel there is";
  std::string records;
  for (int i = 0; i < 12; ++i) records += json_record(std::to_string(i), own_words(i, 2) + " " + boilerplate + own_words(100 + i, 2));
  const Plan plan = tune({.threshold = 0.8, .recall = 0.9}, {.shingle = parse_shingle("word:3"), .bands = 20, .rows = 1});
  const Report report = report_of_dedup(file("a.jsonl", records), plan);
  ASSERT_FALSE(report.buckets.empty());
  EXPECT_EQ(report.buckets[0].size, 12u);
  EXPECT_GT(report.buckets[0].bands, 1u) << "the same items meet in several bands";
  EXPECT_EQ(report.buckets[0].passage, boilerplate);
  EXPECT_EQ(report.buckets[0].having, report.buckets[0].looked_at);
  for (std::size_t i = 1; i < report.buckets.size(); ++i) EXPECT_LE(report.buckets[i].size, report.buckets[i - 1].size);
}

TEST_F(Examined, PairsComeWithTheirTextsAndTheReasonWhyTheyAreShown) {
  const Input input =
      file("a.jsonl", json_record("1", "The cat, the dog") + json_record("2", "the cat the dog runs") + json_record("3", "nothing alike"));
  const Report report = report_of_dedup(input, sure_plan(0.5));
  ASSERT_EQ(report.pairs.size(), 1u);
  const ShownPair& pair = report.pairs[0];
  EXPECT_EQ(pair.a + pair.b, "12");
  EXPECT_EQ(pair.why, "nearest to the threshold");
  EXPECT_EQ(pair.comparison.shared, 3u);
  EXPECT_EQ(pair.comparison.total, 4u);
  EXPECT_EQ(pair.texts.a.text, "The cat, the dog") << "as it came";
  EXPECT_FALSE(pair.texts.b.shared.empty());
}

TEST_F(Examined, ManyPairsAreSampledAndTextsCut) {
  std::string records;
  const std::string long_text = own_words(1, 4000);
  for (int i = 0; i < 80; ++i) records += json_record(std::to_string(i), long_text + " " + std::to_string(i));
  const Report report = report_of_dedup(file("a.jsonl", records), sure_plan(0.5));
  EXPECT_EQ(report.pairs_in_all, 80u * 79 / 2);
  EXPECT_EQ(report.listed.size(), 80u * 79 / 2) << "every pair has a row";
  EXPECT_LE(report.pairs.size(), 100u);
  EXPECT_GE(report.pairs.size(), 10u);
  for (const ShownPair& pair : report.pairs) EXPECT_EQ(pair.texts.a.left_out, 0u);
}

std::size_t bytes_of_texts(const Report& report) {
  std::size_t bytes = 0;
  for (const ShownPair& pair : report.pairs) bytes += pair.texts.a.text.size() + pair.texts.b.text.size();
  for (const ShownText& shown : report.texts) bytes += shown.text.size();
  return bytes;
}

TEST_F(Examined, APageHoldsAsManyTextsAsFitAndNoMore) {
  std::string records;
  for (int i = 0; i < 60; ++i) {
    const std::string text = own_words(i, 6000);
    for (const char* const last : {" x", " y"}) records += json_record(std::to_string(i) + last, text + last);
  }
  const Report report = report_of_dedup(file("a.jsonl", records), sure_plan(0.5));
  const std::size_t texts = bytes_of_texts(report), of_one = report.pairs[0].texts.a.text.size();
  ASSERT_EQ(report.listed.size(), 60u);
  ASSERT_GT(60 * 2 * of_one, 3'000'000u) << "not all of them fit";
  EXPECT_LE(texts, 3'000'000u);
  EXPECT_GT(texts + 2 * of_one, 3'000'000u) << "another row would have fitted";
  EXPECT_LT(report_html(report).size(), 3'900'000u) << "they are not there twice";
}

TEST_F(Examined, ItemsOfRowsThatAreNotMarkedHaveTheirTextsOnce) {
  std::string records;
  for (int i = 0; i < 700; ++i) {
    const std::string text = own_words(i, 30), id = std::to_string(i);
    records += json_record(id, text) + json_record(id + "'", text + " more");
  }
  const Report report = report_of_dedup(file("a.jsonl", records), sure_plan(0.5));
  ASSERT_EQ(report.listed.size(), 700u);
  std::set<std::string> ids;
  for (const ShownPair& pair : report.pairs) ids.insert({pair.a, pair.b});
  const std::size_t in_pairs = ids.size();
  EXPECT_LT(in_pairs, 1400u);
  for (const ShownText& shown : report.texts) ids.insert(shown.id);
  EXPECT_EQ(report.texts.size(), 1400 - in_pairs);
  EXPECT_EQ(ids.size(), 1400u);
}

TEST_F(Examined, MoreThanAHundredClustersAreShownAndEachHasMembers) {
  std::string records;
  for (int i = 0; i < 150; ++i) {
    for (int copy = 0; copy < (i == 0 ? 300 : 3); ++copy)
      records += json_record(std::to_string(i) + "-" + std::to_string(copy), own_words(i, 5));
  }
  const Report report = report_of_dedup(file("a.jsonl", records), sure_plan(0.5));
  ASSERT_EQ(report.clusters.size(), 150u);
  EXPECT_EQ(report.clusters[0].members.size(), 299u);
  for (const ShownCluster& cluster : report.clusters) EXPECT_EQ(cluster.members.size(), cluster.size - 1);
}

TEST_F(Examined, VeryLongTextsAreCut) {
  const std::string long_text = own_words(1, 20'000);
  const Input input = file("a.jsonl", json_record("1", long_text + " x") + json_record("2", long_text + " y"));
  const Report report = report_of_dedup(input, sure_plan(0.5));
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_LE(report.pairs[0].texts.a.text.size(), 200'000u);
  EXPECT_GT(report.pairs[0].texts.a.left_out, 0u);
}

TEST_F(Examined, EveryPairThatIsShownWasFound) {
  // The third is near to both of the others, which are too far from each other: two stars, but one connected group.
  Input input = file("points.csv", "0,0\n2.99,0\n1.5,0\n9,9\n");
  input.format = Format::dense;
  input.header = false;
  const Plan plan = tune({.measure = Measure::euclidean, .recall = 1, .radius = 2});
  for (const Linkage linkage : {Linkage::star, Linkage::connected}) {
    const Report report = report_of_dedup(input, plan, {.linkage = linkage});
    ASSERT_EQ(report.pairs.size(), 2u);
    for (const ShownPair& pair : report.pairs) EXPECT_LE(pair.comparison.similarity, 2);
    ASSERT_EQ(report.listed.size(), 2u);
    for (const ListedPair& pair : report.listed) EXPECT_LE(*pair.value, 2);
  }
}

TEST_F(Examined, AContainmentIsShownInItsDirection) {
  const Input input = file("a.jsonl", json_record("whole", "a b c d e f g h") + json_record("part", "a b c d"));
  const Plan plan = tune({.measure = Measure::containment, .threshold = 0.9, .recall = 1}, {.shingle = parse_shingle("word:1")});
  const Report report = report_of_dedup(input, plan);
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_EQ(report.pairs[0].a, "part");
  EXPECT_DOUBLE_EQ(report.pairs[0].comparison.similarity, 1);
}

TEST_F(Examined, RowsOfTheListSayHowTextsBeginAndWhichWereKept) {
  const std::string text = "  First\n line, and then more words than fit on one row of the list, which is cut after eighty characters";
  const Input input = file("a.jsonl", json_record("1", text) + json_record("2", text) + json_record("3", text + " x"));
  Report report = report_of_dedup(input, sure_plan(0.5));
  ASSERT_EQ(report.listed.size(), 2u) << "a copy is listed with what it is a copy of";
  const ListedPair& copy = report.listed[0];
  EXPECT_EQ(copy.a.id + copy.b.id, "12");
  EXPECT_EQ(copy.a.beginning, "First line, and then more words than fit on one row of the list, which is cut af…");
  EXPECT_EQ(copy.a.kept, true);
  EXPECT_EQ(copy.b.kept, false);
  EXPECT_EQ(copy.value, 1);
  EXPECT_TRUE(copy.shown);
  EXPECT_EQ(report.clusters[0].beginning, copy.a.beginning);
  report = report_of_dedup(input, sure_plan(0.5), {.drop_repeated = true});
  EXPECT_FALSE(report.listed[0].a.kept) << "keepers are not what stays";
}

TEST_F(Examined, TheSliderGoesFromTheRunsThresholdToOne) {
  const Input input = file("a.jsonl", json_record("1", "a b c d") + json_record("2", "a b c e") + json_record("3", "a b c d"));
  const Report report = report_of_dedup(input, sure_plan(0.555));
  ASSERT_GE(report.what_if.size(), 40u);
  EXPECT_DOUBLE_EQ(report.what_if.front().border, 0.555);
  EXPECT_DOUBLE_EQ(report.what_if[1].border, 0.56);
  EXPECT_DOUBLE_EQ(report.what_if.back().border, 1);
  EXPECT_EQ(report.what_if.front().removed, result_.removed);
  EXPECT_EQ(report.what_if.back().pairs, 1u) << "copies alone";
}

TEST_F(Examined, OfVectorsThereAreNoTexts) {
  Input input = file("points.csv", "0,0\n0,1\n5,5\n5,6\n9,9\n");
  input.format = Format::dense;
  input.header = false;
  const Report report = report_of_dedup(input, tune({.measure = Measure::euclidean, .recall = 1, .radius = 1}));
  ASSERT_EQ(report.pairs.size(), 2u);
  EXPECT_TRUE(report.pairs[0].texts.a.text.empty());
  EXPECT_DOUBLE_EQ(report.pairs[0].comparison.similarity, 1);
  EXPECT_DOUBLE_EQ(report.what_if.back().border, 1) << "the radius of the run";
}

TEST_F(Examined, EqualTextsAndTwoInputsCanBeReportedToo) {
  const Input input = file("a.jsonl", json_record("1", "a b") + json_record("2", "a b") + json_record("3", "c d"));
  const Input other = file("b.jsonl", json_record("x", "a b") + json_record("y", "c d e"));
  const Report equal = report_of_dedup(input, test::exact_plan());
  EXPECT_EQ(equal.clusters_in_all, 1u);
  EXPECT_TRUE(equal.what_if.empty());
  const Report across = report_of_dedup(input, sure_plan(0.5), {.against = other});
  EXPECT_EQ(across.pairs_in_all, 3u);
  EXPECT_TRUE(across.clusters.empty());
  EXPECT_EQ(across.what_if.front().removed, 3u);
}

TEST_F(Examined, AReportChangesNothingInTheResult) {
  test::Random random(3);
  const Input input = file("a.jsonl", test::as_jsonl(test::random_texts(random)));
  const Plan plan = tune({.threshold = 0.5}, {.shingle = parse_shingle("word:1")});
  dedup(input, dir_.path("plain"), plan);
  Report report;
  dedup(input, dir_.path("reported"), plan, {}, {.report = &report});
  EXPECT_EQ(dir_.read("plain"), dir_.read("reported"));
}

}  // namespace
}  // namespace nearkin::examine_test
