// The recalls that are stated for large groups, and where large buckets leave similar pairs out: both within their intervals, over many
// collections.
#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/what_if.h>

#include "support/random.h"
#include "support/sets_in_memory.h"

namespace nearkin::large_bucket_recall_test {
namespace {

using Sets = std::vector<std::string>;

std::string elements(const std::string& name, std::size_t begin, std::size_t end) {
  std::string set;
  for (std::size_t i = begin; i < end; ++i) set += name + std::to_string(i) + " ";
  return set;
}

/// Groups of one template each: all pairs of a group at .826.
Sets templates(std::uint64_t seed) {
  test::Random random(seed);
  Sets sets;
  for (std::size_t group = 0; group < 4; ++group) {
    const std::string common = elements("t" + std::to_string(seed) + "_" + std::to_string(group) + "_", 0, 95);
    for (std::size_t i = 0; i < 120; ++i) sets.push_back(common + elements("own" + std::to_string(sets.size()) + "_", 0, 10));
  }
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

/// Pairs at .8 and above, beside one another in buckets that 150 elements fill which all sets have: three quarters of each.
Sets boilerplate(std::uint64_t seed) {
  test::Random random(seed);
  Sets sets;
  const std::string common = elements("b" + std::to_string(seed) + "_", 0, 150);
  for (std::size_t i = 0; i < 240; ++i) {
    const std::string name = "own" + std::to_string(seed) + "_" + std::to_string(i) + "_";
    sets.push_back(common + elements(name, 0, 50));
    const std::size_t other = random.between(2, 22);
    sets.push_back(common + elements(name, 0, 50 - other) + elements("x" + name, 0, other));
  }
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

using test::input_of;

Plan plan_of(double recall, std::uint64_t seed, std::uint32_t large_bucket) {
  Choices choices{.shingle = ShinglePlan{.token = Token::element, .size = 1, .bag = false, .normalise = Normalise::none}};
  if (recall < 1) choices.seed = seed;
  if (recall < 1) choices.large_bucket = large_bucket;
  return tune({.recall = recall}, choices);
}

bool covers(const Recall& recall, double truth) { return recall.low <= truth + 1e-12 && truth <= recall.high + 1e-12; }

void expect_covered(const std::function<Sets(std::uint64_t)>& collection, double recall, std::uint32_t large_bucket) {
  constexpr int kRuns = 100;
  int pairs_covered = 0, items_covered = 0, told = 0, left_out = 0;
  double all_pairs = 0, removable = 0;
  Sets sets;
  for (int run = 0; run < kRuns; ++run) {
    if (run % 4 == 0) {
      const Plan exact = plan_of(1, 0, 0);
      sets = collection(static_cast<std::uint64_t>(run / 4));
      all_pairs = static_cast<double>(pairs(input_of(sets), exact).matches.size());
      removable = static_cast<double>(sets.size() - dedup_rows(input_of(sets), exact).kept);
    }
    const Plan plan = plan_of(recall, static_cast<std::uint64_t>(run) + 1, large_bucket);
    const PairsResult found = pairs(input_of(sets), plan, {.threads = 1});
    ASSERT_TRUE(found.stats.recall);
    left_out += found.stats.buckets.not_compared > 0;
    pairs_covered += covers(*found.stats.recall, static_cast<double>(found.matches.size()) / all_pairs);
    const DedupRows kept = dedup_rows(input_of(sets), plan, {}, {.threads = 1});
    if (!kept.stats.item_recall) continue;
    ++told;
    items_covered += covers(*kept.stats.item_recall, static_cast<double>(sets.size() - kept.kept) / removable);
  }
  EXPECT_EQ(left_out, large_bucket < 100 ? kRuns : 0) << "there must be large buckets to speak of, or none";
  EXPECT_GE(pairs_covered, 88) << "of 100";
  EXPECT_GE(told, 90) << "of 100";
  EXPECT_GE(items_covered, told * 88 / 100) << "of " << told;
}

TEST(LargeBucketRecall, IsThatOfEachThresholdAskedFor) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Sets sets = boilerplate(seed);
    const WhatIfOptions borders{.borders = {0.8, 0.85, 0.9, 0.995}};
    const WhatIfResult found = what_if(input_of(sets), plan_of(0.95, seed, 16), borders);
    const WhatIfResult exact = what_if(input_of(sets), plan_of(1, 0, 0), borders);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(found.rows[i].recall);
      covered += covers(*found.rows[i].recall, static_cast<double>(found.rows[i].pairs) / static_cast<double>(exact.rows[i].pairs));
    }
    EXPECT_EQ(exact.rows[3].pairs, 0u);
    EXPECT_FALSE(found.rows[3].recall) << "there is nothing that it could be of";
  }
  EXPECT_GE(covered, 51) << "of 60";
}

TEST(LargeBucketRecall, OfTemplatesIsCovered) { expect_covered(templates, 0.95, 16); }
TEST(LargeBucketRecall, OfTemplatesIsCoveredWhereLessIsAsked) { expect_covered(templates, 0.8, 16); }
TEST(LargeBucketRecall, OfTemplatesComparedInFullIsCovered) { expect_covered(templates, 0.8, 10000); }
TEST(LargeBucketRecall, AmongBoilerplateIsCovered) { expect_covered(boilerplate, 0.95, 16); }

}  // namespace
}  // namespace nearkin::large_bucket_recall_test
