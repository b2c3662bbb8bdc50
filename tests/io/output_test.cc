#include "io/bytes/output.h"

#include <csignal>
#include <filesystem>
#include <random>

#include <sys/stat.h>

#include <nearkin/tools/spelling.h>

#include "io/formats/records.h"
#include "io/io_support.h"

namespace nearkin::test::output_test {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
}

TEST(OutputFile, AppearsOnlyWhenItIsComplete) {
  TempDir dir;
  dir.write("out", "old");
  {
    OutputFile out(dir.path("out"));
    out.write(std::string(1'000'000, 'x'));
    EXPECT_EQ(dir.read("out"), "old");
    EXPECT_LE(entries(dir), 2U);  // a temporary file, where the file system has none without a name
  }
  EXPECT_EQ(dir.read("out"), "old");
  EXPECT_EQ(entries(dir), 1U);
  OutputFile out(dir.path("out"));
  out.write("new");
  out.commit();
  EXPECT_EQ(dir.read("out"), "new");
  EXPECT_EQ(entries(dir), 1U);
}

TEST(OutputFile, IsInPlaceOnlyAfterItIsPublished) {
  TempDir dir;
  OutputFile out(dir.path("out"));
  out.write("all of it");
  out.finish();
  EXPECT_FALSE(fs::exists(dir.path("out")));
  out.publish();
  EXPECT_EQ(dir.read("out"), "all of it");
  EXPECT_EQ(entries(dir), 1U);
}

TEST(OutputFile, RefusesALinkToNowhere) {
  TempDir dir;
  fs::create_symlink(dir.path("gone"), dir.path("link"));
  EXPECT_THROW(OutputFile(dir.path("link")), Error);
  EXPECT_TRUE(fs::is_symlink(dir.path("link")));
}

TEST(OutputFile, WritesSmallAndLargePiecesInOrder) {
  TempDir dir;
  std::string expected;
  OutputFile out(dir.path("out"));
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const std::string piece(random() % 20'000 * (i % 50 == 0 ? 30 : 1), static_cast<char>('a' + i % 26));
    out.write(piece);
    expected += piece;
  }
  out.commit();
  EXPECT_TRUE(dir.read("out") == expected);
}

TEST(OutputFile, CompressesByName) {
  TempDir dir;
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(i * 7919) + "\n";
  for (const char* name : {"a.lines.gz", "a.lines.zst"}) {
    OutputFile out(dir.path(name));
    for (std::size_t at = 0; at < lines.size(); at += 70'000) out.write(std::string_view(lines).substr(at, 70'000));
    out.commit();
    EXPECT_LT(fs::file_size(dir.path(name)), lines.size() / 2);
    Sources sources(input_of(dir.path(name)), true);
    const Everything all = read_everything(sources);
    EXPECT_TRUE(all_bytes(sources, all) == lines);
  }
  EXPECT_TRUE(dir.read("a.lines.gz").starts_with("\x1f\x8b"));
  EXPECT_TRUE(dir.read("a.lines.zst").starts_with("\x28\xb5\x2f\xfd"));
}

TEST(OutputFile, AnEmptyCompressedFileIsValid) {
  TempDir dir;
  for (const char* name : {"a.lines.gz", "a.lines.zst"}) {
    OutputFile(dir.path(name)).commit();
    EXPECT_GT(fs::file_size(dir.path(name)), 0U);
    EXPECT_TRUE(read_everything(input_of(dir.path(name))).ids.empty());
  }
}

TEST(OutputFile, KeepsTheModeOfWhatItReplaces) {
  TempDir dir;
  const std::string path = dir.write("out", "old");
  ::chmod(path.c_str(), 0640);
  OutputFile out(path);
  out.commit();
  struct stat s {};
  ::stat(path.c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777U, 0640U);
}

TEST(OutputFile, FollowsTheUmask) {
  TempDir dir;
  const mode_t before = ::umask(027);
  OutputFile(dir.path("out")).commit();
  ::umask(before);
  struct stat s {};
  ::stat(dir.path("out").c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777U, 0640U);
}

