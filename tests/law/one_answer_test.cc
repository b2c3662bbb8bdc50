// One answer: the same bytes whatever the number of threads, the way in, or the kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "io/io_support.h"
#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::one_answer_test {
namespace {

using test::Random;

// Records enough for several chunks, with many near-duplicates, a large bucket, faults and EMPTY items.
std::string mixed_records(std::uint64_t seed) {
  Random random(seed);
  std::string out;
  std::size_t id = 0;
  for (int block = 0; block < 150; ++block) {
    for (const std::string& text : test::random_texts(random, {.unicode = block % 3 == 0, .longest = 120})) {
      out += test::json_record(std::to_string(id++), text);
    }
    out += "{\"id\":\"" + std::to_string(id++) + "\"}\n";
    out += test::json_record("same " + std::to_string(block), "of many that differ in one word this is number " + std::to_string(block));
  }
  return out;
}

Plan quick_plan() { return tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2")}); }

// Everything that the three runs write, in one string.
std::string all_outputs(const Input& input, const Plan& plan, unsigned threads) {
  const test::TempDir dir;
  const RunOptions run{.threads = threads};
  list_pairs(input, plan, {.path = dir.path("pairs.tsv")}, run);
  list_clusters(input, plan, {.path = dir.path("clusters.json"), .style = RowStyle::json, .summary = dir.path("summary.tsv")}, {}, run);
  dedup(input, dir.path("kept.jsonl"), plan, {.removed = dir.path("removed.tsv"), .skipped = dir.path("skipped.jsonl")}, run);
  std::string all;
  for (const char* name : {"pairs.tsv", "clusters.json", "summary.tsv", "kept.jsonl", "removed.tsv", "skipped.jsonl"}) {
    const std::string bytes = dir.read(name);
    EXPECT_FALSE(bytes.empty()) << name;
    all += bytes;
  }
  return all;
}

TEST(OneAnswer, DoesNotDependOnTheNumberOfThreads) {
  const test::TempDir dir;
  const Input input = test::input_from(dir.write("docs.jsonl", mixed_records(1)));
  const std::string one = all_outputs(input, quick_plan(), 1);
  for (const unsigned threads : {2u, 3u, 8u}) EXPECT_TRUE(all_outputs(input, quick_plan(), threads) == one) << threads << " threads";
}

TEST(OneAnswer, OfTheExactJoinDoesNotDependOnTheNumberOfThreads) {
  const test::TempDir dir;
  const Input input = test::input_from(dir.write("docs.jsonl", mixed_records(2)));
  const Plan plan = tune({.threshold = 0.7, .recall = 1}, {.shingle = parse_shingle("word:3")});
  const std::string one = all_outputs(input, plan, 1);
  for (const unsigned threads : {2u, 3u, 8u}) EXPECT_TRUE(all_outputs(input, plan, threads) == one) << threads << " threads";
}

TEST(OneAnswer, DoesNotDependOnHowTheBytesCome) {
  const test::TempDir dir;
  const std::string records = mixed_records(3);
  const std::string plain = dir.write("docs.jsonl", records);
  const std::string expected = all_outputs(test::input_from(plain), quick_plan(), 2);
  EXPECT_TRUE(all_outputs(test::input_from(dir.write("docs.jsonl.gz", test::gzip(records))), quick_plan(), 2) == expected) << "gzip";
  EXPECT_TRUE(all_outputs(test::input_from(dir.write("docs.jsonl.zst", test::zstd(records))), quick_plan(), 2) == expected) << "zstd";
  Input listed;
  listed.files_from = dir.write("list", plain + "\n");
  EXPECT_TRUE(all_outputs(listed, quick_plan(), 2) == expected) << "files-from";
  const std::size_t middle = records.find('\n', records.size() / 2) + 1;
  Input halves;
  halves.paths = {dir.write("1.jsonl", records.substr(0, middle)), dir.write("2.jsonl", records.substr(middle))};
  EXPECT_TRUE(all_outputs(halves, quick_plan(), 2) == expected) << "two files";
}

TEST(OneAnswer, DoesNotDependOnWhetherStandardInputIsRead) {
  const test::TempDir dir;
  const std::string file = dir.write("docs.jsonl", mixed_records(4));
  dedup(test::input_from(file), dir.path("from-file"), quick_plan());
  const test::StandardInput standard_input(file);
  dedup(test::input_from("-"), dir.path("from-stdin"), quick_plan());
  EXPECT_FALSE(dir.read("from-file").empty());
  EXPECT_TRUE(dir.read("from-file") == dir.read("from-stdin"));
}

using IdPairs = std::set<std::pair<std::string, std::string>>;

IdPairs id_pairs(const PairsResult& result) {
  IdPairs pairs;
  for (const Match& match : result.matches) {
    const std::string a(result.ids[match.a]), b(result.ids[match.b]);
    pairs.emplace(std::min(a, b), std::max(a, b));
  }
  return pairs;
}

// The order of the records decides which member of a pair comes first, and which member of a large bucket the others are compared with.
// Where no bucket is large the pairs are the same.
TEST(OneAnswer, HasTheSamePairsInAnyOrderOfTheRecords) {
  const test::TempDir dir;
  Random random(5);
  std::vector<std::string> lines;
  for (std::size_t id = 0; id < 400;) {
    for (const std::string& text : test::random_texts(random)) lines.push_back(test::json_record(std::to_string(id++), text));
  }
  const auto found = [&] {
    std::string records;
    for (const std::string& line : lines) records += line;
    const Plan plan = tune({.threshold = 0.6}, {.shingle = parse_shingle("word:3"), .large_bucket = 100'000});
    return id_pairs(pairs(test::input_from(dir.write("docs.jsonl", records)), plan));
  };
  const IdPairs expected = found();
  EXPECT_GT(expected.size(), 100u);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
    EXPECT_EQ(found(), expected);
  }
}

// Runs the command line tool.
class Processes : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("NEARKIN_BINARY");
    if (path == nullptr) GTEST_SKIP() << "NEARKIN_BINARY does not name the command line tool; ctest sets it";
    binary_ = path;
  }
  std::string output(const std::string& environment, const std::string& arguments) {
    const std::string file = dir_.path("output");
    const std::string command = environment + " '" + binary_ + "' " + arguments + " --quiet > '" + file + "' 2> /dev/null";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << command;
    return dir_.read("output");
  }
  test::TempDir dir_;

 private:
  std::string binary_;
};

TEST_F(Processes, GiveTheSameBytesWithScalarKernels) {
  const std::string file = dir_.write("docs.jsonl", mixed_records(6));
  for (const std::string command : {"pairs", "cluster", "dedup"}) {
    const std::string arguments = command + " '" + file + "' --threshold 0.6 --shingle word:2";
    const std::string fast = output("", arguments);
    EXPECT_FALSE(fast.empty());
    EXPECT_TRUE(output("NEARKIN_KERNEL=scalar", arguments) == fast) << command;
  }
}

TEST_F(Processes, GiveTheSameBytesOneAfterTheOther) {
  const std::string arguments = "pairs '" + dir_.write("docs.jsonl", mixed_records(7)) + "' --threshold 0.6 --shingle word:2";
  const std::string once = output("", arguments);
  EXPECT_FALSE(once.empty());
  EXPECT_TRUE(output("", arguments + " --threads 3") == once);
}

}  // namespace
}  // namespace nearkin::one_answer_test
