#include "io/formats/packed.h"

#include "io/io_support.h"
#include "support/packed_record.h"

namespace nearkin::test::packed_test {
namespace {

TEST(Packed, RecordsHaveTheirIdsAndTextsWhateverTheBytes) {
  TempDir dir;
  const std::string path = dir.write(
      "a.packed", packed("a", "one\ntwo") + packed("", "") + packed("nkr1", std::string("n\0kr1", 5)) + packed("z\n", "\"last\\"));
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{"a", path + ":2", "nkr1", "z\n"}));
  EXPECT_EQ(all.texts, (Texts{"one\ntwo", "", std::string("n\0kr1", 5), "\"last\\"}));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST(Packed, RecordsAtFaultAreNamedByTheirRow) {
  TempDir dir;
  const std::string path =
      dir.write("a.packed", packed("a", std::nullopt) + packed("b", "good") + packed("c", "ab\xC3") + packed("\xFF", "text"));
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.texts, (Texts{"good"}));
  ASSERT_EQ(all.faults.count, 3U);
  EXPECT_EQ(all.faults.first[0].where, path + ":1");
  EXPECT_EQ(all.faults.first[0].message, "no text; record skipped");
  EXPECT_EQ(all.faults.first[1].where, path + ":3");
  EXPECT_EQ(all.faults.first[1].message, "invalid UTF-8 at byte 3 of the text; record skipped");
  EXPECT_EQ(all.faults.first[2].message, "invalid UTF-8 at byte 1 of the id; record skipped");
}

TEST(Packed, RecordsOverManyChunksAreReadAgainAsTheyStand) {
  TempDir dir;
  std::string bytes;
  Texts texts;
  for (std::size_t i = 0; i < 3000; ++i) {
    texts.push_back(std::string(i == 1500 ? 3 << 20 : i % 1999, 'a') + std::to_string(i));
    bytes += packed(std::to_string(i), texts.back(), i);
  }
  for (const std::string& path : {dir.write("a.packed", bytes), dir.write("b.packed.gz", gzip(bytes))}) {
    Sources sources(input_of(path), true);
    const Everything all = read_everything(sources);
    EXPECT_EQ(all.texts, texts);
    EXPECT_GT(all.chunks, 3U);
    std::string buffer;
    for (const std::size_t i : {0U, 1499U, 1500U, 2999U}) {
      EXPECT_EQ(sources.read(all.locations[i], buffer), packed(std::to_string(i), texts[i], i));
      EXPECT_EQ(all.locations[i].line, i + 1);
    }
  }
}

TEST(Packed, WhatIsNoRecordIsSaidAndNothingBeforeItIsLost) {
  TempDir dir;
  const std::string whole = packed("a", "one") + packed("b", "two");
  for (const auto& [bytes, message] : std::vector<std::pair<std::string, std::string>>{
           {whole + "{\"id\":1}", "behind record 2 stands no packed record, which begins with \"nkr1\""},
           {whole + packed("c", "three").substr(0, 27), "ends in the middle of a record, behind record 2"},
           {whole + "nk", "ends in the middle of a record, behind record 2"},
           {whole + std::string(kPackedMark) + bytes_of(~std::uint32_t{0}) + bytes_of(~std::uint64_t{1}) + bytes_of(std::uint64_t{0}),
            "ends in the middle of a record, behind record 2"},
       }) {
    const Everything all = read_everything(input_of(dir.write("a.packed", bytes)));
    EXPECT_EQ(all.texts, (Texts{"one", "two"}));
    ASSERT_EQ(all.faults.count, 1U);
    EXPECT_NE(all.faults.first[0].message.find(message), std::string::npos) << all.faults.first[0].message;
  }
  const Everything text = read_everything(input_of(dir.write("b.packed", "plain text")));
  ASSERT_EQ(text.faults.count, 1U);
  EXPECT_NE(text.faults.first[0].message.find("at its beginning stands no packed record"), std::string::npos)
      << text.faults.first[0].message;
  EXPECT_TRUE(read_everything(input_of(dir.write("c.packed", ""))).texts.empty());
}

}  // namespace
}  // namespace nearkin::test::packed_test
