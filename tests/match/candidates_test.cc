#include "match/candidates.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "kernel/kernel.h"
#include "match/band.h"
#include "support/random_sets.h"

namespace nearkin::candidates_test {
namespace {

using Random = std::mt19937_64;
using Keys = std::vector<std::uint32_t>;

// Pairs of `members` that agree in a band.
Pairs brute_force(const CandidateSearch& search) {
  const std::uint32_t bands = search.plan.bands;
  Pairs pairs;
  for (const Row a : search.members) {
    for (const Row b : search.members) {
      if (a >= b || !search.pairs.wants(a, b)) continue;
      bool meets = false;
      for (std::uint32_t band = 0; band < bands; ++band) meets = meets || search.keys[a * bands + band] == search.keys[b * bands + band];
      const std::size_t size = search.signature_size;
      if (!meets) continue;
      const std::uint32_t equal = kernel::scalar::equal_bytes(search.signatures + a * size, search.signatures + b * size, size);
      if (equal >= search.least) pairs.push_back({a, b});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Keys random_keys(Random& random, std::size_t items, std::uint32_t bands, std::uint64_t values) {
  Keys keys(items * bands);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % values * 0x9e3779b1u);
  return keys;
}

std::vector<Row> rows_up_to(std::size_t count) {
  std::vector<Row> rows(count);
  for (Row row = 0; row < count; ++row) rows[row] = row;
  return rows;
}

TEST(Candidates, AreThePairsThatShareABucketEachOnce) {
  Random random(1);
  for (const std::size_t items : {0u, 1u, 2u, 30u, 200u}) {
    for (const std::uint32_t bands : {1u, 2u, 9u, 17u}) {
      for (const std::uint64_t values : {4u, 50u, 3000u}) {
        const Keys keys = random_keys(random, items, bands, values);
        const std::vector<Row> members = rows_up_to(items);
        const CandidateSearch search{.plan = {.bands = bands, .rows = 4, .large_bucket = 200}, .keys = keys.data(), .members = members};
        const Pairs expected = brute_force(search);
        for (const unsigned threads : {1u, 2u, 5u}) {
          const CandidateResult found = find_candidates(search, threads);
          ASSERT_EQ(found.pairs, expected) << items << ' ' << bands << ' ' << values << ' ' << threads;
          ASSERT_EQ(found.looked_at, expected.size());
          ASSERT_EQ(found.notes.large + found.notes.not_compared, 0u);
        }
      }
    }
  }
}

TEST(Candidates, BetweenTwoCollectionsLieAcrossTheSplit) {
  Random random(2);
  const Keys keys = random_keys(random, 150, 7, 30);
  const std::vector<Row> members = rows_up_to(150);
  for (const Row split : {1u, 75u, 149u, 150u}) {
    const CandidateSearch search{.plan = {.bands = 7, .rows = 1}, .keys = keys.data(), .members = members, .pairs = {.split = split}};
    for (const unsigned threads : {1u, 2u, 5u}) ASSERT_EQ(find_candidates(search, threads).pairs, brute_force(search)) << split;
  }
}

TEST(Candidates, DoNotDependOnTheOrderOfMembersAndLeaveOutOthers) {
  Random random(3);
  const Keys keys = random_keys(random, 120, 5, 20);
  std::vector<Row> members;
  for (Row row = 0; row < 120; row += 1 + static_cast<Row>(random() % 3)) members.push_back(row);
  for (int turn = 0; turn < 5; ++turn) {
    const CandidateSearch search{.plan = {.bands = 5, .rows = 1}, .keys = keys.data(), .members = members};
    ASSERT_EQ(find_candidates(search, 2).pairs, brute_force(search));
    std::shuffle(members.begin(), members.end(), random);
  }
}

TEST(Candidates, PassTheSignatureTestOrAreDropped) {
  Random random(4);
  const Keys keys = random_keys(random, 100, 6, 15);
  const std::vector<Row> members = rows_up_to(100);
  std::vector<std::uint8_t> signatures(100 * 40);
  for (std::uint8_t& byte : signatures) byte = static_cast<std::uint8_t>(random() % 2);
  CandidateSearch search{.plan = {.bands = 6, .rows = 1}, .keys = keys.data(), .members = members};
  const std::size_t all = find_candidates(search, 1).pairs.size();
  search.signatures = signatures.data();
  search.signature_size = 40;
  for (const std::uint32_t least : {0u, 1u, 18u, 20u, 25u, 41u}) {
    search.least = least;
    const CandidateResult found = find_candidates(search, 2);
    ASSERT_EQ(found.pairs, brute_force(search)) << least;
    ASSERT_EQ(found.looked_at, all);
  }
}

TEST(Candidates, OfSketchesShareABandAndAreNeverEmptyItems) {
  SplitMix random(5);
  std::vector<test::Set> sets;
  for (int i = 0; i < 60; ++i) {
    const auto [a, b] = test::random_sets(random, {30, 3, 5});
    sets.push_back(a);
    sets.push_back(b);
    sets.push_back({});
  }
  const Sketches sketches = sketch(test::features_of(sets), {.hashes = 64, .seed = 1});
  const BandPlan plan{.bands = 16, .rows = 4};
  Keys keys(sketches.size() * plan.bands);
  std::vector<Row> members;
  for (Row row = 0; row < sketches.size(); ++row) {
    band_keys(sketches[row].data(), plan, keys.data() + row * plan.bands);
    if (row % 3 != 2) members.push_back(row);
  }
  const Pairs expected = brute_force({.plan = plan, .keys = keys.data(), .members = members});
  ASSERT_GE(expected.size(), 55u);
  BucketNotes notes;
  for (const unsigned threads : {1u, 2u, 5u}) EXPECT_EQ(candidates(sketches, plan, &notes, threads), expected);
  EXPECT_EQ(notes.large, 0u);
  EXPECT_EQ(notes.largest, 2u);
}

TEST(Candidates, OfEmptyItemsAloneAreNone) {
  const Sketches sketches = sketch(test::features_of({{}, {}, {}}), {.hashes = 8, .seed = 1});
  EXPECT_TRUE(candidates(sketches, {.bands = 2, .rows = 4}).empty());
}

TEST(BandKeys, DependOnEveryRowAndOnTheBand) {
  for (const std::uint32_t rows : {1u, 2u, 3u, 8u}) {
    const BandPlan plan{.bands = 4, .rows = rows};
    const std::vector<std::uint32_t> slots(4 * rows, 12345);  // the same values in each band
    Keys keys(4), others(4);
    band_keys(slots.data(), plan, keys.data());
    Keys sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << rows;
    for (std::size_t changed = 0; changed < slots.size(); ++changed) {
      std::vector<std::uint32_t> other = slots;
      other[changed] ^= 1u << (changed % 32);
      band_keys(other.data(), plan, others.data());
      for (std::size_t band = 0; band < 4; ++band) EXPECT_EQ(others[band] == keys[band], band != changed / rows);
    }
  }
}

TEST(BandKeys, DependOnTheOrderOfTheRows) {
  const std::vector<std::uint32_t> slots{1, 2, 3, 4}, swapped{2, 1, 3, 4}, moved{3, 4, 1, 2};
  Keys key(1), other(1);
  band_keys(slots.data(), {.bands = 1, .rows = 4}, key.data());
  for (const auto& changed : {swapped, moved}) {
    band_keys(changed.data(), {.bands = 1, .rows = 4}, other.data());
    EXPECT_NE(other, key);
  }
}

TEST(BandKeys, OfDifferentRowsSeldomAgree) {
  Random random(6);
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 100'000; ++i) {  // consecutive minima, where a sum or an XOR would collide all the time
    const std::uint32_t slots[3] = {i % 100, i / 100 % 100, i / 10'000};
    keys.emplace_back();
    band_keys(slots, {.bands = 1, .rows = 3}, &keys.back());
  }
  std::sort(keys.begin(), keys.end());
  const auto distinct = std::unique(keys.begin(), keys.end()) - keys.begin();
  EXPECT_GE(distinct, 100'000 - 8);  // 1.2 pairs of 32-bit keys are expected to agree
}

// FROZEN: band keys are stored and compared between machines and versions. These must be equal on every machine, for ever.
TEST(BandKeys, KeepTheirFrozenValues) {
  std::vector<std::uint32_t> slots(24);
  for (std::uint32_t i = 0; i < 24; ++i) slots[i] = i * 0x01234567u;
  const auto keys_of = [&](std::uint32_t bands, std::uint32_t rows) {
    Keys keys(bands);
    band_keys(slots.data(), {.bands = bands, .rows = rows}, keys.data());
    return keys;
  };
  EXPECT_EQ(keys_of(3, 8), (Keys{3539168419, 2677972102, 3151053098}));
  EXPECT_EQ(keys_of(4, 5), (Keys{2796461028, 720419898, 292264051, 3346804093}));
  EXPECT_EQ(keys_of(5, 1), (Keys{1425353748, 1336413053, 2941484926, 2675162423, 2085302200}));
}

}  // namespace
}  // namespace nearkin::candidates_test
