// The shingles as they stand in a text, against the features that are compared.
#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

namespace nearkin::shingle_spans_test {
namespace {

TEST(ShingleSpans, TheirFeaturesAreThoseOfTheItem) {
  std::mt19937_64 random(1);
  for (const bool bag : {false, true}) {
    const ShinglePlan plan{.token = Token::word, .size = 2, .bag = bag};
    for (int turn = 0; turn < 100; ++turn) {
      std::string text;
      for (std::size_t words = random() % 40; words > 0; --words) text += static_cast<char>('a' + random() % 3) + std::string(" ");
      Items items;
      items.add("a", text);
      const Features features = shingle(items, plan);
      std::vector<std::uint64_t> found;
      for (const ShingleSpans::Span& span : shingle_spans(text, plan).spans) found.push_back(span.feature);
      std::sort(found.begin(), found.end());
      if (!bag) found.erase(std::unique(found.begin(), found.end()), found.end());
      ASSERT_EQ(found, features.hashes) << text;
    }
  }
}

TEST(ShingleSpans, TheFirstOccurrenceInABagIsTheShingleItself) {
  const ShingleSpans spans = shingle_spans("x y x x", {.token = Token::word, .size = 1, .bag = true});
  ASSERT_EQ(spans.spans.size(), 4u);
  EXPECT_EQ(spans.spans[0].feature, spans.spans[0].hash);
  EXPECT_EQ(spans.spans[2].hash, spans.spans[0].hash);
  EXPECT_NE(spans.spans[2].feature, spans.spans[0].feature);
  EXPECT_NE(spans.spans[3].feature, spans.spans[2].feature);
}

}  // namespace
}  // namespace nearkin::shingle_spans_test
