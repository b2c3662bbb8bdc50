// Passages against brute force, on every road.
#include "support/run_support.h"

#include <nearkin/passages.h>
#include <nearkin/tools/units.h>

#include "collect/stage.h"
#include "io/formats/cut_text.h"
#include "reference/passages.h"
#include "runs/passage_search.h"
#include "support/random.h"

namespace nearkin::passages_test {
namespace {

using reference::Tokens;
using test::json_record;

// A text of which it is known what its tokens are and where.
struct KnownText {
  std::string text;
  Tokens tokens;

  void add(const std::string& written, const std::string& word, const std::string& between) {
    text += between;
    tokens.push_back({word, text.size(), text.size() + written.size()});
    text += written;
  }
};

std::vector<Tokens> tokens_of(const std::vector<KnownText>& texts) {
  std::vector<Tokens> tokens;
  for (const KnownText& text : texts) tokens.push_back(text.tokens);
  return tokens;
}

struct Written {
  const char* written;
  const char* word;
};
// Words of other lengths before and after normalising; some of them are equal.
constexpr Written kWords[] = {
    {"a", "a"}, {"B", "b"}, {"b", "b"}, {"ﬁne", "fine"},       {"fine", "fine"},   {"Straße", "strasse"}, {"STRASSE", "strasse"},
    {"İ", "i̇"}, {"é", "é"}, {"é", "é"}, {"e\u0301", "\u00e9"}, {"x\u00ady", "xy"}, {"\u212b", "\u00e5"},  {"日", "日"}};

// Of a small vocabulary, so that almost everything repeats; `kinds` of words, the first two of which are ASCII.
KnownText random_text(test::Random& random, std::size_t length, std::size_t kinds) {
  static const char* const blanks[] = {" ", ", ", "\n", "  ", " — "};
  KnownText text;
  for (std::size_t i = 0; i < length; ++i) {
    const Written& word = kWords[random.below(kinds)];
    text.add(word.written, word.word, i == 0 ? "" : blanks[random.below(kinds > 3 ? 5 : 4)]);
  }
  return text;
}

// Random words, pieces of earlier texts, and the same word again and again.
std::vector<KnownText> random_collection(test::Random& random, std::size_t texts, std::size_t most, std::size_t kinds) {
  std::vector<KnownText> all;
  for (std::size_t i = 0; i < texts; ++i) {
    KnownText text = random_text(random, random.below(3) == 0 ? random.below(8) : random.below(most), kinds);
    for (std::size_t copies = random.below(4); copies > 0 && !all.empty(); --copies) {
      const KnownText& from = random.below(3) == 0 ? text : all[random.below(all.size())];
      if (from.tokens.empty()) continue;
      const std::size_t first = random.below(from.tokens.size()), count = random.below(from.tokens.size() - first + 1);
      const KnownText piece = from;
      for (std::size_t k = first; k < first + count; ++k) {
        const reference::Token& token = piece.tokens[k];
        text.add(piece.text.substr(token.begin, token.end - token.begin), token.word, " ");
      }
    }
    if (random.below(8) == 0) {
      for (std::size_t n = random.below(60); n > 0; --n) text.add("a", "a", " ");
    }
    all.push_back(text);
  }
  return all;
}

Input in_memory(const std::vector<KnownText>& texts) {
  MemoryItems items;
  for (const KnownText& text : texts) items.texts.push_back(text.text);
  Input input;
  input.memory = std::make_shared<MemoryItems>(items);
  return input;
}

std::string shown(const std::vector<Passage>& passages) {
  std::string out;
  for (const Passage& p : passages) {
    out += std::to_string(p.row) + ' ' + std::to_string(p.begin) + '-' + std::to_string(p.end) + " in " + std::to_string(p.in) + ' ' +
           std::to_string(p.in_begin) + '-' + std::to_string(p.in_end) + ' ' + std::to_string(p.tokens) + '/' + std::to_string(p.of) + '\n';
  }
  return out;
}

std::vector<KnownText> plain(const std::vector<std::string>& texts) {
  std::vector<KnownText> result;
  for (const std::string& text : texts) result.push_back({text, reference::words_with_places(text)});
  return result;
}

std::string found_in(const std::vector<KnownText>& texts, const PassageOptions& options) {
  return shown(passages(in_memory(texts), options).passages);
}

class Passages : public test::Runs {
 protected:
  void TearDown() override {
    share_in_tests.reset();
    key_bits_in_tests = ~std::uint64_t{0};
    common_in_tests = kCommonAsEver;
  }
  // From one text on, pieces are kept around every anchor, around some, and around none.
  static constexpr std::uint32_t kCommonAsEver = 4, kPiecesKept[] = {1, 2, kCommonAsEver, UINT32_MAX};
  Input jsonl(const std::string& name, const std::vector<KnownText>& texts) const {
    std::string records;
    for (std::size_t i = 0; i < texts.size(); ++i) records += json_record("d" + std::to_string(i), texts[i].text);
    return file(name, records);
  }
};

TEST_F(Passages, AreWhatBruteForceFinds) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    test::Random random(seed);
    const std::vector<KnownText> texts = random_collection(random, 1 + random.below(12), 60, 1 + random.below(std::size(kWords)));
    PassageOptions options{.least = static_cast<std::uint32_t>(5 + random.below(20))};
    if (seed % 3 == 1) options.gap = static_cast<std::uint32_t>(random.below(10));
    const auto expected = reference::passages(tokens_of(texts), options.least, options.gap);
    common_in_tests = kPiecesKept[seed % std::size(kPiecesKept)];
    ASSERT_EQ(found_in(texts, options), shown(expected)) << "seed " << seed << ", least " << options.least;
  }
}

