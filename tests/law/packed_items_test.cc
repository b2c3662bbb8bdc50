// Packed items give the answer that the same items in JSON lines give, and are written as they came.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/packed_record.h"
#include "support/temp_dir.h"

namespace nearkin::packed_items_test {
namespace {

using test::Random;
using test::TempDir;

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PackedItems, HaveTheAnswerOfJsonLines) {
  Random random(5);
  std::vector<std::string> texts;
  for (int block = 0; block < 60; ++block) {
    for (std::string& text : test::random_texts(random, {.unicode = block % 2 == 0, .longest = 120})) texts.push_back(std::move(text));
  }
  std::string lines, records;
  std::vector<std::string> packed;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lines += test::json_record(std::to_string(i), texts[i]);
    records += packed.emplace_back(test::packed(std::to_string(i), texts[i], i));
  }
  const TempDir dir;
  const Input as_lines{.paths = {dir.write("a.jsonl", lines)}}, as_packed{.paths = {dir.write("a.packed", records)}};
  for (const double recall : {0.95, 1.0}) {
    const Plan plan = tune({.threshold = 0.6, .recall = recall}, {.shingle = parse_shingle("word:2")});
    list_pairs(as_lines, plan, {.path = dir.path("lines.tsv")});
    list_pairs(as_packed, plan, {.path = dir.path("packed.tsv")});
    EXPECT_EQ(file_text(dir.path("packed.tsv")), file_text(dir.path("lines.tsv")));
    EXPECT_GT(file_text(dir.path("packed.tsv")).size(), 1000u);
    const DedupResult of_lines = dedup(as_lines, dir.path("kept.jsonl"), plan, {.removed = dir.path("lines.removed")});
    const DedupResult of_packed = dedup(as_packed, dir.path("kept.packed"), plan, {.removed = dir.path("packed.removed")});
    EXPECT_GT(of_packed.removed, 0u);
    EXPECT_EQ(of_packed.removed, of_lines.removed);
    EXPECT_EQ(file_text(dir.path("packed.removed")), file_text(dir.path("lines.removed")));
    std::string kept;
    const Items stay = read_items({.paths = {dir.path("kept.jsonl")}});
    for (Row row = 0; row < stay.size(); ++row) kept += packed[std::stoul(std::string(stay.id(row)))];
    EXPECT_EQ(file_text(dir.path("kept.packed")), kept);
  }
}

/// Records of different texts, every second one of them a copy of the one before, and one at fault; `kept` is what dedup keeps.
struct PackedCopies {
  std::string all, kept, bad = test::packed("bad", std::nullopt);
  PackedCopies() {
    for (int i = 0; i < 40; ++i) {
      const std::string number = std::to_string(i / 2), text = "text number " + number + " of words of its own " + number + number;
      const std::string record = test::packed("id" + std::to_string(i), text, static_cast<std::uint64_t>(i));
      all += record;
      if (i % 2 == 0) kept += record;
      if (i == 20) all += bad;
    }
  }
};

TEST(PackedItems, AreWrittenAsTheyCameByABloomFilter) {
  const TempDir dir;
  const PackedCopies copies;
  const Input input{.paths = {dir.write("a.packed", copies.all)}};
  const DedupResult result =
      dedup(input, dir.path("kept.packed"), tune({.measure = Measure::exact}), {.keep_faults = false, .bloom = 1e-9});
  EXPECT_EQ(result.kept, 20u);
  EXPECT_EQ(file_text(dir.path("kept.packed")), copies.kept);
}

TEST(PackedItems, AreWrittenAsTheyCameByAnIndex) {
  const TempDir dir;
  const PackedCopies copies;
  const Input input{.paths = {dir.write("a.packed", copies.all)}};
  Index index = Index::create(dir.path("index"), tune({.threshold = 1}, {.shingle = parse_shingle("word:2")}));
  const DedupResult result =
      dedup_with_index(index, input, dir.path("kept.packed"), {.keep_faults = false, .skipped = dir.path("skipped.packed")});
  EXPECT_EQ(result.kept, 20u);
  EXPECT_EQ(file_text(dir.path("kept.packed")), copies.kept);
  EXPECT_EQ(file_text(dir.path("skipped.packed")), copies.bad);
}

TEST(PackedItems, OfFilesWithDifferentNamesGoIntoOneOutput) {
  const TempDir dir;
  const std::string first = test::packed("a", "one text"), second = test::packed("b", "another one");
  const Input input{.paths = {dir.write("a.packed", first), dir.write("b.bin", second)}, .format = Format::packed};
  dedup(input, dir.path("kept.packed"), tune({.measure = Measure::exact}));
  EXPECT_EQ(file_text(dir.path("kept.packed")), first + second);
}

TEST(PackedItems, AreNotWrittenUnderTheNameOfAnotherFormat) {
  const TempDir dir;
  const Input input{.paths = {dir.write("a.packed", test::packed("a", "one text"))}};
  Index index = Index::create(dir.path("index"), tune({}));
  for (const char* const name : {"kept.jsonl", "kept.ndjson.gz", "kept.tsv", "kept.csv"}) {
    EXPECT_THROW(dedup(input, dir.path(name), tune({})), Error) << name;
    EXPECT_THROW(dedup(input, dir.path(name), tune({.measure = Measure::exact}), {.bloom = 0.01}), Error) << name;
    EXPECT_THROW(dedup_with_index(index, input, dir.path(name), {}), Error) << name;
  }
}

}  // namespace
}  // namespace nearkin::packed_items_test
