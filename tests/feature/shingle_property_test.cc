// The shingler against slower ways to the same result, and laws that hold for any text.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/sample.h>

#include "base/unicode.h"
#include "feature/shingler.h"
#include "feature/tokens.h"
#include "support/normalises.h"

namespace nearkin::shingle_property_test {
namespace {

using Hashes = std::vector<std::uint64_t>;
using Random = std::mt19937_64;

Hashes shingles_of(std::string_view text, const ShinglePlan& plan) {
  Shingler shingler(plan);
  const auto found = shingler.shingles(text);
  return {found.begin(), found.end()};
}

Hashes features_of(std::string_view text, const ShinglePlan& plan) {
  Shingler shingler(plan);
  const auto found = shingler.features(text);
  return {found.begin(), found.end()};
}

std::uint64_t hash_of(std::string token) {
  const std::size_t size = token.size();
  token.resize(size + kTokenPadding);
  return token_hash(token.data(), size);
}

// The definition: the general tokeniser, each token hashed by itself, each shingle summed by itself.
Hashes shingles_by_definition(const std::string& text, const ShinglePlan& plan) {
  std::string prepared;
  prepare_text(text, plan, prepared);
  Hashes tokens, result;
  for_each_token(prepared, plan.token, [&](const char* begin, const char* end) { tokens.push_back(hash_of(std::string(begin, end))); });
  const std::size_t size = std::min<std::size_t>(plan.size, tokens.size());
  if (size == 0) return {};
  for (std::size_t i = 0; i + size <= tokens.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = i; j < i + size; ++j) sum = sum * 0x9fb21c651e98df25u + tokens[j];
    result.push_back(mix64(size < plan.size ? sum + size * 0xd1342543de82ef95u : sum));
  }
  return result;
}

// Words of 1 to about `longest` bytes between gaps of 1 to 3 bytes.
std::string random_ascii(Random& random, std::size_t size, std::size_t longest) {
  static const std::string kGaps = " \t\n.,;-_'\"(){}@[`/:\x7f";
  std::string text;
  while (text.size() < size) {
    for (std::size_t n = 1 + random() % longest; n > 0; --n) {
      static const std::string kLetters = "abcxyzABCXYZ0189";
      text += kLetters[random() % kLetters.size()];
    }
    for (std::size_t n = 1 + random() % 3; n > 0; --n) text += random() % 20 == 0 ? '\0' : kGaps[random() % kGaps.size()];
  }
  text.resize(size);
  return text;
}

TEST(ShinglerProperty, TheAsciiPathEqualsTheGeneralPath) {
  Random random(1);
  for (const Normalise normalise : test::all_normalises()) {
    for (const std::uint32_t size : {1u, 5u}) {
      const ShinglePlan plan{.token = Token::word, .size = size, .normalise = normalise};
      Shingler shingler(plan);  // one for all, so that what a text leaves behind would show
      for (std::size_t bytes = 0; bytes <= 1000; ++bytes) {
        const std::string text = random_ascii(random, bytes, bytes % 3 == 0 ? 8 : bytes % 3 == 1 ? 40 : 200);
        const auto found = shingler.shingles(text);
        ASSERT_EQ(Hashes(found.begin(), found.end()), shingles_by_definition(text, plan)) << bytes << ": " << text;
      }
    }
  }
}

TEST(ShinglerProperty, WordsMayCrossBlocksAndFillThem) {
  const ShinglePlan plan{.token = Token::word, .size = 1, .normalise = Normalise::text};
  Shingler shingler(plan);
  for (std::size_t before = 0; before <= 130; ++before) {
    for (const std::size_t length : {1u, 15u, 16u, 17u, 32u, 33u, 62u, 63u, 64u, 65u, 127u, 128u, 129u, 200u}) {
      for (const std::size_t after : {0u, 1u, 63u, 64u}) {
        const std::string text = std::string(before, ' ') + std::string(length, 'W') + std::string(after, '.');
        const auto found = shingler.shingles(text);
        ASSERT_EQ(found.size(), 1u) << before << ' ' << length << ' ' << after;
        ASSERT_EQ(found[0], mix64(hash_of(std::string(length, 'w')))) << before << ' ' << length << ' ' << after;
      }
    }
  }
}

TEST(ShinglerProperty, OneForeignCharacterElsewhereLeavesTheShinglesOfAsciiWords) {
  Random random(2);
  const ShinglePlan plan{.token = Token::word, .size = 3, .normalise = Normalise::text};
  for (int turn = 0; turn < 300; ++turn) {
    const std::string text = random_ascii(random, 1 + random() % 500, 12) + " end";
    ASSERT_EQ(shingles_of(text + " \xe2\x80\x94 ", plan), shingles_of(text, plan)) << text;
  }
}

std::string random_text(Random& random, std::size_t length) {
  static const char32_t kSome[] = {U'a',  U'B',  U' ',   U'\n',  U'_',    U'.',   U'é',   U'ß', 0x301,  0x5d0,
                                   0xe01, 0xe34, 0x4e2d, 0x30fc, 0x20000, 0xfb01, 0xff21, 0,    0x3000, 0xd7a3};
  std::string text;
  for (std::size_t i = 0; i < length; ++i) append_code_point(text, kSome[random() % std::size(kSome)]);
  return text;
}

TEST(ShinglerProperty, AllUnitsFollowTheDefinition) {
  Random random(3);
  for (const Token token : {Token::character, Token::word, Token::code, Token::line, Token::element}) {
    for (const Normalise normalise : test::all_normalises()) {
      for (const std::uint32_t size : {1u, 2u, 9u}) {
        const ShinglePlan plan{.token = token, .size = size, .normalise = normalise};
        Shingler shingler(plan);
        for (int turn = 0; turn < 40; ++turn) {
          const std::string text = random_text(random, random() % 200);
          const auto found = shingler.shingles(text);
          ASSERT_EQ(Hashes(found.begin(), found.end()), shingles_by_definition(text, plan));
          ASSERT_EQ(shingle_spans(text, plan).spans.size(), found.size());
        }
      }
    }
  }
}

TEST(ShinglerProperty, AnyBytesAreTaken) {
  Random random(4);
  for (const Token token : {Token::character, Token::word, Token::code, Token::line, Token::element}) {
    for (const Normalise normalise : test::all_normalises()) {
      for (int turn = 0; turn < 200; ++turn) {
        std::string text(random() % 150, '\0');
        for (char& c : text) c = static_cast<char>(random());
        const ShingleSpans found = shingle_spans(text, {.token = token, .size = 3, .normalise = normalise});
        for (const auto& span : found.spans) ASSERT_TRUE(span.begin < span.end && span.end <= found.normalised.size());
      }
    }
  }
  EXPECT_EQ(features_of("caf\xe9", {.token = Token::word, .size = 1}).size(), 1u);
}

// How many values of one bag are not in the other, the other way round, and the larger of the two.
std::size_t changed(Hashes a, Hashes b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Hashes lost, won;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(lost));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(won));
  return std::max(lost.size(), won.size());
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

