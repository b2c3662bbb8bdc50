// Every measure against brute force, and the promise of its plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::measures_test {
namespace {

using test::Random;
using Numbers = std::vector<double>;

double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
double bell(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}

// The definitions, as one would write them down.
double cosine(const Numbers& a, const Numbers& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return ab / std::sqrt(aa * bb);
}
double euclidean(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}
double manhattan(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum;
}
double hamming(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] != b[i];
  return sum;
}
double weighted_jaccard(const Numbers& a, const Numbers& b) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < a.size(); ++i) low += std::min(a[i], b[i]), high += std::max(a[i], b[i]);
  return low / high;
}
double jaccard(const Numbers& a, const Numbers& b) {
  double both = 0, any = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both += a[i] != 0 && b[i] != 0, any += a[i] != 0 || b[i] != 0;
  return both / any;
}
double containment(const Numbers& a, const Numbers& b) {
  double both = 0, own = 0;
  for (std::size_t i = 0; i < a.size(); ++i) both += a[i] != 0 && b[i] != 0, own += a[i] != 0;
  return both / own;
}

// Rows of numbers as the bytes of a file.
std::string as_fvecs(const std::vector<Numbers>& rows) {
  std::string bytes;
  const auto put = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  for (const Numbers& row : rows) {
    put(static_cast<std::int32_t>(row.size()));
    for (const double x : row) put(static_cast<float>(x));
  }
  return bytes;
}
std::string as_sparse(const std::vector<Numbers>& rows) {
  std::string text;
  for (const Numbers& row : rows) {
    text += "1";
    for (std::size_t i = 0; i < row.size(); ++i) {
      char number[64];
      std::snprintf(number, sizeof number, " %zu:%.17g", i, row[i]);
      if (row[i] != 0) text += number;
    }
    text += '\n';
  }
  return text;
}
std::string as_bits(const std::vector<Numbers>& rows) {
  std::string text;
  for (const Numbers& row : rows) {
    for (const double x : row) text += x != 0 ? '1' : '0';
    text += '\n';
  }
  return text;
}
std::string as_sets(const std::vector<Numbers>& rows) {
  std::string text;
  for (const Numbers& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += row[i] != 0 ? "e" + std::to_string(i) + " " : "";
    text += '\n';
  }
  return text;
}
std::string as_table(const std::vector<Numbers>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows[0].size(); ++i) text += (i > 0 ? ",q" : "q") + std::to_string(i);
  text += '\n';
  for (const Numbers& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + std::string(row[i] != 0 ? "yes" : "no");
    text += '\n';
  }
  return text;
}

struct World {
  const char* name;
  Measure measure;
  Kind kind;
  const char* file;
  std::string (*bytes)(const std::vector<Numbers>&);
  double (*value)(const Numbers&, const Numbers&);
  bool bits;      // rows of 0 and 1
  bool positive;  // numbers of 0 and more
  std::vector<double> borders;
};

std::vector<World> worlds() {
  return {
      {"jaccard sets", Measure::jaccard, Kind::shingles, "x.sets", as_sets, jaccard, true, true, {0.4, 0.6, 0.75, 1}},
      {"containment sets", Measure::containment, Kind::shingles, "x.sets", as_sets, containment, true, true, {0.5, 0.75, 0.9, 1}},
      {"hamming table", Measure::hamming, Kind::shingles, "x.table", as_table, hamming, true, true, {0, 1, 4, 9}},
      {"hamming bits", Measure::hamming, Kind::bits, "x.bits", as_bits, hamming, true, true, {0, 1, 4, 9}},
      {"cosine dense", Measure::cosine, Kind::numbers, "x.fvecs", as_fvecs, cosine, false, false, {0.5, 0.8, 0.95}},
      {"cosine sparse", Measure::cosine, Kind::numbers, "x.sparse", as_sparse, cosine, false, false, {0.5, 0.8, 0.95}},
      {"euclidean dense", Measure::euclidean, Kind::numbers, "x.fvecs", as_fvecs, euclidean, false, false, {0.5, 2, 4.5}},
      {"euclidean sparse", Measure::euclidean, Kind::numbers, "x.sparse", as_sparse, euclidean, false, false, {0.5, 2, 4.5}},
      {"manhattan dense", Measure::manhattan, Kind::numbers, "x.fvecs", as_fvecs, manhattan, false, false, {2, 8, 20}},
      {"manhattan sparse", Measure::manhattan, Kind::numbers, "x.sparse", as_sparse, manhattan, false, false, {2, 8, 20}},
      {"weighted jaccard sparse",
       Measure::weighted_jaccard,
       Kind::numbers,
       "x.sparse",
       as_sparse,
       weighted_jaccard,
       false,
       true,
       {0.4, 0.7, 0.9}},
      {"weighted jaccard dense",
       Measure::weighted_jaccard,
       Kind::numbers,
       "x.fvecs",
       as_fvecs,
       weighted_jaccard,
       false,
       true,
       {0.4, 0.7, 0.9}},
  };
}

