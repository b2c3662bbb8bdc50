// The promise of a plan and what a run says of its own recall, against the truth: over many collections of different structure, and over
// real texts where they are there. The truth of a run is the share of the similar pairs that this very run found; an exact join knows them
// all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::promise_test {
namespace {

using test::Random;
using Elements = std::vector<std::uint64_t>;

Elements fresh(Random& random, std::size_t count) {
  Elements elements;
  for (std::size_t i = 0; i < count; ++i) elements.push_back(random() >> 20);
  return elements;
}

// Each element is kept with probability `kept`, else replaced by a new one.
Elements varied(Random& random, const Elements& centre, double kept) {
  Elements elements = centre;
  for (std::uint64_t& element : elements) {
    if (uniform(random) >= kept) element = random() >> 20;
  }
  return elements;
}

// Two sets of n elements that share f of them have the similarity s = f/(2 − f), hence f = 2s/(1 + s). Two that are both varied from one
// centre keep √f each.
double kept_of_one(double similarity) { return 2 * similarity / (1 + similarity); }
double kept_of_both(double similarity) { return std::sqrt(kept_of_one(similarity)); }

/// A collection of sets, one a line, made of groups.
class Planted {
 public:
  Planted(std::uint64_t seed, double threshold) : random_(seed), threshold_(threshold) {}

  // Around the threshold, some below it.
  double similarity() { return std::min(0.98, threshold_ - 0.05 + 0.2 * uniform(random_)); }

  void add_pair() {
    const Elements one = fresh(random_, size());
    add(one);
    add(varied(random_, one, kept_of_one(similarity())));
  }
  void add_cluster(std::size_t members) {
    const Elements centre = fresh(random_, size());
    const double kept = kept_of_both(similarity());
    for (std::size_t i = 0; i < members; ++i) add(varied(random_, centre, kept));
  }
  // Two tight groups near one another: the pairs between them are found or missed together.
  void add_twin_clusters(std::size_t members) {
    const Elements centre = fresh(random_, size());
    const double kept = kept_of_both(similarity());
    for (int side = 0; side < 2; ++side) {
      const Elements own = varied(random_, centre, kept);
      for (std::size_t i = 0; i < members; ++i) add(varied(random_, own, kept_of_both(0.95)));
    }
  }

  // Six structures in turn, `pairs` planted pairs or a few more.
  void fill(std::size_t structure, std::size_t pairs) {
    for (std::size_t planted = 0; planted < pairs;) {
      const std::size_t kind = structure % 6 < 5 ? structure % 6 : random_.below(5);
      const std::size_t members = kind == 1 ? 5 : kind == 2 ? 20 : kind == 3 ? random_.between(3, 12) : 2;
      if (kind == 0)
        add_pair();
      else if (kind == 4)
        add_twin_clusters(3);
      else
        add_cluster(members);
      planted += kind == 4 ? 15 : members * (members - 1) / 2;
    }
  }

  const std::string& text() const { return text_; }
  std::size_t items() const { return items_; }

 private:
  std::size_t size() { return random_.between(40, 160); }
  void add(const Elements& elements) {
    for (const std::uint64_t element : elements) text_ += std::to_string(element) + ' ';
    text_ += '\n';
    ++items_;
  }

  Random random_;
  double threshold_;
  std::string text_;
  std::size_t items_ = 0;
};

// How often intervals hold the truth.
struct Coverage {
  double runs = 0, covered = 0, width = 0;
  void add(const Recall& said, double truth) {
    ++runs;
    covered += said.low - 1e-12 <= truth && truth <= said.high + 1e-12;
    width += said.high - said.low;
  }
  double share() const { return covered / runs; }
};

using RowPairs = std::set<std::pair<Row, Row>>;

// Pairs between copies (similarity 1) are found for certain, and no part of the recall.
RowPairs different_pairs(const Matches& matches) {
  RowPairs pairs;
  for (const Match& match : matches) {
    if (match.shared != match.total) pairs.insert({match.a, match.b});
  }
  return pairs;
}

/// Runs against the truth, added up.
struct Tally {
  Coverage estimated, audited;
  double found = 0, all = 0;
  std::vector<double> recalls;

  void run(const Input& input, const Plan& plan, const RowPairs& truth, std::uint64_t audit) {
    const PairsResult result = pairs(input, plan, {.threads = 1, .audit = audit});
    const RowPairs mine = different_pairs(result.matches);
    ASSERT_TRUE(std::includes(truth.begin(), truth.end(), mine.begin(), mine.end()));
    ASSERT_TRUE(result.stats.recall.has_value());
    ASSERT_TRUE(result.stats.audit.has_value());
    const double recall = static_cast<double>(mine.size()) / static_cast<double>(truth.size());
    found += static_cast<double>(mine.size());
    all += static_cast<double>(truth.size());
    recalls.push_back(recall);
    estimated.add(*result.stats.recall, recall);
    if (result.stats.audit->true_pairs > 0) audited.add(result.stats.audit->recall, recall);
  }

