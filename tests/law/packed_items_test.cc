// Packed items give the answer that the same items in JSON lines give, and are written as they came.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nearkin/error.h>
#include <nearkin/nearkin.h>

#include "law/corpus.h"
#include "support/packed_record.h"
#include "support/temp_dir.h"

namespace nearkin {
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

TEST(PackedItems, AreNotWrittenUnderTheNameOfAnotherFormat) {
  const TempDir dir;
  const Input input{.paths = {dir.write("a.packed", test::packed("a", "one text"))}};
  for (const char* const name : {"kept.jsonl", "kept.ndjson.gz", "kept.tsv", "kept.csv"}) {
    EXPECT_THROW(dedup(input, dir.path(name), tune({})), Error) << name;
  }
}

}  // namespace
}  // namespace nearkin