Numbers random_row(Random& random, const World& world, std::size_t width) {
  Numbers row(width);
  for (double& x : row) {
    x = world.bits ? static_cast<double>(random() & 1) : static_cast<double>(static_cast<float>(bell(random)));
    if (world.positive) x = std::fabs(x);
    if (!world.bits && uniform(random) < 0.3) x = 0;
  }
  return row;
}

// Families of rows: a random one, and others that differ from it in a few places, more and more.
std::vector<Numbers> families(Random& random, const World& world, std::size_t count, std::size_t width) {
  std::vector<Numbers> rows;
  while (rows.size() < count) {
    const Numbers first = random_row(random, world, width);
    rows.push_back(first);
    for (std::size_t changes = 1; changes <= width / 2; changes *= 2) {
      Numbers changed = first;
      const Numbers other = random_row(random, world, width);
      for (std::size_t k = 0; k < changes; ++k) {
        const std::size_t place = random() % width;
        changed[place] = other[place];
      }
      rows.push_back(changed);
    }
  }
  return rows;
}

Goal goal_for(const World& world, double border, double recall) {
  Goal goal{.measure = world.measure, .recall = recall};
  if (is_distance(world.measure))
    goal.radius = border;
  else
    goal.threshold = border;
  return goal;
}

Choices choices_for(const World& world, std::size_t width) {
  Choices choices{.kind = world.kind};
  if (world.kind == Kind::shingles) choices.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none};
  if (world.measure == Measure::hamming) choices.dimensions = static_cast<std::uint32_t>(width);
  return choices;
}

using Listed = std::map<std::pair<Row, Row>, double>;

Listed brute_force(const World& world, const std::vector<Numbers>& rows, double border) {
  Listed pairs;
  const bool directed = world.measure == Measure::containment;
  for (Row a = 0; a < rows.size(); ++a) {
    for (Row b = directed ? 0 : a + 1; b < rows.size(); ++b) {
      const double value = a == b ? NAN : world.value(rows[a], rows[b]);
      if (is_distance(world.measure) ? value <= border * (1 + 1e-12) : value >= border - 1e-12) pairs[{a, b}] = value;
    }
  }
  return pairs;
}

Listed listed(const PairsResult& result) {
  Listed pairs;
  for (const Match& match : result.matches) pairs[{match.a, match.b}] = measured(match, result.measure);
  return pairs;
}

void expect_equal(const Listed& found, const Listed& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (auto f = found.begin(), e = expected.begin(); f != found.end(); ++f, ++e) {
    ASSERT_EQ(f->first, e->first) << what;
    ASSERT_NEAR(f->second, e->second, 1e-9 * (1 + std::fabs(e->second))) << what;
  }
}

TEST(Measures, ExactPairsAreThoseOfBruteForce) {
  for (const World& world : worlds()) {
    Random random(7);
    for (const std::size_t width : {9, 40, 130}) {
      const test::TempDir dir;
      const std::vector<Numbers> rows = families(random, world, 60, width);
      const Input input{.paths = {dir.write(world.file, world.bytes(rows))}};
      for (const double border : world.borders) {
        if (border >= static_cast<double>(width)) continue;  // refused: every pair would be inside
        const std::string what = std::string(world.name) + " width " + std::to_string(width) + " at " + std::to_string(border);
        const Plan plan = tune(goal_for(world, border, 1), choices_for(world, width));
        expect_equal(listed(pairs(input, plan, {.threads = 2})), brute_force(world, rows, border), what);
      }
    }
  }
}

TEST(Measures, SketchedPairsAreAmongThoseOfBruteForceAndMostOfThem) {
  for (const World& world : worlds()) {
    Random random(8);
    const std::size_t width = 130;
    const test::TempDir dir;
    const std::vector<Numbers> rows = families(random, world, 200, width);
    const Input input{.paths = {dir.write(world.file, world.bytes(rows))}};
    for (const double border : world.borders) {
      if (border == 0) continue;
      const Plan plan = tune(goal_for(world, border, 0.95), choices_for(world, width));
      const Listed expected = brute_force(world, rows, border), found = listed(pairs(input, plan, {.threads = 2}));
      for (const auto& [pair, value] : found) {
        ASSERT_TRUE(expected.contains(pair)) << world.name << " at " << border;
        ASSERT_NEAR(value, expected.at(pair), 1e-9 * (1 + std::fabs(value))) << world.name;
      }
      EXPECT_GE(static_cast<double>(found.size()), 0.9 * static_cast<double>(expected.size())) << world.name << " at " << border;
    }
  }
}

