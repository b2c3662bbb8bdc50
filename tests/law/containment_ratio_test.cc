// Containment keeps its promise at every ratio of sizes: passages in documents of their own size and a thousand times larger.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "support/sets_in_memory.h"

namespace nearkin::containment_ratio_test {
namespace {

std::string elements(const std::string& name, std::size_t begin, std::size_t end) {
  std::string set;
  for (std::size_t i = begin; i < end; ++i) set += name + std::to_string(i) + " ";
  return set;
}

using test::input_of;

TEST(ContainmentRatio, EveryPassageIsFoundAtAndNoneBelowTheThreshold) {
  constexpr std::size_t kPassage = 20, kPassages = 40;
  const ShinglePlan shingle{.token = Token::element, .size = 1, .bag = false, .normalise = Normalise::none};
  for (const std::size_t ratio : {1, 2, 5, 20, 100, 200, 500, 1000}) {
    std::vector<std::string> passages, documents;
    for (std::size_t i = 0; i < kPassages; ++i) {
      const std::string name = "d" + std::to_string(i) + "_";
      const std::size_t shared = i % 4 == 0 ? 15 : 16;  // of 20: one in four is just below
      passages.push_back(elements(name, 0, shared) + elements("own" + name, shared, kPassage));
      documents.push_back(elements(name, 0, kPassage * ratio));
    }
    for (const double recall : {0.8, 0.95, 0.99}) {
      const Plan plan = tune({.measure = Measure::containment, .threshold = 0.8, .recall = recall}, {.shingle = shingle});
      const Input others = input_of(documents);
      const PairsResult found = pairs(input_of(passages), plan, {}, &others);
      EXPECT_EQ(found.matches.size(), kPassages - kPassages / 4) << "ratio " << ratio << " recall " << recall;
      EXPECT_TRUE(
          std::all_of(found.matches.begin(), found.matches.end(), [](const Match& match) { return match.b == match.a + kPassages; }));
      ASSERT_TRUE(found.stats.recall);
      EXPECT_EQ(found.stats.recall->low, 1);
    }
  }
}

}  // namespace
}  // namespace nearkin::containment_ratio_test
