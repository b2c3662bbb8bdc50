#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "match/feature_lists.h"

namespace nearkin::feature_lists_test {
namespace {

Features features_of(const std::vector<std::set<std::uint64_t>>& sets) {
  Features features;
  for (const std::set<std::uint64_t>& set : sets) {
    features.hashes.insert(features.hashes.end(), set.begin(), set.end());
    features.ends.push_back(features.hashes.size());
  }
  return features;
}

// Elements of Zipf's kind: low numbers are in most sets. Some sets are empty.
Features random_sets(std::size_t count, std::uint64_t elements, std::uint64_t seed) {
  SplitMix random(seed);
  std::vector<std::set<std::uint64_t>> sets(count);
  for (std::set<std::uint64_t>& set : sets) {
    for (std::uint64_t size = random() % 12; size > 0; --size) set.insert(random() % (1 + random() % (1 + random() % elements)));
  }
  return features_of(sets);
}

std::uint64_t shared(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::vector<std::uint64_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

using Visited = std::map<Row, std::uint64_t>;

Visited visited(SharedCounts& counts, std::span<const std::uint64_t> query, const SharedBound& bound, bool* all = nullptr) {
  Visited rows;
  Row last = 0;
  const bool with_others = counts.visit(query, bound, [&](Row row, std::uint64_t number) {
    EXPECT_TRUE(rows.empty() || last < row);
    last = row;
    return rows.emplace(row, number).second;
  });
  if (all != nullptr) *all = with_others;
  return rows;
}

TEST(SharedCounts, AreThoseOfEverySetHoweverTheyAreCounted) {
  for (const std::size_t count : {0, 1, 70, 511, 512, 513, 5000, 9000}) {
    for (const std::uint64_t elements : {3, 40, 2000, 1000000}) {
      const Features sets = random_sets(count, elements, count + elements), queries = random_sets(25, elements, 7);
      const FeatureLists lists(sets);
      SharedCounts counts(lists);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        bool all = false;
        const Visited rows = visited(counts, queries[q], {}, &all);
        Visited expected;
        for (Row row = 0; row < count; ++row) {
          const std::uint64_t number = shared(queries[q], sets[row]);
          if (!sets[row].empty() && (all || number > 0)) expected.emplace(row, number);
        }
        ASSERT_EQ(rows, expected) << count << " sets of " << elements << ", query " << q;
      }
    }
  }
}

TEST(SharedCounts, VisitOnlyWhatPassesABoundThatRises) {
  const Features sets = random_sets(9000, 60, 3), queries = random_sets(30, 60, 4);
  const FeatureLists lists(sets);
  SharedCounts counts(lists);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    SharedBound bound{.factor = 3, .constant = 1, .size_factor = 1};
    const auto raise = [&](std::size_t visits) { bound.constant = 1 + static_cast<std::int64_t>(visits / 40); };
    std::vector<Row> rows, expected;
    counts.visit(queries[q], bound, [&](Row row, std::uint64_t) {
      rows.push_back(row);
      raise(rows.size());
      return rows.size() < 200;
    });
    raise(0);
    for (Row row = 0; row < sets.size() && expected.size() < 200; ++row) {
      if (sets[row].empty() || !bound.passes(shared(queries[q], sets[row]), sets[row].size())) continue;
      expected.push_back(row);
      raise(expected.size());
    }
    ASSERT_EQ(rows, expected) << q;
  }
}

TEST(SharedCounts, OfALargeQueryAreNotCutOff) {
  std::vector<std::set<std::uint64_t>> sets(3);
  for (std::uint64_t i = 0; i < 70000; ++i) sets[0].insert(mix64(i));
  sets[1] = sets[0];
  sets[2] = {mix64(5), 1, 2, 3};
  const Features features = features_of(sets);
  const FeatureLists lists(features);
  SharedCounts counts(lists);
  const Visited rows = visited(counts, features[0], {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_GE(rows.at(0), 70000u);
  EXPECT_EQ(rows.at(0), rows.at(1));
  EXPECT_EQ(visited(counts, features[2], {}).at(2), 4u);
}

TEST(SharedBound, KnowsTheFewestThatCanPass) {
  SplitMix random(9);
  for (int turn = 0; turn < 3000; ++turn) {
    const SharedBound bound{.factor = 1 + static_cast<std::int64_t>(random() % 9),
                            .constant = static_cast<std::int64_t>(random() % 60) - 10,
                            .size_factor = static_cast<std::int64_t>(random() % 9)};
    const std::uint64_t smallest = 1 + random() % 20, fewest = bound.fewest(smallest);
    for (std::uint64_t number = 0; number < 60; ++number) {
      bool passes = false;
      for (std::uint64_t size = std::max(number, smallest); size < 100; ++size) passes = passes || bound.passes(number, size);
      if (number < fewest) {
        ASSERT_FALSE(passes) << bound.factor << ' ' << bound.constant << ' ' << bound.size_factor << ' ' << smallest;
      }
    }
  }
}

}  // namespace
}  // namespace nearkin::feature_lists_test
