// The recall of an audit: known cases to the digit, and the interval against simulated audits in which the truth is known.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "support/random.h"

namespace nearkin::audit_test {
namespace {

using test::uniform;
using Audited = std::vector<AuditedItem>;

TEST(AuditedRecall, IsTheShareOfTheTruePairsFound) {
  const Audited items{{4, 3}, {0, 0}, {1, 1}, {5, 2}};
  const Recall recall = audited_recall(items, 1000);
  EXPECT_DOUBLE_EQ(recall.estimate, 0.6);
  EXPECT_LT(recall.low, 0.6);
  EXPECT_GT(recall.high, 0.6);
}

TEST(AuditedRecall, IsAPointWhereAllItemsWereDrawn) {
  const Audited items{{4, 3}, {0, 0}, {1, 1}, {5, 2}};
  const Recall recall = audited_recall(items, items.size());
  EXPECT_DOUBLE_EQ(recall.estimate, 0.6);
  EXPECT_EQ(recall.low, recall.estimate);
  EXPECT_EQ(recall.high, recall.estimate);
}

TEST(AuditedRecall, KnowsNothingWithoutATruePair) {
  const Audited items(20);
  const Recall some = audited_recall(items, 1000), all = audited_recall(items, 20);
  EXPECT_EQ(some.estimate, 1);
  EXPECT_EQ(some.low, 0);
  EXPECT_EQ(some.high, 1);
  EXPECT_EQ(all.low, 1) << "all items were looked at: there is no pair to miss";
}

// One pair an item: the interval of Jeffreys, the 2.5 and 97.5 % points of the Beta law with found + 1/2 and missed + 1/2.
TEST(AuditedRecall, OfOnePairAnItemIsTheIntervalOfJeffreys) {
  Audited items(95, AuditedItem{1, 1});
  items.resize(100, AuditedItem{1, 0});
  const Recall recall = audited_recall(items, 1'000'000'000);
  EXPECT_NEAR(recall.low, 0.8939, 0.004);
  EXPECT_NEAR(recall.high, 0.9807, 0.004);
}

TEST(AuditedRecall, OfASampleWithoutAMissIsNotCertain) {
  const Recall few = audited_recall(Audited(20, AuditedItem{1, 1}), 1'000'000),
               many = audited_recall(Audited(400, AuditedItem{1, 1}), 1'000'000);
  EXPECT_EQ(few.estimate, 1);
  EXPECT_EQ(few.high, 1);
  EXPECT_LT(few.low, 0.93);
  EXPECT_GT(few.low, 0.8);
  EXPECT_GT(many.low, 0.99);
  EXPECT_LT(many.low, 1);
}

TEST(AuditedRecall, OfASampleWithNothingFoundReachesDownToNone) {
  const Recall recall = audited_recall(Audited(20, AuditedItem{2, 0}), 1000);
  EXPECT_EQ(recall.estimate, 0);
  EXPECT_EQ(recall.low, 0);
  EXPECT_GT(recall.high, 0);
}

TEST(AuditedRecall, IsNarrowerTheMoreOfThePopulationWasDrawn) {
  Audited items(80, AuditedItem{2, 2});
  items.resize(100, AuditedItem{2, 1});
  const Recall tenth = audited_recall(items, 1000), most = audited_recall(items, 111);
  EXPECT_NEAR((most.high - most.low) / (tenth.high - tenth.low), std::sqrt((1 - 100 / 111.0) / (1 - 0.1)), 1e-9);
}

TEST(AuditedRecall, FollowsFromTheSeedAndNotFromTheOrderOfTheItems) {
  Audited items;
  for (std::uint64_t i = 0; i < 50; ++i) items.push_back({1 + i % 7, i % 5 == 0 ? 0 : 1 + i % 7});
  const Recall once = audited_recall(items, 1000, 7), again = audited_recall(items, 1000, 7), other = audited_recall(items, 1000, 8);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_NE(once.low, other.low);
  std::reverse(items.begin(), items.end());
  EXPECT_EQ(audited_recall(items, 1000, 7).low, once.low);
}

TEST(AuditedRecall, OfItemsThatAreAllDifferentHasTheWidthOfTheLinearisedRatio) {
  SplitMix random(5);
  Audited items;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t pairs = 1 + random() % 4000;
    items.push_back({pairs, pairs - random() % (pairs / 10 + 1)});
  }
  const Recall recall = audited_recall(items, 1'000'000'000);
  double all = 0, squares = 0;
  for (const auto& [pairs, found] : items) {
    const double residual = static_cast<double>(found) - recall.estimate * static_cast<double>(pairs);
    all += static_cast<double>(pairs);
    squares += residual * residual;
  }
  EXPECT_NEAR((recall.high - recall.low) / (2 * 1.96 * std::sqrt(squares) / all), 1, 0.08);
}

struct Population {
  double recall;             // with which a pair is found
  std::uint64_t most_pairs;  // of an item
  double together;           // share of the items whose pairs are found or missed as one
};

// Audits of `drawn` of 2000 items, half of which have pairs.
double covered(const Population& kind, std::size_t drawn, std::uint64_t seed) {
  constexpr int kAudits = 300;
  SplitMix random(seed);
  int inside = 0;
  for (int audit = 0; audit < kAudits; ++audit) {
    Audited items(2000);
    double all = 0, found = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
      items[i].true_pairs = 1 + random() % kind.most_pairs;
      const bool as_one = uniform(random) < kind.together, first = uniform(random) < kind.recall;
      for (std::uint64_t pair = 0; pair < items[i].true_pairs; ++pair) items[i].found += as_one ? first : uniform(random) < kind.recall;
      all += static_cast<double>(items[i].true_pairs);
      found += static_cast<double>(items[i].found);
    }
    for (std::size_t i = 0; i < drawn; ++i) std::swap(items[i], items[i + random() % (items.size() - i)]);
    const Recall recall = audited_recall({items.data(), drawn}, items.size(), random());
    inside += recall.low <= found / all && found / all <= recall.high;
  }
  return static_cast<double>(inside) / kAudits;
}

// The standard error of a coverage of 95 % over 300 audits is 1.3 %.
TEST(AuditedRecall, CoversTheTruthInAboutNineteenOfTwentyAudits) {
  for (const std::size_t drawn : {100, 1000}) {
    for (const Population& kind : {Population{0.95, 1, 0}, {0.8, 1, 0}, {0.95, 4, 0}, {0.95, 4, 0.2}}) {
      const double share = covered(kind, drawn, drawn);
      EXPECT_GE(share, 0.90) << drawn << " drawn, recall " << kind.recall << ", up to " << kind.most_pairs << " pairs";
      EXPECT_LE(share, 0.99) << drawn << " drawn, recall " << kind.recall << ", up to " << kind.most_pairs << " pairs";
    }
  }
}

// One item in eighteen is in a large group and has 299 pairs, of which fewer are found; the others have one. A small audit meets few of the
// large ones, which decide.
TEST(AuditedRecall, CoversTheTruthWhereFewItemsHaveMostOfThePairs) {
  constexpr int kAudits = 400;
  constexpr std::size_t kLarge = 300;
  SplitMix random(3);
  Audited items(5300);
  double all = 0, found = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].true_pairs = i < kLarge ? 299 : 1;
    for (std::uint64_t pair = 0; pair < items[i].true_pairs; ++pair) items[i].found += uniform(random) < (i < kLarge ? 0.6 : 0.95);
    all += static_cast<double>(items[i].true_pairs);
    found += static_cast<double>(items[i].found);
  }
  for (const std::size_t drawn : {50, 100}) {
    int inside = 0;
    for (int audit = 0; audit < kAudits; ++audit) {
      for (std::size_t i = 0; i < drawn; ++i) std::swap(items[i], items[i + random() % (items.size() - i)]);
      const Recall recall = audited_recall({items.data(), drawn}, items.size(), random());
      inside += recall.low <= found / all && found / all <= recall.high;
    }
    EXPECT_GE(inside, 0.90 * kAudits) << drawn << " drawn";
    EXPECT_LE(inside, 0.99 * kAudits) << drawn << " drawn";
  }
}

}  // namespace
}  // namespace nearkin::audit_test
