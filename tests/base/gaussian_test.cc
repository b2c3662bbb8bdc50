#include "base/gaussian.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/portable_math.h"

namespace nearkin::gaussian_test {
namespace {

TEST(PortableMath, AgreesWithTheMathematicalLibraryToTheLastPlaces) {
  SplitMix random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const double x = std::ldexp(0.5 + unit, static_cast<int>(random() % 2040) - 1020);
    ASSERT_NEAR(portable::log(x), std::log(x), 1e-15 * (1 + std::abs(std::log(x)))) << x;
    const double y = 1400 * unit - 700;
    ASSERT_NEAR(portable::exp(y) / std::exp(y), 1, 1e-15) << y;
    const double v = unit + 1e-12, cotangent = 1 / std::tan(v * M_PI / 2);
    ASSERT_NEAR(portable::cauchy_magnitude(v), cotangent, 2e-15 * (1 + cotangent)) << v;
  }
  EXPECT_EQ(portable::log(1), 0);
  EXPECT_EQ(portable::exp(0), 1);
  EXPECT_EQ(portable::exp(-1e9), 0);
  EXPECT_NEAR(portable::log(1e-310), std::log(1e-310), 1e-12);
}

TEST(PortableMath, FindsTheQuantilesOfGauss) {
  for (const double p : {0.5, 0.499, 0.3, 0.1587, 0.05, 0.0228, 0.02275, 0.01, 1e-3, 1e-4, 1e-6, 1e-8}) {
    const double x = portable::gaussian_magnitude(p);
    EXPECT_NEAR(0.5 * std::erfc(x / std::sqrt(2.0)) / p, 1, 1e-11) << p;
  }
}

// Sums of f over the stream, against the mean and standard deviation of f.
template <typename Stream, typename F>
void expect_mean(Stream stream, int draws, double mean, double deviation, F f) {
  double sum = 0;
  for (int i = 0; i < draws; ++i) sum += f(stream());
  EXPECT_NEAR(sum / draws, mean, 4 * deviation / std::sqrt(draws));
}

TEST(GaussianStream, HasTheMomentsAndTailsOfGauss) {
  constexpr int kDraws = 200'000;
  expect_mean(GaussianStream(1), kDraws, 0, 1, [](double g) { return g; });
  expect_mean(GaussianStream(2), kDraws, 1, std::sqrt(2.0), [](double g) { return g * g; });
  expect_mean(GaussianStream(3), kDraws, 3, std::sqrt(96.0), [](double g) { return g * g * g * g; });
  for (const double x : {-2.0, -0.5, 0.0, 1.0, 3.0}) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    expect_mean(GaussianStream(4), kDraws, p, std::sqrt(p * (1 - p)), [x](double g) { return g < x; });
  }
}

TEST(CauchyStream, HasTheDistributionOfCauchy) {
  for (const double x : {-100.0, -3.0, -1.0, 0.0, 0.2, 1.0, 10.0, 1000.0}) {
    const double p = 0.5 + std::atan(x) / M_PI;
    expect_mean(CauchyStream(5), 100'000, p, std::sqrt(p * (1 - p)), [x](double c) { return c < x; });
  }
}

TEST(QuantileTable, OfGaussHasMeanZeroAndVarianceOneAndItsQuantiles) {
  double sum = 0, squares = 0;
  for (const float value : gaussian_table()) {
    sum += double{value};
    squares += double{value} * double{value};
  }
  EXPECT_EQ(sum, 0);
  EXPECT_NEAR(squares / 4096, 1, 1e-7);
  for (std::size_t i = 0; i < 4096; ++i) {
    ASSERT_NEAR(0.5 * std::erfc(-double{gaussian_table()[i]} / std::sqrt(2.0)), (static_cast<double>(i) + 0.5) / 4096, 2e-4) << i;
    ASSERT_TRUE(i == 0 || gaussian_table()[i - 1] < gaussian_table()[i]);
  }
}

TEST(QuantileTable, OfCauchyHasItsQuantilesAndOpenTails) {
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const bool tail = i < kCauchyTail || i >= 4096 - kCauchyTail;
    if (tail) {
      ASSERT_EQ(cauchy_table()[i], 0) << i;
    }
    const double low = 0.5 + std::atan(tail ? cauchy_tail(i, 1) : double{cauchy_table()[i]}) / M_PI;
    const double high = 0.5 + std::atan(tail ? cauchy_tail(i, UINT64_MAX) : double{cauchy_table()[i]}) / M_PI;
    ASSERT_NEAR(low, (i + 0.5) / 4096, 0.51 / 4096) << i;
    ASSERT_NEAR(high, (i + 0.5) / 4096, 0.51 / 4096) << i;
  }
  EXPECT_LT(cauchy_tail(0, 1), -1e15);
  EXPECT_GT(cauchy_tail(4095, 1), 1e15);
}

template <typename Numbers>
std::uint64_t digest(const Numbers& numbers) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const auto number : numbers) sum = (sum ^ std::bit_cast<std::uint64_t>(double{number})) * 0x100000001b3u;
  return sum;
}

template <typename Stream>
std::vector<double> first_numbers(std::uint64_t seed, std::size_t count) {
  Stream stream(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = stream();
  return numbers;
}

// FROZEN: sketches are stored and compared between machines and versions.
TEST(RandomNumbers, KeepTheirFrozenValues) {
  EXPECT_EQ(digest(gaussian_table()), 3482401266351170341u);
  EXPECT_EQ(digest(cauchy_table()), 18155125544125686565u);
  EXPECT_EQ(digest(first_numbers<GaussianStream>(1, 1000)), 1771054936834983433u);
  EXPECT_EQ(digest(first_numbers<CauchyStream>(1, 1000)), 2760633183370628126u);
  EXPECT_EQ(cauchy_tail(3, 0x0123456789abcdefu), -0x1.b1f4972c99524p+8);
  EXPECT_EQ(first_numbers<GaussianStream>(1, 2), (std::vector<double>{0x1.b7c251a5470ccp-2, 0x1.95f5305298699p+0}));
  EXPECT_EQ(first_numbers<CauchyStream>(1, 2), (std::vector<double>{-0x1.9ebfd7d440f76p-1, -0x1.b020368b412efp-2}));
}

}  // namespace
}  // namespace nearkin::gaussian_test
