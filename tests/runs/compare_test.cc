// One pair in full.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

namespace nearkin::compare_test {
namespace {

Plan plan_of(const std::string& shingle, double recall = 0.95) {
  return tune({.threshold = 0.5, .recall = recall}, {.shingle = parse_shingle(shingle)});
}

// "The dog which chased the cat" → "… that …", shingles of three characters: seven of the first are lost.
TEST(Compare, WorkedExample) {
  const Plan plan = plan_of("char:3");
  const Comparison result = compare("The dog which chased the cat", "The dog that chased the cat", plan);
  EXPECT_EQ(result.a_size, 24u);
  EXPECT_EQ(result.a_size - result.shared, 7u);
  EXPECT_EQ(result.total, result.a_size + result.b_size - result.shared);
  EXPECT_DOUBLE_EQ(result.similarity, static_cast<double>(result.shared) / static_cast<double>(result.total));
  EXPECT_DOUBLE_EQ(result.found, found_probability(result.similarity, plan.band.bands, plan.band.rows));
  EXPECT_NEAR(result.estimate, result.similarity, 0.2);
  ASSERT_FALSE(result.passages.empty());
  EXPECT_EQ(result.passages[0], " chased the cat");
  EXPECT_EQ(result.passages[1], "The dog ");
}

TEST(Compare, ThreeOfEight) {
  const Comparison result = compare("1 2 3 4 5", "3 4 5 6 7 8", plan_of("word:1", 1));
  EXPECT_EQ(result.shared, 3u);
  EXPECT_EQ(result.total, 8u);
  EXPECT_EQ(result.similarity, 0.375);
  EXPECT_EQ(result.estimate, 0) << "recall 1 needs no sketch";
  EXPECT_TRUE(result.candidate) << "without a sketch, every pair is looked at";
}

TEST(Compare, BagsCountRepeats) {
  const auto similarity = [](Measure measure) {
    return compare("abcab", "abc", tune({.measure = measure, .threshold = 0.5, .recall = 1}, {.shingle = parse_shingle("char:2")}));
  };
  EXPECT_EQ(similarity(Measure::jaccard).total, 3u);
  EXPECT_EQ(similarity(Measure::weighted_jaccard).total, 4u);
  EXPECT_EQ(similarity(Measure::weighted_jaccard).shared, 2u);
}

TEST(Compare, EqualTextsAreOneAndAlwaysMet) {
  const Comparison result = compare("Same text here", "same  TEXT, here", plan_of("word:2"));
  EXPECT_EQ(result.similarity, 1);
  EXPECT_EQ(result.estimate, 1);
  EXPECT_EQ(result.found, 1);
  EXPECT_TRUE(result.candidate);
  EXPECT_EQ(result.passages.size(), 1u);
}

TEST(Compare, EmptyTextsAreNeverSimilar) {
  for (const double recall : {0.95, 1.0}) {
    const Comparison both = compare("", "", plan_of("word:2", recall));
    EXPECT_EQ(both.similarity, 0);
    EXPECT_EQ(both.found, 0);
    EXPECT_FALSE(both.candidate);
    EXPECT_EQ(compare("...", "x", plan_of("word:1", recall)).similarity, 0);
  }
}

TEST(Compare, MeasureExact) {
  const Plan plan = tune({.measure = Measure::exact});
  EXPECT_EQ(compare("Same  text", "same text", plan).similarity, 1);
  EXPECT_EQ(compare("same text", "same text!", plan).similarity, 0);
  EXPECT_EQ(compare("", "", plan).similarity, 0);
  EXPECT_EQ(compare(" ", "\n", plan).similarity, 0) << "EMPTY, though not of length zero";
}

TEST(Compare, PassagesAreTheLongestSharedStretchesUpToTheNumberAsked) {
  const std::string a = "one two three four, then: red green blue, and so alpha beta gamma delta epsilon";
  const std::string b = "alpha beta gamma delta epsilon, one two three four, red green blue";
  const std::vector<std::string> all = compare(a, b, plan_of("word:2", 1)).passages;
  EXPECT_EQ(all, (std::vector<std::string>{"alpha beta gamma delta epsilon", "one two three four", "red green blue"}));
  EXPECT_EQ(compare(a, b, plan_of("word:2", 1), 1).passages.size(), 1u);
  EXPECT_TRUE(compare("x y", "p q", plan_of("word:1", 1)).passages.empty());
}

TEST(Compare, TextsHaveNoPlanOfVectors) {
  const Plan plan = tune({.measure = Measure::cosine, .threshold = 0.5}, {.kind = Kind::tfidf});
  EXPECT_THROW(compare("a b", "a c", plan), Error);
}

TEST(Compare, PassagesAreInOnePieceInBothTexts) {
  const Comparison result = compare("one two three four five six", "six five four one two three", plan_of("word:1"));
  EXPECT_EQ(result.passages, (std::vector<std::string>{"one two three", "four", "five", "six"}));
}

}  // namespace
}  // namespace nearkin::compare_test
