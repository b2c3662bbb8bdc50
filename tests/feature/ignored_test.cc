#include "feature/ignored.h"

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/hash.h"
#include "feature/shingler.h"

namespace nearkin::ignored_test {
namespace {

std::vector<std::uint64_t> hashes_of(const ShinglePlan& plan, std::string_view text) {
  Shingler shingler(plan);
  const std::span<const std::uint64_t> hashes = shingler.shingles(text);
  return {hashes.begin(), hashes.end()};
}

TEST(IgnoredShingles, HoldWhatTheyWereGivenAndNothingElse) {
  SplitMix random(3);
  for (const std::size_t count : {0, 1, 2, 3, 100, 5000}) {
    std::vector<std::uint64_t> given;
    for (std::size_t i = 0; i < count; ++i) given.push_back(i % 7 == 3 ? i : random());  // small values crowd the first slot
    const IgnoredShingles ignored(given);
    for (const std::uint64_t hash : given) EXPECT_TRUE(ignored.contains(hash));
    std::size_t others = 0;
    for (int i = 0; i < 2000; ++i) others += ignored.contains(random());
    EXPECT_EQ(others, 0u);
    EXPECT_EQ(ignored.contains(0), std::find(given.begin(), given.end(), 0u) != given.end());
  }
  EXPECT_TRUE(IgnoredShingles({0, 5}).contains(0));
  EXPECT_TRUE(IgnoredShingles({~std::uint64_t{0}, ~std::uint64_t{0} - 1, ~std::uint64_t{0} - 2}).contains(~std::uint64_t{0} - 2));
}

TEST(IgnoredShingles, AreNamedByWhatTheyAre) {
  EXPECT_EQ(IgnoredShingles({3, 1, 2, 1}).identity(), IgnoredShingles({1, 2, 3}).identity());
  EXPECT_NE(IgnoredShingles({1, 2, 3}).identity(), IgnoredShingles({1, 2, 4}).identity());
  EXPECT_EQ(IgnoredShingles({1, 2, 3}).identity(), 0x7c68b4906e7ea780u);  // plan lines have it
}

TEST(IgnoredShingles, DoNotCount) {
  const ShinglePlan plan{.size = 2};
  const std::vector<std::uint64_t> frame = hashes_of(plan, "all rights reserved");
  const ShinglePlan ignoring = ignore_hashes(plan, frame);
  EXPECT_EQ(hashes_of(ignoring, "ALL rights, reserved"), std::vector<std::uint64_t>());
  EXPECT_EQ(hashes_of(ignoring, "one two all rights reserved").size(), 2u);
  const ShingleSpans spans = shingle_spans("one two all rights reserved", ignoring);
  ASSERT_EQ(spans.spans.size(), 4u);
  EXPECT_FALSE(spans.spans[1].ignored);
  EXPECT_TRUE(spans.spans[2].ignored);
  ShinglePlan bag = ignoring;
  bag.bag = true;
  Shingler shingler(bag);
  EXPECT_EQ(shingler.features("all rights all rights all rights").size(), 2u);  // "rights all", twice
}

TEST(IgnoredShingles, RideWithThePlanButNotInItsLine) {
  Plan plan = tune({});
  plan.shingle = ignore_hashes(plan.shingle, {1, 2, 3});
  const Plan parsed = parse_plan(to_string(plan));
  EXPECT_EQ(parsed, plan);
  EXPECT_EQ(parsed.shingle.ignored, nullptr);
  EXPECT_THROW(Shingler{parsed.shingle}, Error);
  EXPECT_THROW(parse_plan("jaccard>=0.8 ignore=12 bands=17x8"), Error);
  EXPECT_THROW(parse_plan("exact ignore=0123456789abcdef"), Error);
  EXPECT_THROW(parse_plan("cosine>=0.8 features=numbers ignore=0123456789abcdef bands=17x8"), Error);
}

}  // namespace
}  // namespace nearkin::ignored_test
