// The recall of items that `dedup` states: what exact mode removes, and its interval, over many collections.
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "support/random.h"
#include "support/sets_in_memory.h"

namespace nearkin::item_recall_test {
namespace {

/// Sets in groups of random sizes, of which members share about four fifths; and as many alone. The same `footer` is on half of the
/// members, where one is given.
std::vector<std::string> collection(std::uint64_t seed, bool footer, std::size_t largest) {
  test::Random random(seed);
  std::vector<std::string> sets;
  const auto word = [&](const std::string& kind, std::size_t i) { return kind + std::to_string(i) + " "; };
  for (std::size_t group = 0; group < 150; ++group) {
    const std::size_t members = 2 + random() % (largest - 1);
    std::string common;
    for (std::size_t i = 0; i < 80; ++i) common += word("c" + std::to_string(group) + "_", i);
    for (std::size_t member = 0; member < members; ++member) {
      std::string set = common;
      const std::size_t own = footer ? 0 : 4 + random() % 7;
      for (std::size_t i = 0; i < own; ++i) set += word("u" + std::to_string(sets.size()) + "_", i);
      if (footer && member % 2 == 1) {
        for (std::size_t i = 0; i < 17; ++i) set += word("footer", i);
        set += word("o" + std::to_string(sets.size()) + "_", 0);
      }
      if (footer && member % 2 == 0) set += word("e" + std::to_string(sets.size()) + "_", 0);
      sets.push_back(set);
    }
  }
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

DedupRows deduplicated(const std::vector<std::string>& sets, double recall, std::uint64_t seed, std::uint64_t audit = 0) {
  const Input input = test::input_of(sets);
  Choices choices{.shingle = ShinglePlan{.token = Token::element, .size = 1, .bag = false, .normalise = Normalise::none}};
  if (recall < 1) choices.seed = seed;
  return dedup_rows(input, tune({.recall = recall}, choices), {}, {.threads = 1, .audit = audit});
}

/// Of the items that exact mode removes.
double true_recall(const DedupRows& exact, const DedupRows& found) {
  double all = 0, both = 0;
  for (Row row = 0; row < exact.keeper.size(); ++row) {
    all += exact.keeper[row] != row;
    both += exact.keeper[row] != row && found.keeper[row] != row;
  }
  return both / all;
}

struct Kind {
  const char* name;
  bool footer;
  std::size_t largest;
  double recall;
};

void expect_covered(const Kind& kind) {
  SCOPED_TRACE(kind.name);
  constexpr int kRuns = 100;
  int covered = 0;
  double stated = 0, truth = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<std::string> sets = collection(static_cast<std::uint64_t>(run / 4), kind.footer, kind.largest);
    const DedupRows exact = deduplicated(sets, 1, 0), found = deduplicated(sets, kind.recall, static_cast<std::uint64_t>(run) + 1);
    ASSERT_TRUE(found.stats.item_recall);
    const double reached = true_recall(exact, found);
    covered += found.stats.item_recall->low <= reached + 1e-12 && reached <= found.stats.item_recall->high + 1e-12;
    stated += found.stats.item_recall->estimate / kRuns;
    truth += reached / kRuns;
    EXPECT_EQ(exact.stats.item_recall->low, 1);
  }
  EXPECT_GE(covered, 88) << "of 100";
  EXPECT_LE(stated, truth + 0.01) << "it must not promise more than there is";
}

TEST(ItemRecall, OfPairsIsCovered) { expect_covered({"pairs", false, 2, 0.8}); }
TEST(ItemRecall, OfSmallGroupsIsCovered) { expect_covered({"small groups", false, 6, 0.8}); }
TEST(ItemRecall, OfPairsWithOneFooterIsCovered) { expect_covered({"one footer", true, 2, 0.8}); }

/// Windows of 94 elements that move on by 9: each is at .83 of the next, and at .68 of the one behind it. `length` make a chain.
std::vector<std::string> chains(std::size_t count, std::size_t length) {
  std::vector<std::string> sets;
  for (std::size_t chain = 0; chain < count; ++chain) {
    for (std::size_t window = 0; window < length; ++window) {
      std::string set;
      for (std::size_t i = 0; i < 94; ++i) set += std::to_string(chain) + "_" + std::to_string(9 * window + i) + " ";
      sets.push_back(set);
    }
  }
  return sets;
}

// A keeper behind an item would not have taken it; and one that is missed takes later keepers, so that their items are missed as well.
TEST(ItemRecall, OfChainsIsCoveredOrNotTold) {
  for (const std::size_t length : {3, 8, 100}) {
    SCOPED_TRACE(length);
    const std::vector<std::string> sets = chains(300 / length, length);
    const DedupRows exact = deduplicated(sets, 1, 0);
    int covered = 0, told = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const DedupRows found = deduplicated(sets, 0.9, seed);
      if (!found.stats.item_recall) continue;
      ++told;
      const double reached = true_recall(exact, found);
      covered += found.stats.item_recall->low <= reached + 1e-12 && reached <= found.stats.item_recall->high + 1e-12;
    }
    EXPECT_GE(covered, told * 88 / 100);
    EXPECT_EQ(told, length < 100 ? 30 : 0) << "what follows from one that was missed has no end there";
  }
}

TEST(ItemRecall, IsHigherThanThatOfPairsInLargerGroups) {
  const DedupRows found = deduplicated(collection(1, false, 30), 0.6, 1);
  ASSERT_TRUE(found.stats.item_recall && found.stats.recall);
  EXPECT_GT(found.stats.item_recall->low, found.stats.recall->high);
  EXPECT_GT(found.stats.item_recall->estimate, 0.95);
}

TEST(ItemRecall, IsMeasuredByAnAudit) {
  const std::vector<std::string> sets = collection(1, false, 3);
  const DedupRows exact = deduplicated(sets, 1, 0), found = deduplicated(sets, 0.5, 1, 1'000'000);
  ASSERT_TRUE(found.stats.audit && found.stats.audit->item_recall);
  const Audit& audit = *found.stats.audit;
  EXPECT_EQ(audit.removed, sets.size() - found.kept);
  EXPECT_GT(audit.removable, audit.removed);
  EXPECT_NEAR(static_cast<double>(audit.removable), static_cast<double>(sets.size() - exact.kept), 3) << "all were asked";
  EXPECT_NEAR(audit.item_recall->estimate, true_recall(exact, found), 0.02);
}

}  // namespace
}  // namespace nearkin::item_recall_test
