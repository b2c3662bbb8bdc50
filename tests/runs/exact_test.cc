// Exact duplicates by hash table and by Bloom filter, and how many different items there are.
#include <cmath>

#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include "support/run_support.h"

namespace nearkin::exact_test {
namespace {

using test::exact_plan;
using test::json_record;

class ExactDuplicates : public test::Runs {
 protected:
  std::string numbers(int count) const {
    std::string records;
    for (int i = 0; i < count; ++i) records += json_record(std::to_string(i), "text number " + std::to_string(i * 7));
    return records;
  }
};

TEST_F(ExactDuplicates, AreEqualNormalisedTexts) {
  const Input input =
      file("docs.jsonl", json_record("a", "Straße  ﬁn") + json_record("b", "strasse fin") + json_record("c", "strasse-fin") +
                             json_record("d", "") + json_record("e", " ") + json_record("f", "fin strasse"));
  EXPECT_EQ(listed(input, exact_plan()), "a\tb\t1\n");
  EXPECT_EQ(clustered(input, exact_plan()), "a\t0\nb\t0\nc\t1\nd\t2\ne\t3\nf\t4\n") << "EMPTY items stay apart";
  kept(input, exact_plan(), {.removed = dir_.path("removed")});
  EXPECT_EQ(dir_.read("removed"), "b\ta\t1\n");
  EXPECT_EQ(result_.stats.empty, 2u);
}

TEST_F(ExactDuplicates, FollowTheNormalisation) {
  const Input input = file("docs.jsonl", json_record("a", "X  y") + json_record("b", "x y") + json_record("c", "X y"));
  const auto plan = [](Normalise normalise) { return tune({.measure = Measure::exact}, {.shingle = ShinglePlan{.normalise = normalise}}); };
  EXPECT_EQ(listed(input, plan(Normalise::text)), "a\tb\t1\na\tc\t1\nb\tc\t1\n");
  EXPECT_EQ(listed(input, plan(Normalise::code)), "a\tc\t1\n");
  EXPECT_EQ(listed(input, plan(Normalise::none)), "");
}

TEST_F(ExactDuplicates, InABloomFilterAreAllFoundAndFewOthersAreTakenForThem) {
  const int count = 30'000;
  const std::string once = numbers(count);
  std::string twice = once;
  for (int i = 0; i < count; ++i) twice += json_record("again" + std::to_string(i), "Text NUMBER " + std::to_string(i * 7));
  const Input input = file("docs.jsonl", twice);
  kept(input, exact_plan(), {.bloom = 0.001});
  EXPECT_EQ(result_.stats.items, 60'000u);
  EXPECT_GE(result_.removed, 30'000u) << "no duplicate stays";
  const double wrong = static_cast<double>(result_.removed) - count;
  EXPECT_LE(wrong, 0.001 * count + 3 * std::sqrt(0.001 * count));
  EXPECT_GT(result_.bloom_rate, 0.0);
  EXPECT_LE(result_.bloom_rate, 0.001);
  EXPECT_GT(result_.bloom_bytes, 0u);
  EXPECT_LT(result_.bloom_bytes, 60'000u * 8) << "fewer bits than the hashes alone would take";
}

TEST_F(ExactDuplicates, InABloomFilterAreRemovedAsByTheTable) {
  const Input input = file("docs.jsonl", json_record("a", "x Y") + json_record("b", "") + json_record("c", "X y") + json_record("d", "") +
                                             json_record("e", "z"));
  EXPECT_EQ(kept(input, exact_plan(), {.bloom = 1e-6}), kept(input, exact_plan()));
  EXPECT_EQ(result_.removed, 1u);
}

TEST_F(ExactDuplicates, InABloomFilterRefuseWhatNeedsTheItems) {
  const Input input = file("docs.jsonl", json_record("a", "x"));
  const auto subject = [&](const DedupOptions& options, const Plan& plan) {
    return test::error_of([&] { kept(input, plan, options); }).subject();
  };
  EXPECT_EQ(subject({.bloom = 0.01}, tune({})), "bloom");
  EXPECT_EQ(subject({.removed = dir_.path("r"), .bloom = 0.01}, exact_plan()), "removed");
  EXPECT_EQ(subject({.annotate = true, .bloom = 0.01}, exact_plan()), "annotate");
  EXPECT_EQ(subject({.against = input, .bloom = 0.01}, exact_plan()), "against");
  EXPECT_EQ(subject({.keep = parse_keep("last"), .bloom = 0.01}, exact_plan()), "keep");
  for (const double rate : {0.0, 1.0, -0.5, 2.0}) EXPECT_THROW(kept(input, exact_plan(), {.bloom = rate}), Error) << rate;
}

class DistinctItems : public ExactDuplicates {};

TEST_F(DistinctItems, AreCountedWithinTheErrorTold) {
  const int count = 50'000;
  const Input input = file("docs.jsonl", numbers(count) + json_record("copy", "TEXT number 7") + json_record("empty", " "));
  for (const unsigned threads : {1u, 3u}) {
    const Distinct result = distinct(input, Normalise::text, 12, {.threads = threads});
    EXPECT_NEAR(result.error, 1.04 / 64, 1e-9);
    EXPECT_NEAR(result.distinct, count, 3 * result.error * count);
    EXPECT_EQ(result.stats.items, 50'002u);
    EXPECT_EQ(result.stats.empty, 1u);
    EXPECT_EQ(result.distinct, distinct(input, Normalise::text, 12).distinct) << "whatever the threads";
  }
}

TEST_F(DistinctItems, OfFewAreExactAlmostAlways) {
  const Input input = file("docs.jsonl", json_record("a", "x") + json_record("b", "X") + json_record("c", "y"));
  EXPECT_EQ(std::round(distinct(input, Normalise::text).distinct), 2);
  EXPECT_EQ(std::round(distinct(input, Normalise::none).distinct), 3);
  EXPECT_EQ(distinct(file("none.jsonl", ""), Normalise::text).distinct, 0);
}

class Advice : public test::Runs {};

TEST_F(Advice, IsTheLeastSizeAtWhichSharedShinglesAreRare) {
  // 300 texts of 60 words out of 50: any word is in most texts, a pair of words in few, three words in hardly any.
  test::Random random(1);
  std::string records;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int j = 0; j < 60; ++j) text += "w" + std::to_string(random.below(50)) + ' ';
    records += json_record(std::to_string(i), text);
  }
  const Input input = file("docs.jsonl", records);
  const ShingleAdvice advice = advise_shingle(input, parse_shingle("word:5"));
  ASSERT_GE(advice.chances.size(), 5u);
  EXPECT_EQ(advice.sampled, 300u);
  EXPECT_NEAR(advice.chances[0].chance, 0.7, 0.1);
  EXPECT_NEAR(advice.chances[1].chance, 0.023, 0.01);
  EXPECT_EQ(advice.recommended, 3u);
  for (std::size_t i = 1; i < advice.chances.size(); ++i) EXPECT_LE(advice.chances[i].chance, advice.chances[i - 1].chance);
  EXPECT_GT(advise_shingle(input, parse_shingle("char:5")).recommended, 5u) << "characters need longer shingles";
  const ShingleAdvice again = advise_shingle(input, parse_shingle("word:5"));
  EXPECT_EQ(again.chances[1].chance, advice.chances[1].chance) << "the same seed, the same advice";
}

TEST_F(Advice, IsNotLedAstrayByCopies) {
  test::Random random(2);
  std::string records;
  for (int i = 0; i < 100; ++i) {
    std::string text;
    for (int j = 0; j < 60; ++j) text += "w" + std::to_string(random.below(50)) + ' ';
    for (int copy = 0; copy < 4; ++copy) records += json_record(std::to_string(4 * i + copy), text);
  }
  EXPECT_EQ(advise_shingle(file("docs.jsonl", records), parse_shingle("word:5")).recommended, 3u);
}

TEST_F(Advice, OfOneItemOrNoneIsNone) {
  EXPECT_EQ(advise_shingle(file("one.jsonl", json_record("a", "x y z")), parse_shingle("word:5")).recommended, 0u);
  EXPECT_EQ(advise_shingle(file("none.jsonl", ""), parse_shingle("word:5")).sampled, 0u);
}

}  // namespace
}  // namespace nearkin::exact_test