TEST_F(Passages, OfAnotherInputAreWhatBruteForceFinds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Random random(1000 + seed);
    const std::vector<KnownText> all = random_collection(random, 2 + random.below(12), 60, 1 + random.below(6));
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size() + 1));
    const std::vector<KnownText> other(all.begin(), middle), texts(middle, all.end());
    PassageOptions options{.least = static_cast<std::uint32_t>(5 + random.below(15)), .against = in_memory(other)};
    if (seed % 2 == 1) options.gap = static_cast<std::uint32_t>(random.below(10));
    const std::vector<Tokens> sources = tokens_of(other);
    common_in_tests = kPiecesKept[seed % std::size(kPiecesKept)];
    const auto expected = reference::passages(tokens_of(texts), options.least, options.gap, &sources);
    ASSERT_EQ(found_in(texts, options), shown(expected)) << "seed " << seed << ", least " << options.least;
  }
}

TEST_F(Passages, AreTheSameFromFilesWithAnyThreadsAndMemory) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    test::Random random(2000 + seed);
    const std::vector<KnownText> texts = random_collection(random, 100, 60, 2 + random.below(6));
    const PassageOptions options{.least = 9, .gap = seed % 2 == 0 ? std::nullopt : std::optional(3u)};
    const std::string expected = shown(reference::passages(tokens_of(texts), options.least, options.gap));
    const Input input = jsonl("texts.jsonl", texts);
    for (const unsigned threads : {1u, 4u}) {
      share_in_tests.reset();
      common_in_tests = kPiecesKept[seed % std::size(kPiecesKept)];
      ASSERT_EQ(shown(passages(input, options, {.threads = threads}).passages), expected) << "seed " << seed;
      share_in_tests = 4096;  // so that most is in files
      const PassagesResult spilled = passages(input, options, {.threads = threads, .scratch = dir_.path("scratch")});
      ASSERT_EQ(shown(spilled.passages), expected) << "seed " << seed;
      EXPECT_GT(spilled.stats.stats.scratch_bytes, 0u);
      EXPECT_FALSE(std::filesystem::exists(dir_.path("scratch"))) << "nothing is left";
    }
  }
}

TEST_F(Passages, AreCertainWhereHashesAgreeByChance) {
  for (const std::uint64_t bits : {std::uint64_t{1} << 63, std::uint64_t{7} << 61, std::uint64_t{0x3f} << 20}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      test::Random random(4000 + seed);
      const std::vector<KnownText> texts = random_collection(random, 8, 40, 2 + random.below(6));
      const std::string expected = shown(reference::passages(tokens_of(texts), 6));
      key_bits_in_tests = bits;
      common_in_tests = kPiecesKept[seed % std::size(kPiecesKept)];
      ASSERT_EQ(found_in(texts, {.least = 6}), expected) << "seed " << seed;
      ASSERT_EQ(found_in(texts, {.least = 11}), shown(reference::passages(tokens_of(texts), 11))) << "seed " << seed;
      key_bits_in_tests = ~std::uint64_t{0};
    }
  }
}

