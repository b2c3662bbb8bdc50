#include "feature/normalise.h"

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <utf8proc.h>

#include "base/unicode.h"

namespace nearkin::normalise_test {
namespace {

std::string repaired(const std::string& text) {
  std::string out;
  for (const char *p = text.data(), *end = p + text.size(); p != end;) append_code_point(out, next_code_point(p, end));
  return out;
}

// The definition: the whole text at once.
std::string slow_fold(const std::string& text) {
  const std::string valid = repaired(text);
  utf8proc_uint8_t* mapped = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()), static_cast<utf8proc_ssize_t>(valid.size()), &mapped, options);
  if (length < 0) throw std::runtime_error(utf8proc_errmsg(length));
  std::string out(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
  std::free(mapped);
  return out;
}

std::string slow_collapse(const std::string& text) {
  std::string out;
  bool pending = false;
  for (const char *p = text.data(), *end = p + text.size(); p != end;) {
    const char32_t c = next_code_point(p, end);
    if (is_white_space(c)) {
      pending = true;
      continue;
    }
    if (pending && !out.empty()) out += ' ';
    pending = false;
    append_code_point(out, c);
  }
  return out;
}

std::string hex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    out += ' ';
  }
  return out;
}

std::string normalised(const std::string& text) {
  std::string out;
  normalise_text(text, out);
  return out;
}

std::string folded(const std::string& text) {
  std::string out;
  fold_text(text, out);
  return out;
}

std::string collapsed(const std::string& text) {
  std::string out;
  collapse_space(text, out);
  return out;
}

// `text` is copied to a block of its exact size, so that a sanitizer sees any read past the end; `out` is reused.
bool agrees(const std::string& text) {
  static std::string out;
  const std::vector<char> copy(text.begin(), text.end());
  const std::string_view view(copy.data(), copy.size());
  const std::string expected = slow_fold(text);
  fold_text(view, out);
  EXPECT_EQ(out, expected) << "fold_text of " << hex(text);
  bool good = out == expected;
  normalise_text(view, out);
  EXPECT_EQ(out, slow_collapse(expected)) << "normalise_text of " << hex(text);
  good = good && out == slow_collapse(expected);
  collapse_space(view, out);
  EXPECT_EQ(out, slow_collapse(text)) << "collapse_space of " << hex(text);
  return good && out == slow_collapse(text);
}

std::string encoded(const std::u32string& code_points) {
  std::string out;
  for (const char32_t c : code_points) append_code_point(out, c);
  return out;
}

bool scalar(char32_t c) { return c < 0x110000 && (c < 0xD800 || c > 0xDFFF); }

TEST(Normalise, FoldsCaseWidthAndCompatibilityForms) {
  EXPECT_EQ(normalised("Straße ﬁn ＡＢＣ １２ Ｋ\u212A ſ \u0130"), "strasse fin abc 12 kk s i\u0307");
  EXPECT_EQ(normalised("e\u0301 \u00C9 \u1100\u1161\u11A8"), "\u00E9 \u00E9 \uAC01");
  EXPECT_EQ(normalised("\uFF76\uFF9E \uFF8A\uFF9F"), "\u30AC \u30D1");
  EXPECT_EQ(normalised("co\u00ADop a\u200Bb \u2764\uFE0F"), "coop ab \u2764");
  EXPECT_EQ(normalised("a\u00AD\u0301"), "\u00E1") << "a vanished character does not keep its neighbours apart";
}

TEST(Normalise, CollapsesAndTrimsWhiteSpace) {
  EXPECT_EQ(normalised(""), "");
  EXPECT_EQ(normalised(" \t\r\n"), "");
  EXPECT_EQ(normalised("\u00A0 a\u00A0\u3000\n b\u2003\u2028"), "a b");
  EXPECT_EQ(normalised("a \u200B b"), "a b") << "what vanishes between two spaces leaves one run";
  EXPECT_EQ(normalised("x\u00A8y"), "x \u0308y") << "a spacing diaeresis is a space and a mark";
  EXPECT_EQ(normalised("x \u00A8y"), "x \u0308y");
}

TEST(Normalise, KeepsLineBreaksWhenOnlyFolding) { EXPECT_EQ(folded(" A\r\n\tB  \u00A0C\u2028\u0085 "), " a\r\n\tb   c\u2028\u0085 "); }

