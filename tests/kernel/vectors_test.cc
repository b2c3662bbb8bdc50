#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "support/guarded.h"
#include "support/instruction_sets.h"

namespace nearkin::vectors_test {
namespace {

using test::with_each_instruction_set;

// Numbers of many magnitudes and both signs, with zeros of both signs among them.
float any_float(SplitMix& random) {
  const std::uint64_t bits = random();
  if (bits % 16 == 0) return bits % 32 == 0 ? 0.0f : -0.0f;
  const float number = static_cast<float>(static_cast<std::int32_t>(bits >> 32)) / 2147483648.0f;
  return std::ldexp(number, static_cast<int>(bits % 31) - 15);
}

void fill(float* values, std::size_t size, SplitMix& random) {
  for (std::size_t i = 0; i < size; ++i) values[i] = any_float(random);
}

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t size = 0; size <= 200; ++size) all.push_back(size);
  all.insert(all.end(), {784, 1000, 1023, 4096, 10007});
  return all;
}

using Sum = double (*)(const float*, const float*, std::size_t);

void expect_same_sums(Sum kernel, Sum twin) {
  with_each_instruction_set([&] {
    test::Guarded left{50000}, right{50000};
    SplitMix random(1);
    for (const std::size_t size : sizes()) {
      float* const a = left.back<float>(size);
      float* const b = right.back<float>(size);
      fill(a, size, random);
      fill(b, size, random);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(kernel(a, b, size)), std::bit_cast<std::uint64_t>(twin(a, b, size))) << size;
    }
  });
}

TEST(VectorKernel, SumsProductsAndDistancesOfEverySizeLikeTheScalarTwin) {
  expect_same_sums(kernel::dot, kernel::scalar::dot);
  expect_same_sums(kernel::squared_distance, kernel::scalar::squared_distance);
  expect_same_sums(kernel::absolute_distance, kernel::scalar::absolute_distance);
}

TEST(VectorKernel, SumsOfManyItemsAreThoseOfEach) {
  const std::pair<kernel::FloatSum, Sum> sums[] = {{kernel::FloatSum::dot, kernel::scalar::dot},
                                                   {kernel::FloatSum::squared_distance, kernel::scalar::squared_distance},
                                                   {kernel::FloatSum::absolute_distance, kernel::scalar::absolute_distance}};
  with_each_instruction_set([&] {
    constexpr std::size_t kItems = 11;
    test::Guarded left{5000}, right{50000}, chosen{4096}, result{4096};
    SplitMix random(3);
    for (std::size_t size = 0; size <= 100; ++size) {
      const std::size_t count = size % 10;
      float* const query = left.back<float>(size);
      float* const items = right.back<float>(size * kItems);
      std::uint32_t* const rows = chosen.back<std::uint32_t>(count);
      double* const values = result.back<double>(count);
      fill(query, size, random);
      fill(items, size * kItems, random);
      for (std::size_t k = 0; k < count; ++k) rows[k] = static_cast<std::uint32_t>(random() % kItems);
      for (const auto& [sum, one] : sums) {
        kernel::float_sums(sum, query, items, rows, size, count, values);
        for (std::size_t k = 0; k < count; ++k) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(values[k]), std::bit_cast<std::uint64_t>(one(query, items + rows[k] * size, size)));
        }
      }
    }
  });
}

TEST(VectorKernel, ScalarSumsAreWhatTheyAreCalled) {
  const std::vector<float> a{1, -2, 3, 0.5f, 0, 7, 1, 2, 3}, b{4, 5, -6, 0.5f, 1, 7, 0, 1, 1};
  EXPECT_EQ(kernel::scalar::dot(a.data(), b.data(), 9), 4 - 10 - 18 + 0.25 + 0 + 49 + 0 + 2 + 3);
  EXPECT_EQ(kernel::scalar::squared_distance(a.data(), b.data(), 9), 9 + 49 + 81 + 0 + 1 + 0 + 1 + 1 + 4);
  EXPECT_EQ(kernel::scalar::absolute_distance(a.data(), b.data(), 9), 3 + 7 + 9 + 0 + 1 + 0 + 1 + 1 + 2);
  EXPECT_EQ(kernel::scalar::dot(a.data(), b.data(), 0), 0);
}

