// Items in memory give the answer that the same items in files give.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::memory_items_test {
namespace {

using test::Random;
using test::TempDir;

// Texts with many near-duplicates and copies, EMPTY ones, and a large bucket.
std::vector<std::string> texts_of(std::uint64_t seed, int blocks = 40) {
  Random random(seed);
  std::vector<std::string> out;
  for (int block = 0; block < blocks; ++block) {
    for (std::string& text : test::random_texts(random, {.unicode = block % 3 == 0, .longest = 120})) out.push_back(std::move(text));
    out.push_back("");
    out.push_back("of many that differ in one word this is number " + std::to_string(block));
    out.push_back(out[random.below(out.size())]);
  }
  return out;
}

std::string records(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) out += test::json_record(std::to_string(i), texts[i]);
  return out;
}

Input in_memory(const std::vector<std::string>& texts, std::optional<Format> format = {}) {
  auto items = std::make_shared<MemoryItems>();
  for (const std::string& text : texts) items->texts.push_back(text);
  Input input;
  input.format = format;
  input.memory = std::move(items);
  return input;
}

Input in_memory(Vectors vectors) {
  auto items = std::make_shared<MemoryItems>();
  items->vectors = std::make_shared<const Vectors>(std::move(vectors));
  Input input;
  input.memory = std::move(items);
  return input;
}

Input in_file(const std::string& path, std::optional<Format> format = {}) {
  Input input;
  input.paths = {path};
  input.format = format;
  return input;
}

void expect_same_answer(const Input& memory, const Input& file, const Plan& plan) {
  const PairsResult a = pairs(memory, plan), b = pairs(file, plan);
  EXPECT_EQ(a.matches, b.matches);
  EXPECT_FALSE(a.matches.empty());
  EXPECT_EQ(a.stats.items, b.stats.items);
  EXPECT_EQ(a.stats.candidates, b.stats.candidates);
  for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
    const ClusterResult x = cluster(memory, plan, {.linkage = linkage}), y = cluster(file, plan, {.linkage = linkage});
    EXPECT_EQ(x.clusters.cluster, y.clusters.cluster);
    EXPECT_EQ(x.clusters.keeper, y.clusters.keeper);
    EXPECT_EQ(x.to_keeper, y.to_keeper);
    const DedupRows rows = dedup_rows(memory, plan, {.linkage = linkage});
    EXPECT_EQ(rows.cluster, y.clusters.cluster);
    EXPECT_EQ(rows.to_keeper, y.to_keeper);
    for (Row row = 0; row < rows.keeper.size(); ++row) EXPECT_EQ(rows.keeper[row], y.clusters.keeper[y.clusters.cluster[row]]);
  }
}

TEST(MemoryItems, OfTextsAnswerAsTheirFileDoes) {
  const TempDir dir;
  const std::vector<std::string> texts = texts_of(1, 15);
  const Input file = in_file(dir.write("a.jsonl", records(texts)));
  for (const char* const shingle : {"word:2", "char:4"}) {
    for (const double recall : {0.95, 1.0}) {
      SCOPED_TRACE(std::string(shingle) + " " + std::to_string(recall));
      expect_same_answer(in_memory(texts), file,
                         tune({.threshold = 0.6, .recall = recall}, {.shingle = parse_shingle(shingle), .large_bucket = 8}));
    }
  }
  expect_same_answer(in_memory(texts), file, tune({.measure = Measure::exact}));
  expect_same_answer(in_memory(texts), file, tune({.measure = Measure::weighted_jaccard, .threshold = 0.6}));
  expect_same_answer(in_memory(texts), file, tune({.measure = Measure::containment, .threshold = 0.7}));
  expect_same_answer(in_memory(texts), file, tune({.measure = Measure::cosine, .threshold = 0.7}, {.kind = Kind::tfidf}));
}

TEST(MemoryItems, AreManyChunksAndAnswerTheSameWithAnyNumberOfThreads) {
  const std::vector<std::string> texts = texts_of(2, 500);
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  ASSERT_GT(bytes, std::size_t{3} << 20);  // a chunk has one megabyte
  const Plan plan = tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2")});
  EXPECT_EQ(pairs(in_memory(texts), plan, {.threads = 1}).matches, pairs(in_memory(texts), plan, {.threads = 4}).matches);
}

