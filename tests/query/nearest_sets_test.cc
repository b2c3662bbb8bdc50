#include <algorithm>
#include <set>
#include <unordered_map>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "base/hash.h"

namespace nearkin::nearest_sets_test {
namespace {

using Sets = std::vector<std::set<std::uint64_t>>;

Points points_of(const Sets& sets) {
  Features features;
  for (const std::set<std::uint64_t>& set : sets) {
    features.hashes.insert(features.hashes.end(), set.begin(), set.end());
    features.ends.push_back(features.hashes.size());
  }
  return features;
}

// Low numbers are in many sets; many sets are equal, and some are empty.
Sets random_sets(std::size_t count, std::uint64_t elements, std::uint64_t most, std::uint64_t seed) {
  SplitMix random(seed);
  Sets sets(count);
  for (std::set<std::uint64_t>& set : sets) {
    for (std::uint64_t size = random() % most; size > 0; --size) set.insert(random() % (1 + random() % elements));
  }
  return sets;
}

struct Near {
  double value;  // of a distance: its negative
  Row row;
  bool operator<(const Near& other) const { return value > other.value || (value == other.value && row < other.row); }
};

double value_of(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b, Measure measure, ShareOf share_of) {
  double shared = 0;
  for (const std::uint64_t x : a) shared += static_cast<double>(b.count(x));
  const auto size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
  if (measure == Measure::containment) return shared / (share_of == ShareOf::query ? size_a : size_b);
  if (measure == Measure::hamming) return -(size_a + size_b - 2 * shared) / 2;
  return shared / (size_a + size_b - shared);
}

std::vector<Near> by_brute_force(const Sets& sets, const std::set<std::uint64_t>& query, const Plan& plan, const Ask& ask) {
  std::vector<Near> all;
  for (Row row = 0; row < sets.size(); ++row) {
    if (!sets[row].empty() && ask.except != row) all.push_back({value_of(query, sets[row], plan.measure, ask.share_of), row});
  }
  std::sort(all.begin(), all.end());
  const std::size_t most = ask.limit == 0 ? plan.nearest : std::min<std::size_t>(plan.nearest, ask.limit);
  all.resize(query.empty() ? 0 : std::min(all.size(), most));
  return all;
}

void expect_nearest(const Sets& sets, const Sets& queries, const Plan& plan, const Ask& ask = {}) {
  const Tables tables(points_of(sets), plan);
  Searcher searcher(tables);
  const Points asked = points_of(queries);
  for (Row q = 0; q < queries.size(); ++q) {
    const std::vector<Near> expected = by_brute_force(sets, queries[q], plan, ask);
    const Answer answer = searcher.find(asked, q, ask);
    ASSERT_EQ(answer.hits.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double value = measured(answer.hits[i], plan.measure);
      ASSERT_EQ(answer.hits[i].b, expected[i].row) << "query " << q << ", place " << i;
      ASSERT_DOUBLE_EQ(is_distance(plan.measure) ? -value : value, expected[i].value);
    }
    EXPECT_LE(answer.hits.size(), answer.looked_at);
    EXPECT_FALSE(answer.stopped_early);
  }
}

Plan plan_for(Measure measure, std::uint32_t nearest) {
  return tune({.measure = measure, .recall = 0.9, .nearest = nearest},
              {.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}, .kind = Kind::shingles});
}

TEST(NearestSets, AreThoseOfBruteForce) {
  for (const std::size_t count : {1, 4, 100, 700, 5000}) {
    for (const std::uint64_t elements : {6, 60, 900, 1000000}) {
      const Sets sets = random_sets(count, elements, 14, count), queries = random_sets(12, elements, 14, elements);
      for (const Measure measure : {Measure::jaccard, Measure::containment, Measure::hamming}) {
        for (const std::uint32_t nearest : {1u, 3u, 10u, 200u}) {
          expect_nearest(sets, queries, plan_for(measure, nearest));
          if (HasFailure()) FAIL() << count << " sets of " << elements << ", measure " << static_cast<int>(measure) << ", " << nearest;
        }
      }
    }
  }
}

TEST(NearestSets, KeepToWhatWasAsked) {
  const Sets sets = random_sets(800, 50, 10, 1), queries = random_sets(40, 50, 10, 2);
  expect_nearest(sets, queries, plan_for(Measure::containment, 5), {.share_of = ShareOf::item});
  expect_nearest(sets, queries, plan_for(Measure::jaccard, 5), {.limit = 2});
  expect_nearest(sets, queries, plan_for(Measure::jaccard, 5), {.except = Row{3}});
  const Tables tables(points_of(sets), plan_for(Measure::jaccard, 5));
  Searcher searcher(tables);
  const Answer few = searcher.find(points_of(Sets{{1, 2, 3}}), 0, {.max_candidates = 3});
  EXPECT_TRUE(few.stopped_early);
  EXPECT_EQ(few.looked_at, 3u);
  EXPECT_EQ(few.hits.size(), 3u);
}

TEST(NearestSets, WithinARadiusIncludeThoseThatShareNothing) {
  for (const std::uint64_t elements : {6, 1000000}) {
    const Sets sets = random_sets(5000, elements, 8, 3), queries = random_sets(20, elements, 8, 4);
    const Plan plan =
        tune({.measure = Measure::hamming, .recall = 1, .radius = 3},
             {.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}, .kind = Kind::shingles});
    const Tables tables(points_of(sets), plan);
    Searcher searcher(tables);
    const Points asked = points_of(queries);
    for (Row q = 0; q < queries.size(); ++q) {
      std::size_t inside = 0;
      for (const std::set<std::uint64_t>& set : sets) {
        inside += !set.empty() && !queries[q].empty() && value_of(queries[q], set, plan.measure, {}) >= -3;
      }
      ASSERT_EQ(searcher.find(asked, q).hits.size(), inside) << elements << ", query " << q;
    }
  }
}

// Two features whose 32-bit keys are equal, so that lists take one for the other.
std::pair<std::uint64_t, std::uint64_t> features_of_one_key() {
  std::unordered_map<std::uint64_t, std::uint64_t> known;
  for (std::uint64_t feature = 1;; ++feature) {
    const auto [found, is_new] = known.emplace(mix64(feature) >> 32, feature);
    if (!is_new) return {found->second, feature};
  }
}

TEST(NearestSets, AreRightWhereTwoFeaturesShareAKey) {
  const auto [x, y] = features_of_one_key();
  Sets sets = random_sets(6000, 1000000, 6, 5);
  sets[5990] = {y};           // seems to be the query itself
  sets[5991] = {x, 1, 2, 3};  // is the nearest of the first query
  sets[5992] = {y, 7777777};
  for (const std::uint32_t nearest : {1u, 2u, 5u, 50u}) {
    expect_nearest(sets, {{x}, {x, 7777777}, {x, y}, {y}}, plan_for(Measure::jaccard, nearest));
    expect_nearest(sets, {{x}, {x, 7777777}, {x, y}, {y}}, plan_for(Measure::containment, nearest));
  }
  for (std::size_t i = 0; i < 3000; i += 2) sets[i].insert(y);  // now a frequent one
  expect_nearest(sets, {{x}, {x, 7777777}, {x, y}, {y}}, plan_for(Measure::jaccard, 5));
}

}  // namespace
}  // namespace nearkin::nearest_sets_test