TEST(VectorKernel, TakesDifferencesInDoublePrecision) {
  const float a = 16777216.0f, b = 1e-3f;
  const double difference = double{a} - double{b};
  with_each_instruction_set([&] {
    EXPECT_EQ(kernel::absolute_distance(&a, &b, 1), difference);
    EXPECT_EQ(kernel::squared_distance(&a, &b, 1), difference * difference);
  });
  EXPECT_NE(difference, 16777216.0);
}

// FROZEN: the order of the sum. One place for each running sum, chosen so that any other order of addition rounds to another result.
TEST(VectorKernel, AddsItsEightSumsInTheFrozenOrder) {
  const std::vector<float> terms{1e30f, 1, -1e30f, 1, 1e14f, 1e-3f, -1e14f, 3}, ones(8, 1.0f);
  const std::vector<double> s(terms.begin(), terms.end());
  const double expected = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  with_each_instruction_set([&] { EXPECT_EQ(kernel::dot(terms.data(), ones.data(), 8), expected); });
}

TEST(VectorKernel, CountsDifferentBitsOfEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded left{8192}, right{65536}, result{4096};
    SplitMix random(2);
    for (std::size_t words = 0; words <= 70; ++words) {
      const std::size_t count = words % 13;
      std::uint64_t* const query = left.back<std::uint64_t>(words);
      std::uint64_t* const codes = right.back<std::uint64_t>(words * count);
      std::uint32_t* const distances = result.back<std::uint32_t>(count);
      for (std::size_t i = 0; i < words; ++i) query[i] = i % 7 == 0 ? ~std::uint64_t{0} : random();
      for (std::size_t i = 0; i < words * count; ++i) codes[i] = i % 5 == 0 ? 0 : random();
      kernel::bit_distances(query, codes, words, count, distances);
      for (std::size_t j = 0; j < count; ++j) {
        std::uint32_t expected = 0;
        for (std::size_t i = 0; i < words; ++i) expected += static_cast<std::uint32_t>(std::popcount(query[i] ^ codes[j * words + i]));
        ASSERT_EQ(distances[j], expected) << words;
        ASSERT_EQ(kernel::bit_distance(query, codes + j * words, words), expected) << words;
        ASSERT_EQ(kernel::scalar::bit_distance(query, codes + j * words, words), expected) << words;
      }
    }
  });
}

TEST(VectorKernel, TransformsEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded guarded{1 << 17};
    SplitMix random(3);
    for (std::size_t size = 1; size <= 1 << 14; size *= 2) {
      float* const values = guarded.back<float>(size);
      fill(values, size, random);
      std::vector<float> expected(values, values + size);
      kernel::scalar::hadamard(expected.data(), size);
      kernel::hadamard(values, size);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected[i])) << size << ' ' << i;
      }
    }
  });
}

TEST(VectorKernel, ScalarTransformIsTheSumOverAllSignsOfWalsh) {
  SplitMix random(4);
  for (std::size_t size = 1; size <= 256; size *= 2) {
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(random() % 1000);  // whole numbers: nothing is rounded
    std::vector<float> transformed = values;
    kernel::scalar::hadamard(transformed.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += (std::popcount(i & j) % 2 == 0 ? 1 : -1) * double{values[j]};
      ASSERT_EQ(double{transformed[i]}, sum) << size << ' ' << i;
    }
  }
}

TEST(VectorKernel, FindsTheLargestMagnitudeAtEveryPlace) {
  with_each_instruction_set([] {
    test::Guarded guarded{4096};
    for (std::size_t size = 0; size <= 100; ++size) {
      float* const values = guarded.back<float>(size);
      std::fill_n(values, size, -0.0f);
      ASSERT_EQ(kernel::largest_magnitude(values, size), 0) << size;
      for (std::size_t i = 0; i < size; ++i) {
        std::fill_n(values, size, 0.5f);
        values[i] = i % 2 == 0 ? 3.0f : -3.0f;
        ASSERT_EQ(kernel::largest_magnitude(values, size), 3) << size << ' ' << i;
        ASSERT_EQ(kernel::scalar::largest_magnitude(values, size), 3) << size << ' ' << i;
      }
    }
  });
}

