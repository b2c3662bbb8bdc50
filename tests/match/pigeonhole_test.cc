#include "match/pigeonhole.h"

#include <gtest/gtest.h>

#include "support/random_vectors.h"

namespace nearkin::pigeonhole_test {
namespace {

using test::all_rows;
using test::bits_of;
using test::BitShape;
using test::distance_plan;
using test::look_at_all;
using test::random_bits;

// A radius given as a count; 0 is 0 either way.
Plan within(std::uint32_t radius) { return distance_plan(Measure::hamming, radius); }

void expect_every_road_exact(const Vectors& vectors, const std::vector<Row>& members, Row split, std::uint32_t radius) {
  const Plan plan = within(radius);
  const Border border(plan, vectors.dimensions);
  const Matches expected = look_at_all(vectors, members, split, plan);
  for (const BitRoad road : {BitRoad::cheapest, BitRoad::scan, BitRoad::pigeonhole}) {
    const VectorJoinResult one = join_bits(vectors, members, split, border, 1, road);
    const VectorJoinResult four = join_bits(vectors, members, split, border, 4, road);
    EXPECT_EQ(one.matches, expected) << static_cast<int>(road);
    EXPECT_EQ(four.matches, expected) << static_cast<int>(road);
    EXPECT_EQ(one.looked_at, four.looked_at);
    EXPECT_EQ(one.closest_below, four.closest_below);
    EXPECT_TRUE(one.closest_below == 0 || one.closest_below > radius);
  }
  EXPECT_EQ(join_vectors(vectors, members, split, plan, 2).matches, expected);
}

TEST(Pigeonhole, EveryRoadFindsEveryPairAtEveryRadius) {
  SplitMix random(1);
  for (const std::uint32_t width : {1u, 7u, 64u, 65u, 256u}) {
    const Vectors vectors = random_bits(random, {.count = 60, .dimensions = width, .most_flips = width / 2 + 1});
    for (std::uint32_t radius = 0; radius <= width; radius += width > 100 && radius > 20 ? 13 : 1) {
      SCOPED_TRACE(std::to_string(width) + " bits, radius " + std::to_string(radius));
      expect_every_road_exact(vectors, all_rows(vectors), 0, radius);
    }
    expect_every_road_exact(vectors, all_rows(vectors), 0, width + 1000);
  }
}

TEST(Pigeonhole, SkewedConstantAndCopiedBitsLoseNothing) {
  SplitMix random(2);
  const std::vector<BitShape> shapes{{.count = 400, .dimensions = 100, .ones = 0.03},
                                     {.count = 400, .dimensions = 100, .ones = 0.5, .constant = 90},
                                     {.count = 400, .dimensions = 100, .copied = 0.98, .most_flips = 2},
                                     {.count = 400, .dimensions = 100, .ones = 0},
                                     {.count = 400, .dimensions = 12, .ones = 0.3}};
  for (const BitShape& shape : shapes) {
    const Vectors vectors = random_bits(random, shape);
    for (const std::uint32_t radius : {0u, 1u, 2u, 3u, 5u, 8u}) expect_every_road_exact(vectors, all_rows(vectors), 0, radius);
  }
}

TEST(Pigeonhole, JoinsOnlyAcrossTheSplit) {
  SplitMix random(3);
  const Vectors vectors = random_bits(random, {.count = 300, .dimensions = 70});
  std::vector<Row> members;
  for (Row row = 0; row < 300; row += 1 + row % 2) members.push_back(row);
  for (const Row split : {1u, 2u, 150u, 299u, 300u, 1000u}) expect_every_road_exact(vectors, members, split, 4);
}

TEST(Pigeonhole, OneItemOrNoneMakeNoPair) {
  const Vectors vectors = bits_of(3, {{true, false, true}});
  for (const BitRoad road : {BitRoad::cheapest, BitRoad::scan, BitRoad::pigeonhole}) {
    EXPECT_TRUE(join_bits(vectors, all_rows(vectors), 0, Border(within(3), 3), 2, road).matches.empty());
    EXPECT_TRUE(join_bits(vectors, {}, 0, Border(within(3), 3), 2, road).matches.empty());
    EXPECT_TRUE(join_bits(Vectors{.kind = Vectors::Kind::bits}, {}, 0, Border(within(1), 0), 2, road).matches.empty());
  }
}

TEST(Pigeonhole, LooksAtFewOfManyCodes) {
  SplitMix random(4);
  const Vectors vectors = random_bits(random, {.count = 5000, .dimensions = 128, .copied = 0.1, .most_flips = 6});
  const VectorJoinResult result = join_vectors(vectors, all_rows(vectors), 0, within(6), 2);
  EXPECT_GT(result.matches.size(), 400u);
  EXPECT_LT(result.looked_at, 200'000u);
  EXPECT_EQ(result.matches, join_bits(vectors, all_rows(vectors), 0, Border(within(6), 128), 2, BitRoad::scan).matches);
}

// Four codes with a bit flipped: single bits look random, but most blocks of two items agree. The count after sorting must see it.
TEST(Pigeonhole, GivesWayToTheScanWhereBlocksTellTooLittle) {
  SplitMix random(5);
  std::vector<std::vector<bool>> rows(3000, std::vector<bool>(128));
  for (std::vector<bool>& row : rows) {
    const std::uint64_t kinds = random() % 4;
    for (std::size_t b = 0; b < row.size(); ++b) row[b] = mix64(kinds * 128 + b) % 2 == 0;
    row[random() % 128].flip();
  }
  const Vectors vectors = bits_of(128, rows);
  const VectorJoinResult result = join_vectors(vectors, all_rows(vectors), 0, within(3), 1);
  const VectorJoinResult scanned = join_bits(vectors, all_rows(vectors), 0, Border(within(3), 128), 1, BitRoad::scan);
  const VectorJoinResult forced = join_bits(vectors, all_rows(vectors), 0, Border(within(3), 128), 1, BitRoad::pigeonhole);
  EXPECT_EQ(result.looked_at, scanned.looked_at);
  EXPECT_NE(result.looked_at, forced.looked_at);
  EXPECT_EQ(result.matches, scanned.matches);
  EXPECT_EQ(result.matches, forced.matches);
}

}  // namespace
}  // namespace nearkin::pigeonhole_test
