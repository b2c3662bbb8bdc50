// Whole inputs into, out of and against an index.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "index/index_support.h"
#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::runs_test {
namespace {

using test::file_text;
using test::message_of;
using test::records_of;
using test::small_plan;
using test::some_text;
using test::TempDir;

std::string documents(int count, std::uint64_t seed, const std::string& prefix = "d") {
  SplitMix random(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += "{\"id\":\"" + prefix + std::to_string(i) + "\",\"lang\":\"" + (i % 3 == 0 ? "en" : "de") + "\",\"text\":\"" +
             some_text(random) + "\"}\n";
  }
  return lines;
}

TEST(IndexRuns, AnIndexMadeAtOnceIsTheSameAsOneFilledItemByItem) {
  const TempDir dir;
  const Input input = records_of(dir.write("a.jsonl", documents(3000, 1)));
  EXPECT_EQ(create_index(dir.path("bulk"), input, small_plan(), {.texts = true}).put.added, 3000u);
  Index slow = Index::create(dir.path("slow"), small_plan(), {.texts = true});
  const Items items = read_items(input);
  std::vector<IndexItem> batch;
  for (Row i = 0; i < items.size(); ++i) batch.push_back({items.id(i), items.text(i)});
  for (std::size_t begin = 0; begin < batch.size(); begin += 500) slow.put(std::span(batch).subspan(begin, 500));
  const Index bulk = Index::open(dir.path("bulk"));
  EXPECT_EQ(bulk.verify().problem_count, 0u);
  EXPECT_EQ(bulk.ids(), slow.ids());
  const Input queries = records_of(dir.write("q.jsonl", documents(200, 2, "q")));
  const HitsListed listed = query_index(bulk, queries, dir.path("bulk.tsv"), RowStyle::tsv);
  query_index(slow, queries, dir.path("slow.tsv"), RowStyle::tsv, {}, {.threads = 1});
  EXPECT_GT(listed.hits, 1000u);
  EXPECT_EQ(file_text(dir.path("bulk.tsv")), file_text(dir.path("slow.tsv")));
}

// One answer: what the index finds is what a query over the files finds.
TEST(IndexRuns, AnIndexAnswersAsAQueryOverTheFilesDoes) {
  const TempDir dir;
  const Input input = records_of(dir.write("a.jsonl", documents(2000, 1))),
              queries = records_of(dir.write("q.jsonl", documents(300, 2, "q")));
  create_index(dir.path("i"), input, small_plan());
  for (const RowStyle style : {RowStyle::tsv, RowStyle::json}) {
    query_index(Index::open(dir.path("i")), queries, dir.path("index.out"), style, {.limit = 5});
    write_hits(query(input, queries, small_plan(), {.limit = 5}), dir.path("files.out"), style);
    EXPECT_EQ(file_text(dir.path("index.out")), file_text(dir.path("files.out")));
  }
}

TEST(IndexRuns, AddingReplacesById) {
  const TempDir dir;
  create_index(dir.path("i"), records_of(dir.write("a.jsonl", documents(100, 1))), small_plan());
  Index index = Index::open(dir.path("i"));
  const IndexAdded added = add_to_index(index, records_of(dir.write("b.jsonl", documents(150, 2))));
  EXPECT_EQ(added.put.added, 50u);
  EXPECT_EQ(added.put.replaced, 100u);
  EXPECT_EQ(index.info().items, 150u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexRuns, IdsThatComeTwiceInABulkCountOnce) {
  const TempDir dir;
  const IndexAdded added =
      create_index(dir.path("i"), records_of(dir.write("a.jsonl", documents(4000, 1) + documents(10, 2))), small_plan());
  EXPECT_EQ(added.put.added, 4000u);
  EXPECT_EQ(added.put.replaced, 10u);
  EXPECT_EQ(Index::open(dir.path("i")).verify().problem_count, 0u);
}

TEST(IndexRuns, ItemsAreRemovedByTheirRecordsOrByLines) {
  const TempDir dir;
  create_index(dir.path("i"), records_of(dir.write("a.jsonl", documents(100, 1))), small_plan());
  Index index = Index::open(dir.path("i"));
  EXPECT_EQ(remove_from_index(index, records_of(dir.write("b.jsonl", documents(10, 1)))).removed, 10u);
  const IndexRemoved by_line = remove_from_index(index, records_of(dir.write("ids.txt", "d20\nd21\nnone\n")));
  EXPECT_EQ(by_line.removed, 2u);
  EXPECT_EQ(by_line.absent, 1u);
  EXPECT_EQ(index.info().items, 88u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexRuns, MetadataOfRecordsIsKept) {
  const TempDir dir;
  Input input = records_of(dir.write("a.jsonl", documents(30, 1)));
  input.metadata = {"lang"};
  create_index(dir.path("i"), input, small_plan());
  EXPECT_EQ(Index::open(dir.path("i")).get("d3")->metadata, "{\"lang\":\"en\"}");
}

TEST(IndexRuns, WhatTheIndexHasNotSeenIsKeptAndSeenFromThenOn) {
  const TempDir dir;
  const std::string first = documents(300, 1), second = documents(300, 2, "e");
  { const Index made = Index::create(dir.path("i"), small_plan()); }
  Index index = Index::open(dir.path("i"));
  const DedupResult one =
      dedup_with_index(index, records_of(dir.write("a.jsonl", first)), dir.path("one"), {.removed = dir.path("removed")});
  EXPECT_GT(one.removed, 0u);
  EXPECT_GT(one.kept, 0u);
  EXPECT_EQ(one.kept + one.removed, 300u);
  EXPECT_EQ(index.info().items, one.kept);
  const DedupResult again = dedup_with_index(index, records_of(dir.path("a.jsonl")), dir.path("again"));
  EXPECT_EQ(again.kept, 0u);
  EXPECT_EQ(file_text(dir.path("again")), "");
  // Records in one file or in two, one after the other: the same are kept.
  const DedupResult two = dedup_with_index(index, records_of(dir.write("b.jsonl", second)), dir.path("two"));
  { const Index made = Index::create(dir.path("j"), small_plan()); }
  Index whole = Index::open(dir.path("j"));
  const DedupResult both = dedup_with_index(whole, records_of(dir.write("c.jsonl", first + second)), dir.path("both"), {}, {.threads = 1});
  EXPECT_EQ(file_text(dir.path("both")), file_text(dir.path("one")) + file_text(dir.path("two")));
  EXPECT_EQ(both.kept, one.kept + two.kept);
  EXPECT_EQ(whole.verify().problem_count, 0u);
}

TEST(IndexRuns, AnIdInUseIsNotTakenFromTheItemThatHasIt) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  index.put("d0", "an old text with its own words");
  dedup_with_index(index, records_of(dir.write("a.jsonl", "{\"id\":\"d0\",\"text\":\"something new and entirely different\"}\n")),
                   dir.path("kept"));
  EXPECT_EQ(index.info().items, 2u);
  EXPECT_EQ(index.query("an old text with its own words").hits.size(), 1u);
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"d0", "d0@1"}));
}

