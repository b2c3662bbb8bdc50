// An index whose items are parts of records: it has the parts of each record as the record was added last.
#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "base/hash.h"
#include "index/index_support.h"
#include "index/model.h"
#include "index/reading.h"
#include "support/temp_dir.h"

namespace nearkin::index_units_test {
namespace {

using test::records_of;
using test::small_plan;
using test::some_text;
using test::TempDir;

using Records = std::vector<std::pair<std::string, std::string>>;  // id and text, as JSON

// Names that are easily taken for one another, and one that is too long for a key.
const std::vector<std::string> kNames{"a", "a:", "a:0-5", "ab", "a:0", "b", std::string(494, 'x'), std::string(494, 'x') + ":7-9"};

Records some_records(SplitMix& random, std::size_t count) {
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::uint64_t parts = random() % 4; parts > 0; --parts) text += (text.empty() ? "" : "\\n\\n") + some_text(random);
    records.emplace_back(kNames[random() % kNames.size()], text);
  }
  return records;
}

Input in_paragraphs(const TempDir& dir, const std::string& name, const Records& records) {
  std::string lines;
  for (const auto& [id, text] : records) lines += "{\"id\":\"" + id + "\",\"text\":\"" + text + "\"}\n";
  Input input = records_of(dir.write(name, lines));
  input.unit.kind = Unit::Kind::paragraph;
  return input;
}

// What an index of these records alone has, the last of each id.
std::vector<std::string> ids_of_the_last(const TempDir& dir, const Records& records) {
  std::map<std::string, std::string> last;
  for (const auto& [id, text] : records) last[id] = text;
  const std::string folder = dir.path("last" + std::to_string(records.size()));
  create_index(folder, in_paragraphs(dir, "last.jsonl", {last.begin(), last.end()}), small_plan());
  return Index::open(folder).ids();
}

TEST(IndexOfParts, HasThePartsOfEachRecordAsItWasAddedLast) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TempDir dir;
    SplitMix random(seed);
    Records all = some_records(random, 1 + random() % 12);
    create_index(dir.path("i"), in_paragraphs(dir, "first.jsonl", all), small_plan());
    Index index = Index::open(dir.path("i"));
    EXPECT_EQ(index.ids(), ids_of_the_last(dir, all)) << "made at once, seed " << seed;
    for (int step = 0; step < 3; ++step) {
      const Records more = some_records(random, 1 + random() % 5);
      all.insert(all.end(), more.begin(), more.end());
      add_to_index(index, in_paragraphs(dir, "more.jsonl", more));
      EXPECT_EQ(index.ids(), ids_of_the_last(dir, all)) << "added to, seed " << seed;
      EXPECT_EQ(index.verify().problem_count, 0u);
    }
  }
}

TEST(IndexOfParts, SaysHowManyPartsAreGone) {
  const TempDir dir;
  create_index(dir.path("i"), in_paragraphs(dir, "a.jsonl", {{"a", "one two three\\n\\nfour five six\\n\\nseven"}, {"b", "one two"}}),
               small_plan());
  Index index = Index::open(dir.path("i"));
  const IndexPut put = add_to_index(index, in_paragraphs(dir, "b.jsonl", {{"a", "one two three\\n\\neight"}})).put;
  EXPECT_EQ(put.added, 1u);
  EXPECT_EQ(put.replaced, 1u);
  EXPECT_EQ(put.outdated, 2u);
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"a:0-13", "a:15-20", "b:0-7"}));
}

TEST(IndexOfParts, RemovesARecordByItsIdWithAllItsParts) {
  const TempDir dir;
  create_index(dir.path("i"), in_paragraphs(dir, "a.jsonl", {{"a", "one two\\n\\nthree four"}, {"a:0-5", "five six"}, {"b", "one two"}}),
               small_plan());
  Index index = Index::open(dir.path("i"));
  const IndexRemoved removed = remove_from_index(index, records_of(dir.write("ids.txt", "a\nb:0-7\nc\n")));
  EXPECT_EQ(removed.removed, 2u);
  EXPECT_EQ(removed.absent, 1u);
  EXPECT_EQ(index.ids(), std::vector<std::string>{"a:0-5:0-8"});
  EXPECT_EQ(index.verify().problem_count, 0u);
}

