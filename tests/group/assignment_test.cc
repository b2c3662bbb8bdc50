// The matching of two sides with the greatest sum, against every possible one.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "group/assignment.h"
#include "support/random.h"

namespace nearkin::assignment_test {
namespace {

constexpr std::uint64_t kAnySteps = UINT64_MAX;

struct Sides {
  std::vector<Offer> offers;
  std::vector<std::uint32_t> left, right;
};

/// Tries every number of times for the offer at `at`, then for the next.
std::int64_t best_of_all(const Sides& sides, std::vector<std::uint32_t>& left, std::vector<std::uint32_t>& right, std::size_t at = 0) {
  if (at == sides.offers.size()) return 0;
  const Offer& offer = sides.offers[at];
  std::int64_t best = 0;
  const std::uint32_t most = std::min(left[offer.left], right[offer.right]);
  for (std::uint32_t times = 0; times <= most; ++times) {
    left[offer.left] -= times;
    right[offer.right] -= times;
    best = std::max(best, offer.gain * times + best_of_all(sides, left, right, at + 1));
    left[offer.left] += times;
    right[offer.right] += times;
  }
  return best;
}

/// The sum of what is taken, which must be there.
std::int64_t sum_of(const Sides& sides, const std::vector<std::uint32_t>& taken) {
  std::vector<std::uint32_t> left(sides.left.size()), right(sides.right.size());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    left[sides.offers[i].left] += taken[i];
    right[sides.offers[i].right] += taken[i];
    sum += sides.offers[i].gain * taken[i];
  }
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_LE(left[i], sides.left[i]);
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_LE(right[i], sides.right[i]);
  return sum;
}

Sides random_sides(test::Random& random, std::uint64_t most, std::uint64_t copies, std::uint64_t gains, std::uint64_t density) {
  Sides sides;
  for (std::uint64_t many = 1 + random() % most; many > 0; --many)
    sides.left.push_back(static_cast<std::uint32_t>(random() % (copies + 1)));
  for (std::uint64_t many = 1 + random() % most; many > 0; --many) sides.right.push_back(static_cast<std::uint32_t>(1 + random() % copies));
  for (std::uint32_t left = 0; left < sides.left.size(); ++left) {
    for (std::uint32_t right = 0; right < sides.right.size(); ++right) {
      if (random() % 10 < density) sides.offers.push_back({left, right, static_cast<std::int64_t>(1 + random() % gains)});
    }
  }
  return sides;
}

TEST(Assignment, HasTheGreatestSumOfAll) {
  test::Random random(7);
  for (int turn = 0; turn < 3000; ++turn) {
    // Few different gains, so that many matchings are equally good; and many.
    Sides sides = random_sides(random, 4, turn % 2 == 0 ? 1 : 2, turn % 3 == 0 ? 3 : 1000, 3 + random() % 8);
    if (sides.offers.size() > 11) sides.offers.resize(11);
    const auto taken = greatest_sum(sides.offers, sides.left, sides.right, kAnySteps);
    ASSERT_TRUE(taken);
    EXPECT_EQ(sum_of(sides, *taken), best_of_all(sides, sides.left, sides.right)) << "turn " << turn;
  }
}

/// A copy is one more item with the same offers: a side of three is three sides of one.
TEST(Assignment, OfCopiesIsThatOfSingleItems) {
  test::Random random(8);
  for (int turn = 0; turn < 200; ++turn) {
    const Sides sides = random_sides(random, 12, 5, 50, 6);
    Sides single;
    std::vector<std::uint32_t> first_right{0};
    for (const std::uint32_t many : sides.right) first_right.push_back(first_right.back() + many);
    single.right.assign(first_right.back(), 1);
    for (std::uint32_t left = 0; left < sides.left.size(); ++left) {
      for (std::uint32_t i = 0; i < sides.left[left]; ++i) {
        for (const Offer& offer : sides.offers) {
          if (offer.left != left) continue;
          for (std::uint32_t right = first_right[offer.right]; right < first_right[offer.right + 1]; ++right)
            single.offers.push_back({static_cast<std::uint32_t>(single.left.size()), right, offer.gain});
        }
        single.left.push_back(1);
      }
    }
    EXPECT_EQ(sum_of(sides, *greatest_sum(sides.offers, sides.left, sides.right, kAnySteps)),
              sum_of(single, *greatest_sum(single.offers, single.left, single.right, kAnySteps)));
  }
}

TEST(Assignment, GivesUpAPairForTwo) {
  const Sides sides{{{0, 0, 10}, {0, 1, 9}, {1, 0, 9}}, {1, 1}, {1, 1}};
  EXPECT_EQ(*greatest_sum(sides.offers, sides.left, sides.right, kAnySteps), (std::vector<std::uint32_t>{0, 1, 1}));
  const Sides better_alone{{{0, 0, 10}, {0, 1, 4}, {1, 0, 5}}, {1, 1}, {1, 1}};
  EXPECT_EQ(*greatest_sum(better_alone.offers, better_alone.left, better_alone.right, kAnySteps), (std::vector<std::uint32_t>{1, 0, 0}));
}

TEST(Assignment, EndsAfterTheStepsThatItMayTake) {
  const Sides sides{{{0, 0, 10}, {0, 1, 9}, {1, 0, 9}}, {1, 1}, {1, 1}};
  EXPECT_FALSE(greatest_sum(sides.offers, sides.left, sides.right, 3));
  EXPECT_TRUE(greatest_sum(sides.offers, sides.left, sides.right, 5));
  EXPECT_TRUE(greatest_sum({}, {}, {}, 0));
}

}  // namespace
}  // namespace nearkin::assignment_test
