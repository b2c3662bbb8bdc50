#include "base/unicode.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/tools/spelling.h>
#include "io/formats/records.h"

namespace nearkin::utf8_test {
namespace {

std::vector<char32_t> decode(const std::string& bytes) {
  // An exact-size heap copy, so that a sanitizer sees any read past the end.
  const std::vector<char> copy(bytes.begin(), bytes.end());
  std::vector<char32_t> result;
  const char* p = copy.data();
  const char* const end = p + copy.size();
  while (p != end) result.push_back(next_code_point(p, end));
  return result;
}

using CodePoints = std::vector<char32_t>;

TEST(Utf8, EncodesAndDecodesEveryScalarValue) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string bytes;
    append_code_point(bytes, c);
    const char* p = bytes.data();
    ASSERT_EQ(next_code_point(p, bytes.data() + bytes.size()), c);
    ASSERT_EQ(p, bytes.data() + bytes.size());
  }
}

TEST(Utf8, ReadsEachInvalidByteAsOneReplacement) {
  const char32_t r = kReplacement;
  EXPECT_EQ(decode("a\x80z"), (CodePoints{'a', r, 'z'})) << "stray continuation";
  EXPECT_EQ(decode("\xC0\x80"), (CodePoints{r, r})) << "overlong, two bytes";
  EXPECT_EQ(decode("\xC1\xBF"), (CodePoints{r, r})) << "overlong, two bytes";
  EXPECT_EQ(decode("\xE0\x9F\xBF"), (CodePoints{r, r, r})) << "overlong, three bytes";
  EXPECT_EQ(decode("\xF0\x8F\xBF\xBF"), (CodePoints{r, r, r, r})) << "overlong, four bytes";
  EXPECT_EQ(decode("\xED\xA0\x80"), (CodePoints{r, r, r})) << "first surrogate";
  EXPECT_EQ(decode("\xED\xBF\xBF"), (CodePoints{r, r, r})) << "last surrogate";
  EXPECT_EQ(decode("\xF4\x90\x80\x80"), (CodePoints{r, r, r, r})) << "above U+10FFFF";
  EXPECT_EQ(decode("\xF5\x80\x80\x80"), (CodePoints{r, r, r, r}));
  EXPECT_EQ(decode("\xFF\xFE"), (CodePoints{r, r}));
  EXPECT_EQ(decode("\xE2\x82\xC3\xA9"), (CodePoints{r, r, 0xE9})) << "the next character is not swallowed";
}

TEST(Utf8, StopsAtTheEndOfATruncatedSequence) {
  const char32_t r = kReplacement;
  EXPECT_EQ(decode("\xC3"), (CodePoints{r}));
  EXPECT_EQ(decode("\xE2\x82"), (CodePoints{r, r}));
  EXPECT_EQ(decode("\xF0\x9F\x98"), (CodePoints{r, r, r}));
}

TEST(Utf8, GivesTheSameBytesAgainExactlyWhenTheReadersTakeThemForValid) {
  std::mt19937 random(7);
  const std::string alphabet = "a\x80\x8F\x90\x9F\xA0\xBF\xC2\xDF\xE0\xED\xEF\xF0\xF4";
  int valid = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    const auto length = random() % 5;
    for (unsigned i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
    std::string again;
    for (const char32_t c : decode(text)) append_code_point(again, c);
    ASSERT_EQ(is_utf8(text), text == again);
    valid += text == again ? 1 : 0;
  }
  EXPECT_GT(valid, 1000);
  EXPECT_LT(valid, 199000);
}

}  // namespace
}  // namespace nearkin::utf8_test