TEST(OutputFile, WritesThroughALinkAndLeavesIt) {
  TempDir dir;
  dir.write("real", "old");
  fs::create_symlink("real", dir.path("link"));
  OutputFile out(dir.path("link"));
  out.write("new");
  out.commit();
  EXPECT_TRUE(fs::is_symlink(dir.path("link")));
  EXPECT_EQ(dir.read("real"), "new");
}

TEST(OutputFile, WritesDevicesDirectly) {
  OutputFile out("/dev/null");
  out.write("x");
  out.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, NamesAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  OutputFile out("/dev/full");
  out.write("x");
  const Error error = error_of([&] { out.commit(); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), "/dev/full");
  EXPECT_EQ(error.message(), "cannot be written: No space left on device");
}

TEST(OutputFile, RefusesAFolderAndAMissingOne) {
  TempDir dir;
  EXPECT_EQ(error_of([&] { OutputFile out(dir.path()); }).message(), "is a folder; name a file to write to");
  EXPECT_EQ(error_of([&] { OutputFile out(dir.path("none/out")); }).message(), "cannot be written: its folder does not exist");
}

TEST(OutputFile, DropsBytesWhenTheReaderOfAPipeHasGone) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  EXPECT_NO_THROW({
    OutputFile out("-");
    for (int i = 0; i < 10; ++i) out.write(std::string(300'000, 'x'));
    out.commit();
  });
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(ends[1]);
  std::signal(SIGPIPE, before);
}

TEST(OutputFile, WritesStandardOutputAndLeavesItOpen) {
  TempDir dir;
  const int saved = ::dup(STDOUT_FILENO);
  const int file = ::open(dir.path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(file, STDOUT_FILENO);
  for (const char* piece : {"one\n", "two\n"}) {
    OutputFile out("-");
    out.write(piece);
    out.commit();
  }
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_EQ(dir.read("out"), "one\ntwo\n");
}

std::string json(std::string_view s) {
  std::string out;
  append_json_string(out, s);
  return out;
}

TEST(JsonString, EscapesWhatMustBe) {
  EXPECT_EQ(json("a\"b\\c\n\r\t\b\f\x01\x1f"), "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f\"");
  EXPECT_EQ(json(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(json("caf\xC3\xA9 \xF0\x9F\x98\x80 \x7f/"), "\"caf\xC3\xA9 \xF0\x9F\x98\x80 \\u007f/\"");
  EXPECT_EQ(json(""), "\"\"");
}

TEST(JsonString, ReplacesInvalidBytes) {
  EXPECT_EQ(json("a\xFF"
                 "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(json("\xC3"), "\"\xEF\xBF\xBD\"");
}

TEST(TsvField, EscapesTabsLineEndsAndBackslashes) {
  std::string out = "x";
  append_tsv_field(out, "a\tb\nc\rd\\e");
  EXPECT_EQ(out, "xa\\tb\\nc\\rd\\\\e");
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  EXPECT_EQ(first_invalid_utf8("abc\xC3\xA9"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("\xC0\xAF"), 0U);
  EXPECT_EQ(first_invalid_utf8("a\xED\xA0\x80"), 1U);
  EXPECT_EQ(first_invalid_utf8("ab\xF4\x90\x80\x80"), 2U);
  EXPECT_EQ(first_invalid_utf8(std::string(1000, 'x') + "\xE2\x82"), 1000U);
}

TEST(Utf8, AgreesWithItsOwnSearchOnRandomBytes) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20'000; ++round) {
    constexpr std::string_view kSigns = "a\x80\xBF\xC2\xDF\xE0\xA0\xED\x9F\xEF\xF0\x90\xF4\x8F\xF5\xFF";
    std::string bytes(random() % 6, ' ');
    for (char& c : bytes) c = kSigns[random() % kSigns.size()];
    const std::string_view view = bytes;
    std::size_t at = 0;
    while (utf8_sequence(view.substr(at)) > 0) at += utf8_sequence(view.substr(at));
    ASSERT_EQ(is_utf8(bytes), at == bytes.size()) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace nearkin::test::output_test
