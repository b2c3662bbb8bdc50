// The linear rule of large buckets: how much work, what it must find, and that it looks at the bucket alone.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "match/candidates.h"

namespace nearkin::large_bucket_test {
namespace {

using Random = std::mt19937_64;

struct Table {
  std::uint32_t bands;
  std::vector<std::uint32_t> keys;
  std::vector<Row> members;

  Table(std::size_t items, std::uint32_t band_count) : bands(band_count), keys(items * band_count), members(items) {
    std::iota(members.begin(), members.end(), Row{0});
  }
  std::uint32_t& key(std::size_t row, std::uint32_t band) { return keys[row * bands + band]; }
  CandidateResult find(std::uint32_t large_bucket, unsigned threads = 1, Row split = 0) const {
    const BandPlan plan{.bands = bands, .rows = 1, .large_bucket = large_bucket};
    return find_candidates({.plan = plan, .keys = keys.data(), .members = members, .pairs = {.split = split}}, threads);
  }
};

// Items that agree with the rest in a band with probability `agree`, otherwise with nobody.
Table near_identical(std::size_t items, std::uint32_t bands, double agree, std::uint64_t seed) {
  Random random(seed);
  Table table(items, bands);
  for (std::uint32_t& key : table.keys) {
    const bool common = static_cast<double>(random() % 1'000'000) < agree * 1e6;
    key = common ? 7u : static_cast<std::uint32_t>(random() | 0x80000000u);
  }
  return table;
}

std::uint64_t all_pairs_of(std::uint64_t items) { return items * (items - 1) / 2; }

TEST(LargeBucket, Of200000NearIdenticalItemsCostsLinearWork) {
  constexpr std::size_t kItems = 200'000;
  const Table table = near_identical(kItems, 5, 0.95, 1);
  const CandidateResult found = table.find(128, 2);
  EXPECT_EQ(found.notes.large, 5u);
  EXPECT_GT(found.notes.largest, 180'000u);
  EXPECT_LE(found.looked_at, 40 * kItems * found.notes.large);
  EXPECT_GT(found.notes.not_compared, 4 * all_pairs_of(180'000));
}

TEST(LargeBucket, LooksAtFewDozenPairsAMemberInTheWorstCase) {
  Random random(2);
  constexpr std::size_t kItems = 5000;
  for (const std::uint64_t group : {2u, 7u, 8u, 9u, 60u}) {  // of those that agree in a second band
    Table rest(kItems, 8), table(kItems, 9);
    for (std::size_t row = 0; row < kItems; ++row) {
      table.key(row, 0) = 1;
      for (std::uint32_t band = 0; band < 8; ++band) {
        table.key(row, band + 1) = rest.key(row, band) = static_cast<std::uint32_t>(random() % (kItems / group));
      }
    }
    const CandidateResult ordinary = rest.find(128), found = table.find(128);
    EXPECT_EQ(ordinary.notes.large, 0u);
    EXPECT_EQ(found.notes.large, 1u);
    EXPECT_LE(found.looked_at, ordinary.looked_at + 40 * kItems) << group;
    EXPECT_GE(found.looked_at, ordinary.looked_at + kItems - 1) << group;
  }
}

TEST(LargeBucket, ConnectsEveryMemberToTheFirst) {
  const Table table = near_identical(1000, 9, 0.5, 3);
  const Pairs pairs = table.find(128).pairs;
  std::set<Pair> found(pairs.begin(), pairs.end());
  for (std::uint32_t band = 0; band < 9; ++band) {
    std::vector<Row> bucket;
    for (Row row = 0; row < 1000; ++row) {
      if (table.keys[row * 9 + band] == 7) bucket.push_back(row);
    }
    ASSERT_GT(bucket.size(), 128u);
    for (const Row row : bucket) EXPECT_TRUE(row == bucket[0] || found.contains({bucket[0], row})) << band << ' ' << row;
  }
}

TEST(LargeBucket, TakesTheMemberMostWorthKeepingAsTheFirst) {
  Table table = near_identical(300, 3, 1.0, 4);
  std::swap(table.members[0], table.members[211]);
  const Pairs pairs = table.find(16).pairs;
  const std::set<Pair> found(pairs.begin(), pairs.end());
  for (Row row = 0; row < 300; ++row) EXPECT_TRUE(row == 211 || found.contains({std::min<Row>(row, 211), std::max<Row>(row, 211)}));
}

// Members of four kinds, two kinds in each bucket. Stars from the first members alone would compare those of the last kind with
// other kinds only; verification would drop all of that, and they would never meet.
TEST(LargeBucket, ConnectsMembersThatAgreeInASecondBandWhateverTheFirstMemberIs) {
  for (const std::uint32_t bands : {2u, 3u}) {
    Table table(800, bands);
    for (Row row = 0; row < 800; ++row) {
      table.key(row, 0) = row / 2 % 2;
      table.key(row, 1) = row % 2;
      if (bands == 3) table.key(row, 2) = 100 + row;
    }
    const CandidateResult result = table.find(128);
    EXPECT_EQ(result.notes.large, 4u);
    const std::set<Pair> found(result.pairs.begin(), result.pairs.end());
    for (Row row = 4; row < 800; ++row) {
      EXPECT_TRUE(found.contains({row % 4, row})) << row;
      EXPECT_TRUE(found.contains({row - 4, row})) << row;
    }
  }
}

TEST(LargeBucket, LeavesNoPairOutUntilItIsLarge) {
  for (const std::size_t items : {16u, 17u}) {
    const Table table = near_identical(items, 1, 1.0, 5);
    const CandidateResult found = table.find(16);
    EXPECT_EQ(found.notes.large, items - 16);
    EXPECT_EQ(found.notes.largest, items);
    EXPECT_EQ(found.pairs.size(), items == 16 ? all_pairs_of(16) : 16u);
  }
}

TEST(LargeBucket, ReportsExactlyTheDifferentPairsItLeavesOut) {
  for (const std::uint32_t bands : {1u, 2u, 5u, 9u, 12u}) {
    for (const std::size_t items : {20u, 200u}) {
      const Table table = near_identical(items, bands, 1.0, 6);
      const CandidateResult found = table.find(16);
      // In every band all are in one bucket, and all bands offer the same pairs: the star and, where a second band agrees, the chain.
      const std::uint64_t offered = bands == 1 ? items - 1 : 2 * items - 3;
      EXPECT_EQ(found.pairs.size(), offered);
      EXPECT_EQ(found.notes.not_compared, bands * (all_pairs_of(items) - offered)) << bands << " bands, " << items << " items";
    }
  }
}

TEST(LargeBucket, BetweenTwoCollectionsConnectsEveryMemberAcross) {
  Table table = near_identical(400, 5, 1.0, 7);
  for (const Row split : {1u, 100u, 399u}) {
    const CandidateResult found = table.find(32, 1, split);
    std::set<Row> connected;
    for (const Pair& pair : found.pairs) {
      ASSERT_TRUE(pair.a < split && pair.b >= split);
      connected.insert({pair.a, pair.b});
    }
    EXPECT_EQ(connected.size(), 400u) << split;
    const std::uint64_t all = std::uint64_t{split} * (400 - split);
    EXPECT_EQ(found.notes.not_compared, 5 * (all - found.pairs.size())) << split;
  }
}

TEST(LargeBucket, GivesTheSamePairsOnAnyNumberOfThreads) {
  const Table table = near_identical(2000, 17, 0.7, 8);
  const CandidateResult one = table.find(100, 1);
  for (const unsigned threads : {2u, 3u, 8u}) {
    const CandidateResult many = table.find(100, threads);
    EXPECT_EQ(many.pairs, one.pairs);
    EXPECT_EQ(many.looked_at, one.looked_at);
    EXPECT_EQ(many.notes.not_compared, one.notes.not_compared);
  }
}

// Items that share no bucket with these: other machines, other shards, other documents of the collection.
TEST(LargeBucket, LooksAtItsOwnMembersAlone) {
  Random random(9);
  const Table alone = near_identical(700, 9, 0.6, 9);
  const CandidateResult expected = alone.find(64);
  Table crowd(2100, 9);
  std::map<Row, Row> original;
  for (Row row = 0, next = 0; row < 2100; ++row) {
    const bool ours = next < 700 && (random() % 3 == 0 || 2100 - row == 700 - next);
    for (std::uint32_t band = 0; band < 9; ++band) {
      crowd.key(row, band) = ours ? alone.keys[next * 9 + band] : static_cast<std::uint32_t>(1000 + random() % (row % 2 == 0 ? 3 : 500));
    }
    if (ours) original[row] = next++;
  }
  ASSERT_EQ(original.size(), 700u);
  Pairs ours;
  for (const Pair& pair : crowd.find(64, 2).pairs) {
    if (original.contains(pair.a) != original.contains(pair.b)) FAIL() << "a pair of strangers";
    if (original.contains(pair.a)) ours.push_back({original[pair.a], original[pair.b]});
  }
  EXPECT_EQ(ours, expected.pairs);
}

}  // namespace
}  // namespace nearkin::large_bucket_test
