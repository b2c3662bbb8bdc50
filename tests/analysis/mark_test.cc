// Two texts with what they share marked.
#include <algorithm>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>

#include "base/unicode.h"
#include "support/normalises.h"

namespace nearkin::mark_test {
namespace {

using Random = std::mt19937_64;

ShinglePlan plan_of(const std::string& shingle, Normalise normalise = Normalise::text, bool bag = false) {
  ShinglePlan plan = parse_shingle(shingle);
  plan.normalise = normalise;
  plan.bag = bag;
  return plan;
}

// The text with its stretches in brackets.
std::string shown(const MarkedText& marked) {
  std::string out;
  std::size_t at = 0;
  for (const MarkedText::Stretch& stretch : marked.shared) {
    out += marked.text.substr(at, stretch.begin - at) + "[" + marked.text.substr(stretch.begin, stretch.end - stretch.begin) + "]";
    at = stretch.end;
  }
  return out + marked.text.substr(at);
}

std::string first(std::string_view a, std::string_view b, const ShinglePlan& plan) { return shown(mark_shared(a, b, plan).a); }
std::string first(std::string_view a, std::string_view b, const std::string& shingle) { return first(a, b, plan_of(shingle)); }

TEST(Mark, BothTextsStandAsTheyCame) {
  const MarkedPair pair = mark_shared("The quick  brown fox", "a QUICK brown\tcat", plan_of("word:2"));
  EXPECT_EQ(shown(pair.a), "The [quick  brown] fox");
  EXPECT_EQ(shown(pair.b), "a [QUICK brown]\tcat");
  EXPECT_FALSE(pair.a.normalised || pair.b.normalised);
  EXPECT_EQ(pair.a.left_out + pair.b.left_out, 0u);
}

TEST(Mark, WhiteSpaceBetweenSharedWordsGoesWithThemAndPunctuationDoesNot) {
  EXPECT_EQ(first("one  two, three four", "two one three", "word:1"), "[one  two], [three] four");
  EXPECT_EQ(first("one, two three", "one two", "word:2"), "[one, two] three");
}

TEST(Mark, ShinglesOfCharactersAreExactWithinAWord) {
  EXPECT_EQ(first("unmarked", "remarkable", "char:3"), "un[mark]ed");
  EXPECT_EQ(first("a  bc", "x bc", "char:2"), "a[  bc]") << "of a run of blanks the first makes the one that counts";
  EXPECT_EQ(first("a b", "ab", "char:1"), "[a] [b]") << "the blank is not shared";
}

TEST(Mark, ACharacterIsMarkedWherePartOfItsFoldingIsShared) {
  EXPECT_EQ(first("Straße", "strass", "char:2"), "[Straß]e");
  EXPECT_EQ(first("Straße!", "STRASSE", "word:1"), "[Straße]!");
  EXPECT_EQ(first("ﬁre", "fire", "char:2"), "[ﬁre]");
  EXPECT_EQ(first("㈱山田", "山田", "word:1"), "㈱[山田]") << "a sign that folds to several does not blur its neighbours";
  EXPECT_EQ(first("ＮＥＡＲ kin", "near", "char:4"), "[ＮＥＡＲ] kin");
}

TEST(Mark, ComposedAndDecomposedLettersAreTheSame) {
  EXPECT_EQ(first("un cafe\u0301 noir", "caf\u00e9", "char:4"), "un [cafe\u0301] noir");
  EXPECT_EQ(first("xe\u0301y", "e\u0301", "char:1"), "x[e\u0301]y");
  EXPECT_EQ(first("co\u00adop", "coop", "char:4"), "[co\u00adop]") << "a soft hyphen vanishes";
  EXPECT_EQ(first("\u1112\u1161\u11ab", "\ud55c", "char:1"), "[\u1112\u1161\u11ab]") << "jamo of one syllable";
  EXPECT_EQ(first("\u0301a", "a", "char:1"), "\u0301[a]") << "a mark at the beginning has nothing to join";
}

TEST(Mark, LinesAreMarkedWithoutTheirEnds) {
  EXPECT_EQ(first("One\r\n\n  two\nthree\n", "x\nTWO\none", "line:1"), "[One\r\n\n  two]\nthree\n");
  EXPECT_EQ(first("a\nb\nc\n", "a\nx\nc", "line:1"), "[a]\nb\n[c]\n");
  EXPECT_EQ(first("a b\r\nc\r\n", "a b", plan_of("line:1", Normalise::none)), "[a b]\r\nc\r\n");
  EXPECT_EQ(first("a b\r\nc", "a  b", plan_of("line:1", Normalise::code)), "[a b]\r\nc");
}

TEST(Mark, CodeAndElements) {
  EXPECT_EQ(first("if (x) y_1 += 2;", "while (x) z;", plan_of("code:3", Normalise::code)), "if [(x)] y_1 += 2;");
  EXPECT_EQ(first("If if", "if", plan_of("code:1", Normalise::none)), "If [if]");
  EXPECT_EQ(first("milk bread eggs", "eggs milk", "element:1"), "[milk] bread [eggs]");
}

TEST(Mark, InABagTheSecondOccurrenceNeedsASecondOne) {
  EXPECT_EQ(first("x y x y x", "x", plan_of("word:1", Normalise::text, false)), "[x] y [x] y [x]");
  EXPECT_EQ(first("x y x y x", "x x", plan_of("word:1", Normalise::text, true)), "[x] y [x] y x");
}

using Parts = std::vector<MarkedText::Part>;

TEST(Mark, PassagesThatChangedPlacesKeepTheirNumbers) {
  const MarkedPair pair = mark_shared("one two three, four five six", "four five six one two three", plan_of("word:2"));
  EXPECT_EQ(pair.a.parts, (Parts{{0, 13, 0}, {15, 28, 1}}));
  EXPECT_EQ(pair.b.parts, (Parts{{0, 13, 1}, {14, 27, 0}}));
}

TEST(Mark, APassageThatOccursTwiceHasOneNumber) {
  const MarkedPair pair = mark_shared("one two x", "one two y one two", plan_of("word:2"));
  EXPECT_EQ(pair.a.parts, (Parts{{0, 7, 0}}));
  EXPECT_EQ(pair.b.parts, (Parts{{0, 7, 0}, {10, 17, 0}}));
}

TEST(Mark, ALongerPassageIsTakenBeforeAShorterOne) {
  const MarkedPair pair = mark_shared("a b c d", "a b x a b c d", plan_of("word:2"));
  EXPECT_EQ(pair.a.parts, (Parts{{0, 7, 0}}));
  EXPECT_EQ(pair.b.parts, (Parts{{0, 3, 0}, {6, 13, 0}}));
}

TEST(Mark, WhatHasNothingInCommonIsNotMarked) {
  const MarkedPair pair = mark_shared("one two three", "four five six", plan_of("word:2"));
  EXPECT_TRUE(pair.a.shared.empty() && pair.b.shared.empty());
  const MarkedPair empty = mark_shared("", " \n ", plan_of("word:2"));
  EXPECT_TRUE(empty.a.shared.empty() && empty.b.shared.empty());
  EXPECT_EQ(empty.b.text, " \n ");
}

TEST(Mark, ATextShorterThanAShingleIsOne) {
  EXPECT_EQ(first("two words", "Two words.", "word:5"), "[two words]");
  EXPECT_EQ(first("two words", "two words more", "word:5"), "two words");
}

TEST(Mark, OfALongTextTheBeginningIsShown) {
  const MarkedPair pair = mark_shared("one two thréé four", "two thréé", plan_of("word:2"), 11);
  EXPECT_EQ(shown(pair.a), "one [two thr]") << "the eleventh byte is half a character";
  EXPECT_EQ(pair.a.left_out, 9u);
  EXPECT_EQ(shown(pair.b), "[two thréé]");
  EXPECT_EQ(pair.b.left_out, 0u);
  const MarkedPair none = mark_shared("one two", "one two", plan_of("word:1"), 0);
  EXPECT_EQ(none.a.text, "");
  EXPECT_EQ(none.a.left_out, 7u);
}

TEST(Mark, InvalidBytesAreCharacters) {
  EXPECT_EQ(first("a\xff\x80 word \xe4\xb8", "word", "word:1"), "a\xff\x80 [word] \xe4\xb8");
  EXPECT_EQ(first("x\xffy", "\xffy", "char:2"), "x[\xffy]");
  EXPECT_EQ(mark_shared("ab\xe4\xb8", "ab", plan_of("char:1"), 3).a.text, "ab\xe4");
}

TEST(Mark, MegabytesTakeTimeInProportion) {
  std::string marks = "a";
  for (int i = 0; i < 300'000; ++i) append_code_point(marks, i % 2 == 0 ? 0x301 : 0x323);
  EXPECT_EQ(mark_shared(marks, marks, plan_of("char:9")).a.shared, (std::vector<MarkedText::Stretch>{{0, marks.size()}}));
  const std::string blanks = "a" + std::string(1'000'000, ' ') + "b";
  EXPECT_EQ(mark_shared(blanks, "b a", plan_of("word:1")).a.shared, (std::vector<MarkedText::Stretch>{{0, blanks.size()}}));
}

// --- Any text.

constexpr Token kTokens[] = {Token::character, Token::word, Token::code, Token::line, Token::element};
const std::vector<Normalise> kNormalise = test::all_normalises();

// Each letter of it folds by itself to one other.
const std::u32string kSimple = U"aAbBc.,_ \t\n\r\u00e9\u00c9\u0416\u0436\u4e2d\u6587\uff21\u3000\u00a0";
// Marks that compose, reorder or stay, jamo, ligatures, letters that fold to several, code points that vanish, some beyond the BMP.
const std::u32string kHard =
    U"aE "
    U"\n."
    U"\u0301\u0323\u0e01\u0e34\u0e48\u1112\u1161\u11ab\ufb01\u00df\u00b4\u037a\u00ad\u200b\u0345\u3231\u1f82\U0001d49c\U000110ba\U000110b9"
    U"\u0958";

std::string random_text(Random& random, const std::u32string& alphabet, std::size_t length, bool invalid) {
  std::string text;
  while (length-- > 0) {
    if (invalid && random() % 8 == 0)
      text += static_cast<char>(0x80 + random() % 128);
    else
      append_code_point(text, alphabet[random() % alphabet.size()]);
  }
  return text;
}

// A text that shares parts with another: pieces of it, in any order, with pieces of its own.
std::string relative_of(Random& random, const std::string& text, const std::u32string& alphabet) {
  std::string other;
  for (int part = 0; part < 4; ++part) {
    const std::size_t begin = random() % (text.size() + 1);
    other += random() % 3 == 0 ? random_text(random, alphabet, 6, false) : text.substr(begin, random() % 30);
  }
  return other;
}

std::vector<std::size_t> borders_of(const std::string& text) {
  std::vector<std::size_t> borders{0};
  for (const char* p = text.data(); p != text.data() + text.size();) {
    next_code_point(p, text.data() + text.size());
    borders.push_back(static_cast<std::size_t>(p - text.data()));
  }
  return borders;
}

void expect_sound(const MarkedText& marked, const std::string& text, std::size_t most) {
  ASSERT_FALSE(marked.normalised) << "any text can be traced";
  ASSERT_EQ(marked.text, text.substr(0, marked.text.size()));
  ASSERT_EQ(marked.left_out, text.size() - marked.text.size());
  ASSERT_LE(marked.text.size(), most);
  if (most < text.size()) {
    ASSERT_GT(marked.text.size() + 4, most);
  }
  const std::vector<std::size_t> borders = borders_of(text);
  const auto is_border = [&](std::size_t at) { return std::binary_search(borders.begin(), borders.end(), at); };
  ASSERT_TRUE(is_border(marked.text.size()));
  for (std::size_t i = 0; i < marked.shared.size(); ++i) {
    const auto [begin, end] = marked.shared[i];
    ASSERT_LT(begin, end);
    ASSERT_LE(end, marked.text.size());
    ASSERT_TRUE(is_border(begin) && is_border(end));
    if (i > 0) {
      ASSERT_LT(marked.shared[i - 1].end, begin);
    }
  }
}

template <typename Visit>
void for_each_plan(Visit&& visit) {
  for (const Token token : kTokens) {
    for (const Normalise normalise : kNormalise) {
      for (const std::uint32_t size : {1u, 2u, 4u}) {
        for (const bool bag : {false, true}) {
          visit(ShinglePlan{.token = token, .size = token == Token::element ? 1 : size, .bag = bag, .normalise = normalise});
        }
      }
    }
  }
}

TEST(MarkProperty, AnyBytesAreMarkedInOrderAndOnBorders) {
  Random random(1);
  for_each_plan([&](const ShinglePlan& plan) {
    for (int turn = 0; turn < 60; ++turn) {
      const std::string a = random_text(random, turn % 2 == 0 ? kHard : kSimple, random() % 80, turn % 3 == 0);
      const std::string b = relative_of(random, a, kHard);
      const std::size_t most = turn % 4 == 0 ? random() % 60 : SIZE_MAX;
      const MarkedPair pair = mark_shared(a, b, plan, most);
      ASSERT_NO_FATAL_FAILURE(expect_sound(pair.a, a, most));
      ASSERT_NO_FATAL_FAILURE(expect_sound(pair.b, b, most));
      if (most == SIZE_MAX) {
        ASSERT_EQ(pair.a.shared.empty(), pair.b.shared.empty());
      }
    }
  });
}

TEST(MarkProperty, CuttingChangesNothingBeforeTheCut) {
  Random random(2);
  for_each_plan([&](const ShinglePlan& plan) {
    for (int turn = 0; turn < 20; ++turn) {
      const std::string a = random_text(random, kHard, 60, turn % 3 == 0), b = relative_of(random, a, kHard);
      const std::size_t most = random() % (a.size() + 1);
      const MarkedText whole = mark_shared(a, b, plan).a, cut = mark_shared(a, b, plan, most).a;
      std::vector<MarkedText::Stretch> expected;
      for (const auto& [begin, end] : whole.shared) {
        if (begin < cut.text.size()) expected.push_back({begin, std::min(end, cut.text.size())});
      }
      ASSERT_EQ(cut.shared, expected);
    }
  });
}

TEST(MarkProperty, EqualTextsAreMarkedWhole) {
  Random random(3);
  for_each_plan([&](const ShinglePlan& plan) {
    if (plan.token == Token::word && plan.size == 1) return;  // punctuation is no word
    for (int turn = 0; turn < 30; ++turn) {
      const std::string text = random_text(random, turn % 2 == 0 ? kHard : kSimple, 40, turn % 3 == 0);
      const ShingleSpans spans = shingle_spans(text, plan);
      const MarkedText marked = mark_shared(text, text, plan).a;
      ASSERT_EQ(marked.shared.size(), spans.spans.empty() ? 0u : 1u) << shown(marked);
      if (plan.token == Token::word || spans.spans.empty()) continue;
      // What is left over at either end is white space, or vanishes with it.
      for (const std::string& rest : {text.substr(0, marked.shared[0].begin), text.substr(marked.shared[0].end)}) {
        ASSERT_TRUE(shingle_spans(rest, plan).spans.empty()) << rest;
      }
    }
  });
}

// Of the alphabet in which each code point folds by itself, one by one: a code point is marked exactly where a shared shingle covers what
// it became. White space aside, which may or may not go with its neighbours.
void expect_exact(const MarkedText& marked, const std::string& text, const std::string& other, const ShinglePlan& plan) {
  const ShingleSpans spans = shingle_spans(text, plan), others = shingle_spans(other, plan);
  std::unordered_set<std::uint64_t> known;
  for (const ShingleSpans::Span& span : others.spans) known.insert(span.feature);
  std::vector<bool> covered(spans.normalised.size());
  for (const ShingleSpans::Span& span : spans.spans) {
    for (std::uint32_t byte = span.begin; known.contains(span.feature) && byte < span.end; ++byte) covered[byte] = true;
  }
  const std::vector<std::size_t> borders = borders_of(text);
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const char* p = text.data() + borders[i];
    if (is_white_space(next_code_point(p, text.data() + text.size()))) continue;
    std::string prefix = shingle_spans(text.substr(0, borders[i + 1]), plan).normalised;
    if (plan.token == Token::line) prefix.pop_back();
    ASSERT_TRUE(spans.normalised.starts_with(prefix));
    const bool is_marked = std::any_of(marked.shared.begin(), marked.shared.end(), [&](const MarkedText::Stretch& stretch) {
      return stretch.begin <= borders[i] && borders[i + 1] <= stretch.end;
    });
    ASSERT_EQ(is_marked, covered[prefix.size() - 1]) << shown(marked) << " at byte " << borders[i];
  }
}

TEST(MarkProperty, MarkedIsWhatSharedShinglesCover) {
  Random random(4);
  for_each_plan([&](const ShinglePlan& plan) {
    for (int turn = 0; turn < 15; ++turn) {
      const std::string a = random_text(random, kSimple, 50, false), b = relative_of(random, a, kSimple);
      const MarkedPair pair = mark_shared(a, b, plan);
      ASSERT_NO_FATAL_FAILURE(expect_exact(pair.a, a, b, plan));
      ASSERT_NO_FATAL_FAILURE(expect_exact(pair.b, b, a, plan));
    }
  });
}

}  // namespace
}  // namespace nearkin::mark_test
