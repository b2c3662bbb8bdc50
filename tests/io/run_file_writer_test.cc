#include <csignal>
#include <filesystem>
#include <random>
#include <stdexcept>

#include <sys/resource.h>

#include "io/io_support.h"
#include "io/run_file/run_file.h"

namespace nearkin::test::run_file_writer_test {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
}

const RunFileInfo kInfo{"pairs", {1, 2}, "a plan"};

/// Files of this process may have so many bytes while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(RunFileWriter, NamesTheFileOnlyWhenItIsComplete) {
  TempDir dir;
  const std::string path = dir.write("a", "old");
  RunFileWriter writer(path, kInfo);
  writer.section(1, 0, std::vector<std::uint64_t>(100'000, 5));
  EXPECT_EQ(dir.read("a"), "old");
  EXPECT_TRUE(fs::exists(path + ".part"));
  writer.finish();
  EXPECT_FALSE(fs::exists(path + ".part"));
  const RunFile file(path, kInfo);
  EXPECT_EQ(file.read_all<std::uint64_t>(file.at(1)), std::vector<std::uint64_t>(100'000, 5));
}

TEST(RunFileWriter, RemovesWhatIsNotFinished) {
  TempDir dir;
  {
    RunFileWriter first(dir.path("a"), kInfo), second(dir.path("b"), kInfo);
    first.section(1, 0, std::vector<std::uint64_t>(100'000, 5));
    EXPECT_EQ(entries(dir), 2U);
    first = std::move(second);
    EXPECT_EQ(entries(dir), 1U) << "the first is given up";
  }
  EXPECT_EQ(entries(dir), 0U);
}

TEST(RunFileWriter, ReplacesWhatAnEarlierOneLeft) {
  TempDir dir;
  const std::string precious = dir.write("precious", "precious");
  fs::create_symlink(precious, dir.path("a.part"));
  dir.write("b.part", std::string(1'000'000, 'x'));
  for (const char* name : {"a", "b"}) {
    RunFileWriter writer(dir.path(name), kInfo);
    writer.section(1, 0, std::vector<char>{'x'});
    writer.finish();
    EXPECT_EQ(RunFile(dir.path(name), kInfo).sections().size(), 1U);
    EXPECT_FALSE(fs::is_symlink(dir.path(name)));
  }
  EXPECT_EQ(dir.read("precious"), "precious");
}

TEST(RunFileWriter, TakesSmallAndLargePieces) {
  TempDir dir;
  std::mt19937_64 random(3);
  std::string expected;
  RunFileWriter writer(dir.path("a"), kInfo);
  writer.begin(1);
  const std::uint64_t before = writer.bytes();
  for (int i = 0; i < 500; ++i) {
    const std::string piece(random() % 9000 * (i % 40 == 0 ? 200 : 1), static_cast<char>('a' + i % 26));
    writer.write(piece.data(), piece.size());
    expected += piece;
    ASSERT_EQ(writer.bytes(), before + expected.size());
  }
  writer.finish();
  const RunFile file(dir.path("a"));
  const std::vector<char> found = file.read_all<char>(file.at(1));
  EXPECT_TRUE(std::string(found.begin(), found.end()) == expected);
}

TEST(RunFileWriter, WritesTheSameBytesHoweverTheyCome) {
  TempDir dir;
  std::vector<char> bytes(1'000'000);
  std::mt19937_64 random(4);
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (const std::size_t step : {std::size_t{999}, std::size_t{262'144}, bytes.size()}) {
    RunFileWriter writer(dir.path(std::to_string(step)), kInfo);
    writer.begin(1);
    for (std::size_t at = 0; at < bytes.size(); at += step) writer.write(bytes.data() + at, std::min(step, bytes.size() - at));
    writer.finish();
  }
  EXPECT_TRUE(dir.read("999") == dir.read("262144"));
  EXPECT_TRUE(dir.read("999") == dir.read("1000000"));
}

TEST(RunFileWriter, RefusesSectionsThatCannotBeToldApart) {
  TempDir dir;
  RunFileWriter writer(dir.path("a"), kInfo);
  EXPECT_THROW(writer.write("x", 1), std::logic_error) << "of no section";
  writer.begin(1, 4);
  writer.begin(2, 4);
  writer.begin(1, 4);
  EXPECT_THROW(writer.finish(), std::logic_error);
}

TEST(RunFileWriter, SaysThatTheDiskIsFullAndLeavesNothing) {
  TempDir dir;
  const std::string path = dir.write("a", "old");
  const std::vector<char> bytes(100'000, 'x');
  // From a limit within the header to one that only the last byte of the file goes beyond.
  RunFileWriter measure(dir.path("whole"), kInfo);
  measure.section(1, 0, bytes);
  const std::uint64_t whole = measure.finish();
  for (const std::uint64_t limit : {std::uint64_t{10}, std::uint64_t{50'000}, whole - 100, whole - 1}) {
    const FileSizeLimit full(limit);
    const Error error = error_of([&] {
      RunFileWriter writer(path, kInfo);
      for (int i = 0; i < 2; ++i) writer.section(1, i, std::vector<char>(bytes.begin() + i * 50'000, bytes.begin() + (i + 1) * 50'000));
      writer.finish();
    });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.subject(), path);
    EXPECT_TRUE(error.message().starts_with("disk full after " + std::to_string(limit) + " bytes written")) << error.message();
    EXPECT_TRUE(error.message().ends_with("make room and continue with resume")) << error.message();
    EXPECT_EQ(dir.read("a"), "old");
    EXPECT_FALSE(fs::exists(path + ".part"));
  }
}

TEST(RunFileWriter, CannotBeFinishedAfterAFailure) {
  TempDir dir;
  RunFileWriter writer(dir.path("a"), kInfo);
  writer.begin(1);
  const std::vector<char> bytes(300'000, 'x');
  {
    const FileSizeLimit full(100'000);
    EXPECT_THROW(writer.write(bytes.data(), bytes.size()), Error);
  }
  EXPECT_THROW(writer.finish(), Error);
  EXPECT_FALSE(fs::exists(dir.path("a")));
}

TEST(RunFileWriter, SaysWhatCannotBeWritten) {
  TempDir dir;
  const std::string path = dir.path("no/such/folder/a");
  EXPECT_EQ(std::string(error_of([&] { RunFileWriter(path, kInfo); }).what()), path + ": cannot be written: No such file or directory");
  fs::create_directory(dir.path("b"));
  RunFileWriter writer(dir.path("b"), kInfo);
  EXPECT_EQ(error_of([&] { writer.finish(); }).subject(), dir.path("b"));
  EXPECT_EQ(error_of([&] { RunFileWriter(dir.path("c"), {"kind", {}, std::string(2'000'000, 'p')}); }).subject(), dir.path("c"));
}

}  // namespace
}  // namespace nearkin::test::run_file_writer_test
