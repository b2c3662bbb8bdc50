// The sketch against its theory: P[slot equal] = J, so that the estimate has mean J and at most the variance J(1-J)/K of K independent
// slots. Seeds are fixed; bounds are in standard errors of the theory.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <nearkin/stages.h>

#include "family/minhash.h"
#include "support/random_sets.h"

namespace nearkin::minhash_statistics_test {
namespace {

using test::Overlapping;
using test::Set;

const std::vector<std::uint32_t> kHashes{64, 136, 300, 600};

class Moments {
 public:
  void add(double x) {
    ++count_;
    const double step = x - mean_;
    mean_ += step / count_;
    squares_ += step * (x - mean_);
  }
  double count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / (count_ - 1); }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

void expect_theory(const Moments& found, double jaccard, std::uint32_t hashes, const Overlapping& sizes) {
  const double theory = jaccard * (1 - jaccard) / hashes;
  const double error = std::sqrt(theory / found.count());
  const auto where = [&] {
    return "K=" + std::to_string(hashes) + " |A|=" + std::to_string(sizes.shared + sizes.only_a) +
           " |B|=" + std::to_string(sizes.shared + sizes.only_b) + " J=" + std::to_string(jaccard);
  };
  EXPECT_LE(std::abs(found.mean() - jaccard), 4 * error) << where() << " bias " << (found.mean() - jaccard) / error << " standard errors";
  EXPECT_LE(found.variance(), 1.15 * theory) << where() << " variance " << found.variance() / theory << " of theory";
}

using Draw = std::function<std::pair<Set, Set>(std::uint64_t trial, const Overlapping& sizes)>;

// Each trial draws its sets once and sketches them with a seed of its own for each K.
void check_sizes(const std::vector<Overlapping>& all_sizes, int trials, const Draw& draw) {
  for (const Overlapping& sizes : all_sizes) {
    std::vector<Moments> found(kHashes.size());
    for (int trial = 0; trial < trials; ++trial) {
      const auto [a, b] = draw(static_cast<std::uint64_t>(trial), sizes);
      for (std::size_t k = 0; k < kHashes.size(); ++k) {
        MinHasher hasher({.hashes = kHashes[k], .seed = static_cast<std::uint64_t>(1'000'000 + trial)});
        std::vector<std::uint32_t> left(kHashes[k]), right(kHashes[k]);
        hasher.sketch(a, left.data());
        hasher.sketch(b, right.data());
        found[k].add(estimate(left, right));
      }
    }
    for (std::size_t k = 0; k < kHashes.size(); ++k) expect_theory(found[k], sizes.jaccard(), kHashes[k], sizes);
  }
}

std::pair<Set, Set> draw_random(std::uint64_t trial, const Overlapping& sizes) {
  SplitMix random(mix64(trial) ^ sizes.shared << 20 ^ sizes.only_b);
  return test::random_sets(random, sizes);
}

std::pair<Set, Set> draw_consecutive(std::uint64_t trial, const Overlapping& sizes) { return test::consecutive_sets(trial * 1000, sizes); }

// {shared, only A, only B}
const std::vector<Overlapping> kTiny{{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {1, 4, 4}};
const std::vector<Overlapping> kSmall{{13, 7, 7}, {18, 2, 2}, {67, 33, 33}, {89, 11, 11}, {333, 167, 167}, {444, 56, 56}};
const std::vector<Overlapping> kUnequal{{1, 0, 1},   {1, 0, 4},     {2, 0, 1},    {3, 0, 1},
                                        {20, 0, 80}, {40, 10, 360}, {100, 0, 20}, {20, 0, 1980}};

TEST(MinHashStatistics, TinySetsOfRandomElementsFollowTheTheory) { check_sizes(kTiny, 3000, draw_random); }
TEST(MinHashStatistics, TinySetsOfConsecutiveIdsFollowTheTheory) { check_sizes(kTiny, 3000, draw_consecutive); }
TEST(MinHashStatistics, SetsOfRandomElementsFollowTheTheory) { check_sizes(kSmall, 2000, draw_random); }
TEST(MinHashStatistics, SetsOfConsecutiveIdsFollowTheTheory) { check_sizes(kSmall, 2000, draw_consecutive); }
TEST(MinHashStatistics, UnequalSetsOfRandomElementsFollowTheTheory) { check_sizes(kUnequal, 2000, draw_random); }
TEST(MinHashStatistics, UnequalSetsOfConsecutiveIdsFollowTheTheory) { check_sizes(kUnequal, 2000, draw_consecutive); }
TEST(MinHashStatistics, LargeSetsOfRandomElementsFollowTheTheory) {
  check_sizes({{3333, 1667, 1667}, {4444, 556, 556}}, 2000, draw_random);
}
TEST(MinHashStatistics, LargeSetsOfConsecutiveIdsFollowTheTheory) { check_sizes({{3333, 1667, 1667}}, 2000, draw_consecutive); }
TEST(MinHashStatistics, HugeSetsOfRandomElementsFollowTheTheory) { check_sizes({{33'333, 16'667, 16'667}}, 800, draw_random); }
TEST(MinHashStatistics, HugeSetsOfConsecutiveIdsFollowTheTheory) { check_sizes({{40'000, 10'000, 10'000}}, 800, draw_consecutive); }

TEST(MinHashStatistics, IdsThatDifferInFewBitsFollowTheTheory) {
  for (const unsigned shift : {20u, 32u, 52u}) {
    check_sizes({{67, 33, 33}}, 1500, [&](std::uint64_t trial, const Overlapping& sizes) {
      auto sets = draw_consecutive(trial % 7, sizes);
      for (Set* set : {&sets.first, &sets.second}) {
        for (std::uint64_t& id : *set) id <<= shift;
      }
      return sets;
    });
  }
}

TEST(MinHashStatistics, SetsOfOneElementAgreeInAllSlotsOrInNone) {
  for (const std::uint32_t hashes : kHashes) {
    const Sketches sketches = sketch(test::features_of({{7}, {7}, {8}}), {.hashes = hashes, .seed = 1});
    EXPECT_EQ(estimate(sketches[0], sketches[1]), 1.0);
    EXPECT_EQ(estimate(sketches[0], sketches[2]), 0.0);
  }
}

// A mean over slots could hide slots that err in opposite ways.
TEST(MinHashStatistics, EverySingleSlotAgreesWithProbabilityJ) {
  constexpr std::uint32_t kSlots = 136;
  constexpr int kTrials = 4000;
  for (const Overlapping& sizes : {Overlapping{4, 1, 3}, Overlapping{13, 7, 7}, Overlapping{100, 50, 50}}) {
    std::vector<int> equal(kSlots);
    SplitMix random(77);
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto [a, b] = test::random_sets(random, sizes);
      MinHasher hasher({.hashes = kSlots, .seed = random()});
      std::vector<std::uint32_t> left(kSlots), right(kSlots);
      hasher.sketch(a, left.data());
      hasher.sketch(b, right.data());
      for (std::uint32_t j = 0; j < kSlots; ++j) equal[j] += left[j] == right[j];
    }
    const double jaccard = sizes.jaccard(), error = std::sqrt(jaccard * (1 - jaccard) / kTrials);
    for (std::uint32_t j = 0; j < kSlots; ++j) EXPECT_NEAR(equal[j] / static_cast<double>(kTrials), jaccard, 4.5 * error) << j;
  }
}

TEST(MinHashStatistics, TheClassicSketchFollowsTheTheoryToo) {
  for (const Overlapping& sizes : {Overlapping{1, 1, 1}, Overlapping{13, 7, 7}, Overlapping{20, 0, 80}, Overlapping{333, 167, 167}}) {
    for (const Draw& draw : {Draw(draw_random), Draw(draw_consecutive)}) {
      Moments found;
      for (std::uint64_t trial = 0; trial < 2000; ++trial) {
        const auto [a, b] = draw(trial, sizes);
        const SketchPlan plan{.hashes = 136, .seed = 5'000'000 + trial};
        std::vector<std::uint32_t> left(plan.hashes), right(plan.hashes);
        classic_minhash(a, plan, left.data());
        classic_minhash(b, plan, right.data());
        found.add(estimate(left, right));
      }
      expect_theory(found, sizes.jaccard(), 136, sizes);
    }
  }
}

}  // namespace
}  // namespace nearkin::minhash_statistics_test
