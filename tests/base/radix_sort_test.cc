#include "base/radix_sort.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::radix_sort_test {
namespace {

std::uint64_t digits(std::uint64_t record, unsigned first_byte, unsigned last_byte) {
  const unsigned width = 8 * (last_byte - first_byte);
  const std::uint64_t shifted = record >> (8 * first_byte);
  return width == 64 ? shifted : shifted & ((std::uint64_t{1} << width) - 1);
}

void expect_sorted_as_by_std(std::vector<std::uint64_t> records, unsigned first_byte, unsigned last_byte) {
  std::vector<std::uint64_t> expected = records, scratch{1, 2, 3};
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return digits(a, first_byte, last_byte) < digits(b, first_byte, last_byte); });
  radix_sort(records, scratch, first_byte, last_byte);
  ASSERT_EQ(records, expected) << records.size() << " records by bytes " << first_byte << " to " << last_byte;
}

TEST(RadixSort, IsAStableSortByTheChosenBytes) {
  SplitMix random(1);
  for (const std::size_t size : {0u, 1u, 2u, 3u, 10u, 255u, 256u, 1000u, 20'000u}) {
    std::vector<std::uint64_t> records(size);
    for (std::uint64_t& record : records) record = random();
    for (unsigned first = 0; first < 8; ++first) {
      for (unsigned last = first + 1; last <= 8; ++last) expect_sorted_as_by_std(records, first, last);
    }
  }
}

TEST(RadixSort, SortsSkewedAndEqualRecords) {
  SplitMix random(2);
  for (const std::uint64_t mask : {0x0u, 0x1u, 0xffu, 0xff00ff00u, 0xf000000fu}) {
    std::vector<std::uint64_t> records(3000);
    for (std::uint64_t& record : records) record = (random() & mask) * 0x100000001u;
    expect_sorted_as_by_std(records, 0, 8);
    expect_sorted_as_by_std(records, 4, 8);
    expect_sorted_as_by_std(records, 3, 5);
  }
}

TEST(RadixSort, SortsMoreThanACacheHolds) {
  SplitMix random(3);
  for (const std::size_t size : {65'536u, 65'537u, 200'000u}) {
    std::vector<std::uint64_t> even(size), pairs(size), crowded(size), equal(size, 7);
    for (std::size_t i = 0; i < size; ++i) {
      even[i] = random();
      pairs[i] = random() % size << 32 | random() % size;
      crowded[i] = random() % 16 == 0 ? random() : std::uint64_t{5} << 32 | random() % 1000;
    }
    for (const std::vector<std::uint64_t>& records : {even, pairs, crowded, equal}) {
      expect_sorted_as_by_std(records, 0, 8);
      expect_sorted_as_by_std(records, 4, 8);
      expect_sorted_as_by_std(records, 1, 2);
    }
  }
}

TEST(RadixSort, SortsWhatIsSortedOrReversed) {
  std::vector<std::uint64_t> records;
  for (std::uint64_t i = 0; i < 5000; ++i) records.push_back(i * 0x1234567u);
  expect_sorted_as_by_std(records, 0, 8);
  std::reverse(records.begin(), records.end());
  expect_sorted_as_by_std(records, 0, 8);
}

}  // namespace
}  // namespace nearkin::radix_sort_test
