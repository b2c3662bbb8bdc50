#include <cmath>

#include "io/io_support.h"

namespace nearkin::test::lines_test {
namespace {

TEST(Lines, AreItemsNamedByPathAndLine) {
  TempDir dir;
  const std::string path = dir.write("a.lines", "one\r\n\ntwo words \nlast");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":2", path + ":3", path + ":4"}));
  EXPECT_EQ(all.texts, (Texts{"one", "", "two words ", "last"}));
}

TEST(Lines, TakeTheIdFromTheFirstWord) {
  TempDir dir;
  Input input = input_of(dir.write("a.lines", "x one two\n\ty\tthree \nz\n\n  \n"));
  input.id = "first-word";
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, (Texts{"x", "y", "z"}));
  EXPECT_EQ(all.texts, (Texts{"one two", "three ", ""}));
  ASSERT_EQ(all.faults.count, 2U);
  EXPECT_EQ(all.faults.first[0].where, dir.path("a.lines:4"));
  EXPECT_EQ(all.faults.first[0].message, "no first word to take as the id; record skipped");
}

TEST(Lines, KeepNulBytesAndSkipInvalidUtf8) {
  TempDir dir;
  const Everything all = read_everything(input_of(dir.write("a.lines", std::string("a\0b\nab\xC3\nc\xED\xA0\x80\nd\n", 15))));
  EXPECT_EQ(all.texts, (Texts{std::string("a\0b", 3), "d"}));
  ASSERT_EQ(all.faults.count, 2U);
  EXPECT_EQ(all.faults.first[0].message, "invalid UTF-8 at byte 3 of the record; record skipped");
  EXPECT_EQ(all.faults.first[1].message, "invalid UTF-8 at byte 2 of the record; record skipped");
}

TEST(Lines, BeginBehindTheByteOrderMarkOfTheirSource) {
  TempDir dir;
  Sources sources(input_of(dir.write("a.lines", "\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n")), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.texts, (Texts{"one", "\xEF\xBB\xBFtwo"}));
  std::string buffer;
  EXPECT_EQ(sources.read(all.locations[0], buffer), "one\n");
  EXPECT_EQ(sources.read(all.locations[1], buffer), "\xEF\xBB\xBFtwo\n");
}

TEST(Lines, HaveNoNumbers) {
  TempDir dir;
  Input input = input_of(dir.write("a.lines", "one\n"));
  input.number = "n";
  const Everything all = read_everything(input);
  ASSERT_EQ(all.numbers.size(), 1U);
  EXPECT_TRUE(std::isnan(all.numbers[0]));
}

TEST(Sets, AreLinesToo) {
  TempDir dir;
  const std::string path = dir.write("a.sets", "1 2 3\n\n4\t5\n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":2", path + ":3"}));
  EXPECT_EQ(all.texts, (Texts{"1 2 3", "", "4\t5"}));
}

TEST(Sets, TakeTheIdFromTheFirstWord) {
  TempDir dir;
  Input input = input_of(dir.write("a.sets", "s1 2 3\ns2\n"));
  input.id = "first-word";
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, (Texts{"s1", "s2"}));
  EXPECT_EQ(all.texts, (Texts{"2 3", ""}));
}

TEST(Files, AreItemsNamedByTheirPaths) {
  TempDir dir;
  const std::string a = dir.write("a.txt", "one\ntwo\n"), b = dir.write("b.txt", "");
  Sources sources(input_of(dir.path()), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, (Texts{a, b}));
  EXPECT_EQ(all.texts, (Texts{"one\ntwo\n", ""}));
  EXPECT_EQ(all.locations[0].offset, 0U);
  EXPECT_EQ(all.locations[0].length, 8U);
  std::string buffer;
  EXPECT_EQ(sources.read(all.locations[0], buffer), "one\ntwo\n");
  EXPECT_EQ(sources.read(all.locations[1], buffer), "");
}

TEST(Files, AreLeftOutAndCountedWhenBinary) {
  TempDir dir;
  dir.write("a.bin", std::string("\x7f"
                                 "ELF\0",
                                 5) +
                         std::string(3 << 20, 'x'));
  dir.write("b.txt", std::string(64 << 10, 'x') + std::string(1, '\0'));
  const Everything all = read_everything(input_of(dir.path()));
  EXPECT_EQ(all.faults.binary, 1U);
  EXPECT_EQ(all.faults.count, 0U);
  EXPECT_EQ(all.ids, Texts{dir.path("b.txt")});
}

TEST(Files, AreFaultsWhenBinaryAndNamed) {
  TempDir dir;
  const std::string a = dir.write("a.bin", std::string("\x7f"
                                                       "ELF\0",
                                                       5)),
                    b = dir.write("b.txt", "text");
  dir.write("c.txt", std::string("\xFF\xFE"
                                 "a\0b\0",
                                 6));
  Input input;
  input.paths = {a, b, dir.path("c.*")};
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, Texts{b});
  EXPECT_EQ(all.faults.binary, 0U);
  ASSERT_EQ(all.faults.count, 2U);
  EXPECT_EQ(all.faults.first[0].where, a);
  EXPECT_EQ(all.faults.first[0].message, "binary file (NUL byte at 5); skipped");
  EXPECT_EQ(all.faults.first[1].where, dir.path("c.txt"));
  EXPECT_EQ(all.faults.first[1].message, "binary file (NUL byte at 4): looks like UTF-16; read it by encoding utf-16, or auto; skipped");
  input.strict = true;
  EXPECT_EQ(error_of([&] { read_everything(input); }).subject(), a);
}

