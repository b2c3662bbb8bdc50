#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/stages.h>
#include <nearkin/tools/names.h>

namespace nearkin::cluster_test {
namespace {

using Random = std::mt19937_64;

Matches random_matches(Random& random, std::size_t items, std::size_t count) {
  std::set<Pair> pairs;
  for (std::size_t i = 0; i < count && items > 1; ++i) {
    const Row a = static_cast<Row>(random() % items), b = static_cast<Row>(random() % items);
    if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
  }
  Matches matches;
  for (const Pair& pair : pairs) matches.push_back({pair.a, pair.b, 9, 10});
  return matches;
}

std::vector<Row> random_order(Random& random, std::size_t items) {
  std::vector<Row> order(items);
  std::iota(order.begin(), order.end(), Row{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

bool matched(const Matches& matches, Row a, Row b) {
  return std::any_of(matches.begin(), matches.end(), [&](const Match& m) { return m.a == std::min(a, b) && m.b == std::max(a, b); });
}

// Labels spread along matches until nothing changes.
std::vector<Row> components_by_spreading(const Matches& matches, std::size_t items) {
  std::vector<Row> label(items);
  std::iota(label.begin(), label.end(), Row{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const Match& match : matches) {
      const Row least = std::min(label[match.a], label[match.b]);
      changed = changed || label[match.a] != least || label[match.b] != least;
      label[match.a] = label[match.b] = least;
    }
  }
  return label;
}

// What holds for any clustering: each item in one cluster, numbered by first members, each with one of its own members as keeper.
void expect_well_formed(const Clusters& clusters, std::size_t items) {
  ASSERT_EQ(clusters.cluster.size(), items);
  std::uint32_t next = 0;
  for (const std::uint32_t number : clusters.cluster) {
    ASSERT_LE(number, next);
    next = std::max(next, number + 1);
  }
  ASSERT_EQ(clusters.size(), next);
  for (std::uint32_t number = 0; number < clusters.size(); ++number) ASSERT_EQ(clusters.cluster[clusters.keeper[number]], number);
}

struct Case {
  std::size_t items;
  Matches matches;
  std::vector<Row> order;
};

std::vector<Case> random_cases(std::uint64_t seed) {
  Random random(seed);
  std::vector<Case> cases;
  for (const std::size_t items : {0u, 1u, 2u, 5u, 40u, 120u}) {
    for (const std::size_t count : {std::size_t{0}, items / 4, items / 2, items, 4 * items}) {
      Matches matches = random_matches(random, items, count);
      cases.push_back({items, matches, {}});
      cases.push_back({items, matches, random_order(random, items)});
    }
  }
  return cases;
}

std::vector<Row> worth(const Case& one) {
  std::vector<Row> order = one.order;
  if (order.empty()) {
    order.resize(one.items);
    std::iota(order.begin(), order.end(), Row{0});
  }
  return order;
}

TEST(Cluster, ConnectedGivesTheComponentsWithTheBestMemberAsKeeper) {
  for (const Case& one : random_cases(1)) {
    const Clusters clusters = cluster(one.matches, one.items, Linkage::connected, one.order);
    expect_well_formed(clusters, one.items);
    const std::vector<Row> label = components_by_spreading(one.matches, one.items);
    for (Row a = 0; a < one.items; ++a) {
      for (Row b = 0; b < one.items; ++b) ASSERT_EQ(clusters.cluster[a] == clusters.cluster[b], label[a] == label[b]);
    }
    std::set<std::uint32_t> met;
    for (const Row row : worth(one)) {
      if (!met.insert(clusters.cluster[row]).second) continue;
      ASSERT_EQ(clusters.keeper[clusters.cluster[row]], row);
    }
  }
}

TEST(Cluster, StarMatchesEveryMemberWithItsKeeperAndNoTwoKeepers) {
  for (const Case& one : random_cases(2)) {
    const Clusters clusters = cluster(one.matches, one.items, Linkage::star, one.order);
    expect_well_formed(clusters, one.items);
    for (Row row = 0; row < one.items; ++row) {
      const Row keeper = clusters.keeper[clusters.cluster[row]];
      ASSERT_TRUE(row == keeper || matched(one.matches, row, keeper));
    }
    for (const Row a : clusters.keeper) {
      for (const Row b : clusters.keeper) ASSERT_FALSE(a != b && matched(one.matches, a, b));
    }
  }
}

TEST(Cluster, StarGivesEachItemTheBestKeeperItMatches) {
  for (const Case& one : random_cases(3)) {
    const Clusters clusters = cluster(one.matches, one.items, Linkage::star, one.order);
    std::vector<Row> keepers;
    for (const Row row : worth(one)) {
      const auto taken = std::find_if(keepers.begin(), keepers.end(), [&](Row keeper) { return matched(one.matches, row, keeper); });
      const Row expected = taken == keepers.end() ? row : *taken;
      if (expected == row) keepers.push_back(row);
      ASSERT_EQ(clusters.keeper[clusters.cluster[row]], expected);
    }
  }
}

TEST(Cluster, DoesNotDependOnTheOrderOfMatches) {
  Random random(4);
  for (Case& one : random_cases(5)) {
    for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
      const Clusters before = cluster(one.matches, one.items, linkage, one.order);
      for (int turn = 0; turn < 3; ++turn) {
        std::shuffle(one.matches.begin(), one.matches.end(), random);
        const Clusters after = cluster(one.matches, one.items, linkage, one.order);
        ASSERT_EQ(after.cluster, before.cluster);
        ASSERT_EQ(after.keeper, before.keeper);
      }
    }
  }
}

// a ~ b ~ c ~ d, where only neighbours match.
TEST(Cluster, CutsChainsIntoStarsButNotIntoComponents) {
  const Matches chain{{0, 1, 8, 10}, {1, 2, 8, 10}, {2, 3, 8, 10}};
  EXPECT_EQ(cluster(chain, 4, Linkage::connected).cluster, (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(cluster(chain, 4, Linkage::star).cluster, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(cluster(chain, 4, Linkage::star).keeper, (std::vector<Row>{0, 2}));
  const std::vector<Row> order{1, 2, 0, 3};
  const Clusters stars = cluster(chain, 4, Linkage::star, order);
  EXPECT_EQ(stars.cluster, (std::vector<std::uint32_t>{0, 0, 0, 1}));
  EXPECT_EQ(stars.keeper, (std::vector<Row>{1, 3}));
  EXPECT_EQ(cluster(chain, 4, Linkage::connected, order).keeper, (std::vector<Row>{1}));
}

TEST(Cluster, TakesALongChainWithoutDeepRecursion) {
  constexpr Row kItems = 300'000;
  Matches chain;
  for (Row row = kItems - 1; row > 0; --row) chain.push_back({row - 1, row, 1, 1});
  EXPECT_EQ(cluster(chain, kItems, Linkage::connected).size(), 1u);
  EXPECT_EQ(cluster(chain, kItems, Linkage::star).size(), kItems / 2);
}

TEST(Linkage, ParsesBackItsNames) {
  for (const Linkage linkage : {Linkage::connected, Linkage::star}) EXPECT_EQ(parse_linkage(name(linkage)), linkage);
  for (const char* wrong : {"", "Star", "complete", "star "}) {
    try {
      parse_linkage(wrong, "linkage");
      FAIL() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::plan);
      EXPECT_EQ(error.what(), "linkage: \"" + std::string(wrong) + "\" is neither connected nor star");
    }
  }
}

}  // namespace
}  // namespace nearkin::cluster_test