TEST_F(Passages, OfOneWordAgainAndAgainTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "so ";
  const PassagesResult result = passages(in_memory(plain({text, "so so so so so so"})), {.least = 5});
  EXPECT_EQ(result.passages.size(), 200'000u - 9u + 2u);
  EXPECT_EQ(result.stats.repeated, 200'000u - 5u + 6u);
}

TEST_F(Passages, WithManySurroundingsAreAllFound) {
  // The same 12 words in the middle of each text; those around them differ, but for some that occur twice.
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    const std::string around = std::to_string(i % 400);
    texts.push_back("x" + around + " y" + around + " one two three four five six seven eight nine ten eleven twelve z" + around + " end");
  }
  const std::vector<KnownText> known = plain(texts);
  for (const std::uint32_t least : {8u, 12u, 13u, 14u, 16u}) {
    const std::string expected = shown(reference::passages(tokens_of(known), least));
    for (const std::uint32_t common : kPiecesKept) {
      common_in_tests = common;
      EXPECT_EQ(found_in(known, {.least = least}), expected) << least << ", common " << common;
    }
  }
}

TEST_F(Passages, OfATextThatMemoryHasNoRoomForAreRefused) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's runtime takes memory of its own";
#endif
  const std::vector<KnownText> texts{{std::string(6 << 20, 'x'), {}}};
  try {
    passages(in_memory(texts), {}, {.threads = 1, .memory = 64 << 20});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a text of 6 MiB"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(passages(in_memory(texts), {}, {.threads = 1, .memory = 80 << 20}).passages.empty());
}

TEST_F(Passages, CanBeLongerThanWhatIsComparedTokenByToken) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "w" + std::to_string(i) + ' ';
  const std::vector<KnownText> known = plain({text + "end", "begin " + text, "w0 " + text.substr(3, 9000) + "w0 " + text.substr(9000)});
  EXPECT_EQ(found_in(known, {}), shown(reference::passages(tokens_of(known), 50)));
}

TEST_F(Passages, ArePlacesInTheTextAsItWasRead) {
  const std::string text = "  The Straße, ﬁve WORDS — and\tmore";
  const PassagesResult result = passages(in_memory(plain({"the strasse five words and more", text})), {.least = 6});
  ASSERT_EQ(result.passages.size(), 1u);
  EXPECT_EQ(text.substr(result.passages[0].begin, result.passages[0].end - result.passages[0].begin), text.substr(2));
  EXPECT_EQ(result.passages[0].in_end, 31u);
}

TEST_F(Passages, CountTokensOfOtherKinds) {
  const std::vector<KnownText> texts = plain({"if (a == b) { return 1; }", "x; if (a==b) {return 1;}"});
  EXPECT_EQ(found_in(texts, {.least = 11, .token = Token::code, .normalise = Normalise::code}), "1 3-24 in 0 0-25 12/12\n");
  EXPECT_EQ(found_in(plain({"abcde fgh", "xABCDE  FGHx"}), {.least = 9, .token = Token::character}), "1 1-11 in 0 0-9 9/9\n");
  EXPECT_EQ(found_in(plain({"a\nb\nc\nd\ne\nf", "z\na\nb\nc\nd\ne"}), {.least = 5, .token = Token::line}), "1 2-11 in 0 0-9 5/5\n");
}

TEST_F(Passages, ThatAreShortOrMissingAreNoError) {
  EXPECT_EQ(found_in(plain({}), {}), "");
  EXPECT_EQ(found_in(plain({"", "", "one two", "one two"}), {}), "");
  EXPECT_EQ(found_in(plain({"one two three four five", "one two three four five"}), {.least = 5, .against = in_memory({})}), "");
}

