// Anchors: one for each window, by its content alone.
#include "match/winnow.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "support/random.h"

namespace nearkin::winnow_test {
namespace {

struct Placed {
  Anchor anchor;
  std::uint64_t key;
};

std::vector<Placed> anchors_of(const std::vector<std::uint64_t>& tokens, std::uint32_t least) {
  std::vector<Placed> anchors;
  Winnower winnower{WinnowPlan(least)};
  winnower.anchors(tokens, [&](const Anchor& anchor, std::uint64_t key) { anchors.push_back({anchor, key}); });
  return anchors;
}

std::vector<std::uint64_t> random_tokens(test::Random& random, std::size_t count, std::size_t kinds) {
  std::vector<std::uint64_t> tokens(count);
  for (std::uint64_t& token : tokens) token = mix64(1 + random.below(kinds));
  return tokens;
}

TEST(Winnow, EveryWindowHasOneAnchorInsideIt) {
  test::Random random(1);
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t least = static_cast<std::uint32_t>(random.between(5, 60));
    const WinnowPlan plan(least);
    const std::vector<std::uint64_t> tokens = random_tokens(random, random.below(300), 1 + random.below(10));
    std::size_t next = 0;
    for (const Placed& placed : anchors_of(tokens, least)) {
      ASSERT_EQ(placed.anchor.first, next) << "windows follow one another";
      ASSERT_LE(placed.anchor.first, placed.anchor.last);
      ASSERT_LE(placed.anchor.last, placed.anchor.at) << "its gram is inside the last";
      ASSERT_LE(placed.anchor.at + plan.gram, placed.anchor.first + least) << "and inside the first";
      next = placed.anchor.last + 1;
    }
    ASSERT_EQ(next, tokens.size() < least ? 0 : tokens.size() - least + 1);
  }
}

TEST(Winnow, EqualWindowsHaveEqualAnchorsAtEqualOffsets) {
  test::Random random(2);
  using Content = std::vector<std::uint64_t>;
  for (int round = 0; round < 100; ++round) {
    const std::uint32_t least = static_cast<std::uint32_t>(random.between(5, 24));
    std::map<Content, std::pair<std::uint64_t, std::size_t>> known;
    for (int text = 0; text < 3; ++text) {
      const Content tokens = random_tokens(random, 300, 2);
      for (const auto& [anchor, key] : anchors_of(tokens, least)) {
        for (std::size_t window = anchor.first; window <= anchor.last; ++window) {
          const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(window);
          const std::pair expected{key, anchor.at - window};
          ASSERT_EQ(known.insert({Content(begin, begin + least), expected}).first->second, expected);
        }
      }
    }
  }
}

TEST(Winnow, KeepsAboutTwoAnchorsForTheGramsOfAWindow) {
  test::Random random(3);
  const std::vector<std::uint64_t> tokens = random_tokens(random, 1'000'000, 1'000'000);
  const auto count = static_cast<double>(anchors_of(tokens, 50).size());
  // 2/(w+1) with w = 26; the count of n/13.5 has a standard error of less than its square root.
  EXPECT_NEAR(count, 1e6 * 2 / 27, 4 * std::sqrt(1e6 * 2 / 27));
}

TEST(Winnow, WindowHashesRoll) {
  test::Random random(4);
  const std::vector<std::uint64_t> tokens = random_tokens(random, 200, 3);
  for (const std::uint32_t round : {1u, 2u, 3u}) {
    std::vector<std::uint64_t> all, one;
    window_hashes(tokens, 20, 10, 180, round, all);
    ASSERT_EQ(all.size(), 171u);
    for (std::size_t i = 10; i <= 180; ++i) {
      window_hashes(tokens, 20, i, i, round, one);
      ASSERT_EQ(one, std::vector{all[i - 10]});
    }
  }
}

}  // namespace
}  // namespace nearkin::winnow_test
