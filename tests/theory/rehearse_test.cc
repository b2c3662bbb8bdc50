#include "theory/rehearse.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"

namespace nearkin::rehearse_test {
namespace {

using test::Random;
using Slots = std::vector<std::uint32_t>;

constexpr std::size_t kHashes = 1024;

// Pair i agrees in hash k where agrees(i, k) says so.
template <typename Agrees>
Agreements made(std::size_t pairs, Agrees&& agrees) {
  Agreements agreements(pairs, kHashes);
  const Slots a(kHashes, 0);
  Slots b(kHashes);
  for (std::size_t i = 0; i < pairs; ++i) {
    for (std::size_t k = 0; k < kHashes; ++k) b[k] = !agrees(i, k);
    agreements.set(i, a, b);
  }
  return agreements;
}

std::vector<FoundPairs> alone(std::size_t count, double probability) {
  std::vector<FoundPairs> pairs(count, FoundPairs{.probability = probability});
  for (std::size_t i = 0; i < count; ++i) pairs[i].group = static_cast<std::uint32_t>(i);
  return pairs;
}

double share_agreeing(const Agreements& agreements) {
  double sum = 0;
  for (std::size_t k = 0; k < agreements.hashes(); ++k) {
    for (const std::uint64_t word : agreements.column(k)) sum += std::popcount(word);
  }
  return sum / static_cast<double>(agreements.pairs() * agreements.hashes());
}

TEST(Agreements, AreWhereSlotsAreTheSame) {
  const Agreements agreements = made(70, [](std::size_t i, std::size_t k) { return (i + k) % 3 == 0; });
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(agreements.column(k)[i / 64] >> i % 64 & 1, (i + k) % 3 == 0) << i << ' ' << k;
  }
}

// 1,000 pairs, 4.4 % missed: standard deviation √(0.044·0.956/1000) = 0.0065, 0.147 of the mean; 1.96 of these are 0.29.
TEST(Rehearse, StraysAsABinomialNumberWherePairsAreIndependent) {
  Random random(1);
  const Agreements agreements = made(1000, [&](std::size_t, std::size_t) { return test::uniform(random) < 0.8; });
  ASSERT_NEAR(share_agreeing(agreements), 0.8, 0.002);
  const Straying straying = rehearse(agreements, alone(1000, 0.956), {.bands = 17, .rows = 8}, 1, 1);
  EXPECT_NEAR(straying.least, 0.71, 0.06);
  EXPECT_NEAR(straying.most, 1.29, 0.06);
}

// All found or all missed, whatever they share: nothing is missed mostly, and else all, 1/0.044 times the mean.
TEST(Rehearse, StraysAsOnePairWhereAllAgreeInTheSameHashes) {
  const Agreements agreements = made(500, [](std::size_t, std::size_t k) { return k % 5 != 0; });
  const Straying straying = rehearse(agreements, alone(500, 0.956), {.bands = 17, .rows = 8}, 1, 1);
  EXPECT_EQ(straying.least, 0);
  EXPECT_GT(straying.most, 15);
  EXPECT_LT(straying.most, 35);
}

// Groups of ten found or missed together: √10 times as far. As a sample of nine times as many groups they stray a third as far; what all
// pairs have in common does not shrink.
TEST(Rehearse, OfASampleCountsWhatGroupsHaveInCommonLess) {
  Random random(3);
  std::vector<Slots> group(200, Slots(kHashes));
  for (Slots& hashes : group) {
    for (std::uint32_t& agrees : hashes) agrees = test::uniform(random) < 0.8;
  }
  const Agreements agreements = made(2000, [&](std::size_t i, std::size_t k) { return group[i / 10][k] != 0; });
  std::vector<FoundPairs> pairs = alone(2000, 0.956);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].group = static_cast<std::uint32_t>(i / 10);
  const Straying all = rehearse(agreements, pairs, {.bands = 17, .rows = 8}, 1, 1);
  EXPECT_NEAR(all.most, 1 + 0.29 * std::sqrt(5.0), 0.12);
  const Straying sample = rehearse(agreements, pairs, {.bands = 17, .rows = 8}, 9, 1);
  EXPECT_NEAR(sample.most - 1, (all.most - 1) / 3, 0.06);
  for (FoundPairs& pair : pairs) pair.group = 0;
  EXPECT_NEAR(rehearse(agreements, pairs, {.bands = 17, .rows = 8}, 1, 1).most, all.most, 1e-12);
}

TEST(Rehearse, OfNothingAndOfWhatCannotBeMissedDoesNotStray) {
  const Agreements none(0, kHashes);
  EXPECT_EQ(rehearse(none, {}, {.bands = 17, .rows = 8}, 1, 1).most, 1);
  const Agreements all = made(10, [](std::size_t, std::size_t) { return true; });
  const Straying straying = rehearse(all, alone(10, 1), {.bands = 17, .rows = 8}, 1, 1);
  EXPECT_EQ(straying.least, 1);
  EXPECT_EQ(straying.most, 1);
}

}  // namespace
}  // namespace nearkin::rehearse_test
