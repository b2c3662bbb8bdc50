// The engine against the reference, over many small random collections.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "reference/reference.h"
#include "support/temp_dir.h"

namespace nearkin {

// For messages of failed comparisons.
static void PrintTo(const Match& match, std::ostream* out) {
  *out << '(' << match.a << ", " << match.b << ": " << match.shared << '/' << match.total << ')';
}

}  // namespace nearkin

namespace nearkin::oracle_test {
namespace {

using test::Random;

constexpr std::uint64_t kCorpora = 360;

const std::vector<double> kThresholds{0.3, 0.5, 0.7, 0.8, 0.9, 1};
const std::vector<std::string> kShingles{"word:1", "word:2", "word:3", "word:4", "word:5", "char:3"};

// One collection, with what is asked of it and what the reference knows of it.
struct Case {
  std::vector<std::string> texts;
  ShinglePlan shingle;
  double threshold;
  std::vector<reference::Shingles> sets;
  std::string named;

  Ratio ratio() const { return nearkin::ratio(threshold); }
  Plan plan(double recall, std::uint64_t seed = 1) const {
    Choices choices{.shingle = shingle};
    if (recall < 1) choices.seed = seed;
    return tune({.threshold = threshold, .recall = recall}, choices);
  }
};

// The reference reads ASCII. Of other texts it takes the engine's shingles, so that what follows the shingling is tested all the same.
std::vector<reference::Shingles> sets_of(const Case& what, bool unicode) {
  std::vector<reference::Shingles> sets;
  const Features features = shingle(test::as_items(what.texts), what.shingle);
  for (Row row = 0; row < what.texts.size(); ++row) {
    sets.push_back(unicode ? reference::Shingles{} : reference::shingles(what.texts[row], what.shingle));
    for (const std::uint64_t hash : features[row]) {
      if (unicode) sets.back()[std::to_string(hash)] = 1;
    }
  }
  return sets;
}

Case make_case(std::uint64_t seed) {
  Random random(seed);
  const bool unicode = seed % 6 == 5;
  Case what;
  what.shingle = parse_shingle(random.pick(kShingles));
  what.shingle.bag = random.chance(40);
  what.threshold = random.pick(kThresholds);
  what.texts = test::random_texts(random, {.unicode = unicode});
  what.sets = sets_of(what, unicode);
  what.named = "seed " + std::to_string(seed) + ", " + shingle_name(what.shingle) + (what.shingle.bag ? " bag" : "") + ", threshold " +
               to_string(what.ratio());
  return what;
}

template <typename Check>
void for_each_case(Check check) {
  for (std::uint64_t seed = 0; seed < kCorpora; ++seed) {
    const Case what = make_case(seed);
    SCOPED_TRACE(what.named);
    check(what, seed);
    if (testing::Test::HasFailure()) return;
  }
}

// Copies are folded before they are verified and come out as 1/1; any fraction equal to 1 is the same similarity.
Matches reduced(Matches matches) {
  for (Match& match : matches) {
    if (match.shared == match.total) match.shared = match.total = 1;
  }
  return matches;
}

std::set<std::string> as_set(const std::vector<std::string>& lines) { return {lines.begin(), lines.end()}; }

TEST(Oracle, ShinglesAreThoseOfTheReference) {
  for_each_case([](const Case& what, std::uint64_t) {
    const Features features = shingle(test::as_items(what.texts), what.shingle);
    for (Row row = 0; row < what.texts.size(); ++row) {
      EXPECT_EQ(features[row].size(), reference::size_of(what.sets[row])) << what.texts[row];
    }
  });
}

TEST(Oracle, SketchesAreThoseOfTheReference) {
  Random random(7);
  for (const std::uint32_t hashes : {1u, 16u, 100u, 256u, 300u, 600u}) {
    for (const std::size_t size : {1, 2, 15, 16, 17, 90, 700}) {
      Features features;
      for (std::size_t i = 0; i < size; ++i) features.hashes.push_back(random.chance(50) ? random() : i);
      features.ends.push_back(size);
      const SketchPlan plan{.hashes = hashes, .seed = random()};
      const std::vector<std::uint32_t> expected = reference::sketch(features[0], plan);
      EXPECT_EQ(sketch(features, plan).slots, expected) << hashes << " hashes, " << size << " elements";
    }
  }
}

TEST(Oracle, RecallOneIsBruteForce) {
  const test::TempDir dir;
  for_each_case([&](const Case& what, std::uint64_t) {
    const Matches expected = reference::brute_force(what.sets, what.ratio());
    EXPECT_EQ(exact_join(shingle(test::as_items(what.texts), what.shingle), what.ratio()), expected);
    const std::string file = dir.write("docs.jsonl", test::as_jsonl(what.texts));
    const PairsResult result = pairs(test::input_from(file), what.plan(1), {.threads = 1});
    EXPECT_EQ(result.matches.size(), result.stats.pairs);
    EXPECT_EQ(reduced(result.matches), reduced(expected));
  });
}

TEST(Oracle, CandidatesAreThePairsThatShareABucket) {
  for_each_case([](const Case& what, std::uint64_t seed) {
    const Plan plan = what.plan(0.9, seed);
    const Sketches sketches = sketch(shingle(test::as_items(what.texts), what.shingle), plan.sketch);
    BucketNotes notes;
    EXPECT_EQ(candidates(sketches, plan.band, &notes), reference::candidates(sketches, plan.band));
    EXPECT_EQ(notes.not_compared, 0u);
  });
}

TEST(Oracle, SketchedRunsReportTheRightPairsAndNoOthers) {
  const test::TempDir dir;
  std::size_t found = 0, all = 0;
  for_each_case([&](const Case& what, std::uint64_t seed) {
    const Plan plan = what.plan(0.9, seed);
    const Matches possible = reference::brute_force(what.sets, what.ratio());
    const Sketches sketches = sketch(shingle(test::as_items(what.texts), what.shingle), plan.sketch);
    const Matches expected = reference::verify(reference::candidates(sketches, plan.band), what.sets, what.ratio());
    const std::string file = dir.write("docs.jsonl", test::as_jsonl(what.texts));
    const PairsResult result = pairs(test::input_from(file), plan, {.threads = 2});
    EXPECT_EQ(reduced(result.matches), reduced(expected));
    for (const Match& match : expected) EXPECT_NE(std::find(possible.begin(), possible.end(), match), possible.end());
    found += expected.size();
    all += possible.size();
  });
  EXPECT_GT(all, 5000u) << "the collections hold too few pairs to show anything";
  EXPECT_GT(static_cast<double>(found), 0.9 * static_cast<double>(all));
}

TEST(Oracle, ClustersAreThoseOfTheReference) {
  const test::TempDir dir;
  for_each_case([&](const Case& what, std::uint64_t seed) {
    static const std::vector<std::string> rules{"first", "last", "longest", "shortest"};
    const Keep keep = parse_keep(rules[seed % rules.size()]);
    const Matches matches = reference::brute_force(what.sets, what.ratio());
    const std::vector<Row> order = reference::keep_order(keep, what.texts);
    const std::string file = dir.write("docs.jsonl", test::as_jsonl(what.texts));
    for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
      const Clusters expected = reference::cluster(matches, linkage, order);
      const Clusters staged = cluster(matches, what.texts.size(), linkage, order);
      EXPECT_EQ(staged.cluster, expected.cluster);
      EXPECT_EQ(staged.keeper, expected.keeper);
      const ClusterResult run = cluster(test::input_from(file), what.plan(1), {.linkage = linkage, .keep = keep}, {.threads = 1});
      EXPECT_EQ(run.clusters.cluster, expected.cluster);
      EXPECT_EQ(run.clusters.keeper, expected.keeper);
      for (Row row = 0; row < what.texts.size(); ++row) {
        const Row keeper = expected.keeper[expected.cluster[row]];
        const Match to_keeper = reference::jaccard(row, keeper, what.sets[row], what.sets[keeper]);
        EXPECT_TRUE(row == keeper || reduced({run.to_keeper[row]}) == reduced({to_keeper})) << row << ' ' << keeper;
      }
    }
  });
}

// What the rows of --removed say: item, keeper, similarity.
struct Removed {
  Row item, keeper;
  std::string similarity;
};

std::vector<Removed> parse_removed(const std::string& text) {
  std::vector<Removed> rows;
  for (const std::string& line : test::lines_of(text)) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    rows.push_back({static_cast<Row>(std::stoul(line)), static_cast<Row>(std::stoul(line.substr(first + 1))), line.substr(second + 1)});
  }
  return rows;
}

