// Shingles as strings: what they are made of, token by token.
#include "feature/shingler.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

namespace nearkin::shingler_test {
namespace {

using namespace std::string_literals;
using Strings = std::vector<std::string>;

ShinglePlan plan_of(Token token, std::uint32_t size, Normalise normalise = Normalise::none, bool bag = false) {
  return {.token = token, .size = size, .bag = bag, .normalise = normalise};
}

Strings shingles_of(std::string_view text, const ShinglePlan& plan) {
  const ShingleSpans found = shingle_spans(text, plan);
  Strings result;
  for (const ShingleSpans::Span& span : found.spans) result.push_back(found.normalised.substr(span.begin, span.end - span.begin));
  return result;
}

Strings words_of(std::string_view text, Normalise normalise = Normalise::text) {
  return shingles_of(text, plan_of(Token::word, 1, normalise));
}

std::vector<std::uint64_t> features_of(std::string_view text, const ShinglePlan& plan) {
  Shingler shingler(plan);
  const auto features = shingler.features(text);
  return {features.begin(), features.end()};
}

bool empty(std::string_view text, const ShinglePlan& plan) { return features_of(text, plan).empty(); }

TEST(Shingles, OfTheTextbookStringAreASetOrABag) {
  EXPECT_EQ(shingles_of("abcab", plan_of(Token::character, 2)), (Strings{"ab", "bc", "ca", "ab"}));
  EXPECT_EQ(features_of("abcab", plan_of(Token::character, 2)).size(), 3u);
  EXPECT_EQ(features_of("abcab", plan_of(Token::character, 2, Normalise::none, true)).size(), 4u);
  const Strings shingles = shingles_of("abcdabd", plan_of(Token::character, 2));
  EXPECT_EQ(std::set<std::string>(shingles.begin(), shingles.end()), (std::set<std::string>{"ab", "bc", "cd", "da", "bd"}));
  EXPECT_EQ(features_of("abcdabd", plan_of(Token::character, 2)).size(), 5u);
}

TEST(Shingles, LostByOneChangedWordAreExactlySeven) {
  const ShinglePlan plan = plan_of(Token::character, 3);
  const ShingleSpans before = shingle_spans("The dog which chased the cat", plan);
  const std::vector<std::uint64_t> after = features_of("The dog that chased the cat", plan);
  Strings lost;
  for (const ShingleSpans::Span& span : before.spans) {
    if (std::binary_search(after.begin(), after.end(), span.hash)) continue;
    lost.push_back(before.normalised.substr(span.begin, span.end - span.begin));
  }
  EXPECT_EQ(lost, (Strings{"g w", " wh", "whi", "hic", "ich", "ch ", "h c"}));
}

TEST(Shingles, AreEqualInHashExactlyWhenEqualInTokens) {
  const ShingleSpans found = shingle_spans("a b a b a c a b b a", plan_of(Token::word, 2));
  for (const auto& x : found.spans) {
    for (const auto& y : found.spans) {
      const bool same = found.normalised.substr(x.begin, x.end - x.begin) == found.normalised.substr(y.begin, y.end - y.begin);
      EXPECT_EQ(x.hash == y.hash, same);
    }
  }
}

TEST(Shingles, DifferWhenTheSameLettersAreCutIntoOtherWords) {
  for (const Normalise normalise : {Normalise::text, Normalise::none, Normalise::code}) {
    EXPECT_NE(features_of("ab c", plan_of(Token::word, 2, normalise)), features_of("a bc", plan_of(Token::word, 2, normalise)));
    EXPECT_NE(features_of("ab c", plan_of(Token::word, 5, normalise)), features_of("a bc", plan_of(Token::word, 5, normalise)));
    EXPECT_NE(features_of("ab c", plan_of(Token::word, 2, normalise)), features_of("c ab", plan_of(Token::word, 2, normalise)));
  }
}

TEST(Shingles, OfTextShorterThanOneAreTheWholeText) {
  for (const Token token : {Token::character, Token::word, Token::code, Token::element}) {
    for (std::uint32_t size = 2; size <= 6; ++size) {
      EXPECT_EQ(features_of("x", plan_of(token, size)).size(), 1u);
      EXPECT_EQ(features_of("x", plan_of(token, size)), features_of("x", plan_of(token, size)));
      EXPECT_NE(features_of("x", plan_of(token, size)), features_of("y", plan_of(token, size)));
    }
  }
  EXPECT_EQ(shingles_of("one two three", plan_of(Token::word, 5)), (Strings{"one two three"}));
  EXPECT_EQ(shingles_of("one two three four five", plan_of(Token::word, 5)).size(), 1u);
  EXPECT_EQ(features_of("one\ntwo", plan_of(Token::line, 5)).size(), 1u);
}

TEST(Shingles, OfShortTextsAreNoneOfALongerText) {
  std::set<std::uint64_t> all;
  std::string text;
  std::size_t count = 0;
  for (int words = 1; words <= 12; ++words) {
    text += words == 1 ? "a" : " a";
    for (const std::uint64_t hash : features_of(text, plan_of(Token::word, 5))) all.insert(hash);
    count += words <= 5 ? 1 : 0;
  }
  EXPECT_EQ(all.size(), count);  // four short ones, and the one shingle of all longer texts
}

TEST(Shingles, AreNoneForTextWithoutUnits) {
  for (const Normalise normalise : {Normalise::text, Normalise::none, Normalise::code}) {
    for (const std::string& blank : {""s, " "s, " \t\r\n\v\f  "s, "\n\n\n"s}) {
      for (const Token token : {Token::word, Token::code, Token::element}) EXPECT_TRUE(empty(blank, plan_of(token, 5, normalise)));
    }
    for (const std::string& text : {"... !?"s, "-- \xe2\x80\x94 --"s, "\xe3\x80\x82\xe3\x80\x81"s, "\0\0"s, "\xf0\x9f\x98\x80"s}) {
      EXPECT_TRUE(empty(text, plan_of(Token::word, 3, normalise))) << text;
      EXPECT_FALSE(empty(text, plan_of(Token::code, 3, normalise))) << text;
    }
    EXPECT_TRUE(empty("", plan_of(Token::character, 9, normalise)));
    EXPECT_TRUE(empty("\n\r\n\n", plan_of(Token::line, 1, normalise)));
  }
  EXPECT_TRUE(empty(" \t\xc2\xa0\xe3\x80\x80", plan_of(Token::character, 9, Normalise::text)));
  EXPECT_TRUE(empty("  \n\t\n", plan_of(Token::line, 1, Normalise::text)));
}

TEST(Shingles, ExistForEveryScript) {
  for (const char* text : {"你好", "日本語", "สวัสดี", "မြန်မာ", "ខ្មែរ", "한국어", "العربية", "עברית", "ελληνικά", "हिन्दी"}) {
    EXPECT_FALSE(empty(text, plan_of(Token::word, 5, Normalise::text))) << text;
    EXPECT_FALSE(empty(text, plan_of(Token::word, 5, Normalise::none))) << text;
  }
  EXPECT_NE(features_of("你好世界", plan_of(Token::word, 5)), features_of("再见世界", plan_of(Token::word, 5)));
}

TEST(Words, AreSingleCharactersInScriptsWithoutSpaces) {
  EXPECT_EQ(words_of("東京へ行く"), (Strings{"東", "京", "へ", "行", "く"}));
  EXPECT_EQ(words_of("ภาษา"), (Strings{"ภ", "า", "ษ", "า"}));
  EXPECT_EQ(words_of("mixed中文text 𠀀𠀁"), (Strings{"mixed", "中", "文", "text", "𠀀", "𠀁"}));
  EXPECT_EQ(words_of("한국어 단어"), (Strings{"한국어", "단어"}));
}

TEST(Words, KeepMarksWithTheirBase) {
  EXPECT_EQ(words_of("ที่นี่"), (Strings{"ที่", "นี่"}));  // Thai vowels and tones above
  EXPECT_EQ(words_of("हिन्दी भाषा"), (Strings{"हिन्दी", "भाषा"}));
  EXPECT_EQ(words_of("x\xcc\xb2y", Normalise::none), (Strings{"x\xcc\xb2y"}));  // x, combining low line, y
  EXPECT_EQ(words_of("スーパー"), (Strings{"スー", "パー"}));
  EXPECT_EQ(words_of("漢\xef\xb8\x80字", Normalise::none), (Strings{"漢\xef\xb8\x80", "字"}));  // variation selector
}

TEST(Words, AreRunsOfLettersAndDigits) {
  EXPECT_EQ(words_of("It's 3.14, e-mail_me  NOW!"), (Strings{"it", "s", "3", "14", "e", "mail", "me", "now"}));
  EXPECT_EQ(words_of("Größe naïve ½"), (Strings{"grösse", "naïve", "1", "2"}));
}

TEST(Words, FoldCaseWidthAndLigaturesInText) {
  EXPECT_EQ(words_of("ＦＵＬＬ　ｗｉｄｔｈ ﬁne ＡＢＣ１２３"), (Strings{"full", "width", "fine", "abc123"}));
  EXPECT_EQ(words_of("ΣΊΣΥΦΟΣ Straße İ"), words_of("σίσυφος STRASSE i\xcc\x87"));
  EXPECT_EQ(words_of("cafe\xcc\x81"), words_of("caf\xc3\xa9"));
  EXPECT_EQ(words_of("co\xc2\xadoperate"), (Strings{"cooperate"}));  // soft hyphen
}

TEST(Words, KeepCaseAndFormsOtherwise) {
  for (const Normalise normalise : {Normalise::none, Normalise::code}) {
    EXPECT_EQ(words_of("Hello HELLO hello", normalise), (Strings{"Hello", "HELLO", "hello"}));
    EXPECT_EQ(words_of("Ünit ﬁne", normalise), (Strings{"Ünit", "ﬁne"}));
    EXPECT_EQ(features_of("Hello HELLO hello", plan_of(Token::word, 1, normalise)).size(), 3u);
  }
  EXPECT_EQ(features_of("Hello HELLO hello", plan_of(Token::word, 1, Normalise::text)).size(), 1u);
}

TEST(CodeTokens, AreIdentifiersNumbersAndEveryMark) {
  EXPECT_EQ(shingles_of("if (my_var1 >= 0x1F) { f(); }", plan_of(Token::code, 1, Normalise::code)),
            (Strings{"if", "(", "my_var1", ">", "=", "0x1F", ")", "{", "f", "(", ")", ";", "}"}));
  EXPECT_EQ(shingles_of("_a __ b", plan_of(Token::code, 1, Normalise::code)), (Strings{"_a", "__", "b"}));
  const ShinglePlan plan = plan_of(Token::code, 3, Normalise::code);
  EXPECT_EQ(features_of("int  x\n\t= 1;", plan), features_of("int x = 1;", plan));
  EXPECT_NE(features_of("int X = 1;", plan), features_of("int x = 1;", plan));
}

TEST(Characters, AreCodePointsNotBytes) {
  EXPECT_EQ(shingles_of("añb😀", plan_of(Token::character, 2)), (Strings{"añ", "ñb", "b😀"}));
  EXPECT_EQ(shingles_of("日本語", plan_of(Token::character, 3)).size(), 1u);
}

TEST(Characters, CollapseWhiteSpaceUnlessTakenAsTheyAre) {
  const std::string text = "  A \t\n b ";
  EXPECT_EQ(shingles_of(text, plan_of(Token::character, 3, Normalise::text)), (Strings{"a b"}));
  EXPECT_EQ(shingles_of(text, plan_of(Token::character, 3, Normalise::code)), (Strings{"A b"}));
  EXPECT_EQ(shingles_of(text, plan_of(Token::character, 9, Normalise::none)), (Strings{text}));
}

TEST(Lines, AreUnitsWhateverEndsThem) {
  for (const Normalise normalise : {Normalise::text, Normalise::none, Normalise::code}) {
    const ShinglePlan plan = plan_of(Token::line, 2, normalise);
    const auto expected = features_of("one\ntwo\nthree\n", plan);
    EXPECT_EQ(expected.size(), 2u);
    EXPECT_EQ(features_of("one\r\ntwo\r\nthree\r\n", plan), expected);
    EXPECT_EQ(features_of("one\ntwo\nthree", plan), expected);
    EXPECT_EQ(features_of("one\n\n\r\ntwo\nthree", plan), expected);
    EXPECT_NE(features_of("one\nthree\ntwo\n", plan), expected);
  }
  EXPECT_EQ(shingles_of("A  b\r\nC\n", plan_of(Token::line, 1, Normalise::text)), (Strings{"a b", "c"}));
  EXPECT_EQ(shingles_of("A  b\r\nC\n", plan_of(Token::line, 1, Normalise::none)), (Strings{"A  b", "C"}));
  EXPECT_EQ(shingles_of("  A\t b\nC\n", plan_of(Token::line, 1, Normalise::code)), (Strings{"A b", "C"}));
}

TEST(Elements, AreWhatStandsBetweenBlanks) {
  EXPECT_EQ(shingles_of("  x-1  \ty.2\r\n\"z\" ", plan_of(Token::element, 1)), (Strings{"x-1", "y.2", "\"z\""}));
  EXPECT_EQ(features_of("1 2 3 3 2", plan_of(Token::element, 1)), features_of("3 2 1", plan_of(Token::element, 1)));
  EXPECT_NE(features_of("1 2 3", plan_of(Token::element, 1)), features_of("12 3", plan_of(Token::element, 1)));
}

TEST(Shingles, CountNulBytesLikeAnyOther) {
  EXPECT_EQ(shingles_of("a\0b"s, plan_of(Token::character, 1)), (Strings{"a", "\0"s, "b"}));
  EXPECT_EQ(words_of("a\0b c\0"s), (Strings{"a", "b", "c"}));
  EXPECT_NE(features_of("a\0"s, plan_of(Token::element, 1)), features_of("a", plan_of(Token::element, 1)));
  EXPECT_NE(features_of("a\0"s, plan_of(Token::character, 5)), features_of("a", plan_of(Token::character, 5)));
}

TEST(Shingles, MakeItemsIntoFeaturesOneAfterAnother) {
  Items items;
  for (const char* text : {"a b c d", "", "b c d é", "..."}) items.add("id", text);
  const Features features = shingle(items, plan_of(Token::word, 2));
  ASSERT_EQ(features.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto expected = features_of(items.text(static_cast<Row>(i)), plan_of(Token::word, 2));
    EXPECT_EQ(std::vector<std::uint64_t>(features[i].begin(), features[i].end()), expected);
  }
  EXPECT_EQ(features[0].size(), 3u);
  EXPECT_TRUE(features[1].empty() && features[3].empty());
}

}  // namespace
}  // namespace nearkin::shingler_test
