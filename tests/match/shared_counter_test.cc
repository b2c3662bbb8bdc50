#include "match/shared_counter.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "law/corpus.h"

namespace nearkin::shared_counter_test {
namespace {

using Set = std::vector<std::uint64_t>;

Set random_set(test::Random& random, std::size_t most) {
  std::set<std::uint64_t> elements;
  const std::size_t size = random.below(most + 1);
  while (elements.size() < size) elements.insert(random.below(2 * most));
  return {elements.begin(), elements.end()};
}

std::uint32_t shared_by_hand(const Set& a, const Set& b) {
  Set both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<std::uint32_t>(both.size());
}

TEST(SharedCounter, CountsWhatEachAskedItemSharesWithEveryOther) {
  test::Random random(1);
  std::vector<Set> asked, others;
  for (int i = 0; i < 20; ++i) asked.push_back(random_set(random, 30));
  for (int i = 0; i < 200; ++i) others.push_back(random_set(random, 30));
  const std::vector<std::span<const std::uint64_t>> views(asked.begin(), asked.end());
  const SharedCounter counter(views);
  SharedCounter::Scratch scratch;
  for (const Set& other : others) {
    counter.count(other, scratch);
    std::set<std::uint32_t> touched(scratch.touched.begin(), scratch.touched.end());
    EXPECT_EQ(touched.size(), scratch.touched.size());
    for (std::uint32_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(scratch.shared[i], shared_by_hand(asked[i], other));
      EXPECT_EQ(touched.contains(i), scratch.shared[i] > 0);
      EXPECT_EQ(counter.size_of(i), asked[i].size());
    }
  }
}

TEST(SharedCounter, HashesThatFallIntoOneSlotAreToldApart) {
  const Set a{0, 64, 128, 192}, b{64, 256, 320};
  const std::vector<std::span<const std::uint64_t>> views{a, b};
  const SharedCounter counter(views);
  SharedCounter::Scratch scratch;
  counter.count(Set{64, 192, 320, 384}, scratch);
  EXPECT_EQ(scratch.shared, (std::vector<std::uint32_t>{2, 2}));
}

TEST(SharedCounter, NothingAskedAndNothingGivenShareNothing) {
  SharedCounter::Scratch scratch;
  SharedCounter({}).count(Set{1, 2}, scratch);
  EXPECT_TRUE(scratch.touched.empty());
}

}  // namespace
}  // namespace nearkin::shared_counter_test