struct Foreign {
  std::string bytes;
  const char* hint;
};
std::vector<Foreign> foreign() {
  using namespace std::string_literals;
  return {{"\xFF\xFE"
           "a\0"s,
           "looks like UTF-16; read it by encoding utf-16, or auto"},
          {"\xFE\xFF\0"
           "a"s,
           "looks like UTF-16; read it by encoding utf-16, or auto"},
          {"\xFF\xFE\0\0a\0\0\0"s, "looks like UTF-32; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)"},
          {"\xFD"
           "7zXZ\0\0\4"s,
           "xz is not supported; use 'xz -dc FILE | nearkin … -'"},
          {"BZh91AY&SY\x17\x72", "bzip2 is not supported; use 'bzip2 -dc FILE | nearkin … -'"},
          {"PK\3\4\x14\0"s, "zip is not supported; use 'unzip -p FILE | nearkin … -'"},
          {"7z\xBC\xAF\x27\x1C\0\4"s, "7z is not supported; use '7z x -so FILE | nearkin … -'"}};
}

TEST(Foreign, ContentIsNamedWithAWayOut) {
  TempDir dir;
  for (const auto& [bytes, hint] : foreign()) {
    const Everything named = read_everything(input_of(dir.write("x.jsonl.xz", bytes)));
    ASSERT_EQ(named.faults.first.size(), 1U) << hint;
    EXPECT_TRUE(named.faults.first[0].message.starts_with("binary file")) << named.faults.first[0].message;
    EXPECT_TRUE(named.faults.first[0].message.ends_with(": " + std::string(hint) + "; skipped")) << named.faults.first[0].message;
    const Everything found = read_everything(input_of(dir.path()));
    const bool text = std::string_view(hint).starts_with("looks like UTF-");  // which could be read
    EXPECT_EQ(found.faults.binary, text ? 0U : 1U) << hint;
    EXPECT_EQ(found.faults.count, text ? 1U : 0U) << hint;
  }
}

TEST(Foreign, ContentIsAnErrorWhereAFormatSaysOtherwise) {
  TempDir dir;
  for (const auto& [bytes, hint] : foreign()) {
    for (const Format format : {Format::jsonl, Format::csv, Format::tsv, Format::lines, Format::sets}) {
      const std::string path = dir.write("x", bytes);
      const Error error = error_of([&] { read_everything(input_of(path, format)); });
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_EQ(error.subject(), path);
      EXPECT_EQ(error.message(), hint);
      const Everything found = read_everything(input_of(dir.path(), format));
      ASSERT_EQ(found.faults.first.size(), 1U);
      EXPECT_EQ(found.faults.first[0].where, path);
      EXPECT_EQ(found.faults.first[0].message, std::string(hint) + "; skipped");
    }
  }
}

TEST(Foreign, ContentIsNotSeenInTextThatBeginsAlike) {
  TempDir dir;
  for (const char* text : {"BZh", "BZh9 is a name", "PK", "7z", "7zip", "PK\3"}) {
    EXPECT_EQ(read_everything(input_of(dir.write("a.txt", text))).texts, Texts{text});
    EXPECT_EQ(read_everything(input_of(dir.write("a.lines", text))).texts, Texts{text});
  }
}

TEST(Files, BeginBehindTheirByteOrderMark) {
  TempDir dir;
  dir.write("a.txt", "\xEF\xBB\xBFone");
  dir.write("b.txt", "\xEF\xBB\xBF");
  dir.write("c.txt.gz", gzip("\xEF\xBB\xBFtwo"));
  Sources sources(input_of(dir.path()), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.texts, (Texts{"one", "", "two"}));
  EXPECT_EQ(all_bytes(sources, all), "onetwo");
}

TEST(Files, WithInvalidUtf8AreFaultsNamedByPath) {
  TempDir dir;
  dir.write("a.txt", "caf\xE9 au lait");
  const Everything all = read_everything(input_of(dir.path()));
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].where, dir.path("a.txt"));
  EXPECT_EQ(all.faults.first[0].message, "invalid UTF-8 at byte 4 of the record; record skipped");
}

TEST(Files, LongerThanAChunkAreOneItem) {
  TempDir dir;
  std::string text;
  while (text.size() < (5U << 20)) text += "line " + std::to_string(text.size()) + "\n";
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    Sources sources(input_of(dir.write("a.txt", bytes)), true);
    const Everything all = read_everything(sources);
    ASSERT_EQ(all.texts.size(), 1U);
    EXPECT_TRUE(all.texts[0] == text);
    std::string buffer;
    EXPECT_TRUE(sources.read(all.locations[0], buffer) == text);
  }
}

TEST(ReadItems, ReadsAllFormatsOfAFolder) {
  TempDir dir;
  dir.write("a.jsonl", "{\"id\":\"j\",\"text\":\"1\"}\n{}\n");
  dir.write("b.csv.gz", gzip("text,id\n2,c\n"));
  dir.write("c.tsv", "text\tid\n3\tt\n");
  dir.write("d.lines", "4\n");
  dir.write("e.txt", "5");
  dir.write("f.bin", std::string(1, '\0'));
  Faults faults;
  const Items items = read_items(input_of(dir.path()), &faults);
  ASSERT_EQ(items.size(), 5U);
  std::string texts, ids;
  for (Row row = 0; row < 5; ++row) texts += items.text(row);
  for (Row row = 0; row < 3; ++row) ids += items.id(row);
  EXPECT_EQ(texts, "12345");
  EXPECT_EQ(ids, "jct");
  EXPECT_EQ(faults.count, 1U);
  EXPECT_EQ(faults.binary, 1U);
}

}  // namespace
}  // namespace nearkin::test::lines_test