std::string kept_by(Index& index, const TempDir& dir, const Input& input, const DedupOptions& options = {}, const SiftStep& step = {}) {
  dedup_in_steps(index, input, dir.path("kept"), options, {}, step);
  return test::file_text(dir.path("kept"));
}

Index index_of(const TempDir& dir, const std::string& name, const std::string& unit) {
  return Index::create(dir.path(name), small_plan(), {.unit = parse_unit(unit)});
}

TEST(IndexOfParts, DedupCutsWhatTheIndexHasAndAddsTheRest) {
  const TempDir dir;
  Index index = index_of(dir, "i", "paragraph");
  const std::string one = R"({"id":"a","text":"one two three four\n\nfive six seven eight","n":1})"
                          "\n";
  const std::string two = R"({"id":"b","text":"five six seven eight\n\nnine ten eleven twelve\n\none two three four","n":2})"
                          "\n";
  const Input input = in_paragraphs(dir, "in.jsonl", {});
  dir.write("in.jsonl", one);
  EXPECT_EQ(kept_by(index, dir, input), one);
  dir.write("in.jsonl", two);
  EXPECT_EQ(kept_by(index, dir, input, {.removed = dir.path("removed")}), R"({"id":"b","text":"nine ten eleven twelve","n":2})"
                                                                          "\n");
  EXPECT_EQ(test::file_text(dir.path("removed")), "b:0-20\ta:20-40\t1\nb:46-64\ta:0-18\t1\n");
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"a:0-18", "a:20-40", "b:22-44"}));
  EXPECT_EQ(kept_by(index, dir, input), R"({"id":"b","text":"","n":2})"
                                        "\n")
      << "all of it is known now";
  EXPECT_EQ(index.info().items, 3u);
}

TEST(IndexOfParts, DedupDoesNotDependOnTheSizeOfAStep) {
  const TempDir dir;
  SplitMix random(5);
  const Input input = in_paragraphs(dir, "in.jsonl", some_records(random, 200));
  std::optional<std::pair<std::string, std::vector<std::string>>> first;
  for (const std::size_t records : {8192u, 1u, 3u, 50u}) {
    Index index = index_of(dir, "i" + std::to_string(records), "paragraph");
    const std::string kept = kept_by(index, dir, input, {.least_left = 3, .most_cut = 0.9}, {.records = records});
    if (!first) first.emplace(kept, index.ids());
    EXPECT_EQ(kept, first->first) << records;
    EXPECT_EQ(index.ids(), first->second) << records;
    EXPECT_EQ(index.verify().problem_count, 0u);
  }
}

TEST(IndexOfParts, NothingOfARecordThatDedupRemovesIsInTheIndex) {
  const TempDir dir;
  Index index = index_of(dir, "i", "paragraph");
  const Records records{
      {"a", "one two three four"}, {"b", "one two three four\\n\\nfive six"}, {"c", "five six\\n\\nseven eight nine ten"}};
  const std::string kept = kept_by(index, dir, in_paragraphs(dir, "in.jsonl", records), {.least_left = 3});
  EXPECT_EQ(kept, R"({"id":"a","text":"one two three four"})"
                  "\n"
                  R"({"id":"c","text":"five six\n\nseven eight nine ten"})"
                  "\n");
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"a:0-18", "c:0-8", "c:10-30"}));
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexOfParts, DedupLeavesARecordAloneThatWouldLoseTooMuch) {
  const TempDir dir;
  Index index = index_of(dir, "i", "paragraph");
  const Records records{{"a", "one two three four"}, {"b", "one two three four\\n\\nfive six"}};
  const Input input = in_paragraphs(dir, "in.jsonl", records);
  EXPECT_EQ(kept_by(index, dir, input, {.removed = dir.path("removed"), .most_cut = 0.5}), test::file_text(dir.path("in.jsonl")));
  EXPECT_EQ(test::file_text(dir.path("removed")), "");
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"a:0-18", "b:20-28"}));
}

TEST(IndexOfParts, DedupComparesWindowsThatOverlapBetweenRecordsOnly) {
  const TempDir dir;
  Index index = index_of(dir, "i", "window:4/1");
  Input input = in_paragraphs(dir, "in.jsonl", {{"a", "x y z x y z x y z"}, {"b", "one two three four x y z x"}});
  input.unit = parse_unit("window:4/1");
  // "four x y z" shares two of four shingles with "x y z x".
  EXPECT_EQ(kept_by(index, dir, input), R"({"id":"a","text":"x y z x y z x y z"})"
                                        "\n"
                                        R"({"id":"b","text":"one two three"})"
                                        "\n");
}