TEST(MemoryItems, OfSetsAnswerAsTheirFileDoes) {
  const TempDir dir;
  Random random(3);
  std::vector<std::string> sets;
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    std::string set;
    for (std::size_t k = 0; k < 12; ++k) set += std::to_string(random.below(14)) + " ";
    sets.push_back(set);
    lines += set + "\n";
  }
  const Plan plan = tune({.threshold = 0.7}, {.shingle = parse_shingle("element:1")});
  expect_same_answer(in_memory(sets, Format::sets), in_file(dir.write("a.txt", lines), Format::sets), plan);
  EXPECT_TRUE(reads_sets(in_memory(sets, Format::sets)));
  EXPECT_FALSE(reads_sets(in_memory(sets)));
}

TEST(MemoryItems, OfVectorsAnswerAsTheirFilesDo) {
  const TempDir dir;
  Random random(4);
  std::string dense, sparse, bits;
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 6; ++k) {
      const auto number = static_cast<double>(random.below(4)) / 2;
      dense += (k == 0 ? "" : ",") + std::to_string(number);
      if (number > 0) sparse += (k == 0 ? "" : " ") + std::to_string(k + 1) + ":" + std::to_string(number);
      bits += random.chance(50) ? "1" : "0";
    }
    dense += "\n";
    sparse += " 9:1\n";
    bits += "\n";
  }
  const struct {
    std::string path;
    Format format;
    Plan plan;
  } cases[] = {
      {dir.write("a.csv", dense), Format::dense,
       tune({.measure = Measure::euclidean, .radius = 0.8}, {.kind = Kind::numbers, .dimensions = 6})},
      {dir.write("b.txt", sparse), Format::sparse, tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers})},
      {dir.write("c.txt", bits), Format::bits, tune({.measure = Measure::hamming, .radius = 1}, {.kind = Kind::bits, .dimensions = 6})},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.path);
    Input file = in_file(one.path, one.format);
    file.header = false;
    expect_same_answer(in_memory(read_vectors(file).vectors), file, one.plan);
  }
}

TEST(MemoryItems, AreRemovedForWhatIsAlreadyElsewhere) {
  const TempDir dir;
  const std::vector<std::string> texts = texts_of(5), known = texts_of(6);
  std::vector<std::string> mixed = known;
  mixed.insert(mixed.end(), texts.begin(), texts.begin() + 30);
  const Plan plan = tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2")});
  DedupOptions options;
  options.against = in_memory(mixed);
  const DedupRows rows = dedup_rows(in_memory(texts), plan, options);
  DedupOptions of_files;
  of_files.against = in_file(dir.write("b.jsonl", records(mixed)));
  of_files.removed = dir.path("removed.tsv");
  const DedupResult result = dedup(in_file(dir.write("a.jsonl", records(texts))), dir.path("kept.jsonl"), plan, of_files);
  EXPECT_EQ(rows.kept, result.kept);
  std::string removed;
  for (Row row = 0; row < rows.keeper.size(); ++row) {
    if (rows.keeper[row] == row) continue;
    removed +=
        std::to_string(row) + "\t" + std::to_string(rows.keeper[row] - texts.size()) + "\t" + similarity_text(rows.to_keeper[row]) + "\n";
  }
  EXPECT_GT(result.removed, 20u);
  EXPECT_EQ(removed, dir.read("removed.tsv"));
}

TEST(MemoryItems, AreKeptByTheirNumbers) {
  const std::vector<std::string> texts(3, "one text that is there three times");
  Input input = in_memory(texts);
  auto items = std::make_shared<MemoryItems>(*input.memory);
  items->numbers = {1, 7, std::nan("")};
  input.memory = items;
  const DedupRows rows = dedup_rows(input, tune({}), {.keep = parse_keep("max:numbers")});
  EXPECT_EQ(rows.keeper, (std::vector<Row>{1, 1, 1}));
}

TEST(MemoryItems, CanAllBeRead) {
  const Items items = read_items(in_memory({"a", "b c"}));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items.id(1), "1");
  EXPECT_EQ(items.text(1), "b c");
}

