// Whole inputs into, out of and against an index.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/nearkin.h>

#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin {
namespace {

using test::some_text;
using test::TempDir;

Plan small_plan() { return parse_plan("jaccard>=0.5 recall=0.95 shingle=word:2 sketch=minhash:128 bands=30x3 seed=1"); }

std::string documents(int count, std::uint64_t seed, const std::string& prefix = "d") {
  SplitMix random(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += "{\"id\":\"" + prefix + std::to_string(i) + "\",\"lang\":\"" + (i % 3 == 0 ? "en" : "de") + "\",\"text\":\"" + some_text(random) + "\"}\n";
  }
  return lines;
}

Input input_of(const std::string& path) {
  Input input;
  input.paths = {path};
  return input;
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(IndexRuns, AnIndexMadeAtOnceIsTheSameAsOneFilledItemByItem) {
  const TempDir dir;
  const Input input = input_of(dir.write("a.jsonl", documents(3000, 1)));
  EXPECT_EQ(create_index(dir.path("bulk"), input, small_plan(), {.texts = true}).put.added, 3000u);
  Index slow = Index::create(dir.path("slow"), small_plan(), {.texts = true});
  const Items items = read_items(input);
  std::vector<IndexItem> batch;
  for (Row i = 0; i < items.size(); ++i) batch.push_back({items.id(i), items.text(i)});
  for (std::size_t begin = 0; begin < batch.size(); begin += 500) slow.put(std::span(batch).subspan(begin, 500));
  const Index bulk = Index::open(dir.path("bulk"));
  EXPECT_EQ(bulk.verify().problem_count, 0u);
  EXPECT_EQ(bulk.ids(), slow.ids());
  const Input queries = input_of(dir.write("q.jsonl", documents(200, 2, "q")));
  const HitsListed listed = query_index(bulk, queries, dir.path("bulk.tsv"), RowStyle::tsv);
  query_index(slow, queries, dir.path("slow.tsv"), RowStyle::tsv, {}, {.threads = 1});
  EXPECT_GT(listed.hits, 1000u);
  EXPECT_EQ(file_text(dir.path("bulk.tsv")), file_text(dir.path("slow.tsv")));
}

// One answer: what the index finds is what a query over the files finds.
TEST(IndexRuns, AnIndexAnswersAsAQueryOverTheFilesDoes) {
  const TempDir dir;
  const Input input = input_of(dir.write("a.jsonl", documents(2000, 1))), queries = input_of(dir.write("q.jsonl", documents(300, 2, "q")));
  create_index(dir.path("i"), input, small_plan());
  for (const RowStyle style : {RowStyle::tsv, RowStyle::json}) {
    query_index(Index::open(dir.path("i")), queries, dir.path("index.out"), style, {.limit = 5});
    write_hits(query(input, queries, small_plan(), {.limit = 5}), dir.path("files.out"), style);
    EXPECT_EQ(file_text(dir.path("index.out")), file_text(dir.path("files.out")));
  }
}

TEST(IndexRuns, AddingReplacesById) {
  const TempDir dir;
  create_index(dir.path("i"), input_of(dir.write("a.jsonl", documents(100, 1))), small_plan());
  Index index = Index::open(dir.path("i"));
  const IndexAdded added = add_to_index(index, input_of(dir.write("b.jsonl", documents(150, 2))));
  EXPECT_EQ(added.put.added, 50u);
  EXPECT_EQ(added.put.replaced, 100u);
  EXPECT_EQ(index.info().items, 150u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexRuns, IdsThatComeTwiceInABulkCountOnce) {
  const TempDir dir;
  const IndexAdded added = create_index(dir.path("i"), input_of(dir.write("a.jsonl", documents(4000, 1) + documents(10, 2))), small_plan());
  EXPECT_EQ(added.put.added, 4000u);
  EXPECT_EQ(added.put.replaced, 10u);
  EXPECT_EQ(Index::open(dir.path("i")).verify().problem_count, 0u);
}

TEST(IndexRuns, ItemsAreRemovedByTheirRecordsOrByLines) {
  const TempDir dir;
  create_index(dir.path("i"), input_of(dir.write("a.jsonl", documents(100, 1))), small_plan());
  Index index = Index::open(dir.path("i"));
  EXPECT_EQ(remove_from_index(index, input_of(dir.write("b.jsonl", documents(10, 1)))).removed, 10u);
  const IndexRemoved by_line = remove_from_index(index, input_of(dir.write("ids.txt", "d20\nd21\nnone\n")));
  EXPECT_EQ(by_line.removed, 2u);
  EXPECT_EQ(by_line.absent, 1u);
  EXPECT_EQ(index.info().items, 88u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexRuns, MetadataOfRecordsIsKept) {
  const TempDir dir;
  Input input = input_of(dir.write("a.jsonl", documents(30, 1)));
  input.metadata = {"lang"};
  create_index(dir.path("i"), input, small_plan());
  EXPECT_EQ(Index::open(dir.path("i")).get("d3")->metadata, "{\"lang\":\"en\"}");
}

TEST(IndexRuns, WhatTheIndexHasNotSeenIsKeptAndSeenFromThenOn) {
  const TempDir dir;
  const std::string first = documents(300, 1), second = documents(300, 2, "e");
  { const Index made = Index::create(dir.path("i"), small_plan()); }
  Index index = Index::open(dir.path("i"));
  const DedupResult one = dedup_with_index(index, input_of(dir.write("a.jsonl", first)), dir.path("one"), {.removed = dir.path("removed")});
  EXPECT_GT(one.removed, 0u);
  EXPECT_GT(one.kept, 0u);
  EXPECT_EQ(one.kept + one.removed, 300u);
  EXPECT_EQ(index.info().items, one.kept);
  const DedupResult again = dedup_with_index(index, input_of(dir.path("a.jsonl")), dir.path("again"));
  EXPECT_EQ(again.kept, 0u);
  EXPECT_EQ(file_text(dir.path("again")), "");
  // Records in one file or in two, one after the other: the same are kept.
  const DedupResult two = dedup_with_index(index, input_of(dir.write("b.jsonl", second)), dir.path("two"));
  { const Index made = Index::create(dir.path("j"), small_plan()); }
  Index whole = Index::open(dir.path("j"));
  const DedupResult both = dedup_with_index(whole, input_of(dir.write("c.jsonl", first + second)), dir.path("both"), {}, {.threads = 1});
  EXPECT_EQ(file_text(dir.path("both")), file_text(dir.path("one")) + file_text(dir.path("two")));
  EXPECT_EQ(both.kept, one.kept + two.kept);
  EXPECT_EQ(whole.verify().problem_count, 0u);
}

TEST(IndexRuns, AnIdInUseIsNotTakenFromTheItemThatHasIt) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  index.put("d0", "an old text with its own words");
  dedup_with_index(index, input_of(dir.write("a.jsonl", "{\"id\":\"d0\",\"text\":\"something new and entirely different\"}\n")), dir.path("kept"));
  EXPECT_EQ(index.info().items, 2u);
  EXPECT_EQ(index.query("an old text with its own words").hits.size(), 1u);
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"d0", "d0@1"}));
}

