#include "base/unicode.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <utf8proc.h>

namespace nearkin::unicode_test {
namespace {

void expect_kind(const std::u32string& characters, CharKind kind) {
  for (const char32_t c : characters) EXPECT_EQ(char_kind(c), kind) << std::hex << static_cast<unsigned>(c);
}

TEST(Unicode, CountsLettersAndNumbersAsWords) {
  expect_kind(U"azAZ09éßЖяΩ١۹अ한글ᄀקعა①½Ⅷ²ªºﬁ", CharKind::word);
  expect_kind(U"\u0F40\u0F20", CharKind::word);  // Tibetan letter and digit: its words are set apart
  expect_kind(U"\U00010400\U0001D400\U00016B50", CharKind::word);
}

TEST(Unicode, CountsUnspacedScriptsAsSingles) {
  expect_kind(U"中文字㐀豈々〆〇〡〸ぁんゝァヿカンㇰｱﾝㄅㆠ", CharKind::single);
  expect_kind(U"\u0E01\u0E33\u0E50\u0E81\u1780\u17E0\u1000\uA9E0\uAA60\u1950\u1980\u1A20\uAA80\uA984\u1B05", CharKind::single);
  expect_kind(U"\U00020000\U0002A6D6\U0002F800\U00030000\U0001B000", CharKind::single);
}

TEST(Unicode, CountsMarksAsPartOfTheCharacterBefore) {
  expect_kind(U"\u0301\u0E34\u0E49\u0903\u094D\u20DD\uFE0F\u3099\u17D2\U000E0100", CharKind::mark);
  expect_kind(U"\u30FC\uFF70\uFF9E\uFF9F", CharKind::mark);
}

TEST(Unicode, LeavesTheRestAsOther) {
  expect_kind(U"!_-'@`{~\u0001\u007F\u00AD\u200B\u200D\uFEFF\u2019\u3001\u30FB\u0F0B\u309B€→", CharKind::other);
  expect_kind(U"\uE000\uFFFD\uFFFF\U0001F600\U000F0000\U0010FFFF", CharKind::other);
  EXPECT_EQ(char_kind(0x110000), CharKind::other);
  EXPECT_EQ(char_kind(0xFFFFFFFF), CharKind::other);
  EXPECT_EQ(char_kind(0xD800), CharKind::other);
}

TEST(Unicode, KnowsTheTwentyFiveWhiteSpaceCharacters) {
  const std::u32string spaces =
      U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000";
  std::size_t found = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const bool expected = spaces.find(c) != std::u32string::npos;
    ASSERT_EQ(is_white_space(c), expected) << static_cast<unsigned>(c);
    ASSERT_EQ(char_kind(c) == CharKind::space, expected) << static_cast<unsigned>(c);
    found += expected ? 1 : 0;
  }
  EXPECT_EQ(found, 25u);
}

TEST(Unicode, AgreesWithTheGeneralCategoryEverywhere) {
  int sound_marks = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const char major = utf8proc_category_string(static_cast<utf8proc_int32_t>(c))[0];
    const CharKind kind = char_kind(c);
    const bool letter_or_number = major == 'L' || major == 'N';
    const bool sound_mark = letter_or_number && kind == CharKind::mark;  // checked one by one above
    ASSERT_EQ(kind == CharKind::mark, major == 'M' || sound_mark) << static_cast<unsigned>(c);
    ASSERT_EQ(kind == CharKind::word || kind == CharKind::single, letter_or_number && !sound_mark) << static_cast<unsigned>(c);
    sound_marks += sound_mark ? 1 : 0;
  }
  EXPECT_EQ(sound_marks, 4);
}

TEST(Unicode, GivesEveryThreadTheSameKinds) {
  std::vector<std::thread> threads;
  std::vector<int> singles(4);
  for (int& count : singles) {
    threads.emplace_back([&count] {
      for (char32_t c = 0x80; c < 0x10000; ++c) count += char_kind(c) == CharKind::single ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(singles[0], 28000);
  for (const int count : singles) EXPECT_EQ(count, singles[0]);
}

TEST(Unicode, NamesItsVersion) {
  EXPECT_EQ(unicode_version(), utf8proc_unicode_version());
  EXPECT_GE(unicode_version().size(), 5u);
}

}  // namespace
}  // namespace nearkin::unicode_test