TEST(VectorKernel, MultipliesEverySizeLikeTheScalarTwin) {
  with_each_instruction_set([] {
    test::Guarded left{50000}, right{50000}, result{50000};
    SplitMix random(5);
    for (const std::size_t size : sizes()) {
      float* const a = left.back<float>(size);
      float* const b = right.back<float>(size);
      float* const products = result.back<float>(size);
      fill(a, size, random);
      fill(b, size, random);
      kernel::multiply(a, b, 0.3f, size, products);
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(products[i], (a[i] * b[i]) * 0.3f) << size;
      kernel::multiply(a, b, 0.3f, size, a);
      ASSERT_TRUE(std::equal(a, a + size, products));
    }
  });
}

TEST(VectorKernel, SumsRowsLikeTheScalarTwin) {
  with_each_instruction_set([] {
    constexpr std::size_t kRows = 20;
    test::Guarded guarded{1 << 13}, result{4096};
    SplitMix random(6);
    float* const panel = guarded.back<float>(kRows * kernel::kPanel);
    double* const sums = result.back<double>(kernel::kPanel);
    fill(panel, kRows * kernel::kPanel, random);
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::uint32_t> rows(count);
      std::vector<double> factors(count), expected(kernel::kPanel);
      for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random() % kRows);
      for (double& factor : factors) factor = double{any_float(random)} / 3;
      kernel::sum_rows(panel, rows.data(), factors.data(), count, sums);
      kernel::scalar::sum_rows(panel, rows.data(), factors.data(), count, expected.data());
      ASSERT_EQ(std::vector<double>(sums, sums + kernel::kPanel), expected) << count;
    }
  });
}

TEST(VectorKernel, SumsLookupsLikeTheScalarTwin) {
  std::vector<float> table(std::size_t{1} << kernel::kLookupBits);
  SplitMix random(7);
  fill(table.data(), table.size(), random);
  with_each_instruction_set([&] {
    test::Guarded result{4096};
    for (const std::size_t blocks : {0, 1, 2, 5}) {
      for (const std::size_t count : {0, 1, 2, 30}) {
        std::vector<std::uint64_t> keys(count);
        std::vector<float> factors(count), expected(blocks * kernel::kLookupBlock, 1.5f);
        for (std::uint64_t& key : keys) key = random();
        fill(factors.data(), count, random);
        float* const sums = result.back<float>(expected.size());
        std::fill_n(sums, expected.size(), 1.5f);
        kernel::sum_lookups(table.data(), keys.data(), factors.data(), count, blocks, sums);
        kernel::scalar::sum_lookups(table.data(), keys.data(), factors.data(), count, blocks, expected.data());
        ASSERT_EQ(std::vector<float>(sums, sums + expected.size()), expected) << blocks << ' ' << count;
      }
    }
  });
}

// FROZEN: which number stands where.
TEST(VectorKernel, LooksUpTheNumbersThatItsCommentSays) {
  std::vector<float> table(std::size_t{1} << kernel::kLookupBits);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const std::uint64_t key = 12345;
  const float one = 1;
  std::vector<float> sums(3 * kernel::kLookupBlock);
  kernel::sum_lookups(table.data(), &key, &one, 1, 3, sums.data());
  for (std::size_t column = 0; column < sums.size(); ++column) {
    const std::size_t block = column / 40, part = column % 40 / 8, lane = column % 8;
    const std::uint64_t word = mix64(key + (8 * block + lane + 1) * 0x9e3779b97f4a7c15u);
    ASSERT_EQ(sums[column], static_cast<float>(word >> (12 * part) & 4095)) << column;
  }
}

}  // namespace
}  // namespace nearkin::vectors_test