TEST(IndexRuns, AnIdThatWouldBeGivenInsteadMayBeInUseToo) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  index.put("d0", "an old text with its own words");
  index.put("d0@2", "another text that has a strange id");
  dedup_with_index(index, records_of(dir.write("a.jsonl", "{\"id\":\"d0\",\"text\":\"something new and entirely different\"}\n")),
                   dir.path("kept"));
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
  EXPECT_THROW(dedup_with_index(index, records_of(dir.write("a.jsonl", documents(300, 1))), output), Error);
  ::close(ends[1]);
  EXPECT_EQ(index.info().items, 0u);
}

TEST(IndexRuns, VectorsMadeBinaryAreAskedAsTheyArePut) {
  const TempDir dir;
  const Plan plan = tune({.measure = Measure::hamming, .radius = 1}, {.binarise = Binarise::sign, .dimensions = 4});
  Input input = records_of(dir.write("v.csv", "1,-1,2,3\n1,-1,2,-3\n-1,1,-2,-3\n"));
  input.format = Format::dense;
  create_index(dir.path("i"), input, plan);
  const HitsListed listed = query_index(Index::open(dir.path("i")), input, dir.path("hits"), RowStyle::tsv);
  EXPECT_EQ(listed.queries, 3u);
  EXPECT_EQ(listed.hits, 5u) << file_text(dir.path("hits"));
}

