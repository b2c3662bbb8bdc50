#include "match/meetings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

namespace nearkin::meetings_test {
namespace {

std::vector<Row> rows_from(Row first, std::size_t count) {
  std::vector<Row> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::vector<std::uint64_t> pairs_of(MeetingSample& sample) {
  std::vector<std::uint64_t> pairs;
  for (const Meeting& meeting : sample.drawn()) pairs.push_back(meeting.pair);
  return pairs;
}

TEST(Meetings, AreTheSameHoweverTheyAreAdded) {
  MeetingSample forth, back, by_parts;
  for (Row bucket = 0; bucket < 40; ++bucket) forth.add_bucket(rows_from(bucket * 1000, 200 + bucket), {}, bucket);
  for (Row bucket = 40; bucket-- > 0;) back.add_bucket(rows_from(bucket * 1000, 200 + bucket), {}, bucket);
  for (Row bucket = 0; bucket < 40; ++bucket) {
    MeetingSample one;
    one.add_bucket(rows_from(bucket * 1000, 200 + bucket), {}, bucket);
    by_parts.add(MeetingSample::unpacked(one.packed()));
  }
  const std::vector<std::uint64_t> pairs = pairs_of(forth);
  EXPECT_EQ(pairs.size(), MeetingSample::kMost);
  EXPECT_EQ(pairs_of(back), pairs);
  EXPECT_EQ(pairs_of(by_parts), pairs);
  EXPECT_EQ(by_parts.in_all(), forth.in_all());
}

TEST(Meetings, AreDrawnFromEachBucketByItsPairs) {
  MeetingSample sample;
  sample.add_bucket(rows_from(0, 100), {}, 1);      // 4,950 pairs
  sample.add_bucket(rows_from(1000, 300), {}, 2);   // 44,850
  sample.add_bucket(rows_from(5000, 1000), {}, 3);  // 499,500
  EXPECT_EQ(sample.in_all(), 4950u + 44850 + 499500);
  std::map<Row, double> drawn;
  for (const std::uint64_t pair : pairs_of(sample)) {
    const Row a = static_cast<Row>(pair >> 32), b = static_cast<Row>(pair);
    EXPECT_LT(a, b);
    EXPECT_EQ(a < 1000 ? 0 : a < 5000 ? 1 : 2, b < 1000 ? 0 : b < 5000 ? 1 : 2);
    ++drawn[a < 1000 ? 0 : a < 5000 ? 1 : 2];
  }
  const double all = static_cast<double>(MeetingSample::kMost) / static_cast<double>(sample.in_all());
  EXPECT_NEAR(drawn[0], 4950 * all, 5 * 13);  // five standard deviations
  EXPECT_NEAR(drawn[1], 44850 * all, 5 * 37);
  EXPECT_NEAR(drawn[2], 499500 * all, 5 * 39);
}

TEST(Meetings, BetweenTwoInputsAreOfOneFromEach) {
  MeetingSample sample;
  std::vector<Row> rows = rows_from(0, 50);
  const std::vector<Row> others = rows_from(500, 30);
  rows.insert(rows.begin() + 20, others.begin(), others.end());
  sample.add_bucket(rows, {.split = 100}, 7);
  sample.add_bucket(rows_from(0, 40), {.split = 100}, 8);  // of one input: no pair
  EXPECT_EQ(sample.in_all(), 1500u);
  for (const std::uint64_t pair : pairs_of(sample)) {
    EXPECT_LT(pair >> 32, 100u);
    EXPECT_GE(static_cast<Row>(pair), 500u);
  }
}

TEST(Meetings, ThatPassStandForThoseThatDoNot) {
  MeetingSample sample;
  sample.add_bucket(rows_from(0, 2000), {}, 1);
  const TestedMeetings all = tested(sample, [](std::uint64_t) { return true; });
  EXPECT_EQ(all.pairs.size(), TestedMeetings::kMost);
  EXPECT_DOUBLE_EQ(all.each, 1999000.0 / TestedMeetings::kMost);
  const TestedMeetings few = tested(sample, [](std::uint64_t pair) { return pair >> 32 < 20; });
  EXPECT_DOUBLE_EQ(few.each, 1999000.0 / MeetingSample::kMost);
  EXPECT_NEAR(static_cast<double>(few.pairs.size()) * few.each, 20 * 2000, 8000);
  MeetingSample none;
  EXPECT_EQ(tested(none, [](std::uint64_t) { return true; }).each, 0);
}

// Scopes of very different sizes, without and with a second input.
TEST(Meetings, OfScopesAreDrawnEvenlyFromTheirPairs) {
  const std::vector<Row> rows = rows_from(0, 60);
  std::vector<std::uint64_t> scopes(60, 7);
  for (Row row = 0; row < 60; ++row) {
    if (row % 10 == 3) scopes[row] = 8;
    if (row == 59) scopes[row] = 9;
  }
  for (const Row split : {Row{0}, Row{20}}) {
    const PairRule rule{split, scopes};
    std::uint64_t wanted = 0;
    for (Row b = 0; b < 60; ++b) {
      for (Row a = 0; a < b; ++a) wanted += rule.wants(a, b);
    }
    EXPECT_EQ(pairs_among(rows, rule), wanted);
    MeetingSample sample;
    for (std::uint64_t seed = 0; seed < 4; ++seed) sample.add_bucket(rows, rule, seed);
    EXPECT_EQ(sample.in_all(), 4 * wanted);
    std::map<std::uint64_t, int> times;
    for (const std::uint64_t pair : pairs_of(sample)) {
      EXPECT_TRUE(rule.wants(static_cast<Row>(pair >> 32), static_cast<Row>(pair)));
      ++times[pair];
    }
    EXPECT_EQ(times.size(), wanted);
    // 16,384 draws: each pair's share lies within six standard deviations.
    const double mean = static_cast<double>(MeetingSample::kMost) / static_cast<double>(wanted);
    for (const auto& [pair, count] : times) EXPECT_NEAR(count, mean, 6 * std::sqrt(mean));
  }
  EXPECT_EQ(pairs_among(rows_from(0, 3), {0, scopes}), 0u);
}

}  // namespace
}  // namespace nearkin::meetings_test