  // Of the mean recall of a run; runs have other seeds and, mostly, other collections, so that they are independent.
  double mean() const {
    double sum = 0;
    for (const double recall : recalls) sum += recall;
    return sum / static_cast<double>(recalls.size());
  }
  double error() const {
    double squares = 0;
    for (const double recall : recalls) squares += (recall - mean()) * (recall - mean());
    const auto n = static_cast<double>(recalls.size());
    return std::sqrt(squares / (n - 1) / n);
  }
};

Plan plan_for(double threshold, double recall, std::uint64_t seed, const ShinglePlan& shingle) {
  return tune({.threshold = threshold, .recall = recall}, {.shingle = shingle, .large_bucket = 10'000, .seed = seed});
}

const ShinglePlan kElements{.token = Token::element, .size = 1, .normalise = Normalise::none};

// With 360 collections, 95 % covered has a standard error of 1.1 %.
TEST(Promise, IsKeptAndBothIntervalsCoverTheTruthOverManyCollections) {
  constexpr std::uint64_t kCorpora = 360;
  const test::TempDir dir;
  Coverage estimated, audited;
  for (const double promised : {0.8, 0.9}) {
    Tally tally;
    for (std::uint64_t i = 0; i < kCorpora / 2; ++i) {
      const double threshold = i % 2 == 0 ? 0.5 : 0.8;
      Planted planted(1 + i + (promised > 0.85 ? kCorpora : 0), threshold);
      planted.fill(i / 2, i % 3 == 0 ? 60 : 250);
      const Input input = test::input_from(dir.write("docs.sets", planted.text()));
      const RowPairs truth = different_pairs(pairs(input, plan_for(threshold, 1, 1, kElements), {.threads = 1}).matches);
      ASSERT_FALSE(truth.empty());
      tally.run(input, plan_for(threshold, promised, 1 + i, kElements), truth, std::max<std::uint64_t>(20, planted.items() / 3));
    }
    EXPECT_GE(tally.mean(), promised - 3 * tally.error());
    for (const auto& [all, part] : {std::pair{&estimated, &tally.estimated}, {&audited, &tally.audited}}) {
      all->runs += part->runs;
      all->covered += part->covered;
      all->width += part->width;
    }
  }
  RecordProperty("estimated", std::to_string(estimated.share()));
  RecordProperty("audited", std::to_string(audited.share()));
  EXPECT_GE(estimated.share(), 0.90);
  EXPECT_LE(estimated.share(), 0.99);
  EXPECT_GE(audited.share(), 0.90);
  EXPECT_LE(audited.share(), 0.99);
  EXPECT_LT(estimated.width / estimated.runs, 0.15) << "so wide an interval says nothing";
  EXPECT_LT(audited.width / audited.runs, 0.15) << "so wide an interval says nothing";
}

// Pairs that share no item but share their difference: the same footer on one half of each, or one template for another. All are at 0.8
// exactly. 200 runs; 95 % covered has a standard error of 1.5 %.
TEST(Promise, TheIntervalKnowsPairsThatShareTheirDifference) {
  const test::TempDir dir;
  constexpr std::size_t kPairs = 100;
  constexpr std::uint64_t kRuns = 200;
  const auto words = [](const std::string& name, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += name + std::to_string(i) + ' ';
    return text;
  };
  for (const bool swapped : {false, true}) {
    std::string text;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::string own = words("own" + std::to_string(i) + "_", 80);
      text += own + (swapped ? words("old", 10) : "") + '\n' + own + words("new", swapped ? 10 : 20) + '\n';
    }
    const Input input = test::input_from(dir.write("docs.sets", text));
    Coverage all;
    for (const double promised : {0.8, 0.95, 0.99}) {
      Coverage coverage;
      double found = 0;
      for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        const PairsResult result = pairs(input, plan_for(0.8, promised, seed, kElements), {.threads = 1});
        if (!result.stats.recall) continue;  // nothing was found
        coverage.add(*result.stats.recall, static_cast<double>(result.matches.size()) / kPairs);
        found += static_cast<double>(result.matches.size()) / kPairs / kRuns;
      }
      EXPECT_GE(found, promised - 0.02);
      EXPECT_GE(coverage.share(), 0.90) << swapped << ' ' << promised;
      all.runs += coverage.runs;
      all.covered += coverage.covered;
    }
    RecordProperty(swapped ? "swapped" : "footer", std::to_string(all.share()));
    EXPECT_LE(all.share(), 0.99) << swapped << ": so wide an interval says too little";
  }
}

// The same audit by hand: items drawn here, counted from the truth and the pairs found.
TEST(Promise, AnAuditCountsWhatTheTruthAndThePairsFoundSay) {
  const test::TempDir dir;
  Planted planted(7, 0.5);
  for (std::size_t structure = 0; structure < 6; ++structure) planted.fill(structure, 100);
  const Input input = test::input_from(dir.write("docs.sets", planted.text()));
  const RowPairs truth = different_pairs(pairs(input, plan_for(0.5, 1, 1, kElements), {.threads = 1}).matches);
  const PairsResult result = pairs(input, plan_for(0.5, 0.8, 3, kElements), {.threads = 1, .audit = planted.items()});
  const RowPairs found = different_pairs(result.matches);
  ASSERT_TRUE(result.stats.audit.has_value());
  EXPECT_EQ(result.stats.audit->true_pairs, 2 * truth.size()) << "every pair is met from both of its items";
  EXPECT_EQ(result.stats.audit->found, 2 * found.size());
  EXPECT_EQ(result.stats.audit->recall.low, result.stats.audit->recall.high) << "all items were asked";

  std::vector<AuditedItem> items(planted.items());
  for (const auto& [a, b] : truth) ++items[a].true_pairs, ++items[b].true_pairs;
  for (const auto& [a, b] : found) ++items[a].found, ++items[b].found;
  const double recall = static_cast<double>(found.size()) / static_cast<double>(truth.size());
  Coverage coverage;
  Random random(17);
  const std::size_t drawn = items.size() / 3;
  for (int draw = 0; draw < 200; ++draw) {
    for (std::size_t i = 0; i < drawn; ++i) std::swap(items[i], items[i + random.below(items.size() - i)]);
    coverage.add(audited_recall({items.data(), drawn}, items.size(), random()), recall);
  }
  EXPECT_GE(coverage.share(), 0.90);
  EXPECT_LE(coverage.share(), 0.995);
}

/// Texts of `../shared/data`, one a line, where they are there.
class RealTexts : public testing::Test {
 protected:
  static std::string source(const std::string& name) { return NEARKIN_SOURCE_DIR "/../shared/data/" + name; }

