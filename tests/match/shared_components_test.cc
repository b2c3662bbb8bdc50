#include "match/shared_components.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "match/containment.h"
#include "match/exact_join.h"
#include "support/random_corpora.h"
#include "support/spilled_rows.h"

namespace nearkin::shared_components_test {
namespace {

using test::draw_corpus;
using test::features_of;
using test::kCorpusShapes;
using test::Random;
using test::rows_up_to;
using test::Set;

TEST(SharedComponents, AreWhatWasUnited) {
  Random random(1);
  constexpr Row kRows = 200;
  SharedComponents components(kRows);
  std::vector<Row> label = rows_up_to(kRows);
  for (int turn = 0; turn < 150; ++turn) {
    const Row a = static_cast<Row>(random() % kRows), b = static_cast<Row>(random() % kRows), from = label[a], to = label[b];
    EXPECT_EQ(components.unite(a, b), from != to);
    std::replace(label.begin(), label.end(), from, to);
    const Row x = static_cast<Row>(random() % kRows), y = static_cast<Row>(random() % kRows);
    EXPECT_EQ(components.joined(x, y), label[x] == label[y]);
    EXPECT_EQ(components.alone(x), std::count(label.begin(), label.end(), label[x]) == 1);
  }
}

// A list whose entries get one label after another: every entry is looked at or of the label that is asked for, whatever was noted before.
TEST(JoinedStretches, PassOverWhatIsJoinedAndNothingElse) {
  Random random(2);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t size = 1 + random() % 60;
    std::vector<Row> label = rows_up_to(size);
    JoinedStretches stretches(size);
    for (int step = 0; step < 40; ++step) {
      const Row from = label[random() % size], to = label[random() % size];
      std::replace(label.begin(), label.end(), from, to);
      const std::size_t begin = random() % size, end = begin + random() % (size - begin + 1);
      const Row asked = label[random() % size];
      std::vector<std::size_t> looked, expected;
      stretches.walk(
          begin, end, [&](std::size_t i) { return label[i] == asked; },
          [&](std::size_t i) {
            looked.push_back(i);
            return true;
          });
      for (std::size_t i = end; i-- > begin;) {
        if (label[i] != asked) expected.push_back(i);
      }
      ASSERT_EQ(looked, expected);
    }
  }
}

// One who asks while another thread unites may be told at one moment that an entry is joined, and at the next that it is not.
TEST(JoinedStretches, StayTrueWhereAnswersAreLate) {
  Random random(3);
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t size = 1 + random() % 60;
    std::vector<Row> label = rows_up_to(size);
    JoinedStretches stretches(size);
    for (int step = 0; step < 60; ++step) {
      std::replace(label.begin(), label.end(), Row{label[random() % size]}, Row{label[random() % size]});
      const Row asked = label[random() % size];
      std::vector<bool> looked(size);
      stretches.walk(
          0, size, [&](std::size_t i) { return label[i] == asked && random() % 3 != 0; },
          [&](std::size_t i) {
            looked.at(i) = true;
            return true;
          });
      for (std::size_t i = 0; i < size; ++i) ASSERT_TRUE(looked[i] || label[i] == asked);
    }
  }
}

TEST(JoinedStretches, EndWhereTheyAreToldTo) {
  JoinedStretches stretches(10);
  int looks = 0;
  stretches.walk(
      0, 10, [](std::size_t) { return false; }, [&](std::size_t i) { return ++looks, i > 6; });
  EXPECT_EQ(looks, 4);
}

// Each of many who are joined with all before them asks about a few entries, not about all.
TEST(JoinedStretches, AreShortWays) {
  constexpr std::size_t kEntries = 10'000;
  JoinedStretches stretches(kEntries);
  std::size_t asked = 0;
  for (std::size_t end = 1; end <= kEntries; ++end) {
    stretches.walk(
        0, end, [&](std::size_t) { return ++asked, true; }, [](std::size_t) { return true; });
  }
  EXPECT_LT(asked, 5 * kEntries);
}

struct Case {
  std::vector<Set> sets;
  std::vector<Row> members;
  Ratio threshold;
  bool directed;
};

struct Connected {
  std::vector<Row> first;  // of each row the least of its component
  std::size_t edges = 0;
};

std::vector<Row> first_of_each(const SharedComponents& components, std::size_t rows) {
  std::vector<Row> first = rows_up_to(rows);
  for (Row row = 0; row < rows; ++row) {
    for (Row other = 0; other < row && first[row] == row; ++other) {
      if (first[other] == other && components.joined(row, other)) first[row] = other;
    }
  }
  return first;
}

