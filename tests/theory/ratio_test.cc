#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

namespace nearkin::ratio_test {
namespace {

std::string refusal(std::string_view text) {
  try {
    return "no error: " + to_string(parse_ratio(text, "threshold"));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Ratio, IsTheNearestFractionOfNineDigits) {
  EXPECT_EQ(ratio(0.8), (Ratio{8, 10}));
  EXPECT_EQ(ratio(0), (Ratio{0, 1}));
  EXPECT_EQ(ratio(1), (Ratio{1, 1}));
  EXPECT_EQ(ratio(0.1 + 0.2), (Ratio{3, 10}));
  EXPECT_EQ(ratio(1.0 / 3), (Ratio{333333333, 1000000000}));
  EXPECT_EQ(ratio(2.0 / 3), (Ratio{666666667, 1000000000}));
  EXPECT_EQ(ratio(1e-9), (Ratio{1, 1000000000}));
}

TEST(Ratio, RefusesWhatIsNoShare) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {-0.1, 1.0000001, 80.0, std::nan(""), infinity}) EXPECT_THROW(ratio(value), Error);
}

TEST(Ratio, ReadsTheUsualSpellings) {
  EXPECT_EQ(parse_ratio("0.8", "threshold"), (Ratio{8, 10}));
  EXPECT_EQ(parse_ratio(".75", "threshold"), (Ratio{75, 100}));
  EXPECT_EQ(parse_ratio("1", "threshold"), (Ratio{1, 1}));
  EXPECT_EQ(parse_ratio("1.000", "threshold"), (Ratio{1, 1}));
  EXPECT_EQ(parse_ratio("0", "threshold"), (Ratio{0, 1}));
  EXPECT_EQ(parse_ratio("0.80", "threshold"), (Ratio{8, 10}));
}

TEST(Ratio, SaysWhatIsWrongWithAText) {
  EXPECT_EQ(refusal("80"), "threshold: 80 is not between 0 and 1; did you mean 0.8?");
  EXPECT_EQ(refusal("1.5"), "threshold: 1.5 is not between 0 and 1");
  EXPECT_EQ(refusal("0.9999999999"), "threshold: 0.9999999999 has more than nine digits; use 1 or 0.999999999");
  EXPECT_EQ(refusal("-1"), "threshold: -1 is not between 0 and 1");
  for (const std::string text : {"", "abc", "0.8 ", " 0.8", "0.8x", "+0.8", "nan", "inf", "1e999", "0,8", "0x1"}) {
    EXPECT_EQ(refusal(text), "threshold: \"" + text + "\" is not a number between 0 and 1, such as 0.8");
  }
}

TEST(Ratio, PrintsTheShortestSpelling) {
  EXPECT_EQ(to_string(Ratio{8, 10}), "0.8");
  EXPECT_EQ(to_string(Ratio{80, 100}), "0.8");
  EXPECT_EQ(to_string(Ratio{1, 1}), "1");
  EXPECT_EQ(to_string(Ratio{1000, 1000}), "1");
  EXPECT_EQ(to_string(Ratio{0, 1}), "0");
  EXPECT_EQ(to_string(Ratio{5, 1000000000}), "0.000000005");
}

TEST(Ratio, ReadsBackWhatItPrints) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Ratio value = ratio(static_cast<double>(random() % 1000000001) / 1e9);
    ASSERT_EQ(parse_ratio(to_string(value), "threshold"), value);
    ASSERT_EQ(ratio(value.value()), value);
  }
}

}  // namespace
}  // namespace nearkin::ratio_test