TEST(IndexOfParts, OfACopyDedupLeavesNothingAlthoughWindowsWereCutInPart) {
  const TempDir dir;
  Index index = index_of(dir, "i", "window:4/2");
  Input input = in_paragraphs(dir, "in.jsonl",
                              {{"a", "one two three four"}, {"b", "nine ten one two three four"}, {"c", "nine ten one two three four"}});
  input.unit = parse_unit("window:4/2");
  EXPECT_EQ(kept_by(index, dir, input), R"({"id":"a","text":"one two three four"})"
                                        "\n"
                                        R"({"id":"b","text":"nine ten"})"
                                        "\n"
                                        R"({"id":"c","text":""})"
                                        "\n");
}

TEST(IndexOfParts, DividesWhatIsPutAndReplacesAllPartsOfARecord) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TempDir dir;
    SplitMix random(seed);
    Records all = some_records(random, 1 + random() % 6);
    create_index(dir.path("i"), in_paragraphs(dir, "first.jsonl", all), small_plan());
    Index index = Index::open(dir.path("i"));
    for (int step = 0; step < 3; ++step) {
      const Records more = some_records(random, 1 + random() % 4);
      all.insert(all.end(), more.begin(), more.end());
      std::vector<std::string> texts;
      for (const auto& [id, text] : more) {
        texts.push_back(text);
        for (std::size_t at; (at = texts.back().find("\\n")) != std::string::npos;) texts.back().replace(at, 2, "\n");
      }
      std::vector<IndexItem> items;
      for (std::size_t i = 0; i < more.size(); ++i) items.push_back({more[i].first, texts[i]});
      index.put(items);
      EXPECT_EQ(index.ids(), ids_of_the_last(dir, all)) << seed;
      EXPECT_EQ(index.verify().problem_count, 0u);
    }
  }
}

TEST(IndexOfParts, ErasesARecordWithAllItsParts) {
  const TempDir dir;
  Index index = index_of(dir, "i", "paragraph");
  const IndexPut put = index.put("a", "one two\n\nthree four");
  EXPECT_EQ(put.added, 2u);
  index.put("b", "five six");
  EXPECT_EQ(index.parts("a"), (std::vector<std::string>{"a:0-7", "a:9-19"}));
  EXPECT_EQ(index.parts("c"), std::vector<std::string>{});
  EXPECT_TRUE(index.erase("a"));
  EXPECT_FALSE(index.erase("a"));
  EXPECT_TRUE(index.erase("b:0-8"));
  EXPECT_EQ(index.info().items, 0u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexOfParts, ARecordThatDedupAddsTakesNoNameFromAnother) {
  const TempDir dir;
  Index index = index_of(dir, "i", "paragraph");
  kept_by(index, dir, in_paragraphs(dir, "in.jsonl", {{"a", "one two three four"}}));
  kept_by(index, dir, in_paragraphs(dir, "in.jsonl", {{"a", "nine ten eleven"}, {"a", "five six seven eight"}}));
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"a:0-18", "a@1:0-15", "a@2:0-20"}));
}

TEST(IndexOfParts, DedupNeedsTheirUnit) {
  const TempDir dir;
  Index parts = index_of(dir, "i", "paragraph"), whole = Index::create(dir.path("j"), small_plan());
  Input input = in_paragraphs(dir, "in.jsonl", {{"a", "one two three four"}});
  EXPECT_NE(test::message_of([&] { kept_by(whole, dir, input); }).find("are whole records"), std::string::npos);
  EXPECT_NE(test::message_of([&] { kept_by(parts, dir, input, {.share_field = "share"}); }).find("cannot be combined"), std::string::npos);
  input.unit = {};
  EXPECT_NE(test::message_of([&] { kept_by(parts, dir, input); }).find("(paragraph); give the unit"), std::string::npos);
  EXPECT_NE(test::message_of([&] { kept_by(whole, dir, input, {.least_left = 3}); }).find("parts of records"), std::string::npos);
}

}  // namespace
}  // namespace nearkin::index_units_test
