#include "match/bucket_tables.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::bucket_tables_test {
namespace {

struct Keyed {
  std::vector<std::uint32_t> keys;
  std::vector<std::uint8_t> empty;
};

// Keys over the whole range, most of them in buckets of several, and a bucket that holds a third of all.
Keyed random_keys(std::size_t items, std::uint32_t bands, std::uint64_t seed) {
  Keyed result;
  SplitMix random(seed);
  for (std::size_t i = 0; i < items; ++i) {
    result.empty.push_back(random() % 7 == 0);
    for (std::uint32_t band = 0; band < bands; ++band) {
      const bool common = random() % 3 == 0;
      result.keys.push_back(common ? 0xffffffffu : static_cast<std::uint32_t>(mix64(random() % (items / 2 + 1)) >> 32));
    }
  }
  return result;
}

std::vector<Row> by_looking_at_all(const Keyed& keyed, std::uint32_t bands, std::uint32_t band, std::uint32_t key) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < keyed.empty.size(); ++i) {
    if (keyed.empty[i] == 0 && keyed.keys[i * bands + band] == key) rows.push_back(static_cast<Row>(i));
  }
  return rows;
}

std::vector<Row> looked_up(const BucketTables& tables, std::uint32_t band, std::uint32_t key) {
  const std::span<const Row> rows = tables.bucket(band, key);
  return {rows.begin(), rows.end()};
}

TEST(BucketTables, GiveTheRowsOfEveryKeyAndNoEmptyItem) {
  constexpr std::uint32_t kBands = 3;
  for (const std::size_t items : {1u, 2u, 17u, 800u}) {
    const Keyed keyed = random_keys(items, kBands, items);
    const BucketTables tables(keyed.keys, kBands, keyed.empty, 2);
    for (std::size_t i = 0; i < keyed.keys.size(); ++i) {
      const auto band = static_cast<std::uint32_t>(i % kBands);
      ASSERT_EQ(looked_up(tables, band, keyed.keys[i]), by_looking_at_all(keyed, kBands, band, keyed.keys[i]));
    }
  }
}

TEST(BucketTables, AreEmptyForKeysThatNobodyHas) {
  constexpr std::uint32_t kBands = 2;
  const Keyed keyed = random_keys(500, kBands, 5);
  const BucketTables tables(keyed.keys, kBands, keyed.empty, 1);
  SplitMix random(9);
  for (int i = 0; i < 500; ++i) {
    const auto key = static_cast<std::uint32_t>(random());
    ASSERT_EQ(looked_up(tables, 1, key), by_looking_at_all(keyed, kBands, 1, key));
  }
  EXPECT_TRUE(tables.bucket(0, 0).empty());
}

TEST(BucketTables, OfOneBandTakeRowsUnderSeveralKeys) {
  const auto record = [](std::uint32_t key, Row row) { return std::uint64_t{key} << 32 | row; };
  const std::vector<std::uint64_t> records = {record(5, 0), record(5, 4), record(7, 0), record(7, 1), record(0x80000007u, 1)};
  const BucketTables tables(records);
  EXPECT_EQ(looked_up(tables, 0, 7), (std::vector<Row>{0, 1}));
  EXPECT_EQ(looked_up(tables, 0, 5), (std::vector<Row>{0, 4}));
  EXPECT_EQ(looked_up(tables, 0, 0x80000007u), (std::vector<Row>{1}));
  EXPECT_TRUE(tables.bucket(0, 6).empty());
}

TEST(BucketTables, OfNoItemsHaveOnlyEmptyBuckets) {
  const BucketTables none({}, 4, {}, 1);
  EXPECT_TRUE(none.bucket(3, 12345).empty());
  const std::vector<std::uint32_t> keys(8, 1);
  const std::vector<std::uint8_t> all_empty(2, 1);
  EXPECT_TRUE(BucketTables(keys, 4, all_empty, 1).bucket(0, 1).empty());
}

}  // namespace
}  // namespace nearkin::bucket_tables_test