TEST(Normalise, KeepsCaseWhenOnlyCollapsing) {
  EXPECT_EQ(collapsed("\tIf  (A)\r\n\u3000ＡB\u00A0\u1680é "), "If (A) ＡB é");
  EXPECT_EQ(collapsed("a\xFF\xFE b"), "a\uFFFD\uFFFD b");
}

TEST(Normalise, ReadsInvalidBytesAsReplacements) {
  EXPECT_EQ(normalised("A\xC3"), "a\uFFFD");
  EXPECT_EQ(normalised("\xED\xA0\x80X"), "\uFFFD\uFFFD\uFFFDx");
  EXPECT_EQ(folded("e\xCC\xCC\x81"), "e\uFFFD\u0301");
}

TEST(Normalise, KeepsNulBytes) { EXPECT_EQ(normalised(std::string("A\0B", 3)), std::string("a\0b", 3)); }

TEST(Normalise, AgreesWithUtf8procOnEveryCodePoint) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (!scalar(c) || (c >= 0x40000 && c < 0xE0000) || c >= 0xE2000) continue;
    ASSERT_TRUE(agrees(encoded({c})));
  }
}

TEST(Normalise, NothingBeyondTheSecondPlaneHasACanonicalDecomposition) {
  for (utf8proc_int32_t c = 0x30000; c < 0x110000; ++c) {
    const utf8proc_property_t* property = utf8proc_get_property(c);
    ASSERT_TRUE(property->decomp_seqindex == 0xFFFF || property->decomp_type != 0) << c;
  }
}

// Every base with every kind of follower: in particular each second half of a composite.
TEST(Normalise, AgreesWithUtf8procOnEveryCodePointBeforeAndAfterAMark) {
  for (const char32_t mark : std::u32string(U"\u0301\u0323\u0345\u3099\u1161\u11A8\u00AD\u0E48")) {
    for (char32_t c = 0; c < 0x30000; ++c) {
      if (!scalar(c) || (c >= 0x3400 && c < 0x9F00) || (c >= 0x20100 && c < 0x2F700)) continue;
      ASSERT_TRUE(agrees(encoded({c, mark, c})));
    }
  }
}

std::vector<char32_t> marks_and_seconds() {
  std::vector<char32_t> found;
  for (char32_t c = 0x80; c < 0x20000; ++c) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    const bool mark = property->combining_class != 0 || property->category == UTF8PROC_CATEGORY_MC;
    if (mark || property->ignorable || (c >= 0x1100 && c < 0x1200)) found.push_back(c);
  }
  return found;
}

TEST(Normalise, AgreesWithUtf8procOnPairsOfABaseAndAMark) {
  std::mt19937 random(11);
  const std::vector<char32_t> marks = marks_and_seconds();
  const std::u32string bases =
      U"aeiouAEIOUsSß "
      U"ıİÅΩωιЕѣאشकনதෙကက𑂙𑄱𑍇𑒹ᄀ가각かカｶハﾊ≠\u00A8\u0344\u0958\uFB1D\u1100\u1B05\u0DD9"
      U"\U00011935";
  for (const char32_t base : bases) {
    for (const char32_t mark : marks) ASSERT_TRUE(agrees(encoded({base, mark})));
  }
  for (int round = 0; round < 200000; ++round) {
    const auto any_mark = [&] { return marks[random() % marks.size()]; };
    const char32_t base = random() % 2 == 0 ? bases[random() % bases.size()] : static_cast<char32_t>(0x80 + random() % 0x3000);
    ASSERT_TRUE(agrees(encoded({base, any_mark(), any_mark(), bases[random() % bases.size()], any_mark()})));
  }
}

