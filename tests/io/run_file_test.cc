#include "io/run_file/run_file.h"

#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "io/io_support.h"
#include "support/sealed_run_file.h"

namespace nearkin::test::run_file_test {
namespace {

namespace fs = std::filesystem;
using run_layout::FileHeader;
using run_layout::FileTrailer;
using run_layout::kBlock;

RunFileInfo info() { return {"segment", {11, 22}, "jaccard>=0.8 seed=1"}; }

std::string random_bytes(std::size_t size, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

void write_section(RunFileWriter& writer, std::uint32_t kind, std::uint32_t number, const std::string& bytes) {
  writer.begin(kind, number);
  writer.write(bytes.data(), bytes.size());
}

/// Three blocks and a part; sections of odd lengths, one of them empty.
const std::vector<std::string>& parts() {
  static const std::vector<std::string> all{random_bytes(101, 1), "", random_bytes(2 * kBlock + 77, 2), "abc", random_bytes(kBlock, 3)};
  return all;
}

std::string write_parts(const TempDir& dir, const std::string& name = "a.run", const RunFileInfo& about = info()) {
  RunFileWriter writer(dir.path(name), about);
  for (std::uint32_t i = 0; i < parts().size(); ++i) write_section(writer, 7, i, parts()[i]);
  const std::uint64_t size = writer.finish();
  EXPECT_EQ(size, fs::file_size(dir.path(name)));
  return dir.path(name);
}

std::string read_string(const RunFile& file, const Section& section) {
  const std::vector<char> bytes = file.read_all<char>(section);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> read_parts(const std::string& path) {
  const RunFile file(path, info());
  std::vector<std::string> found;
  for (const Section& section : file.sections()) found.push_back(read_string(file, section));
  return found;
}

/// A run file with one section of these bytes.
std::string write_one(const TempDir& dir, const std::string& bytes, const std::string& name = "one.run") {
  RunFileWriter writer(dir.path(name), info());
  write_section(writer, 1, 0, bytes);
  writer.finish();
  return dir.path(name);
}

void flip(const std::string& path, std::uint64_t at, char mask) {
  const int file = ::open(path.c_str(), O_RDWR);
  char byte = 0;
  ASSERT_EQ(::pread(file, &byte, 1, static_cast<off_t>(at)), 1);
  byte = static_cast<char>(byte ^ mask);
  ASSERT_EQ(::pwrite(file, &byte, 1, static_cast<off_t>(at)), 1);
  ::close(file);
}

TEST(RunFile, GivesBackWhatWasWritten) {
  TempDir dir;
  const std::string path = write_parts(dir);
  EXPECT_EQ(read_parts(path), parts());
  const RunFile file(path);
  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(file.bytes(), fs::file_size(path));
  EXPECT_EQ(file.info().kind, info().kind);
  EXPECT_EQ(file.info().run, info().run);
  EXPECT_EQ(file.info().plan, info().plan);
  EXPECT_EQ(read_string(file, file.at(7, 3)), "abc");
  EXPECT_EQ(file.find(7, 5), nullptr);
  EXPECT_EQ(file.find(8), nullptr);
  EXPECT_NE(error_of([&] { file.at(8, 2); }).message().find("no section 8/2"), std::string::npos);
  for (const Section& section : file.sections()) EXPECT_EQ(section.offset % 8, 0U);
}

TEST(RunFile, HoldsNumbersAndFindsSectionsInAnyOrder) {
  TempDir dir;
  std::vector<std::uint64_t> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1} << 40);
  {
    RunFileWriter writer(dir.path("a"), info());
    for (const std::uint32_t kind : {5U, 3U, 9U}) {
      for (const std::uint32_t number : {2U, 0U, 1U}) writer.section(kind, number, std::vector<std::uint32_t>{kind, number});
    }
    writer.section(4, 0, numbers);
    writer.finish();
  }
  const RunFile file(dir.path("a"));
  for (const std::uint32_t kind : {3U, 5U, 9U}) {
    for (const std::uint32_t number : {0U, 1U, 2U}) {
      EXPECT_EQ(file.read_all<std::uint32_t>(file.at(kind, number)), (std::vector<std::uint32_t>{kind, number}));
    }
  }
  EXPECT_EQ(file.read_all<std::uint64_t>(file.at(4)), numbers);
  std::vector<std::uint64_t> some(1000);
  file.read(file.at(4), 3000, std::span(some));
  EXPECT_TRUE(std::equal(some.begin(), some.end(), numbers.begin() + 3000));
}

TEST(RunFile, IsLaidOutAsItsVersionSays) {
  EXPECT_EQ(checksum64("", 0), 0x2d06800538d394c2U) << "as published for XXH3";
  TempDir dir;
  RunFileWriter writer(dir.path("a"), info());
  write_section(writer, 7, 3, "abc");
  write_section(writer, 8, 0, "12345678");
  writer.finish();
  const std::string bytes = dir.read("a");
  const FileHeader header = value_at<FileHeader>(bytes, 0);
  EXPECT_EQ(bytes.substr(0, 8), "\x89nearkin");
  EXPECT_EQ(header.version, 1U);
  EXPECT_EQ(header.block, 4096U);
  ASSERT_EQ(header.length, 88U) << "48, kind and plan of 7 and 19 up to a multiple of 8, and the checksum";
  EXPECT_EQ(header.run_low, 11U);
  EXPECT_EQ(header.run_high, 22U);
  EXPECT_EQ(bytes.substr(48, 32), std::string("segmentjaccard>=0.8 seed=1\0\0\0\0\0\0", 32));
  EXPECT_EQ(value_at<std::uint64_t>(bytes, 80), checksum64(bytes.data(), 80));
  EXPECT_EQ(bytes.substr(88, 16), std::string("abc\0\0\0\0\00012345678", 16));
  const std::vector<std::uint64_t> table{7 | std::uint64_t{3} << 32, 88, 3, 8, 96, 8, checksum64(bytes.data() + 88, 16)};
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(value_at<std::uint64_t>(bytes, 104 + 8 * i), table[i]) << i;
  const std::uint64_t footer = checksum64(bytes.data() + 104, 56), beginning = checksum64(bytes.data(), 80);
  const std::vector<std::uint64_t> trailer{104, 56, footer, 2, beginning, 224, checksum64(bytes.data() + 160, 48)};
  for (std::size_t i = 0; i < trailer.size(); ++i) EXPECT_EQ(value_at<std::uint64_t>(bytes, 160 + 8 * i), trailer[i]) << i;
  EXPECT_EQ(bytes.substr(216), "nikraen\x98");
}

TEST(RunFile, MayBeEmpty) {
  TempDir dir;
  RunFileWriter(dir.path("a"), {}).finish();
  const RunFile file(dir.path("a"), {});
  EXPECT_TRUE(file.sections().empty());
  EXPECT_TRUE(RunFile::is_one(dir.path("a")));
}

TEST(RunFile, NoticesEveryByteThatIsFlipped) {
  TempDir dir;
  const std::string path = write_parts(dir);
  const std::uint64_t size = fs::file_size(path);
  for (std::uint64_t at = 0; at < size; ++at) {
    for (const char mask : {'\xff', '\x01'}) {
      flip(path, at, mask);
      EXPECT_THROW(read_parts(path), Error) << "byte " << at;
      flip(path, at, mask);
    }
  }
  EXPECT_EQ(read_parts(path), parts());
}

TEST(RunFile, IsRefusedWhereverItIsCutOff) {
  TempDir dir;
  const std::string path = write_parts(dir);
  for (std::uint64_t size = fs::file_size(path); size-- > 0;) {
    fs::resize_file(path, size);
    const Error error = error_of([&] { RunFile{path}; });
    EXPECT_EQ(error.subject(), path);
    EXPECT_NE(error.message().find(size < 8 ? "is not a run file of nearkin" : "damaged: "), std::string::npos) << size;
  }
}

TEST(RunFile, IsRefusedWithBytesBehindIt) {
  TempDir dir;
  const std::string path = write_parts(dir), bytes = dir.read("a.run");
  for (const std::string& more : {std::string(1, '\0'), std::string(64, 'x'), bytes.substr(bytes.size() - 64), bytes}) {
    dir.write("a.run", bytes + more);
    EXPECT_NE(error_of([&] { RunFile{path}; }).message().find("damaged: "), std::string::npos);
  }
}

TEST(RunFile, IsRefusedWhenItsBeginningIsThatOfAnotherFile) {
  TempDir dir;
  const std::string path = write_parts(dir), bytes = dir.read("a.run");
  RunFileInfo other = info();
  other.run.high = 23;
  write_parts(dir, "other", other);
  const std::size_t header = value_at<FileHeader>(bytes, 0).length;
  dir.write("a.run", dir.read("other").substr(0, header) + bytes.substr(header));
  EXPECT_NE(error_of([&] { RunFile{path}; }).message().find("of two files"), std::string::npos);
}

TEST(RunFile, NamesTheDamagedBlockAndReadsTheOthers) {
  TempDir dir;
  const std::string bytes = random_bytes(5 * kBlock), path = write_one(dir, bytes);
  const RunFile file(path);
  const Section& section = file.at(1);
  flip(path, section.offset + 2 * kBlock + 5, '\x10');
  std::string got(bytes.size(), '\0');
  const Error error = error_of([&] { file.read(section, 0, got.data(), got.size()); });
  EXPECT_EQ(error.subject(), path);
  EXPECT_EQ(error.message(), "damaged: block 2, from byte " + std::to_string(section.offset + 2 * kBlock) +
                                 " on, is not what was written; remove the folder and start again");
  file.read(section, 0, got.data(), 2 * kBlock);
  file.read(section, 3 * kBlock, got.data() + 3 * kBlock, 2 * kBlock);
  EXPECT_EQ(got.substr(0, 2 * kBlock), bytes.substr(0, 2 * kBlock));
  EXPECT_EQ(got.substr(3 * kBlock), bytes.substr(3 * kBlock));
}

TEST(RunFile, NoticesThatItIsCutOffWhileItIsOpen) {
  TempDir dir;
  const std::string path = write_one(dir, random_bytes(5 * kBlock));
  const RunFile file(path);
  fs::resize_file(path, 3 * kBlock);
  EXPECT_NE(error_of([&] { file.read_all<char>(file.at(1)); }).message().find("damaged: it ends at byte"), std::string::npos);
}

TEST(RunFile, RefusesWhatIsNone) {
  TempDir dir;
  ASSERT_EQ(::mkfifo(dir.path("pipe").c_str(), 0600), 0);
  const std::string foreign[] = {dir.write("empty", ""),
                                 dir.write("text", "nearkin\nmore lines of text\n"),
                                 dir.write("short", "\x89near"),
                                 dir.write("other", random_bytes(1000)),
                                 dir.path(),
                                 dir.path("pipe"),
                                 "/dev/null"};
  for (const std::string& path : foreign) {
    EXPECT_FALSE(RunFile::is_one(path)) << path;
    EXPECT_EQ(std::string(error_of([&] { RunFile{path}; }).what()), path + ": is not a run file of nearkin");
  }
  const std::string none = dir.path("none");
  EXPECT_FALSE(RunFile::is_one(none));
  EXPECT_FALSE(RunFile::is_one("-"));
  EXPECT_EQ(std::string(error_of([&] { RunFile{none}; }).what()), none + ": cannot be read: No such file or directory");
}

TEST(RunFile, IsKnownByItsBeginningEvenWhenItIsDamaged) {
  TempDir dir;
  const std::string path = write_parts(dir);
  EXPECT_TRUE(RunFile::is_one(path));
  fs::resize_file(path, 20);
  EXPECT_TRUE(RunFile::is_one(path));
}

TEST(RunFile, OfAnotherVersionIsRefused) {
  TempDir dir;
  const std::string path = write_parts(dir);
  std::string bytes = dir.read("a.run");
  put_at(bytes, offsetof(FileHeader, version), std::uint32_t{3});
  seal(bytes);
  dir.write("a.run", bytes);
  const Error error = error_of([&] { RunFile{path}; });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_TRUE(error.message().starts_with("was written by another version (3, this is 1)")) << error.message();
}

TEST(RunFile, OfAnotherKindRunOrPlanIsRefused) {
  TempDir dir;
  const std::string path = write_parts(dir);
  const auto message = [&](auto change) {
    RunFileInfo expected = info();
    change(expected);
    return error_of([&] { RunFile(path, expected); }).message();
  };
  EXPECT_EQ(message([](RunFileInfo& i) { i.kind = "pairs"; }), "is a run file of kind \"segment\", not \"pairs\"");
  EXPECT_EQ(message([](RunFileInfo& i) { i.run.low = 12; }), "belongs to another run; remove the folder and start again");
  EXPECT_EQ(message([](RunFileInfo& i) { i.run.high = 0; }), "belongs to another run; remove the folder and start again");
  EXPECT_EQ(message([](RunFileInfo& i) { i.plan += "0"; }),
            "was made by the plan 'jaccard>=0.8 seed=1', this run has 'jaccard>=0.8 seed=10'");
}

TEST(RunFile, OfNoRunIsToBeMadeAgainWhenDamaged) {
  TempDir dir;
  const std::string path = write_parts(dir, "a.sketch", {"sketch", {}, "plan"});
  flip(path, fs::file_size(path) - 30, '\x01');
  EXPECT_TRUE(error_of([&] { RunFile{path}; }).message().ends_with("; make it again"));
}

/// Opens, and reads all that the file says it has.
void use(const std::string& path) {
  const RunFile file(path);
  for (const Section& section : file.sections()) file.read_all<char>(section);
}

TEST(RunFile, IsRefusedForLengthsAndPlacesThatDoNotFitIt) {
  TempDir dir;
  const std::string path = write_parts(dir), good = dir.read("a.run");
  std::string same = good;
  seal(same);
  ASSERT_EQ(same, good) << "sealing changes nothing in a good file";
  const std::size_t end = trailer_place(good), table = value_at<FileTrailer>(good, end).footer_offset;
  std::vector<std::size_t> places32, places64;
  for (std::size_t at = offsetof(FileHeader, block); at <= offsetof(FileHeader, plan_length); at += 4) places32.push_back(at);
  for (std::size_t i = 0; i < parts().size(); ++i) {
    places64.push_back(table + i * sizeof(Section) + offsetof(Section, offset));
    places64.push_back(table + i * sizeof(Section) + offsetof(Section, length));
  }
  for (const std::size_t at : {offsetof(FileTrailer, footer_offset), offsetof(FileTrailer, footer_length), offsetof(FileTrailer, sections),
                               offsetof(FileTrailer, file_size)}) {
    places64.push_back(end + at);
  }
  constexpr std::uint64_t kOne = 1;
  const std::uint64_t lies[] = {1,          50,         4097,       good.size(),           good.size() + 8,  kOne << 31,
                                kOne << 32, kOne << 61, kOne << 63, ~std::uint64_t{0} - 7, ~std::uint64_t{0}};
  const auto attempt = [&](std::string bytes, std::size_t at, std::uint64_t lie) {
    if (bytes == good) return;
    seal(bytes);
    dir.write("a.run", bytes);
    EXPECT_THROW(use(path), Error) << at << " is " << lie;
  };
  for (const std::uint64_t lie : lies) {
    for (const std::size_t at : places32) {
      std::string bytes = good;
      put_at(bytes, at, static_cast<std::uint32_t>(lie));
      attempt(bytes, at, lie);
    }
    for (const std::size_t at : places64) {
      // A section that is shorter than it was is a good section.
      if (lie < value_at<std::uint64_t>(good, at)) continue;
      std::string bytes = good;
      put_at(bytes, at, lie);
      attempt(bytes, at, lie);
    }
  }
}

TEST(RunFile, RefusesRangesOutsideASection) {
  TempDir dir;
  const RunFile file(write_parts(dir));
  const Section& section = file.at(7, 0);
  std::string to(1000, '\0');
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_THROW(file.read(section, 0, to.data(), 102), Error);
  EXPECT_THROW(file.read(section, 101, to.data(), 1), Error);
  EXPECT_THROW(file.read(section, 102, to.data(), 0), Error);
  EXPECT_THROW(file.read(section, most, to.data(), 2), Error);
  EXPECT_THROW(file.read(section, 1, to.data(), most), Error);
  EXPECT_NO_THROW(file.read(section, 101, to.data(), 0));
  EXPECT_THROW(file.read({1, 1, file.bytes(), 10}, 0, to.data(), 1), Error) << "a section of another file";
  EXPECT_THROW(file.read({1, 1, most, 10}, 0, to.data(), 1), Error);
  EXPECT_THROW(file.read({1, 1, 0, 10}, 0, to.data(), 1), Error);
  BlockReader reader(file, section);
  EXPECT_THROW(reader.bytes(0, 102), Error);
  EXPECT_THROW(reader.bytes(most, 1), Error);
  EXPECT_THROW(reader.bytes(50, static_cast<std::size_t>(most)), Error);
  EXPECT_EQ(reader.bytes(50, 51).size(), 51U);
}

/// Random ranges of all sizes, near one another and far, read by `read` and compared.
template <typename Read>
void compare_ranges(const std::string& bytes, unsigned seed, Read read) {
  std::mt19937_64 random(seed);
  std::uint64_t next = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t size = random() % (i % 50 == 0 ? bytes.size() : i % 5 == 0 ? 20'000 : 600);
    std::uint64_t at = i % 3 == 0 ? random() % bytes.size() : next + random() % 300;
    if (at > bytes.size()) at = random() % kBlock;
    const std::uint64_t length = std::min<std::uint64_t>(size, bytes.size() - at);
    ASSERT_EQ(read(at, static_cast<std::size_t>(length)), std::string_view(bytes).substr(at, length)) << at << ' ' << length;
    next = at + length;
  }
}

TEST(RunFile, ReadsAnyRange) {
  TempDir dir;
  RunFileWriter writer(dir.path("a"), info());
  const std::string bytes = random_bytes(700'001);
  write_section(writer, 1, 0, "before");
  write_section(writer, 2, 0, bytes);
  write_section(writer, 3, 0, "behind");
  writer.finish();
  const RunFile file(dir.path("a"));
  const Section& section = file.at(2);
  std::string to;
  compare_ranges(bytes, 5, [&](std::uint64_t at, std::size_t size) {
    to.assign(size, 'x');
    file.read(section, at, to.data(), size);
    return std::string_view(to);
  });
  BlockReader reader(file, section);
  compare_ranges(bytes, 6, [&](std::uint64_t at, std::size_t size) {
    const std::span<const std::byte> found = reader.bytes(at, size);
    return std::string_view(reinterpret_cast<const char*>(found.data()), found.size());
  });
}

TEST(RunFile, IsReadByManyThreadsAtOnce) {
  TempDir dir;
  const std::string bytes = random_bytes(400'003);
  const RunFile file(write_one(dir, bytes));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      BlockReader reader(file, file.at(1));
      std::string to;
      compare_ranges(bytes, i, [&](std::uint64_t at, std::size_t size) {
        if (size % 2 == 0) {
          const std::span<const std::byte> found = reader.bytes(at, size);
          return std::string_view(reinterpret_cast<const char*>(found.data()), found.size());
        }
        to.resize(size);
        file.read(file.at(1), at, to.data(), size);
        return std::string_view(to);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BlockReader, GivesValuesOneAfterTheOther) {
  TempDir dir;
  RunFileWriter writer(dir.path("a"), info());
  std::vector<std::uint32_t> values(30'000);
  std::iota(values.begin(), values.end(), 7U);
  write_section(writer, 1, 0, "abc");
  writer.section(2, 0, values);
  writer.finish();
  const RunFile file(dir.path("a"));
  BlockReader reader(file, file.at(2));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(reader.value<std::uint32_t>(i), values[i]);
  for (std::size_t i = values.size(); i-- > 0;) ASSERT_EQ(reader.value<std::uint32_t>(i), values[i]);
  EXPECT_THROW(reader.value<std::uint32_t>(values.size()), Error);
}

TEST(BlockReader, RemembersNothingOfADamagedBlock) {
  TempDir dir;
  const std::string bytes = random_bytes(10 * kBlock), path = write_one(dir, bytes);
  const RunFile file(path);
  BlockReader reader(file, file.at(1));
  reader.bytes(0, 10);
  const std::uint64_t at = 7 * kBlock + 100;
  flip(path, file.at(1).offset + at, '\x40');
  for (int i = 0; i < 2; ++i) EXPECT_THROW(reader.bytes(at, 1), Error);
  flip(path, file.at(1).offset + at, '\x40');
  EXPECT_EQ(static_cast<char>(reader.bytes(at, 1)[0]), bytes[at]);
  EXPECT_EQ(static_cast<char>(reader.bytes(3, 1)[0]), bytes[3]);
}

}  // namespace
}  // namespace nearkin::test::run_file_test
