// Parts of texts: where they begin and end, what they are called, and what goes where one is cut out.
#include <gtest/gtest.h>

#include "base/sentences.h"
#include "base/units.h"

namespace nearkin::units_test {
namespace {

using Kind = Unit::Kind;

std::vector<std::string> parts(std::string_view text, const Unit& unit) {
  std::vector<Span> spans;
  find_units(text, unit, spans);
  std::vector<std::string> found;
  for (const Span& span : spans) found.emplace_back(text.substr(span.begin, span.end - span.begin));
  return found;
}
using Texts = std::vector<std::string>;

TEST(Units, ParagraphsEndAtBlankLines) {
  const Unit unit{.kind = Kind::paragraph};
  EXPECT_EQ(parts("one\ntwo\n\nthree", unit), (Texts{"one\ntwo", "three"}));
  EXPECT_EQ(parts("\n\n one \n \t\r\n\ntwo\n", unit), (Texts{"one", "two"}));
  EXPECT_EQ(parts("one\r\n\r\ntwo", unit), (Texts{"one", "two"}));
  EXPECT_EQ(parts("one", unit), (Texts{"one"}));
}

TEST(Units, BlankIsWhatUnicodeCallsWhiteSpaceAndTwoCharactersWithoutWidth) {
  for (const std::string blank : {"\xC2\xA0", "\xE3\x80\x80", "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xE2\x80\xA8", "\v", " \xC2\xA0\t"}) {
    EXPECT_EQ(parts("one\n" + blank + "\ntwo", {.kind = Kind::paragraph}), (Texts{"one", "two"})) << blank;
    EXPECT_EQ(parts(blank + "one" + blank + "\n" + blank + "\ntwo", {.kind = Kind::line}), (Texts{"one", "two"})) << blank;
    EXPECT_EQ(parts(blank, {.kind = Kind::line}), Texts{""}) << blank;
  }
  EXPECT_EQ(parts("\xE3\x80\xFFone\xA0\n\nx", {.kind = Kind::paragraph}), (Texts{"\xE3\x80\xFFone\xA0", "x"})) << "no UTF-8";
}

TEST(Units, ACarriageReturnAloneEndsALine) {
  EXPECT_EQ(parts("one\rtwo\r\rthree\r\nfour\r\n\rfive", {.kind = Kind::paragraph}), (Texts{"one\rtwo", "three\r\nfour", "five"}));
  EXPECT_EQ(parts("one\rtwo\r\rthree\r\n four \r", {.kind = Kind::line}), (Texts{"one", "two", "three", "four"}));
}

TEST(Units, AreOfOneField) {
  const std::string text = "one two\n\nthree\nfour\n\nfive";
  const std::vector<std::size_t> ends{7, 8, 14, text.size()};
  std::vector<Span> spans;
  find_units(text, {.kind = Kind::paragraph}, spans, ends);
  EXPECT_EQ(spans, (std::vector<Span>{{0, 7}, {9, 14}, {15, 19}, {21, 25}}));
  find_units(text, {.kind = Kind::window, .words = 2, .step = 1}, spans, ends);
  EXPECT_EQ(spans, (std::vector<Span>{{0, 7}, {9, 14}, {15, 25}}));
  const std::vector<std::size_t> none{0, 1};
  find_units("\n", {.kind = Kind::line}, spans, none);
  EXPECT_EQ(spans, std::vector<Span>{{}});
}

TEST(Units, LinesAreTrimmedAndBlankOnesAreNone) {
  const Unit unit{.kind = Kind::line};
  EXPECT_EQ(parts(" one \r\n\n\ttwo\n", unit), (Texts{"one", "two"}));
  EXPECT_EQ(parts("a\nb\nc", unit), (Texts{"a", "b", "c"}));
}

TEST(Units, WindowsCountWordsAndReachTheEnd) {
  EXPECT_EQ(parts("a b, c d e", {.kind = Kind::window, .words = 2, .step = 1}), (Texts{"a b", "b, c", "c d", "d e"}));
  EXPECT_EQ(parts("a b, c d e!", {.kind = Kind::window, .words = 2, .step = 2}), (Texts{"a b", "c d", "e"}));
  EXPECT_EQ(parts("a b c", {.kind = Kind::window, .words = 10, .step = 5}), (Texts{"a b c"}));
  EXPECT_EQ(parts("a b c d", {.kind = Kind::window, .words = 2, .step = 2}), (Texts{"a b", "c d"}));
  EXPECT_EQ(parts("日本語", {.kind = Kind::window, .words = 2, .step = 1}), (Texts{"日本", "本語"}));
}

TEST(Units, ATextWithoutAnyIsOneEmptyUnit) {
  for (const Kind kind : {Kind::document, Kind::paragraph, Kind::line, Kind::sentence, Kind::window}) {
    const Unit unit{.kind = kind, .words = 3, .step = 1};
    EXPECT_EQ(parts("", unit), (Texts{""}));
    EXPECT_EQ(parts(" \n\t\n ", unit), (Texts{""}));
  }
}

TEST(Units, OfFewerWordsAreNone) {
  const Unit unit{.kind = Kind::line, .least = 3};
  EXPECT_EQ(parts("one two\nthree four five\n- - - -\nsix", unit), (Texts{"three four five"}));
  EXPECT_EQ(parts("one two\nsix", unit), (Texts{""}));
}

TEST(Units, NamesTellOwnerAndSpan) {
  for (const std::string owner : {"a", "in:7", "x:1-2", "", "é-"}) {
    std::string name = "left over";
    name_unit(owner, {12, 34567890123}, name);
    EXPECT_EQ(name, owner + ":12-34567890123");
    EXPECT_EQ(owner_of(name), owner);
    EXPECT_EQ(span_of(name), (Span{12, 34567890123}));
  }
}

Texts sentences(std::string_view text) {
  Texts found;
  for_each_sentence(text, [&](std::size_t begin, std::size_t end) { found.emplace_back(text.substr(begin, end - begin)); });
  return found;
}

// What perl's \b{sb} says, which follows the same rules.
TEST(Sentences, FollowTheRulesOfUnicode) {
  EXPECT_EQ(sentences("He said \"Hello. Dr. Smith\" at 3.5 p.m. today. What?! Yes (really.) Next one... maybe. a.b.C x"),
            (Texts{"He said \"Hello. ", "Dr. ", "Smith\" at 3.5 p.m. today. ", "What?! ", "Yes (really.) ", "Next one... maybe. a.b.C x"}));
  EXPECT_EQ(sentences("new line. U.S. troops left. It is 1.000. Ok"), (Texts{"new line. ", "U.S. troops left. ", "It is 1.000. ", "Ok"}));
  EXPECT_EQ(sentences("one\ntwo\r\nthree"), (Texts{"one\n", "two\r\n", "three"}));
  EXPECT_EQ(sentences("\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82\xE8\xAA\x9E"), (Texts{"\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82", "\xE8\xAA\x9E"}));
  EXPECT_EQ(sentences(""), Texts{});
}

TEST(Sentences, OfAnyBytesAreTheWholeText) {
  std::uint64_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    constexpr std::string_view kBytes = "aA1.?! \n\r\xC2\xA0\xE3\x80\x82\xCC\x80\xFF,\"";
    for (int k = 0; k < 30; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += kBytes[(state >> 33) % kBytes.size()];
    }
    std::string joined;
    for (const std::string& sentence : sentences(text)) {
      EXPECT_FALSE(sentence.empty());
      joined += sentence;
    }
    EXPECT_EQ(joined, text);
  }
}

}  // namespace
}  // namespace nearkin::units_test