TEST_F(Passages, RepeatedTextIsEveryWindowThatRepeats) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    test::Random random(3000 + seed);
    const std::vector<KnownText> texts = random_collection(random, 8, 60, 1 + random.below(8));
    const std::vector<Tokens> tokens = tokens_of(texts);
    const PassageOptions options{.least = 7};
    const PassageSearch search(in_memory(texts), options, {});
    std::map<Row, std::set<std::size_t>> expected;
    for (const reference::Repeat& run : reference::repeats(tokens, 7)) {
      for (std::size_t i = 0; i < run.tokens; ++i) expected[static_cast<Row>(run.row)].insert(run.at + i);
    }
    for_each_repeated_text(*search.runs, [&](Row row, const RepeatedText& repeated) {
      std::set<std::size_t> inside;
      for (std::size_t i = 0; i < tokens[row].size(); ++i) {
        for (const TextSpan& span : repeated.spans) {
          if (tokens[row][i].begin >= span.begin && tokens[row][i].end <= span.end) inside.insert(i);
        }
      }
      ASSERT_EQ(inside, expected[row]) << "seed " << seed << ", row " << row;
      ASSERT_EQ(repeated.tokens, inside.size());
      expected.erase(row);
    });
    EXPECT_TRUE(expected.empty()) << "seed " << seed;
  }
}

TEST_F(Passages, RefuseOptionsOutOfRange) {
  const std::vector<KnownText> texts = plain({"a"});
  const Input input = in_memory(texts);
  const auto refused = [&](const PassageOptions& options, const RunOptions& run = {}) {
    try {
      passages(input, options, run);
    } catch (const Error& error) {
      return error.subject();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({.least = 4}), "least");
  EXPECT_EQ(refused({.least = 1'000'001}), "least");
  EXPECT_EQ(refused({.gap = 1'000'001}), "gap");
  EXPECT_EQ(refused({.token = Token::element}), "shingle");
  EXPECT_EQ(refused({}, {.resume = true}), "resume");
  EXPECT_EQ(refused({.least = 1'000'000}), "nothing");
}

// Without what is between [ and ].
std::string left_of(std::string_view marked) {
  std::string text;
  std::vector<Span> cuts;
  for (const char c : marked) {
    if (c == '[') {
      cuts.push_back({text.size(), text.size()});
    } else if (c == ']') {
      cuts.back().end = text.size();
    } else {
      text += c;
    }
  }
  return without(text, cuts);
}

TEST(CutText, TakesTheMarksBehindIt) {
  EXPECT_EQ(left_of("For me. [A plain loaf]. I have"), "For me. I have");
  EXPECT_EQ(left_of("Who knows? [How many]? I do."), "Who knows? I do.");
  EXPECT_EQ(left_of("[One two three]! Four."), "Four.");
  EXPECT_EQ(left_of("Red, [green], blue"), "Red, blue");
  EXPECT_EQ(left_of("One\n[two three]...\nfour"), "One\nfour");
}

TEST(CutText, SpansMayOverlapAndComeInAnyOrder) {
  const std::string text = "For me. A plain loaf. I have";
  EXPECT_EQ(without_spans(text, {{14, 20}, {8, 16}}), "For me. I have");
  EXPECT_EQ(without_spans(text, {}), text);
  EXPECT_THROW(without_spans(text, {{20, 29}}), Error);
  EXPECT_THROW(without_spans(text, {{5, 4}}), Error);
}

TEST(CutText, LeavesTheMarksOfASentenceThatGoesOn) {
  EXPECT_EQ(left_of("They said that [all is well]. And more."), "They said that. And more.");
  EXPECT_EQ(left_of("He (who [is here]) goes"), "He (who ) goes");
}

TEST(CutText, KeepsLinesAndParagraphsApart) {
  EXPECT_EQ(left_of("one\n\n[two]\n\nthree"), "one\n\nthree");
  EXPECT_EQ(left_of("one [two]\n\nthree"), "one\n\nthree");
  EXPECT_EQ(left_of("one\n\n[two] three"), "one\n\nthree");
  EXPECT_EQ(left_of("[one]\n\ntwo"), "two");
  EXPECT_EQ(left_of("one [two] three"), "one three");
}

TEST(CutText, LeavesNoBlanksAtTheEnd) {
  EXPECT_EQ(left_of("one\n\n[two]"), "one");
  EXPECT_EQ(left_of("one\n\n[two]\n\n"), "one");
  EXPECT_EQ(left_of("one\n[two]\n\n[three]\n"), "one");
  EXPECT_EQ(left_of("[one]"), "");
  EXPECT_EQ(left_of("one\n"), "one\n") << "nothing is cut";
}

}  // namespace
}  // namespace nearkin::passages_test