// Pairs that stand exactly at the border, each of its own rows: the promise is about them.
std::vector<Numbers> pairs_at(Random& random, const World& world, double border, std::size_t count, std::size_t width) {
  std::vector<Numbers> rows;
  for (std::size_t k = 0; k < count; ++k) {
    const Numbers a = random_row(random, world, width), other = random_row(random, world, width);
    Numbers b = a;
    std::vector<std::size_t> places(width);
    for (std::size_t i = 0; i < width; ++i) places[i] = i;
    for (std::size_t i = width; i > 1; --i) std::swap(places[i - 1], places[random() % i]);
    const auto inside = [&] { return is_distance(world.measure) ? world.value(a, b) <= border : world.value(a, b) >= border; };
    // Places change one after the other as long as the pair stays inside: it ends as near to the border as whole steps allow.
    for (const std::size_t place : places) {
      const double before = b[place];
      b[place] = world.bits ? 1 - before : other[place];
      if (!inside()) b[place] = before;
    }
    rows.push_back(a);
    rows.push_back(b);
  }
  return rows;
}

TEST(Measures, PlansKeepTheirPromiseOverSeeds) {
  constexpr int kSeeds = 20;
  constexpr std::size_t kPairs = 60, kWidth = 64;
  for (const World& world : worlds()) {
    Random random(11);
    const double border = world.borders[1];
    const std::vector<Numbers> rows = pairs_at(random, world, border, kPairs, kWidth);
    const test::TempDir dir;
    const Input input{.paths = {dir.write(world.file, world.bytes(rows))}};
    double found = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Choices choices = choices_for(world, kWidth);
      choices.seed = seed;
      const Listed listing = listed(pairs(input, tune(goal_for(world, border, 0.9), choices), {.threads = 1}));
      for (Row a = 0; a < rows.size(); a += 2) found += listing.contains({a, a + 1});
    }
    const double recall = found / (kSeeds * kPairs);
    // Four standard errors of kSeeds × kPairs pairs, doubled because pairs share the hashes of a seed.
    EXPECT_GE(recall, 0.9 - 8 * std::sqrt(0.9 * 0.1 / (kSeeds * kPairs))) << world.name;
  }
}

std::string all_outputs(const Input& input, const Plan& plan, unsigned threads) {
  const test::TempDir dir;
  const RunOptions run{.threads = threads};
  list_pairs(input, plan, {.path = dir.path("pairs.tsv"), .style = RowStyle::json}, run);
  list_clusters(input, plan, {.path = dir.path("clusters.json"), .style = RowStyle::json, .summary = dir.path("summary.tsv")}, {}, run);
  dedup(input, dir.path("kept"), plan, {.removed = dir.path("removed.tsv")}, run);
  return dir.read("pairs.tsv") + dir.read("clusters.json") + dir.read("summary.tsv") + dir.read("kept") + dir.read("removed.tsv");
}

TEST(Measures, OneAnswerForAnyNumberOfThreads) {
  for (const World& world : worlds()) {
    Random random(12);
    const test::TempDir dir;
    const Input input{.paths = {dir.write(world.file, world.bytes(families(random, world, 1500, 70)))}};
    for (const double recall : {0.9, 1.0}) {
      const Plan plan = tune(goal_for(world, world.borders[1], recall), choices_for(world, 70));
      const std::string one = all_outputs(input, plan, 1);
      EXPECT_EQ(one, all_outputs(input, plan, 4)) << world.name << " recall " << recall;
      EXPECT_NE(one.find("\"a\""), std::string::npos) << world.name;
    }
  }
}

TEST(Measures, DedupLeavesNoTwoWithinTheBorderAndEachRemovedHasItsKeeper) {
  for (const World& world : worlds()) {
    if (world.measure == Measure::containment) continue;
    Random random(13);
    const test::TempDir dir;
    const std::vector<Numbers> rows = families(random, world, 300, 50);
    const Input input{.paths = {dir.write(world.file, world.bytes(rows))}};
    const Plan plan = tune(goal_for(world, world.borders[1], 1), choices_for(world, 50));
    const DedupResult result = dedup(input, dir.path(std::string("kept-") + world.file), plan);
    EXPECT_EQ(result.kept + result.removed, rows.size()) << world.name;
    EXPECT_GT(result.removed, 0u) << world.name;
    const Input kept{.paths = {dir.path(std::string("kept-") + world.file)}};
    const PairsResult left = pairs(kept, plan);
    EXPECT_EQ(left.stats.items, result.kept) << world.name;
    EXPECT_TRUE(left.matches.empty()) << world.name;
  }
}

}  // namespace
}  // namespace nearkin::measures_test
