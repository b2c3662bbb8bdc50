// Real data against truth that others computed. Looked for beside the project; each test is skipped where its files are absent.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::shared_data_test {
namespace {

using RowPair = std::pair<std::size_t, std::size_t>;

struct Fraction {
  std::uint64_t shared, total;
  bool operator==(const Fraction& other) const { return shared * other.total == other.shared * total; }  // 6/6 is 1/1
};
using Truth = std::map<RowPair, Fraction>;

RowPair ordered(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

class SharedData : public testing::Test {
 protected:
  // False where a file is not there or cannot be unpacked, with the reason in missing_.
  bool has(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!std::filesystem::exists(source(name))) missing_ = source(name) + " is not there";
      if (name.ends_with(".xz") && std::system("command -v xz > /dev/null") != 0) missing_ = "xz, which unpacks " + name + ", is not there";
    }
    return missing_.empty();
  }

  std::string bytes(const std::string& name) const {
    const std::string command = (name.ends_with(".xz") ? "xz -dc '" : "cat '") + source(name) + "'";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return {};
    std::string all;
    std::array<char, 1 << 16> block;
    while (const std::size_t length = std::fread(block.data(), 1, block.size(), pipe)) all.append(block.data(), length);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return all;
  }

  Truth truth(const std::string& name) const {
    Truth pairs;
    std::istringstream lines(bytes(name));
    std::size_t a, b;
    Fraction fraction;
    for (std::string similarity; lines >> a >> b >> fraction.shared >> fraction.total >> similarity;) pairs[ordered(a, b)] = fraction;
    return pairs;
  }

  std::string missing_;
  test::TempDir dir_;

 private:
  static std::string source(const std::string& name) { return NEARKIN_SOURCE_DIR "/../shared/data/" + name; }
};

// A collection of sets, and the number that the truth has for each of its rows.
struct Sets {
  Input input;
  std::vector<std::size_t> numbers;
  std::vector<std::string> contents;  // equal for sets that are copies
  double threshold;
};

