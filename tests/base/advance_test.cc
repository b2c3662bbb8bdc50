#include "base/advance.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace nearkin::advance_test {
namespace {

using Told = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(Advance, TellsOfTheFirstBlockAndAtMostAboutAThousandTimes) {
  Told told;
  Advance advance([&](std::uint64_t done, std::uint64_t total) { told.emplace_back(done, total); });
  advance.expect(1'000'000);
  for (int i = 0; i < 1'000'000; i += 10) advance.add(0, 10);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), std::pair(std::uint64_t{10}, std::uint64_t{1'000'000}));
  EXPECT_LE(told.size(), 1001u);
  EXPECT_GT(told.back().first, 998'000u);
}

TEST(Advance, WorkOfAllWorkersCountsAndTheFirstAloneTells) {
  Told told;
  Advance advance([&](std::uint64_t done, std::uint64_t total) { told.emplace_back(done, total); });
  advance.expect(10);
  advance.add(1, 4);
  EXPECT_TRUE(told.empty());
  advance.add(0, 1);
  EXPECT_EQ(told, (Told{{5, 10}}));
  advance.add(0, 100);  // an estimate of the work may be too low
  EXPECT_EQ(told.back(), std::pair(std::uint64_t{10}, std::uint64_t{10}));
  advance.expect(7);
  advance.add(0, 2);
  EXPECT_EQ(told.back(), std::pair(std::uint64_t{2}, std::uint64_t{7}));
}

TEST(Advance, AddsUpWhateverTheThreads) {
  for (const unsigned threads : {1u, 4u}) {
    std::uint64_t last = 0;
    Advance advance([&](std::uint64_t done, std::uint64_t) { last = done; });
    advance.expect(5000);
    parallel_for(5000, 10, threads, [&](std::size_t begin, std::size_t end, unsigned worker) { advance.add(worker, end - begin); });
    advance.add(0, 5000);
    EXPECT_EQ(last, 5000u);
  }
}

TEST(Advance, MayBeAbsent) {
  expect(nullptr, 10);
  add(nullptr, 0, 10);
}

}  // namespace
}  // namespace nearkin::advance_test
