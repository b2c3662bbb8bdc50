// An index whose items are parts of records: it has the parts of each record as the record was added last.
#include <map>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/nearkin.h>

#include "base/hash.h"
#include "index/index_support.h"
#include "index/model.h"
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

}  // namespace
}  // namespace nearkin::index_units_test
