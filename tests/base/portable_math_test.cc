#include "base/portable_math.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::portable_math_test {
namespace {

double unit(SplitMix& random) { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; }

TEST(PortableMath, LogOfOnePlusKeepsItsFiguresNearZero) {
  SplitMix random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(unit(random), -static_cast<int>(random() % 1000));
    ASSERT_NEAR(portable::log1p(x) / std::log1p(x), 1, 2e-15) << x;
    if (x < 1) {
      ASSERT_NEAR(portable::log1p(-x) / std::log1p(-x), 1, 2e-15) << x;
    }
  }
  EXPECT_EQ(portable::log1p(0), 0);
  EXPECT_TRUE(std::signbit(portable::log1p(-0.0)));
}

TEST(PortableMath, RootsAgreeWithTheMathematicalLibrary) {
  SplitMix random(2);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(unit(random), -static_cast<int>(random() % 1000));
    const auto degree = static_cast<std::uint32_t>(1 + random() % 1024);
    const double rounded = 1.2e-16 * std::abs(std::log(x)) / degree;  // what the rounding of 1 / degree does to the library's power
    ASSERT_NEAR(portable::root(x, degree) / std::pow(x, 1.0 / degree), 1, 3e-15 + rounded) << x << ' ' << degree;
  }
}

TEST(PortableMath, RootsOfPowersOfTwoAreExact) {
  for (std::uint32_t degree = 1; degree <= 1000; ++degree) ASSERT_EQ(portable::root(std::ldexp(1, -static_cast<int>(degree)), degree), 0.5);
  EXPECT_EQ(portable::root(1, 7), 1);
}

TEST(PortableMath, PowersAgreeWithTheMathematicalLibrary) {
  SplitMix random(3);
  for (int i = 0; i < 20'000; ++i) {
    const double x = unit(random);
    const auto exponent = static_cast<std::uint32_t>(random() % 64);
    ASSERT_NEAR(portable::power(x, exponent) / std::pow(x, exponent), 1, 2e-16 * (exponent + 1)) << x << ' ' << exponent;
  }
  EXPECT_EQ(portable::power(0.01, 4000), 0);
}

// The bits of the results on the first machine: every other one must give the same.
TEST(PortableMath, GivesTheSameBitsEverywhere) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  EXPECT_EQ(bits(portable::log1p(-0.3)), 0xbfd6d3c324e13f4fu);
  EXPECT_EQ(bits(portable::log1p(1e-9)), 0x3e112e0be801f1d9u);
  EXPECT_EQ(bits(portable::log1p(-0.9999)), 0xc0226bb1bbb55554u);
  EXPECT_EQ(bits(portable::root(0.00005, 14)), 0x3fdf8c22478b1428u);
  EXPECT_EQ(bits(portable::root(0.3, 2)), 0x3fe186f174f88472u);
  EXPECT_EQ(bits(portable::power(0.8, 13)), 0x3fac25c26849768du);
}

}  // namespace
}  // namespace nearkin::portable_math_test