TEST(IndexRuns, AnIdThatWouldBeGivenInsteadMayBeInUseToo) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  index.put("d0", "an old text with its own words");
  index.put("d0@2", "another text that has a strange id");
  dedup_with_index(index, input_of(dir.write("a.jsonl", "{\"id\":\"d0\",\"text\":\"something new and entirely different\"}\n")), dir.path("kept"));
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"d0", "d0@2", "d0@3"}));
}

TEST(IndexRuns, WhatAReaderThatWentAwayDidNotTakeIsNotSeen) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const std::string output = "/dev/fd/" + std::to_string(ends[1]);
  EXPECT_THROW(dedup_with_index(index, input_of(dir.write("a.jsonl", documents(300, 1))), output), Error);
  ::close(ends[1]);
  EXPECT_EQ(index.info().items, 0u);
}

TEST(IndexRuns, VectorsMadeBinaryAreAskedAsTheyArePut) {
  const TempDir dir;
  const Plan plan = tune({.measure = Measure::hamming, .radius = 1}, {.binarise = Binarise::sign, .dimensions = 4});
  Input input = input_of(dir.write("v.csv", "1,-1,2,3\n1,-1,2,-3\n-1,1,-2,-3\n"));
  input.format = Format::dense;
  create_index(dir.path("i"), input, plan);
  const HitsListed listed = query_index(Index::open(dir.path("i")), input, dir.path("hits"), RowStyle::tsv);
  EXPECT_EQ(listed.queries, 3u);
  EXPECT_EQ(listed.hits, 5u) << file_text(dir.path("hits"));
}

TEST(IndexRuns, ARunThatFailsLeavesNoIndexAndNoOutput) {
  const TempDir dir;
  Input input = input_of(dir.write("a.jsonl", documents(10, 1) + "{broken\n"));
  input.strict = true;
  EXPECT_THROW(create_index(dir.path("i"), input, small_plan()), Error);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) EXPECT_EQ(entry.path().filename(), "a.jsonl");
  Index index = Index::create(dir.path("j"), small_plan());
  EXPECT_THROW(dedup_with_index(index, input, dir.path("kept")), Error);
  EXPECT_EQ(index.info().items, 0u);
  EXPECT_FALSE(std::filesystem::exists(dir.path("kept")));
}

}  // namespace
}  // namespace nearkin
