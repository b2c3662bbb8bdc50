#include "match/meetings.h"

#include <algorithm>
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
  for (Row bucket = 0; bucket < 40; ++bucket) forth.add_bucket(rows_from(bucket * 1000, 200 + bucket), 0, bucket);
  for (Row bucket = 40; bucket-- > 0;) back.add_bucket(rows_from(bucket * 1000, 200 + bucket), 0, bucket);
  for (Row bucket = 0; bucket < 40; ++bucket) {
    MeetingSample one;
    one.add_bucket(rows_from(bucket * 1000, 200 + bucket), 0, bucket);
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
  sample.add_bucket(rows_from(0, 100), 0, 1);      // 4,950 pairs
  sample.add_bucket(rows_from(1000, 300), 0, 2);   // 44,850
  sample.add_bucket(rows_from(5000, 1000), 0, 3);  // 499,500
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
  sample.add_bucket(rows, 100, 7);
  sample.add_bucket(rows_from(0, 40), 100, 8);  // of one input: no pair
  EXPECT_EQ(sample.in_all(), 1500u);
  for (const std::uint64_t pair : pairs_of(sample)) {
    EXPECT_LT(pair >> 32, 100u);
    EXPECT_GE(static_cast<Row>(pair), 500u);
  }
}

TEST(Meetings, ThatPassStandForThoseThatDoNot) {
  MeetingSample sample;
  sample.add_bucket(rows_from(0, 2000), 0, 1);
  const TestedMeetings all = tested(sample, [](std::uint64_t) { return true; });
  EXPECT_EQ(all.pairs.size(), TestedMeetings::kMost);
  EXPECT_DOUBLE_EQ(all.each, 1999000.0 / TestedMeetings::kMost);
  const TestedMeetings few = tested(sample, [](std::uint64_t pair) { return pair >> 32 < 20; });
  EXPECT_DOUBLE_EQ(few.each, 1999000.0 / MeetingSample::kMost);
  EXPECT_NEAR(static_cast<double>(few.pairs.size()) * few.each, 20 * 2000, 8000);
  MeetingSample none;
  EXPECT_EQ(tested(none, [](std::uint64_t) { return true; }).each, 0);
}

}  // namespace
}  // namespace nearkin::meetings_test