// Stars; keepers of two between which a match runs are compared, and those that match are added, until there are no more.
Clusters stars_looked_at_again(const Case& what, Matches matches, const std::vector<Row>& order) {
  for (;;) {
    const Clusters stars = reference::cluster(matches, Linkage::star, order);
    std::set<std::pair<Row, Row>> between;
    for (const Match& match : matches) {
      const auto ends = std::minmax(stars.keeper[stars.cluster[match.a]], stars.keeper[stars.cluster[match.b]]);
      if (ends.first != ends.second) between.insert(ends);
    }
    const std::size_t before = matches.size();
    for (const auto& [a, b] : between) {
      const Match match = reference::jaccard(a, b, what.sets[a], what.sets[b]);
      if (reference::reaches(match, what.ratio())) matches.push_back(match);
    }
    if (matches.size() == before) return stars;
  }
}

// kept + removed = read; every removed item has a keeper that survives and reaches the threshold; no two kept items match.
void check_dedup(const Case& what, const Plan& plan, const test::TempDir& dir) {
  const std::string file = dir.write("docs.jsonl", test::as_jsonl(what.texts));
  const PairsResult found = pairs(test::input_from(file), plan, {.threads = 1});
  const DedupOptions options{.removed = dir.path("removed.tsv")};
  const DedupResult result = dedup(test::input_from(file), dir.path("kept.jsonl"), plan, options, {.threads = 1});
  const std::vector<std::string> kept_lines = test::lines_of(dir.read("kept.jsonl"));
  const std::set<std::string> kept = as_set(kept_lines);
  const auto is_kept = [&](Row row) {
    const std::string record = test::json_record(std::to_string(row), what.texts[row]);
    return kept.contains(record.substr(0, record.size() - 1));
  };
  const std::vector<Removed> removed = parse_removed(dir.read("removed.tsv"));
  EXPECT_EQ(result.stats.items, what.texts.size());
  EXPECT_EQ(result.kept + result.removed, result.stats.items);
  EXPECT_EQ(result.kept, kept_lines.size());
  EXPECT_EQ(result.removed, removed.size());
  for (const Removed& row : removed) {
    EXPECT_FALSE(is_kept(row.item)) << row.item;
    EXPECT_TRUE(is_kept(row.keeper)) << row.keeper;
    const Match match = reference::jaccard(row.item, row.keeper, what.sets[row.item], what.sets[row.keeper]);
    EXPECT_TRUE(reference::reaches(match, what.ratio())) << row.item << ' ' << row.keeper;
    EXPECT_EQ(row.similarity, similarity_text(match));
  }
  for (const Match& match : found.matches) EXPECT_FALSE(is_kept(match.a) && is_kept(match.b)) << match.a << ' ' << match.b;
  for (Row row = 0; row < what.texts.size(); ++row) EXPECT_TRUE(is_kept(row) || !what.sets[row].empty()) << "EMPTY items are kept: " << row;
  const std::vector<Row> order = reference::keep_order({}, what.texts);
  const std::vector<Row> rows = reference::kept_rows(stars_looked_at_again(what, found.matches, order));
  std::string expected;
  for (const Row row : rows) expected += test::json_record(std::to_string(row), what.texts[row]);
  EXPECT_EQ(dir.read("kept.jsonl"), expected);
}

TEST(Oracle, DedupKeepsOneOfEachStarAndNamesItsSurvivingKeeper) {
  const test::TempDir dir;
  for_each_case([&](const Case& what, std::uint64_t seed) { check_dedup(what, what.plan(seed % 2 == 0 ? 1 : 0.9, seed), dir); });
}

}  // namespace
}  // namespace nearkin::oracle_test