  bool has(const std::string& name) {
    if (!std::filesystem::exists(source(name))) missing_ = source(name) + " is not there";
    if (name.ends_with(".xz") && std::system("command -v xz > /dev/null") != 0) missing_ = "xz, which unpacks " + name + ", is not there";
    return missing_.empty();
  }

  // The last field of each line; "\n" and the like in it are white space.
  Input texts(const std::string& name) const {
    const std::string command = (name.ends_with(".xz") ? "xz -dc '" : "cat '") + source(name) + "'";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::string all, out;
    std::array<char, 1 << 16> block;
    while (const std::size_t length = std::fread(block.data(), 1, block.size(), pipe)) all.append(block.data(), length);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    for (const std::string& line : test::lines_of(all)) {
      std::string text = line.substr(line.rfind('\t') + 1);
      for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) text.replace(at, 2, " ");
      out += text + '\n';
    }
    Input input = test::input_from(dir_.write("texts.txt", out));
    input.format = Format::lines;
    return input;
  }

  // Every seed is another run over the same texts. A calibrated interval covers 95 % of them, and with `seeds` · 4 runs hardly ever less
  // than 95 % less three standard errors.
  void expect_promise(const std::string& name, std::uint64_t seeds, std::uint64_t audit) {
    const Input input = texts(name);
    const ShinglePlan words{.token = Token::word, .size = 3};
    Coverage estimated, audited;
    for (const double threshold : {0.5, 0.8}) {
      const RowPairs truth = different_pairs(pairs(input, plan_for(threshold, 1, 1, words), {.threads = 1}).matches);
      for (const double promised : {0.8, 0.95}) {
        Tally tally;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) tally.run(input, plan_for(threshold, promised, seed, words), truth, audit);
        EXPECT_GE(tally.mean(), promised - 3 * tally.error()) << threshold;
        estimated.runs += tally.estimated.runs, estimated.covered += tally.estimated.covered;
        audited.runs += tally.audited.runs, audited.covered += tally.audited.covered;
      }
    }
    RecordProperty("estimated", std::to_string(estimated.share()));
    RecordProperty("audited", std::to_string(audited.share()));
    for (const Coverage& coverage : {estimated, audited}) EXPECT_GE(coverage.share(), 0.95 - 3 * std::sqrt(0.95 * 0.05 / coverage.runs));
  }

  std::string missing_;
  test::TempDir dir_;
};

TEST_F(RealTexts, OfNewsKeepThePromise) {
  if (!has("bbc-news/bbc_news.tsv")) GTEST_SKIP() << missing_;
  expect_promise("bbc-news/bbc_news.tsv", 5, 500);
}

TEST_F(RealTexts, OfAWireServiceKeepThePromise) {
  if (!has("reuters21578/reuters21578.tsv.xz")) GTEST_SKIP() << missing_;
  expect_promise("reuters21578/reuters21578.tsv.xz", 5, 1000);
}

}  // namespace
}  // namespace nearkin::promise_test