TEST(IndexRuns, ARunThatFailsLeavesNoIndexAndNoOutput) {
  const TempDir dir;
  Input input = records_of(dir.write("a.jsonl", documents(10, 1) + "{broken\n"));
  input.strict = true;
  EXPECT_THROW(create_index(dir.path("i"), input, small_plan()), Error);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) EXPECT_EQ(entry.path().filename(), "a.jsonl");
  Index index = Index::create(dir.path("j"), small_plan());
  EXPECT_THROW(dedup_with_index(index, input, dir.path("kept")), Error);
  EXPECT_EQ(index.info().items, 0u);
  EXPECT_FALSE(std::filesystem::exists(dir.path("kept")));
}

TEST(IndexRuns, ARecordWhoseIdCannotBePutIsSkipped) {
  const TempDir dir;
  const std::string bad = "{\"id\":\"" + std::string(70'000, 'x') + "\",\"text\":\"some words of a text\"}\n";
  Input input = records_of(dir.write("a.jsonl", documents(5, 1) + bad + documents(5, 2, "e")));
  input.metadata = {"lang"};
  const auto expect_skipped = [&](const Faults& faults) {
    ASSERT_EQ(faults.count, 1u);
    EXPECT_EQ(faults.first[0].where, dir.path("a.jsonl:6"));
    EXPECT_EQ(faults.first[0].message, "the id has 70000 bytes; 65535 are the most; record skipped");
  };
  const IndexAdded made = create_index(dir.path("i"), input, small_plan());
  EXPECT_EQ(made.put.added, 10u);
  expect_skipped(made.stats.faults);
  Index index = Index::open(dir.path("i"));
  EXPECT_EQ(index.get("e3")->metadata, "{\"lang\":\"en\"}");
  expect_skipped(add_to_index(index, input).stats.faults);
  EXPECT_EQ(dedup_with_index(index, input, dir.path("kept")).stats.faults.kept, 1u);
  EXPECT_EQ(file_text(dir.path("kept")), bad);
  const DedupResult sifted = dedup_with_index(index, input, dir.path("kept"), {.keep_faults = false, .skipped = dir.path("skipped")});
  EXPECT_EQ(sifted.removed, 10u);
  expect_skipped(sifted.stats.faults);
  EXPECT_EQ(file_text(dir.path("skipped")), bad);
  input.strict = true;
  EXPECT_NE(message_of([&] { add_to_index(index, input); }).find("a.jsonl:6: the id has 70000 bytes"), std::string::npos);
}

TEST(IndexRuns, AVectorWhoseIdCannotBePutIsSkipped) {
  const TempDir dir;
  Input input = records_of(dir.write("a.bits", "one 0001\n" + std::string(70'000, 'x') + " 0011\ntwo 1111\n"));
  input.id = "first-word";
  const Plan plan = tune({.measure = Measure::hamming, .radius = 1}, {.dimensions = 4});
  const IndexAdded made = create_index(dir.path("i"), input, plan);
  EXPECT_EQ(made.put.added, 2u);
  EXPECT_EQ(made.stats.items, 2u);
  EXPECT_EQ(made.stats.faults.count, 1u);
  Index index = Index::open(dir.path("i"));
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(dedup_with_index(index, input, dir.path("kept")).stats.faults.count, 1u);
}

TEST(IndexRuns, AnInputOfWhichNothingCanBeReadMakesNoIndex) {
  const TempDir dir;
  const std::string said =
      message_of([&] { create_index(dir.path("i"), records_of(dir.write("a.txt", std::string("\0\1", 2))), small_plan()); });
  EXPECT_NE(said.find("a.txt: binary file (NUL byte at 1); no record can be used"), std::string::npos) << said;
  EXPECT_THROW(create_index(dir.path("i"), records_of(dir.write("b.jsonl", "{broken\n{broken\n")), small_plan()), Error);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"a.txt", "b.jsonl"}));
  EXPECT_EQ(create_index(dir.path("i"), records_of(dir.write("c.jsonl", "")), small_plan()).put.added, 0u)
      << "nothing is wrong with an empty file";
}

TEST(IndexRuns, AnAddThatFailsInItsMiddleSaysWhatStays) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 70'000; ++i) lines += "{\"id\":\"" + std::to_string(i) + "\",\"text\":\"w" + std::to_string(i) + "\"}\n";
  Input input = records_of(dir.write("a.jsonl", lines + "{broken\n"));
  input.strict = true;
  Index index = Index::create(dir.path("i"), small_plan());
  const std::string said = message_of([&] { add_to_index(index, input); });
  const std::uint64_t items = index.info().items;
  EXPECT_GE(items, 65'536u);
  EXPECT_NE(said.find("; before that " + std::to_string(items) + " records were put into the index, and stay there"), std::string::npos)
      << said;
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexRuns, IdsThatComeAgainInABulkTakeThePlaceOfTheFirst) {
  const TempDir dir;
  // The same id three times, once EMPTY in between, far apart and side by side.
  const auto line = [](const std::string& id, const std::string& text) { return "{\"id\":\"" + id + "\",\"text\":\"" + text + "\"}\n"; };
  const std::string same = "five words that are alike";
  const std::string lines = line("a", "an early text of it") + line("b", same) + documents(8000, 3) + line("a", "") + line("c", same) +
                            line("c", same) + documents(4000, 4, "e") + line("a", same) + line("z", "last of all") + line("z", "");
  const IndexAdded made = create_index(dir.path("i"), records_of(dir.write("a.jsonl", lines)), small_plan(), {.texts = true});
  EXPECT_EQ(made.put.added, 12'004u);
  EXPECT_EQ(made.put.replaced, 4u);
  const Index index = Index::open(dir.path("i"));
  const IndexCheck check = index.verify();
  ASSERT_EQ(check.problem_count, 0u) << check.problems.front();
  EXPECT_EQ(index.info().items, 12'004u);
  EXPECT_EQ(index.info().empty, 1u);
  std::vector<std::string> found;
  for (const Hit& hit : index.query(same).hits) found.push_back(hit.id);
  EXPECT_EQ(found, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(index.get("a")->text, same);
  EXPECT_EQ(index.get("z")->text, "");
  EXPECT_TRUE(index.query("an early text of it").hits.empty());
}

// Ids are sorted before they are put: pages of the table are full, whatever the order they came in.
TEST(IndexRuns, ANewIndexTakesLittleMoreForIdsThanTheyHave) {
  const TempDir dir;
  SplitMix random(6);
  std::string lines;
  constexpr std::uint64_t kItems = 60'000;
  for (std::uint64_t i = 0; i < kItems; ++i)
    lines += "{\"id\":\"" + std::to_string(1'000'000'000 + random() % 900'000'000) + "\",\"text\":\"\"}\n";
  create_index(dir.path("i"), records_of(dir.write("a.jsonl", lines)), small_plan());
  constexpr std::uint64_t kRecord = 34, kId = 28, kRest = 100'000;  // each with LMDB's own; EMPTY items have no places in buckets
  EXPECT_LT(Index::open(dir.path("i")).info().bytes, kItems * (kRecord + kId) + kRest);
}

}  // namespace
}  // namespace nearkin::runs_test
