#include "base/probe_sequence.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::probe_sequence_test {
namespace {

/// The steps of all rows, −1, 0 or +1.
using Bucket = std::vector<int>;

Bucket bucket_of(std::span<const Shift> shifts, std::size_t rows) {
  Bucket bucket(rows);
  for (const Shift& shift : shifts) {
    EXPECT_LT(shift.row, rows);
    EXPECT_EQ(bucket[shift.row], 0) << "a row moved twice";
    EXPECT_EQ(std::abs(shift.step), 1);
    bucket[shift.row] = shift.step;
  }
  return bucket;
}

double cost_of(const Bucket& bucket, const std::vector<double>& fractions) {
  double cost = 0;
  for (std::size_t row = 0; row < bucket.size(); ++row) {
    const double distance = bucket[row] < 0 ? fractions[row] : bucket[row] > 0 ? 1 - fractions[row] : 0;
    cost += distance * distance;
  }
  return cost;
}

/// All 3^rows buckets by cost.
std::vector<Bucket> every_bucket(const std::vector<double>& fractions) {
  std::vector<Bucket> buckets = {{}};
  for (std::size_t row = 0; row < fractions.size(); ++row) {
    std::vector<Bucket> longer;
    for (const Bucket& bucket : buckets) {
      for (const int step : {-1, 0, 1}) {
        longer.push_back(bucket);
        longer.back().push_back(step);
      }
    }
    buckets = std::move(longer);
  }
  std::stable_sort(buckets.begin(), buckets.end(),
                   [&](const Bucket& a, const Bucket& b) { return cost_of(a, fractions) < cost_of(b, fractions); });
  return buckets;
}

std::vector<Bucket> found(const std::vector<double>& fractions, std::uint32_t count) {
  ProbeSequence sequence;
  sequence.find(fractions, count);
  std::vector<Bucket> buckets;
  for (std::size_t i = 0; i < sequence.size(); ++i) buckets.push_back(bucket_of(sequence[i], fractions.size()));
  return buckets;
}

TEST(ProbeSequence, EqualsAnEnumerationOfAllBuckets) {
  SplitMix random(1);
  for (std::size_t rows = 1; rows <= 7; ++rows) {
    for (int round = 0; round < 20; ++round) {
      std::vector<double> fractions(rows);
      for (double& fraction : fractions) fraction = static_cast<double>(random() >> 11) * 0x1p-53;
      const std::vector<Bucket> all = every_bucket(fractions);
      EXPECT_EQ(found(fractions, 10000), all);
      const std::vector<Bucket> first = found(fractions, 5);
      EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
      EXPECT_EQ(first.size(), std::min<std::size_t>(5, all.size()));
    }
  }
}

TEST(ProbeSequence, FindsTheCheapestOfManyRows) {
  SplitMix random(2);
  ProbeSequence sequence;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> fractions(30);
    for (double& fraction : fractions) fraction = static_cast<double>(random() >> 11) * 0x1p-53;
    sequence.find(fractions, 200);
    ASSERT_EQ(sequence.size(), 200u);
    // Beyond the first few steps nothing cheap is left out: no single or double step that is cheaper than the last set is missing.
    std::set<Bucket> buckets;
    double last = 0;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const Bucket bucket = bucket_of(sequence[i], fractions.size());
      EXPECT_GE(cost_of(bucket, fractions), last - 1e-12);
      last = cost_of(bucket, fractions);
      EXPECT_TRUE(buckets.insert(bucket).second);
    }
    for (std::size_t a = 0; a < 30; ++a) {
      for (std::size_t b = a; b < 30; ++b) {
        for (int steps = 0; steps < 4; ++steps) {
          Bucket bucket(30);
          bucket[a] = steps & 1 ? 1 : -1;
          bucket[b] = steps & 2 ? 1 : -1;
          if (cost_of(bucket, fractions) < last - 1e-12) {
            EXPECT_TRUE(buckets.contains(bucket));
          }
        }
      }
    }
  }
}

TEST(ProbeSequence, IsTheSameForEqualFractions) {
  const std::vector<double> middles(6, 0.5);
  const std::vector<Bucket> once = found(middles, 100), again = found(middles, 100);
  EXPECT_EQ(once, again);
  for (std::size_t i = 1; i < once.size(); ++i) EXPECT_LE(cost_of(once[i - 1], middles), cost_of(once[i], middles));
  EXPECT_EQ(std::set<Bucket>(once.begin(), once.end()).size(), 100u);
  EXPECT_EQ(once[1], (Bucket{-1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(found(std::vector<double>{0.0, 1.0}, 4), (std::vector<Bucket>{{0, 0}, {-1, 0}, {0, 1}, {-1, 1}}));
}

TEST(ProbeSequence, BeginsWithTheQuerysOwnBucket) {
  const std::vector<double> fractions = {0.1, 0.7};
  EXPECT_EQ(found(fractions, 1), (std::vector<Bucket>{{0, 0}}));
  EXPECT_EQ(found(fractions, 3), (std::vector<Bucket>{{0, 0}, {-1, 0}, {0, 1}}));
  EXPECT_TRUE(found(fractions, 0).empty());
  EXPECT_EQ(found({}, 5), (std::vector<Bucket>{{}}));
  EXPECT_EQ(found(fractions, 100).size(), 9u);
}

}  // namespace
}  // namespace nearkin::probe_sequence_test
