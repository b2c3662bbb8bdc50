#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::table_test {
namespace {

Input table_of(const std::string& path, bool all_answers = false) {
  Input input = input_of(path, Format::table);
  input.all_answers = all_answers;
  return input;
}

TEST(Table, HoldsWhatIsTrueOfEachRow) {
  TempDir dir;
  const std::string path = dir.write("t.table", "id,smoker,colour,age\nann,YES,red,30\nbob,no,,1\ncyd,True, blue ,0\ndan,n,FALSE,y\n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{"ann", "bob", "cyd", "dan"}));
  EXPECT_EQ(all.texts, (Texts{"smoker colour=red age=30", "age", "smoker colour=blue", "age"}));
}

TEST(Table, HoldsOneElementForEveryAnswerWhenAllAreAskedFor) {
  TempDir dir;
  Sources sources(table_of(dir.write("t.csv", "id,smoker,colour,age\nann,yes,red,30\nbob,No,,1\n"), true), false);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.texts, (Texts{"smoker=yes colour=red age=30", "smoker=no colour= age=yes"}));
  EXPECT_EQ(sources.columns(0), 3U);
  EXPECT_EQ(sources.header(0), "id,smoker,colour,age\n");
}

TEST(Table, KeepsAnElementOneElement) {
  TempDir dir;
  const Everything all = read_everything(table_of(dir.write("t.csv", "\"a b\",c=d,100%,\" x\ty\"\nyes,\"New\nYork\",1,\xC2\xA0z\n"), true));
  ASSERT_EQ(all.texts.size(), 1U);
  EXPECT_EQ(all.texts[0], "a%20b=yes c%3Dd=New%0AYork 100%25=yes x%09y=%C2%A0z");
}

TEST(Table, NamesRowsByPlaceWithoutAnIdColumn) {
  TempDir dir;
  const std::string path = dir.write("t.csv", "a,b\n1,\n\n0,x\n");
  Sources sources(table_of(path), false);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, (Texts{path + ":2", path + ":4"}));
  EXPECT_EQ(all.texts, (Texts{"a", "b=x"}));
  EXPECT_EQ(sources.columns(0), 2U);
}

TEST(Table, TakesAnotherSeparatorIdNumberAndNoHeader) {
  TempDir dir;
  Input input = table_of(dir.write("t.csv", "yes;n1;7\nno;n2;x\n"));
  input.separator = ';';
  input.header = false;
  input.id = "2";
  input.number = "3";
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, (Texts{"n1", "n2"}));
  EXPECT_EQ(all.texts, (Texts{"1 3=7", "3=x"}));
  EXPECT_EQ(all.numbers[0], 7);
}

TEST(Table, FaultsRowsOfAnotherWidthAndUnclosedQuotes) {
  TempDir dir;
  const std::string path = dir.write("t.csv", "a,b\nyes\nyes,no,1\nyes,no\nyes,\"x\n");
  const Everything all = read_everything(table_of(path));
  EXPECT_EQ(all.texts, Texts{"a"});
  ASSERT_EQ(all.faults.count, 3U);
  EXPECT_EQ(all.faults.first[0].where, path + ":2");
  EXPECT_EQ(all.faults.first[0].message, "1 field, the header has 2; record skipped");
  EXPECT_EQ(all.faults.first[1].message, "3 fields, the header has 2; record skipped");
}

TEST(Table, RefusesHeadersThatCannotBeUsed) {
  TempDir dir;
  const Error twice = error_of([&] { read_everything(table_of(dir.write("t.csv", "a,b, a\n1,1,1\n"))); });
  EXPECT_EQ(twice.code(), ErrorCode::data);
  EXPECT_EQ(twice.message(), "two columns are called \"a\"; give each question a name of its own");
  Input input = table_of(dir.write("u.csv", "a,b\n1,1\n"));
  input.id = "name";
  EXPECT_EQ(error_of([&] { read_everything(input); }).subject(), dir.path("u.csv"));
}

TEST(Table, CallsAColumnWithoutANameByItsNumber) {
  TempDir dir;
  EXPECT_EQ(read_everything(table_of(dir.write("t.csv", ",b\nx,yes\n"))).texts, Texts{"1=x b"});
}

TEST(Table, GivesTheSameRowsPlainPackedAndFromStandardInput) {
  TempDir dir;
  std::string bytes = "id,q1,q2\n";
  for (std::size_t i = 0; bytes.size() < 3 * kChunkBytes; ++i) {
    bytes += std::to_string(i) + (i % 2 == 0 ? ",yes,\"a\nb" : ",no,\"x") + std::string(i % 97, 'y') + "\"\n";
  }
  const std::string plain = dir.write("t.table", bytes);
  const Everything expected = read_everything(input_of(plain));
  EXPECT_GT(expected.chunks, 2U);
  EXPECT_EQ(expected.faults.count, 0U);
  EXPECT_EQ(expected.texts[0], "q1 q2=a%0Ab");
  const StandardInput in(plain);
  for (const std::string& path : {plain, dir.write("t.table.gz", gzip(bytes)), dir.write("t.table.zst", zstd(bytes)), std::string("-")}) {
    Sources sources(table_of(path), true);
    const Everything all = read_everything(sources);
    EXPECT_TRUE(all.ids == expected.ids);
    EXPECT_TRUE(all.texts == expected.texts);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
    std::string buffer;
    Batch batch;
    sources.parse_again(all.locations[100], buffer, batch);
    EXPECT_EQ(batch.items.text(0), expected.texts[100]);
  }
}

TEST(Table, CutShortGivesWhatIsThere) {
  TempDir dir;
  const std::string bytes = "id,a\nx,yes\ny,\"no\"\n";
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "t.table", bytes);
  EXPECT_EQ(items.back(), 2U);
  for (std::size_t i = 1; i < items.size(); ++i) EXPECT_LE(items[i], 2U);
}

}  // namespace
}  // namespace nearkin::test::table_test