TEST(MemoryItems, SayWhichRowIsAtFault) {
  const auto message = [](const Input& input, const Plan& plan) -> std::string {
    try {
      pairs(input, plan);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(in_memory({"good", "b\xff"}), tune({})), "items:1: invalid UTF-8 at byte 2 of the record");
  Vectors vectors{.dimensions = 2, .count = 2, .numbers = {1, 2, 3, std::numeric_limits<float>::infinity()}};
  const Plan plan = tune({.measure = Measure::cosine, .threshold = 0.9}, {.kind = Kind::numbers});
  EXPECT_EQ(message(in_memory(vectors), plan), "items:1: number 2 is infinite");
  Vectors sparse{.kind = Vectors::Kind::sparse, .count = 1, .indices = {4, 2}, .values = {1, 1}, .ends = {2}};
  EXPECT_EQ(message(in_memory(sparse), plan), "items:0: index 2 follows index 4; sort them, each once");
}

TEST(MemoryItems, AreRefusedWhereRecordsAreWritten) {
  const TempDir dir;
  const Input input = in_memory({"a", "b"});
  EXPECT_THROW(dedup(input, dir.path("kept"), tune({})), Error);
  Index index = Index::create(dir.path("index"), tune({}));
  EXPECT_THROW(dedup_with_index(index, input, dir.path("kept")), Error);
  EXPECT_THROW(write_sketches(input, dir.path("a.sketch"), tune({})), Error);
  EXPECT_THROW(pairs(in_memory({"a"}, Format::csv), tune({})), Error);
}

TEST(MemoryItems, AreSampledAllOverAndTheSameEachTime) {
  std::vector<std::string> texts = texts_of(7, 400);
  const Plan plan = tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2")});
  const std::optional<DataSample> once = sample_sets(in_memory(texts), plan, 1), again = sample_sets(in_memory(texts), plan, 1);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->items, texts.size());
  EXPECT_EQ(once->shingles, again->shingles);
  EXPECT_LT(once->against, texts.size());
  // The last part holds long texts only: a sample of the first records would not know them.
  for (std::size_t i = texts.size() / 2; i < texts.size(); ++i) texts[i] += texts[i / 2] + texts[i / 3] + texts[i / 4];
  EXPECT_GT(sample_sets(in_memory(texts), plan, 1)->text_bytes, 1.2 * once->text_bytes);
}

TEST(Describe, IsWhatTheEngineSearchesBy) {
  const std::vector<std::string> texts = texts_of(8);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Plan plan = tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2")});
  const Descriptions described = describe(views, plan);
  const Features features = shingle(views, plan.shingle);
  const Sketches sketches = sketch(features, plan.sketch);
  for (Row row = 0; row < texts.size(); ++row) {
    ASSERT_EQ(described.empty[row], sketches.empty[row]);
    if (sketches.empty[row] != 0) continue;
    const std::vector<std::uint32_t> keys = band_keys(sketches[row], plan.band);
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), described.keys.begin() + row * plan.band.bands));
    const std::vector<std::uint8_t> bytes = signature(sketches[row]);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), described.signatures.begin() + row * plan.sketch.hashes));
  }
  for (Row row = 1; row < texts.size(); ++row) {
    const bool same = described.contents[row] == described.contents[row - 1];
    EXPECT_TRUE(same || texts[row] != texts[row - 1]);
  }
  EXPECT_GT(least_equal_bytes(plan), plan.sketch.hashes / 3);
  EXPECT_EQ(least_equal_bytes(tune({.recall = 1})), 0u);
  EXPECT_THROW(describe(views, tune({.recall = 1})), Error);
  EXPECT_EQ(describe(views, tune({.measure = Measure::exact})).contents.size(), texts.size());
  const std::vector<std::string_view> alike{"one two one two three", "one two three one two", "one two"};
  const Descriptions contained = describe(alike, tune({.measure = Measure::containment}, {.shingle = parse_shingle("word:1")}));
  EXPECT_EQ(contained.contents[0], contained.contents[1]);
  EXPECT_NE(contained.contents[0], contained.contents[2]);
  EXPECT_TRUE(contained.keys.empty());
}

TEST(Stoppable, EndsARunThatIsUnderWay) {
  const std::vector<std::string> texts = texts_of(9, 400);
  std::atomic<bool> stop = false;
  RunOptions options{.threads = 2};
  options.progress = [&](const char*, std::uint64_t, std::uint64_t) { stop = true; };
  try {
    stoppable(stop, [&] { pairs(in_memory(texts), tune({}), options); });
    FAIL() << "it ran to its end";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::stopped);
  }
  EXPECT_NO_THROW(pairs(in_memory({"a", "b"}), tune({})));  // the flag counts for that work alone
}

}  // namespace
}  // namespace nearkin::memory_items_test
