// Tokens and where they stand in the text as it was read.
#include "feature/tokeniser.h"

#include <gtest/gtest.h>

#include "base/unicode.h"
#include "feature/tokens.h"
#include "support/normalises.h"
#include "support/random.h"

namespace nearkin::tokeniser_test {
namespace {

using Spans = std::vector<TextSpan>;

// Letters of one to four bytes, marks that compose, ligatures, what vanishes, what becomes several words, white space of all kinds.
std::string random_text(test::Random& random, bool ascii) {
  static const std::vector<std::string> plain{"a", "B", "z9", " ", "  ", ".", "\n", "\r\n", "\t", "_", "-"};
  static const std::vector<std::string> odd{"ß",  "ﬁ",  "İ",        "é",    "e\u0301", "\u0301", "\u00ad", "½",           "ﷺ", "日",
                                            "本", "が", "か\u3099", "🙂", "Ａ",      "\u00a0", "\u2028", "ไ",           "ท", "่",
                                            "각", "ᄀ", "ᅡ",       "ᆨ",   "\u0345",  "ΐ",      "Σ",      "\u0323\u0307"};
  std::string text;
  for (std::size_t i = random.below(60); i > 0; --i) text += !ascii && random.below(2) == 0 ? random.pick(odd) : random.pick(plain);
  return text;
}

TEST(Tokeniser, SpansOfWordsAreWhereTheyStand) {
  Tokeniser words({.token = Token::word});
  EXPECT_EQ(words.spans("It's  5!"), (Spans{{0, 2}, {3, 4}, {6, 7}}));
  EXPECT_EQ(words.spans("Straße, ﬁne"), (Spans{{0, 7}, {9, 14}}));
  EXPECT_EQ(words.spans("x ½ y"), (Spans{{0, 1}, {2, 4}, {2, 4}, {5, 6}})) << "1 and 2 are made of one character";
  EXPECT_EQ(words.spans(""), Spans{});
  EXPECT_EQ(Tokeniser({.token = Token::line}).spans(" A \r\n\nb"), (Spans{{1, 2}, {6, 7}}));
  EXPECT_EQ(Tokeniser({.token = Token::character}).spans(" A  b "), (Spans{{1, 2}, {2, 3}, {4, 5}}));
}

TEST(Tokeniser, SpansFollowTheTokensOfAnyText) {
  test::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random, round % 3 == 0);
    for (const Token token : {Token::word, Token::code, Token::character, Token::line}) {
      for (const Normalise normalise : test::all_normalises()) {
        const ShinglePlan plan{.token = token, .size = 1, .normalise = normalise};
        Tokeniser tokeniser(plan);
        const Spans spans = tokeniser.spans(text);
        ASSERT_EQ(spans.size(), tokeniser.tokens(text).size()) << text;
        std::string normalised;
        prepare_text(text, plan, normalised);
        ASSERT_TRUE(Trace(text, plan).agrees_with(normalised)) << text;
        for (std::size_t i = 0; i < spans.size(); ++i) {
          ASSERT_TRUE(spans[i].begin < spans[i].end || token == Token::line) << text;
          ASSERT_LE(spans[i].end, text.size()) << text;
          ASSERT_TRUE(i == 0 || spans[i - 1].begin <= spans[i].begin) << text;
        }
      }
    }
  }
}

TEST(Tokeniser, AsciiTakesAShortRoadToTheSameSpans) {
  test::Random random(2);
  Tokeniser tokeniser({.token = Token::word});
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (std::size_t i = random.below(20); i > 0; --i) text += random_text(random, true);
    Spans beside;
    const std::span<const std::uint64_t> tokens = tokeniser.tokens(text, &beside);
    ASSERT_EQ(beside.size(), tokens.size());
    if (!text.empty()) {
      const std::size_t first = random.below(beside.size() + 1), last = first + random.below(beside.size() - first + 1);
      Spans some;
      ASSERT_TRUE(tokeniser.spans_of_last(first, last, some));
      ASSERT_EQ(some, Spans(beside.begin() + static_cast<std::ptrdiff_t>(first), beside.begin() + static_cast<std::ptrdiff_t>(last)))
          << text;
    }
    ASSERT_EQ(beside, tokeniser.spans(text));
    Spans longer = tokeniser.spans(text + " é");  // which is no ASCII text
    longer.pop_back();
    ASSERT_EQ(beside, longer) << text;
  }
}

}  // namespace
}  // namespace nearkin::tokeniser_test