// What a sketch sees must depend on the words near an edit alone: no sampling by position, no windows counted from the start.
TEST(ShinglerProperty, AnInsertDeleteOrMoveOfOneTokenChangesFewShinglesHoweverLongTheText) {
  Random random(5);
  for (const std::size_t length : {50u, 500u, 5000u, 50'000u}) {
    for (const std::uint32_t size : {1u, 5u, 9u}) {
      const ShinglePlan plan{.token = Token::word, .size = size, .normalise = Normalise::text};
      std::vector<std::string> words(length);
      for (std::string& word : words) word = "w" + std::to_string(random() % 3000);
      const Hashes original = shingles_of(joined(words), plan);
      for (int turn = 0; turn < 3; ++turn) {
        const auto place = [&] { return static_cast<std::ptrdiff_t>(random() % length); };
        std::vector<std::string> inserted = words, deleted = words, moved = words;
        inserted.insert(inserted.begin() + place(), "new");
        deleted.erase(deleted.begin() + place());
        const std::ptrdiff_t from = place();
        moved.erase(moved.begin() + from);
        moved.insert(moved.begin() + place() % static_cast<std::ptrdiff_t>(moved.size()), words[static_cast<std::size_t>(from)]);
        EXPECT_LE(changed(original, shingles_of(joined(inserted), plan)), size);
        EXPECT_LE(changed(original, shingles_of(joined(deleted), plan)), size);
        EXPECT_LE(changed(original, shingles_of(joined(moved), plan)), 2 * size);
      }
    }
  }
}

TEST(ShinglerProperty, FeaturesAreTheShinglesSortedAndDistinct) {
  Random random(6);
  for (int turn = 0; turn < 200; ++turn) {
    const std::string text = random_ascii(random, random() % 2000, 2);
    for (const bool bag : {false, true}) {
      const ShinglePlan plan{.token = Token::word, .size = 2, .bag = bag, .normalise = Normalise::text};
      const Hashes features = features_of(text, plan), shingles = shingles_of(text, plan);
      const std::set<std::uint64_t> distinct(shingles.begin(), shingles.end());
      ASSERT_TRUE(std::is_sorted(features.begin(), features.end()));
      ASSERT_EQ(std::set<std::uint64_t>(features.begin(), features.end()).size(), features.size());
      ASSERT_EQ(features.size(), bag ? shingles.size() : distinct.size());
      ASSERT_TRUE(std::includes(features.begin(), features.end(), distinct.begin(), distinct.end()));
    }
  }
}

TEST(ShinglerProperty, OneTokenRepeatedIsOneShingleOrABagOfMany) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "spam ";
  EXPECT_EQ(features_of(text, {.token = Token::word, .size = 5}).size(), 1u);
  EXPECT_EQ(features_of(text, {.token = Token::word, .size = 5, .bag = true}).size(), 99'996u);
}

TEST(BagFeatures, ShareMinimaAndTotalMaximaOfTheCounts) {
  Random random(7);
  const ShinglePlan plan{.token = Token::word, .size = 1, .bag = true, .normalise = Normalise::text};
  for (int turn = 0; turn < 500; ++turn) {
    std::map<std::string, std::size_t> counts[2];
    Hashes features[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<std::string> words(random() % 60);
      for (std::string& word : words) ++counts[side][word = "w" + std::to_string(random() % (1 + random() % 15))];
      features[side] = features_of(joined(words), plan);
    }
    std::size_t minima = 0, maxima = 0;
    std::set<std::string> all;
    for (const auto& side : counts) {
      for (const auto& [word, count] : side) all.insert(word);
    }
    for (const std::string& word : all) {
      minima += std::min(counts[0][word], counts[1][word]);
      maxima += std::max(counts[0][word], counts[1][word]);
    }
    Hashes shared;
    std::set_intersection(features[0].begin(), features[0].end(), features[1].begin(), features[1].end(), std::back_inserter(shared));
    ASSERT_EQ(shared.size(), minima);
    ASSERT_EQ(features[0].size() + features[1].size() - shared.size(), maxima);
  }
}

TEST(ContentHash, DoesNotDependOnOrder) {
  Random random(8);
  for (const std::size_t size : {0u, 1u, 2u, 100u}) {
    Hashes hashes(size);
    for (std::uint64_t& hash : hashes) hash = random();
    const Hash128 before = content_hash(hashes);
    std::shuffle(hashes.begin(), hashes.end(), random);
    EXPECT_EQ(content_hash(hashes), before);
  }
}

TEST(ContentHash, DependsOnEveryShingleAndItsCount) {
  Random random(9);
  const std::uint64_t a = random(), b = random(), c = random();
  const std::vector<Hashes> lists{{},        {0},       {0, 0},    {a},       {b},     {a, a},         {a, b},
                                  {a, a, b}, {a, b, b}, {a, b, c}, {a, a, a}, {a + b}, {a + 1, b - 1}, {a - 1, b + 1}};
  std::set<Hash128> distinct;
  for (const Hashes& list : lists) distinct.insert(content_hash(list));
  EXPECT_EQ(distinct.size(), lists.size());
}

TEST(SortHashes, SortsLikeStdSort) {
  Random random(10);
  Hashes scratch;
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 300; ++size) sizes.push_back(size);
  sizes.insert(sizes.end(), {1000, 4095, 4096, 4097, 100'000});
  for (const std::size_t size : sizes) {
    for (const std::uint64_t mask : {~0ull, 0xffull, 0xffull << 56, 0ull, 3ull << 62}) {
      Hashes hashes(size);
      for (std::uint64_t& hash : hashes) hash = random() & mask;
      if (size % 5 == 4) hashes[random() % size] = UINT64_MAX;
      Hashes expected = hashes;
      std::sort(expected.begin(), expected.end());
      sort_hashes(hashes, scratch);
      ASSERT_EQ(hashes, expected) << size << ' ' << mask;
    }
  }
}

TEST(TokenHash, CountsEveryByteAndTheLength) {
  std::set<std::uint64_t> distinct;
  std::size_t tokens = 0;
  for (std::size_t size = 0; size <= 70; ++size) {
    const std::string zeros(size, '\0');
    distinct.insert(hash_of(zeros));
    ++tokens;
    for (std::size_t place = 0; place < size; ++place) {
      std::string token = zeros;
      token[place] = '\x80';
      distinct.insert(hash_of(token));
      ++tokens;
    }
  }
  EXPECT_EQ(distinct.size(), tokens);
}

TEST(TokenHash, IgnoresWhatStandsBehindTheToken) {
  for (std::size_t size = 0; size <= 50; ++size) {
    const std::string token(size, 't');
    const std::string with_tail = token + std::string(kTokenPadding, '#');
    ASSERT_EQ(token_hash(with_tail.data(), size), hash_of(token)) << size;
  }
}

// Short and regular tokens are the rule: no two of millions of lists of them may agree.
TEST(Shingles, OfRegularTokensDoNotCollide) {
  const auto distinct_pairs = [](std::size_t count, const auto& token) {
    Hashes tokens, pairs;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(hash_of(token(i)));
    for (const std::uint64_t a : tokens) {
      for (const std::uint64_t b : tokens) pairs.push_back(mix64(a * 0x9fb21c651e98df25u + b));
    }
    Hashes scratch;
    sort_hashes(pairs, scratch);
    return static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
  };
  constexpr std::size_t kCount = 1200;
  EXPECT_EQ(distinct_pairs(kCount, [](std::size_t i) { return std::to_string(i); }), kCount * kCount);
  EXPECT_EQ(distinct_pairs(kCount, [](std::size_t i) { return "common_prefix_of_all_" + std::to_string(i); }), kCount * kCount);
  EXPECT_EQ(distinct_pairs(kCount, [](std::size_t i) { return std::string(i, 'a'); }), kCount * kCount);
}

// FROZEN: features are stored and compared between machines and versions. These must be equal on every machine, for ever.
TEST(TokenHash, KeepsItsFrozenValues) {
  EXPECT_EQ(hash_of(""), 14592010190165110953u);
  EXPECT_EQ(hash_of("a"), 8650062953873599752u);
  EXPECT_EQ(hash_of("nearkin"), 8283869819324418831u);
  EXPECT_EQ(hash_of("\xc3\xa9"), 8215793917365518864u);
  EXPECT_EQ(hash_of("sixteen bytes ab"), 7377407603228708790u);
  EXPECT_EQ(hash_of("seventeen bytes a"), 2790443590163964414u);
  EXPECT_EQ(hash_of(std::string(100, 'x')), 2832510408945281062u);
}

// FROZEN likewise.
TEST(Shingles, KeepTheirFrozenValues) {
  const std::string text = "The quick brown fox, jumps over the lazy dog.";
  EXPECT_EQ(shingles_of(text, {.token = Token::word, .size = 5, .normalise = Normalise::text}),
            (Hashes{13425860166357514789u, 15097654238900808661u, 7631006663590399346u, 4897611050117938410u, 18235941811157108096u}));
  EXPECT_EQ(shingles_of("The quick", {.token = Token::word, .size = 5, .normalise = Normalise::text}), (Hashes{7326339182390259392u}));
  EXPECT_EQ(shingles_of("The quick", {.token = Token::character, .size = 8, .normalise = Normalise::none}),
            (Hashes{17765041864839533162u, 15196073176163192643u}));
  EXPECT_EQ(shingles_of("f(x_1);", {.token = Token::code, .size = 4, .normalise = Normalise::code}),
            (Hashes{14915434629445483318u, 5193108414679229027u}));
  EXPECT_EQ(shingles_of("one\r\ntwo\n", {.token = Token::line, .size = 1, .normalise = Normalise::text}),
            (Hashes{9671328986232902278u, 12897939567869784590u}));
  EXPECT_EQ(shingles_of("Größe 日本", {.token = Token::word, .size = 2, .normalise = Normalise::text}),
            (Hashes{14514118928393832736u, 2278833091373373204u}));
  EXPECT_EQ(features_of("b a a a", {.token = Token::word, .size = 1, .bag = true, .normalise = Normalise::text}),
            (Hashes{3464472823501083777u, 4881646488921709935u, 6546324522122401947u, 6919302160576107828u}));
}

}  // namespace
}  // namespace nearkin::shingle_property_test