char32_t random_code_point(std::mt19937& random) {
  static const std::vector<std::pair<char32_t, char32_t>> ranges = {
      {0x20, 0x7E},       {0x20, 0x7E},       {0x09, 0x0D},       {0x20, 0x20},       {0xA0, 0x24F},     {0x300, 0x36F},
      {0x370, 0x3FF},     {0x400, 0x52F},     {0x590, 0x6FF},     {0x900, 0xDFF},     {0xE00, 0xEFF},    {0xF00, 0xFFF},
      {0x1100, 0x11FF},   {0x1E00, 0x1FFF},   {0x2000, 0x206F},   {0x2100, 0x218F},   {0x3000, 0x30FF},  {0x3130, 0x33FF},
      {0x4E00, 0x4E80},   {0xAC00, 0xAC40},   {0xF900, 0xFB4F},   {0xFDF0, 0xFE0F},   {0xFF00, 0xFFEF},  {0x11080, 0x111CF},
      {0x1D15E, 0x1D1C0}, {0x1F600, 0x1F64F}, {0x2F800, 0x2F820}, {0x1E900, 0x1E94F}, {0xE0100, 0xE0110}};
  static const std::u32string special =
      U"\u00AD\u200B\u200D\uFEFF\uFE0F\u034F\u180E\u0130\u0131\u00DF\u1E9E\u017F\u212A\u212B\uFB03\u0345"
      U"\u03C2\uFF9E\uFF9F\u3099\u309A\u00A8\uFDFA\u0344\u0F73\u0F75\u0F81\u11A7\u1160\u115F";
  if (random() % 5 == 0) return special[random() % special.size()];
  const auto [first, last] = ranges[random() % ranges.size()];
  return first + static_cast<char32_t>(random() % (last - first + 1));
}

TEST(Normalise, AgreesWithUtf8procOnRandomMixtures) {
  std::mt19937 random(12);
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    const auto length = random() % 24;
    for (unsigned i = 0; i < length; ++i) {
      const auto runs = random() % 6 == 0 ? random() % 20 : 1;
      const char32_t c = random_code_point(random);
      for (unsigned j = 0; j < runs; ++j) append_code_point(text, c);
    }
    ASSERT_TRUE(agrees(text));
  }
}

TEST(Normalise, AgreesWithUtf8procOnBrokenText) {
  std::mt19937 random(13);
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 12; ++i) append_code_point(text, random_code_point(random));
    for (unsigned i = 0; i < 3; ++i) {
      const auto at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = static_cast<char>(random() % 256);
      else
        text.erase(at, 1);
    }
    ASSERT_TRUE(agrees(text));
  }
}

TEST(Normalise, TreatsAsciiInWordsAsByteByByte) {
  std::mt19937 random(14);
  for (int round = 0; round < 50000; ++round) {
    std::string text(random() % 70, ' ');
    const auto spaces = 1 + random() % 12;
    for (char& c : text) {
      const char space = " \t\n\v\f\r"[random() % 3 == 0 ? random() % 6 : 0];
      c = random() % spaces == 0 ? space : static_cast<char>(random() % 128);
    }
    ASSERT_TRUE(agrees(text));
    if (!text.empty()) {
      const auto at = random() % text.size();
      ASSERT_TRUE(agrees(text.substr(0, at) + "\u0301" + text.substr(at))) << "a mark after any byte";
    }
  }
}

TEST(Normalise, GrowsWithTextThatGrows) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\uFDFA\u0390";
  EXPECT_TRUE(agrees(text));
  EXPECT_GT(folded(text).size(), 3 * text.size());
}

TEST(Normalise, SortsALongRunOfMarksQuickly) {
  std::string text = "a";
  for (int i = 0; i < 200000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0316";
  const std::string result = folded(text);
  EXPECT_EQ(result.substr(0, 4), "\u00E1\u0316");
  EXPECT_EQ(result.size(), text.size() - 1);
  EXPECT_TRUE(agrees(text.substr(0, 401)));
}

TEST(Normalise, CollapsingTwiceIsCollapsingOnce) {
  std::mt19937 random(15);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 10; ++i) append_code_point(text, random_code_point(random));
    const std::string once = slow_collapse(text);
    ASSERT_EQ(collapsed(once), once) << hex(text);
  }
}

TEST(Normalise, AllocatesNothingWhenTheCapacitySuffices) {
  const std::string text = "Ein größerer Text, 中文 und ещё etwas e\u0301 mehr\n\n";
  std::string out;
  out.reserve(1000);
  const char* const block = out.data();
  normalise_text(text, out);
  fold_text(text, out);
  collapse_space(text, out);
  EXPECT_EQ(out.data(), block);
}

TEST(Normalise, GivesEveryThreadTheSameResult) {
  const std::string text = "Ünïcödé ＡＢＣ e\u0323\u0301 \u1112\u1161\u11AB ไม้ नमस्ते";
  const std::string expected = slow_collapse(slow_fold(text));
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results) threads.emplace_back([&] { normalise_text(text, result); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace nearkin::normalise_test