JoinNotes join(const Case& test_case, const RowBytes& sets, const JoinLimits& limits, const MatchSink& emit,
               const SharedComponents* components) {
  return test_case.directed ? join_containment(sets, test_case.members, 0, test_case.threshold, limits, emit, components)
                            : join_exactly(sets, test_case.members, 0, test_case.threshold, limits, emit, components);
}

// By the join that passes over what is connected, or by all matches.
Connected connect(const Case& test_case, const RowBytes& sets, const JoinLimits& limits, bool all) {
  SharedComponents components(test_case.sets.size());
  Connected result;
  const MatchSink unite = [&](std::span<const Match> matches) {
    for (const Match& match : matches) result.edges += components.unite(match.a, match.b);
  };
  const SharedComponents* known = all ? nullptr : &components;
  join(test_case, sets, limits, unite, known);
  result.first = first_of_each(components, test_case.sets.size());
  return result;
}

void expect_components_of_all_matches(const Case& test_case, const std::string& name) {
  const Features features = features_of(test_case.sets);
  const Connected expected = connect(test_case, rows_in_memory(features, 1), {.threads = 1}, true);
  for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{12'000}, std::uint64_t{60'000}, std::uint64_t{1} << 30}) {
    for (const unsigned threads : {1u, 3u}) {
      const Connected found = connect(test_case, test::rows_in_buffers(test_case.sets, threads), {memory, threads}, false);
      ASSERT_EQ(found.first, expected.first) << name << " with " << memory << " bytes on " << threads << " threads";
      EXPECT_EQ(found.edges, expected.edges);
    }
  }
}

// Clustered data of several kinds, the shapes of others beside near copies in groups of very different sizes.
TEST(ConnectingJoin, FindsTheComponentsOfAllMatches) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Random random(seed);
    for (const test::CorpusShape& shape : kCorpusShapes) {
      const std::vector<Set> sets = draw_corpus(random, shape, 60 + random() % 120);
      std::vector<Row> members = rows_up_to(sets.size());
      std::shuffle(members.begin(), members.end(), random);
      for (const Ratio t : {Ratio{2, 10}, Ratio{5, 10}, Ratio{8, 10}, Ratio{95, 100}, Ratio{1, 1}}) {
        for (const bool directed : {false, true}) expect_components_of_all_matches({sets, members, t, directed}, shape.name);
      }
    }
  }
}

// Chains: each is the one before with an element more or one exchanged, so that the ends of a component are far apart.
TEST(ConnectingJoin, FindsTheComponentsOfChains) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::vector<Set> sets;
    while (sets.size() < 300) {
      std::set<std::uint64_t> set;
      while (set.size() < 12) set.insert(mix64(random() % 60));
      for (std::size_t left = random() % 60; left > 0; --left) {
        set.erase(std::next(set.begin(), static_cast<std::ptrdiff_t>(random() % set.size())));
        while (set.size() < 12 + random() % 3) set.insert(mix64(random() % 60));
        sets.emplace_back(set.begin(), set.end());
      }
    }
    std::shuffle(sets.begin(), sets.end(), random);
    for (const Ratio t : {Ratio{6, 10}, Ratio{8, 10}, Ratio{9, 10}}) {
      for (const bool directed : {false, true}) expect_components_of_all_matches({sets, rows_up_to(sets.size()), t, directed}, "chains");
    }
  }
}

// 200 million pairs match; a few for each item are looked at.
TEST(ConnectingJoin, OfNearCopiesLooksAtFewPairsForEach) {
  Random random(10);
  const std::vector<Set> sets = test::near_copies(random, 20'000);
  const Features features = features_of(sets);
  for (const bool directed : {false, true}) {
    SharedComponents components(sets.size());
    std::size_t edges = 0;
    const MatchSink unite = [&](std::span<const Match> matches) {
      for (const Match& match : matches) edges += components.unite(match.a, match.b);
    };
    const Case test_case{{}, rows_up_to(sets.size()), {8, 10}, directed};
    const JoinNotes notes = join(test_case, rows_in_memory(features, 2), {.threads = 2}, unite, &components);
    EXPECT_EQ(edges, sets.size() - 1);
    EXPECT_LT(notes.looked_at, 3 * sets.size());
  }
}

}  // namespace
}  // namespace nearkin::shared_components_test