Plan plan_of(const Sets& sets, double recall, std::uint64_t seed = 1) {
  const ShinglePlan elements{.token = Token::element, .size = 1, .normalise = Normalise::none};
  return tune({.threshold = sets.threshold, .recall = recall}, {.shingle = elements, .large_bucket = 10'000, .seed = seed});
}

// The pairs found, of those rows that have a number.
Truth found_by(const Sets& sets, const Plan& plan) {
  Truth pairs;
  const PairsResult result = nearkin::pairs(sets.input, plan);
  EXPECT_EQ(result.stats.items, sets.numbers.size());
  EXPECT_EQ(result.stats.faults.count, 0u);
  for (const Match& match : result.matches) {
    const std::size_t a = sets.numbers[match.a], b = sets.numbers[match.b];
    if (a != SIZE_MAX && b != SIZE_MAX) pairs[ordered(a, b)] = {match.shared, match.total};
  }
  return pairs;
}

// What a plan should find of the truth by its S-curve, and how much that varies.
struct Expected {
  double found = 0, variance = 0;
};

// Pairs that share an item, or a copy of it, may be found and missed together; others are taken as independent. For such pairs e and f
// cov ≤ √(v(e)·v(f)) ≤ (v(e) + v(f)) / 2, so that the variance of the number found is at most Σ v(e) · (pairs that share an item with e).
Expected expected_of(const Sets& sets, const Truth& truth, const Plan& plan) {
  std::map<std::size_t, std::string> content;
  for (std::size_t row = 0; row < sets.numbers.size(); ++row) content[sets.numbers[row]] = sets.contents[row];
  std::map<std::string, double> pairs_of;
  for (const auto& [pair, fraction] : truth) {
    if (fraction.shared != fraction.total) ++pairs_of[content[pair.first]], ++pairs_of[content[pair.second]];
  }
  Expected expected;
  for (const auto& [pair, fraction] : truth) {
    const double p = found_probability(plan, static_cast<double>(fraction.shared) / static_cast<double>(fraction.total));
    expected.found += p;
    expected.variance += p * (1 - p) * (pairs_of[content[pair.first]] + pairs_of[content[pair.second]]);
  }
  return expected;
}

void expect_exact(const Sets& sets, const Truth& truth) {
  const Truth found = found_by(sets, plan_of(sets, 1));
  EXPECT_EQ(found.size(), truth.size());
  EXPECT_TRUE(found == truth);
}

// The promise is for pairs exactly at the threshold. Those above are found more often, as the S-curve says: of all, 0.98 to 0.99 are
// expected here, which leaves so much room that the promise can be asked for without any allowance for chance.
void expect_promise(const Sets& sets, const Truth& truth) {
  constexpr int kSeeds = 3;
  const double pairs = kSeeds * static_cast<double>(truth.size());
  Expected expected;
  double found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Plan plan = plan_of(sets, 0.95, seed);
    const Expected once = expected_of(sets, truth, plan);
    expected.found += once.found, expected.variance += once.variance;
    for (const auto& [pair, fraction] : found_by(sets, plan)) {
      const auto known = truth.find(pair);
      ASSERT_TRUE(known != truth.end() && known->second == fraction) << pair.first << " " << pair.second;
      ++found;
    }
  }
  const double error = std::sqrt(expected.variance);
  EXPECT_NEAR(found, expected.found, 4 * error) << "of " << pairs;
  EXPECT_LT(4 * error, 0.05 * pairs) << "so wide an allowance says nothing";
  EXPECT_GE(found, 0.95 * pairs);
  testing::Test::RecordProperty("recall", std::to_string(found / pairs));
}

class Facebook : public SharedData {
 protected:
  static constexpr const char *kEdges = "graph-facebook/facebook_combined.txt.xz",
                              *kTruth = "graph-facebook/facebook.truth_jaccard_ge0.5_min5.tsv.xz";

  // Nodes in order of appearance; those of fewer than five neighbours are not in the truth.
  Sets sets() const {
    const std::string edges = bytes(kEdges);
    std::map<std::size_t, std::set<std::size_t>> neighbours;
    std::vector<std::size_t> nodes;
    std::istringstream lines(edges);
    for (std::size_t u, v; lines >> u >> v;) {
      for (const std::size_t node : {u, v}) {
        if (!neighbours.contains(node)) nodes.push_back(node);
        neighbours[node].insert(node == u ? v : u);
      }
    }
    Sets sets{.input = {.paths = {dir_.write("graph", edges)}, .format = Format::edges}, .numbers = {}, .contents = {}, .threshold = 0.5};
    for (const std::size_t node : nodes) {
      std::string content;
      for (const std::size_t other : neighbours[node]) content += std::to_string(other) + " ";
      sets.contents.push_back(content);
      sets.numbers.push_back(neighbours[node].size() < 5 ? SIZE_MAX : node);
    }
    return sets;
  }
};

TEST_F(Facebook, NodesWithLikeNeighboursAreThoseOfTheTruth) {
  if (!has({kEdges, kTruth})) GTEST_SKIP() << missing_;
  expect_exact(sets(), truth(kTruth));
}

TEST_F(Facebook, SketchesKeepTheirPromise) {
  if (!has({kEdges, kTruth})) GTEST_SKIP() << missing_;
  expect_promise(sets(), truth(kTruth));
}

class SetFiles : public SharedData {
 protected:
  // The sets of at least `least` elements; a set's number is that of its line, counted from 0.
  Sets sets_of(const std::string& name, std::size_t least, double threshold) const {
    Sets sets{.input = {}, .numbers = {}, .contents = {}, .threshold = threshold};
    std::string file;
    const std::vector<std::string> lines = test::lines_of(bytes(name));
    for (std::size_t number = 0; number < lines.size(); ++number) {
      std::set<std::string> elements;
      std::istringstream words(lines[number]);
      for (std::string word; words >> word;) elements.insert(word);
      if (elements.size() < least) continue;
      std::string content;
      for (const std::string& element : elements) content += element + " ";
      file += lines[number] + "\n";
      sets.contents.push_back(content);
      sets.numbers.push_back(number);
    }
    sets.input = {.paths = {dir_.write("x.sets", file)}};
    return sets;
  }
  static constexpr const char *kDebian = "sets-debian/depends.sets.xz", *kDebianTruth = "sets-debian/truth_jaccard_ge0.8_min4.tsv.xz",
                              *kRetail = "sets-fimi/retail.dat.xz", *kRetailTruth = "sets-fimi/retail.truth_jaccard_ge0.6_min5.tsv.xz";
};

TEST_F(SetFiles, OfDebiansDependenciesGiveTheTruth) {
  if (!has({kDebian, kDebianTruth})) GTEST_SKIP() << missing_;
  expect_exact(sets_of(kDebian, 4, 0.8), truth(kDebianTruth));
}

TEST_F(SetFiles, OfDebiansDependenciesKeepThePromise) {
  if (!has({kDebian, kDebianTruth})) GTEST_SKIP() << missing_;
  expect_promise(sets_of(kDebian, 4, 0.8), truth(kDebianTruth));
}

TEST_F(SetFiles, OfShoppingBasketsGiveTheTruth) {
  if (!has({kRetail, kRetailTruth})) GTEST_SKIP() << missing_;
  expect_exact(sets_of(kRetail, 5, 0.6), truth(kRetailTruth));
}

TEST_F(SetFiles, OfShoppingBasketsKeepThePromise) {
  if (!has({kRetail, kRetailTruth})) GTEST_SKIP() << missing_;
  expect_promise(sets_of(kRetail, 5, 0.6), truth(kRetailTruth));
}

std::vector<std::int32_t> whole_numbers(const std::string& bytes) {
  std::vector<std::int32_t> numbers(bytes.size() / 4);
  std::memcpy(numbers.data(), bytes.data(), 4 * numbers.size());
  return numbers;
}

class Digits : public SharedData {
 protected:
  static constexpr const char *kImages = "mnist/mnist_63000x784.bvecs.xz", *kQueries = "mnist/query_rows_1000.i32";
  static constexpr std::size_t kRow = 4 + 784;  // bytes of an image in the file

  // The images but for the 1,000 queries, and the first `asked` of these.
  void load(std::size_t asked) {
    const std::string images = bytes(kImages);
    const std::vector<std::int32_t> queries = whole_numbers(bytes(kQueries));
    std::string base, some;
    for (std::size_t row = 0; row * kRow < images.size(); ++row) {
      if (std::binary_search(queries.begin(), queries.end(), static_cast<std::int32_t>(row))) continue;
      base.append(images, row * kRow, kRow);
      rows_.push_back(static_cast<std::int32_t>(row));
    }
    for (std::size_t i = 0; i < asked; ++i) some.append(images, static_cast<std::size_t>(queries[i]) * kRow, kRow);
    base_file_ = {.paths = {dir_.write("base.bvecs", base)}};
    asked_file_ = {.paths = {dir_.write("asked.bvecs", some)}};
    base_ = read_vectors(base_file_).vectors;
    asked_ = read_vectors(asked_file_).vectors;
    ASSERT_EQ(base_.size(), 62'000u);
    ASSERT_EQ(asked_.size(), asked);
  }

  // Row `rank` of the truth of a query, as a row of the collection.
  Row true_row(const std::vector<std::int32_t>& truth, std::size_t query, std::size_t rank) const {
    const std::int32_t row = truth[query * 101 + 1 + rank];  // each line begins with its length, 100
    return static_cast<Row>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
  }

  void expect_nearest(Measure measure, const char* truth_file);

  std::vector<std::int32_t> rows_;  // of the collection, in the file
  Input base_file_, asked_file_;
  Vectors base_, asked_;
};

double value_of(std::span<const float> a, std::span<const float> b, Measure measure) {
  double squares = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    squares += (x - y) * (x - y), ab += x * y, aa += x * x, bb += y * y;
  }
  return measure == Measure::cosine ? ab / std::sqrt(aa * bb) : std::sqrt(squares);
}

// Neighbours as near as the tenth of the truth are as good as it.
void Digits::expect_nearest(Measure measure, const char* truth_file) {
  constexpr std::size_t kAsked = 200, kExact = 20, kNearest = 10;
  load(kAsked);
  const std::vector<std::int32_t> truth = whole_numbers(bytes(truth_file));
  const Choices choices{.kind = Kind::numbers, .sample = sample_data(base_, measure)};
  const auto points = std::make_shared<const Points>(std::move(base_));
  const Vectors& base = std::get<Vectors>(*points);
  const Points queries = asked_;

  const Tables everything(points, tune({.measure = measure, .recall = 1, .nearest = kNearest}, choices));
  Searcher exact(everything);
  for (Row query = 0; query < kExact; ++query) {
    const Answer answer = exact.find(queries, query);
    ASSERT_EQ(answer.hits.size(), kNearest);
    for (std::size_t i = 0; i < kNearest; ++i) EXPECT_EQ(answer.hits[i].b, true_row(truth, query, i)) << "query " << query << " rank " << i;
  }

  const Tables tables(points, tune({.measure = measure, .recall = 0.9, .nearest = kNearest}, choices), 2);
  Searcher searcher(tables);
  double found = 0, looked_at = 0;
  for (Row query = 0; query < kAsked; ++query) {
    const Answer answer = searcher.find(queries, query);
    ASSERT_EQ(answer.hits.size(), kNearest);
    const double last = value_of(asked_.dense(query), base.dense(true_row(truth, query, kNearest - 1)), measure);
    for (const Match& hit : answer.hits) {
      const double value = value_of(asked_.dense(query), base.dense(hit.b), measure);
      EXPECT_NEAR(hit.value, value, 1e-9 * value);
      found += is_distance(measure) ? value <= last : value >= last;
    }
    looked_at += static_cast<double>(answer.looked_at);
  }
  EXPECT_GE(found / (kAsked * kNearest), 0.9);
  EXPECT_LT(looked_at / kAsked, 62'000 / 4) << "that is no search but a scan";
  RecordProperty("recall", std::to_string(found / (kAsked * kNearest)) + " looked at " + std::to_string(looked_at / kAsked));
}

TEST_F(Digits, NearestByEuclideanDistanceAreThoseOfTheTruth) {
  constexpr const char* kTruth = "mnist/truth_l2_top100.ivecs";
  if (!has({kImages, kQueries, kTruth})) GTEST_SKIP() << missing_;
  expect_nearest(Measure::euclidean, kTruth);
}

TEST_F(Digits, NearestByCosineAreThoseOfTheTruth) {
  constexpr const char* kTruth = "mnist/truth_cosine_top100.ivecs";
  if (!has({kImages, kQueries, kTruth})) GTEST_SKIP() << missing_;
  expect_nearest(Measure::cosine, kTruth);
}

// The lower of the two middle numbers of a place, by counting.
std::vector<float> medians_of(const Vectors& vectors) {
  std::vector<float> medians;
  for (std::size_t place = 0; place < vectors.dimensions; ++place) {
    std::array<std::size_t, 256> counts{};
    for (std::size_t i = 0; i < vectors.size(); ++i) ++counts[static_cast<std::size_t>(vectors.dense(i)[place])];
    std::size_t value = 0, below = counts[0];
    while (below < (vectors.size() + 1) / 2) below += counts[++value];
    medians.push_back(static_cast<float>(value));
  }
  return medians;
}

using Image = std::array<std::uint64_t, 13>;

std::vector<Image> above(const Vectors& vectors, const std::vector<float>& cuts) {
  std::vector<Image> images(vectors.size(), Image{});
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<const float> row = vectors.dense(i);
    for (std::size_t p = 0; p < row.size(); ++p) images[i][p / 64] |= std::uint64_t{row[p] > cuts[p]} << (p % 64);
  }
  return images;
}

int differing(const Image& a, const Image& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits += std::popcount(a[i] ^ b[i]);
  return bits;
}

TEST_F(Digits, MadeBinaryHaveTheNeighboursOfBruteForce) {
  if (!has({kImages, kQueries})) GTEST_SKIP() << missing_;
  constexpr Row kAsked = 50;
  constexpr int kRadius = 60;
  load(kAsked);
  const Goal goal{.measure = Measure::hamming, .recall = 0.9, .radius = kRadius};
  const Plan plan = tune(goal, {.binarise = Binarise::median, .dimensions = 784});
  const QueryResult result = query(base_file_, asked_file_, plan);
  std::map<std::pair<Row, Row>, double> hits;
  for (const Match& hit : result.hits) hits[{hit.a, hit.b}] = hit.value;
  const std::vector<float> medians = medians_of(base_);
  const std::vector<Image> base = above(base_, medians), asked = above(asked_, medians);
  double found = 0, expected = 0, variance = 0, inside = 0;
  for (Row a = 0; a < kAsked; ++a) {
    double spread = 0;
    for (Row b = 0; b < base.size(); ++b) {
      const int distance = differing(asked[a], base[b]);
      if (distance > kRadius) continue;
      const auto hit = hits.find({a, b});
      const double p = found_probability(plan, distance);
      ++inside, expected += p, spread += std::sqrt(p * (1 - p));
      if (hit == hits.end()) continue;
      EXPECT_EQ(hit->second, distance) << a << " " << b;
      ++found;
    }
    variance += spread * spread;  // as if those of a query were found and missed together
  }
  EXPECT_EQ(found, static_cast<double>(result.hits.size())) << "some hits are outside the radius";
  EXPECT_GT(inside, 1000);
  EXPECT_NEAR(found, expected, 4 * std::sqrt(variance));
  EXPECT_GE(found, 0.9 * inside);
  RecordProperty("recall", std::to_string(found / inside));
}

}  // namespace
}  // namespace nearkin::shared_data_test
