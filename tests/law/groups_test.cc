// Groups are found whole: `dedup` by sketches keeps what exact mode keeps, but for the few items that met nothing at all.
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/sample.h>

#include "support/random.h"
#include "support/sets_in_memory.h"

namespace nearkin::groups_test {
namespace {

/// Sets of words: `groups` times `members` sets, each with `common` words of its group and `own` words of its own, in random order.
std::vector<std::string> templates(std::size_t groups, std::size_t members, std::size_t common, std::size_t own, std::uint64_t seed) {
  std::vector<std::string> sets;
  for (std::size_t group = 0; group < groups; ++group) {
    std::string shared;
    for (std::size_t i = 0; i < common; ++i)
      shared += "c" + std::to_string(group) + "_" + std::to_string(seed) + "_" + std::to_string(i) + " ";
    for (std::size_t member = 0; member < members; ++member) {
      std::string set = shared;
      for (std::size_t i = 0; i < own; ++i) set += "u" + std::to_string(sets.size()) + "_" + std::to_string(i) + " ";
      sets.push_back(set);
    }
  }
  test::Random random(seed);
  std::shuffle(sets.begin(), sets.end(), random);
  return sets;
}

using test::input_of;

Plan plan_for(const Input& input, double recall) {
  const Goal goal{.recall = recall};
  Choices choices{.shingle = ShinglePlan{.token = Token::element, .size = 1, .bag = false, .normalise = Normalise::none}};
  choices.sample = sample_sets(input, tune(goal, choices), 1, false);
  return tune(goal, choices);
}

std::uint64_t kept(const std::vector<std::string>& sets, double recall) {
  const Input input = input_of(sets);
  return dedup_rows(input, plan_for(input, recall)).kept;
}

TEST(Groups, OfAllButEqualItemsAreOne) {
  for (const double recall : {0.8, 0.95, 0.99}) EXPECT_EQ(kept(templates(1, 5000, 200, 1, 1), recall), 1u) << recall;
}

TEST(Groups, OfOneTemplateJustAboveTheThresholdAreOneButForAFew) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_LE(kept(templates(1, 5000, 95, 10, seed), 0.95), 4u);
    EXPECT_LE(kept(templates(1, 5000, 95, 10, seed), 0.8), 20u);  // exact mode removes 4,999: within 1 %
  }
}

TEST(Groups, AreAsManyAsThereAreTemplates) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(kept(templates(2, 3000, 190, 10, seed), 0.95), 2u);
    EXPECT_EQ(kept(templates(40, 150, 190, 10, seed), 0.95), 40u);
    EXPECT_EQ(kept(templates(40, 150, 190, 10, seed), 0.8), 40u);
  }
}

/// Greedy stars over `matches`; where a match runs between two stars, their keepers are compared; and again, until nothing changes.
class Reference {
 public:
  Reference(const Features& sets, Ratio threshold) : sets_(sets), threshold_(threshold) {}

  std::vector<Row> keepers(std::set<std::pair<Row, Row>> matches) const {
    for (;;) {
      const std::vector<Row> found = stars(matches);
      const std::size_t before = matches.size();
      std::set<std::pair<Row, Row>> more;
      for (const auto& [a, b] : matches) {
        const auto ends = std::minmax(found[a], found[b]);
        if (ends.first != ends.second && matching(ends.first, ends.second)) more.insert(ends);
      }
      matches.insert(more.begin(), more.end());
      if (matches.size() == before) return found;
    }
  }

 private:
  bool matching(Row a, Row b) const {
    std::vector<std::uint64_t> shared;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(shared));
    const std::size_t total = sets_[a].size() + sets_[b].size() - shared.size();
    return shared.size() * threshold_.denominator >= threshold_.numerator * total;
  }
  std::vector<Row> stars(const std::set<std::pair<Row, Row>>& matches) const {
    constexpr Row kNobody = UINT32_MAX;
    std::vector<Row> keeper(sets_.size(), kNobody);
    for (Row row = 0; row < keeper.size(); ++row) {
      if (keeper[row] != kNobody) continue;
      keeper[row] = row;
      for (auto at = matches.lower_bound({row, 0}); at != matches.end() && at->first == row; ++at) {
        if (keeper[at->second] == kNobody) keeper[at->second] = row;
      }
    }
    return keeper;
  }

  const Features& sets_;
  Ratio threshold_;
};

TEST(Groups, AreThoseOfTheDefinition) {
  std::size_t joined = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<std::string> sets = templates(4, 25, 20, 2 + seed % 4, seed);
    // Chains: the words of one group, some of them those of the next.
    for (std::size_t i = 0; i < 25; ++i)
      sets.push_back(sets[i].substr(0, sets[i].size() / 2) + sets[i + 1].substr(0, sets[i + 1].size() / 2));
    const Input input = input_of(sets);
    Plan plan = plan_for(input, 0.5);
    plan.threshold = {6, 10};
    plan.band.bands = 3;
    plan.band.rows = 4;
    std::vector<std::string_view> texts(sets.begin(), sets.end());
    const Features features = shingle(texts, plan.shingle);
    std::set<std::pair<Row, Row>> matches;
    for (const Match& match : pairs(input, plan).matches) matches.insert({match.a, match.b});
    const DedupRows found = dedup_rows(input, plan);
    EXPECT_EQ(found.keeper, Reference(features, plan.threshold).keepers(matches)) << seed;
    for (Row row = 0; row < sets.size(); ++row)
      joined += found.keeper[row] != row && !matches.contains(std::minmax(row, found.keeper[row]));
    for (Row row = 0; row < sets.size(); ++row) EXPECT_GE(found.to_keeper[row].similarity(), plan.threshold.value());
  }
  EXPECT_GT(joined, 20u) << "the second look found nothing: the test is too easy";
}

}  // namespace
}  // namespace nearkin::groups_test
