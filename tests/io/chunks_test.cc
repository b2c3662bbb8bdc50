// Chunks, decompression and reading again.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::chunks_test {
namespace {

namespace fs = std::filesystem;

std::string some_jsonl(std::size_t size) {
  std::string bytes;
  for (int i = 0; bytes.size() < size; ++i) {
    const std::string text(static_cast<std::size_t>(i * 37 % 500), 'x');
    bytes += i % 100 == 7 ? "broken\n" : "{\"id\":" + std::to_string(i) + ",\"text\":\"" + text + "\"}\n";
  }
  return bytes;
}

void expect_same(const Everything& a, const Everything& b) {
  EXPECT_TRUE(a.ids == b.ids);
  EXPECT_TRUE(a.texts == b.texts);
  EXPECT_EQ(a.faults.count, b.faults.count);
  ASSERT_EQ(a.locations.size(), b.locations.size());
  for (std::size_t i = 0; i < a.locations.size(); ++i) {
    ASSERT_EQ(a.locations[i].offset, b.locations[i].offset);
    ASSERT_EQ(a.locations[i].length, b.locations[i].length);
    ASSERT_EQ(a.locations[i].line, b.locations[i].line);
  }
}

TEST(Chunks, AreAboutAMegabyteOfWholeLines) {
  TempDir dir;
  const std::string bytes = some_jsonl(5 << 20);
  Sources sources(input_of(dir.write("d.jsonl", bytes)), false);
  std::uint64_t offset = 0, line = 1;
  while (const auto chunk = sources.next()) {
    EXPECT_EQ(chunk->offset, offset);
    EXPECT_EQ(chunk->first_line, line);
    EXPECT_EQ(chunk->bytes.back(), '\n');
    EXPECT_LE(chunk->bytes.size(), kChunkBytes);
    offset += chunk->bytes.size();
    EXPECT_TRUE(offset == bytes.size() || chunk->bytes.size() > kChunkBytes / 2);
    line += count_newlines(chunk->bytes);
  }
  EXPECT_EQ(offset, bytes.size());
}

TEST(Chunks, AreTheSameRecordsPlainCompressedOrFromStandardInput) {
  TempDir dir;
  const std::string bytes = some_jsonl(3 << 20);
  const Input plain = input_of(dir.write("d.jsonl", bytes)), packed = input_of(dir.write("d.jsonl.gz", gzip(bytes))),
              other = input_of(dir.write("d.jsonl.zst", zstd(bytes))), stream = input_of("-");
  const StandardInput in(dir.path("d.jsonl"));
  const Everything expected = read_everything(plain);
  EXPECT_GT(expected.ids.size(), 1000U);
  for (const Input& input : {plain, packed, other, stream}) {
    Sources sources(input, true);
    const Everything all = read_everything(sources);
    expect_same(all, expected);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
  }
}

TEST(Chunks, KnowCompressionByContentNotByName) {
  TempDir dir;
  EXPECT_EQ(read_everything(input_of(dir.write("a.lines", gzip("one\n")))).texts, Texts{"one"});
  EXPECT_EQ(read_everything(input_of(dir.write("b.lines", zstd("one\n")))).texts, Texts{"one"});
  EXPECT_EQ(read_everything(input_of(dir.write("c.lines.gz", "one\n"))).texts, Texts{"one"});
}

TEST(Chunks, ReadSeveralGzipMembersAndZstdFrames) {
  TempDir dir;
  EXPECT_EQ(read_everything(input_of(dir.write("a.lines", gzip("one\ntw") + gzip("") + gzip("o\n")))).texts, (Texts{"one", "two"}));
  const std::string skippable("\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
  const std::string frames = skippable + zstd("one\ntw") + skippable + zstd("o\n");
  EXPECT_EQ(read_everything(input_of(dir.write("b.lines", frames))).texts, (Texts{"one", "two"}));
}

TEST(Chunks, RefuseCompressedDataThatEndsEarly) {
  TempDir dir;
  const std::string bytes = "one\ntwo\nthree\n";
  for (const std::string& whole : {gzip(bytes), zstd(bytes), gzip(bytes) + gzip(bytes), zstd(bytes) + zstd(bytes)}) {
    const bool two = whole == gzip(bytes) + gzip(bytes) || whole == zstd(bytes) + zstd(bytes);
    for (std::size_t length = 4; length < whole.size(); ++length) {
      if (two && length == whole.size() / 2) continue;  // a whole member
      const std::string path = dir.write("a.lines", whole.substr(0, length));
      const Error error = error_of([&] { read_everything(input_of(path)); });
      EXPECT_EQ(error.subject(), path) << length;
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_TRUE(error.message().starts_with("compressed data ends early")) << error.message();
    }
    // Too short to be known as compressed: text at fault, not an error.
    for (std::size_t length = 0; length < 3; ++length) read_everything(input_of(dir.write("a.lines", whole.substr(0, length))));
  }
}

TEST(Chunks, RefuseDamagedCompressedData) {
  TempDir dir;
  EXPECT_EQ(error_of([&] { read_everything(input_of(dir.write("a.lines", gzip("one\n") + "garbage"))); }).code(), ErrorCode::file);
  EXPECT_EQ(error_of([&] { read_everything(input_of(dir.write("a.lines", zstd("one\n") + "garbage"))); }).code(), ErrorCode::file);
  for (std::string whole : {gzip("one\ntwo\nthree\n"), zstd("one\ntwo\nthree\n")}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      try {
        read_everything(input_of(dir.write("a.lines", damaged)));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::file);
      }
    }
  }
}

TEST(Chunks, IgnoreZeroBytesBehindGzip) {
  TempDir dir;
  for (const std::size_t padding : {1U, 512U, 5000U, 300'000U}) {
    EXPECT_EQ(read_everything(input_of(dir.write("a.lines", gzip("one\n") + std::string(padding, '\0')))).texts, Texts{"one"});
  }
  const std::string path = dir.write("a.lines", gzip("one\n") + std::string(5000, '\0') + "x");
  EXPECT_EQ(error_of([&] { read_everything(input_of(path)); }).message(),
            "compressed data is followed by bytes that are not gzip; the file may be damaged");
}

TEST(Chunks, OfAFolderGoOnBehindCompressedDataThatIsCutShortOrDamaged) {
  TempDir dir;
  const std::string whole = some_jsonl(1 << 16), packed = gzip(whole);
  dir.write("a.jsonl.gz", packed.substr(0, packed.size() - 10));
  dir.write("b.jsonl.zst", zstd(whole).substr(0, 100));
  dir.write("c.txt.gz", gzip("text") + "garbage");
  dir.write("d.csv.gz", gzip("id,text\n1,a\n").substr(0, 20));
  dir.write("e.lines", "one\n");
  const Everything all = read_everything(input_of(dir.path()));
  EXPECT_EQ(all.texts.back(), "one");
  Texts where, why;
  for (const Fault& fault : all.faults.first) {
    if (!fault.message.starts_with("compressed data")) continue;
    where.push_back(fault.where);
    why.push_back(fault.message);
  }
  EXPECT_EQ(where, (Texts{dir.path("a.jsonl.gz"), dir.path("b.jsonl.zst"), dir.path("c.txt.gz"), dir.path("d.csv.gz")}));
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why.front(), "compressed data ends early; the file may have been cut short; the rest is skipped");
  Input strict = input_of(dir.path());
  strict.strict = true;
  EXPECT_TRUE(error_of([&] { read_everything(strict); }).subject().starts_with(dir.path("a.jsonl.gz")));
}

TEST(Chunks, OfAFolderHaveEveryWholeRecordBeforeACut) {
  const std::string lines = some_jsonl(1 << 18);
  const std::vector<std::string> texts = read_everything(input_of(TempDir().write("a.jsonl", lines))).texts;
  for (const std::string& packed : {gzip(lines), zstd(lines)}) {
    for (const std::size_t size : {packed.size() - 1, packed.size() * 9 / 10, packed.size() / 2}) {
      TempDir dir;
      dir.write("a.jsonl.gz", packed.substr(0, size));
      const Everything all = read_everything(input_of(dir.path()));
      EXPECT_TRUE(all.faults.first.back().message.starts_with("compressed data ends early")) << all.faults.first.back().message;
      ASSERT_LE(all.texts.size(), texts.size());
      EXPECT_EQ(all.texts, Texts(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(all.texts.size())));
      EXPECT_TRUE(size + 1 < packed.size() || all.texts.size() + 1 >= texts.size()) << all.texts.size() << " of " << texts.size();
      EXPECT_THROW(read_everything(input_of(dir.path("a.jsonl.gz"))), Error) << "by its name";
    }
  }
}

TEST(Chunks, OfASmallFileOfAFolderHaveTheRecordsBeforeACut) {
  const std::string lines = some_jsonl(3000), table = "id,text\n1,one two\n2,three\n3,four five six\n";
  const auto cut = [](const std::string& packed) { return packed.substr(0, packed.size() - 4); };
  const std::vector<std::string> texts = read_everything(input_of(TempDir().write("a.jsonl", lines))).texts;
  const auto read = [](const std::string& name, const std::string& bytes) {
    TempDir dir;
    dir.write(name, bytes);
    const Everything all = read_everything(input_of(dir.path()));
    EXPECT_EQ(all.faults.first.back().message, "compressed data ends early; the file may have been cut short; the rest is skipped") << name;
    EXPECT_THROW(read_everything(input_of(dir.path(name))), Error) << "by its name";
    return all.texts;
  };
  EXPECT_EQ(read("a.jsonl.gz", cut(gzip(lines))), texts);
  EXPECT_EQ(read("a.jsonl.gz", gzip(lines) + cut(gzip("{\"id\":\"z\""))), texts) << "the second member is cut";
  EXPECT_EQ(read("a.jsonl.zst", zstd(lines) + cut(zstd(lines))), texts) << "the second frame is cut";
  EXPECT_EQ(read("a.csv.gz", cut(gzip(table))), (Texts{"one two", "three", "four five six"}));
  EXPECT_EQ(read("a.csv.gz", gzip(table) + cut(gzip("4,seven"))), (Texts{"one two", "three", "four five six"}));
}

TEST(Chunks, ReturnedBeforeASourceOfAFolderFailsStayGood) {
  TempDir dir;
  const std::string whole = some_jsonl(3 << 20), packed = gzip(whole);
  dir.write("a.jsonl.gz", packed.substr(0, packed.size() - 4));
  dir.write("b.jsonl", "{\"id\":\"b\",\"text\":\"last\"}\n");
  Sources sources(input_of(dir.path()), true);
  const Everything all = read_everything(sources);
  ASSERT_GT(all.texts.size(), 1000U);
  EXPECT_EQ(all.texts.back(), "last");
  EXPECT_EQ(all.faults.first.back().where, dir.path("a.jsonl.gz"));
  EXPECT_EQ(all.faults.first.back().message, "compressed data ends early; the file may have been cut short; the rest is skipped");
  std::string buffer;
  const std::size_t size = all.locations[all.locations.size() - 2].offset;
  EXPECT_GE(size, kChunkBytes / 2);
  EXPECT_TRUE(sources.read({0, 1, 0, size}, buffer) == std::string_view(whole).substr(0, size));
}

TEST(Chunks, OfAFolderGoOnBehindAFileThatFailsToRead) {
  const std::string folder = "/proc/self/attr";
  bool fails = false;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    char byte = 0;
    const int file = ::open(entry.path().c_str(), O_RDONLY);
    fails = fails || (file >= 0 && ::read(file, &byte, 1) < 0);
    ::close(file);
  }
  if (!fails) GTEST_SKIP() << "no file here that opens and cannot be read";
  TempDir dir;
  Input input;
  input.paths = {folder, dir.write("a.txt", "text")};
  const Everything all = read_everything(input);
  EXPECT_EQ(all.texts.back(), "text");
  ASSERT_FALSE(all.faults.first.empty());
  EXPECT_TRUE(all.faults.first[0].message.starts_with("cannot be read: ")) << all.faults.first[0].message;
}

TEST(Chunks, CoverAllOfTheirSourcesButTheByteOrderMarks) {
  TempDir dir;
  const std::string mark = "\xEF\xBB\xBF", jsonl = "{\"text\":\"a\"}\nbroken\n", csv = "text\n\"a\nb\"\n", lines = "one\ntwo";
  using Named = std::pair<const char*, std::string>;
  for (const auto& [name, bytes] : {Named("a.jsonl", jsonl), Named("a.csv", csv), Named("a.tsv", "text\na\n"), Named("a.lines", lines)}) {
    for (const bool packed : {false, true}) {
      Input input;
      for (const char* const which : {"first-", "second-"})
        input.paths.push_back(dir.write(std::string(which) + name, packed ? gzip(mark + bytes) : mark + bytes));
      Sources sources(input, true);
      const Everything all = read_everything(sources);
      EXPECT_EQ(all_bytes(sources, all), bytes + bytes);
    }
  }
}

TEST(Chunks, TakeALineOfAHundredMegabytes) {
  TempDir dir;
  constexpr std::size_t kLong = 100'000'000;
  const std::string path = dir.write("d.jsonl", "{\"text\":\"a\"}\n{\"text\":\"" + std::string(kLong, 'x') + "\"}\n{\"text\":\"b\"}\n");
  const Everything all = read_everything(input_of(path));
  ASSERT_EQ(all.texts.size(), 3U);
  EXPECT_EQ(all.texts[1].size(), kLong);
  EXPECT_EQ(all.ids[2], path + ":3");
}

// What one record may cost is bounded, however it is packed.
TEST(Chunks, RefuseARecordThatIsTooLong) {
  TempDir dir;
  constexpr std::size_t kLongest = 3 << 20;
  RecordCut cut;
  cut.longest = kLongest;
  for (const std::size_t size : {kLongest, kLongest + 2}) {  // one byte more is read, to see the end
    const std::string bytes = "first\n" + std::string(size - 1, 'x') + "\nlast\n";
    for (const std::string& path : {dir.write("plain", bytes), dir.write("packed.gz", gzip(bytes))}) {
      const bool packed = path.ends_with(".gz");
      Chunker chunker(ByteStream(OpenedFile::open(path, false), path), 0, packed ? 0 : bytes.size(), std::make_shared<BufferPool>());
      std::size_t got = chunker.next(cut)->bytes.size();
      EXPECT_EQ(got, 6u);
      if (size > kLongest) {
        const Error error = error_of([&] { chunker.next(cut); });
        EXPECT_EQ(error.code(), ErrorCode::data);
        EXPECT_NE(std::string(error.what()).find("begins in line 2"), std::string::npos) << error.what();
      } else {
        while (const auto chunk = chunker.next(cut)) got += chunk->bytes.size();
        EXPECT_EQ(got, bytes.size());
      }
    }
  }
}

TEST(Chunks, OfAFolderLeaveOutATextThatIsTooLong) {
  TempDir dir;
  dir.write("small.txt", "a small text");
  fs::resize_file(dir.write("large.txt", std::string(kFirstBytes, 'x')), std::uint64_t{kLongestRecord} + 1);
  const Everything all = read_everything(input_of(dir.path()));
  EXPECT_EQ(all.texts, (Texts{"a small text"}));
  EXPECT_EQ(all.faults.count, 1u);
  EXPECT_EQ(Sources(input_of(dir.path()), false).total_bytes(), 12u);
  EXPECT_EQ(error_of([&] { read_everything(input_of(dir.path("large.txt"))); }).code(), ErrorCode::data);
}

TEST(Chunks, OutliveTheirSources) {
  TempDir dir;
  std::optional<Chunk> chunk;
  {
    Sources sources(input_of(dir.write("d.lines", std::string(3 << 20, '\n'))), false);
    chunk = sources.next();
  }
  EXPECT_EQ(chunk->bytes.size(), kChunkBytes);
  EXPECT_EQ(chunk->bytes.back(), '\n');
}

TEST(Chunks, CountNewlinesLikeALoop) {
  std::string bytes(20'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 1 + i % 7) bytes[i] = '\n';
  for (std::size_t size : {0UL, 1UL, 63UL, 64UL, 65UL, 16'320UL, 16'384UL, 20'000UL}) {
    const std::string_view part(bytes.data(), size);
    EXPECT_EQ(count_newlines(part), static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n')));
  }
  EXPECT_EQ(count_newlines(std::string(100'000, '\n')), 100'000U);
}

TEST(Reread, ParsesRecordsAgain) {
  TempDir dir;
  const std::string jsonl = some_jsonl(1 << 18), csv = "id,text\n1,\"a\nb\"\n,c\n", lines = "\xEF\xBB\xBFone\r\ntwo";
  using Named = std::pair<const char*, std::string>;
  for (const auto& [name, bytes] : {Named("a.jsonl", jsonl), Named("a.csv", csv), Named("a.lines", lines), Named("a.txt", lines)}) {
    for (const std::string& packed : {bytes, gzip(bytes)}) {
      Sources sources(input_of(dir.write(name, packed)), true);
      const Everything all = read_everything(sources);
      ASSERT_FALSE(all.ids.empty());
      std::string buffer;
      for (std::size_t i = all.ids.size(); i-- > 0;) {
        Batch batch;
        sources.parse_again(all.locations[i], buffer, batch);
        ASSERT_EQ(batch.items.size(), 1U);
        EXPECT_EQ(batch.items.id(0), all.ids[i]);
        EXPECT_EQ(batch.items.text(0), all.texts[i]);
        EXPECT_TRUE(batch.locations.empty());
      }
    }
  }
}

TEST(Reread, GivesRangesOfSeveralRecordsAndChunks) {
  TempDir dir;
  const std::string bytes = some_jsonl(3 << 20);
  for (const std::string& packed : {bytes, zstd(bytes)}) {
    Sources sources(input_of(dir.write("a.jsonl", packed)), true);
    read_everything(sources);
    std::string buffer;
    EXPECT_TRUE(sources.read({0, 1, 0, bytes.size()}, buffer) == bytes);
    EXPECT_TRUE(sources.read({0, 1, 1'000'000, 2'000'000}, buffer) == std::string_view(bytes).substr(1'000'000, 2'000'000));
  }
}

TEST(Reread, NoticesAFileThatHasChanged) {
  TempDir dir;
  const std::string path = dir.write("a.lines", "one\ntwo\n");
  Sources sources(input_of(path), true);
  const Everything all = read_everything(sources);
  std::string buffer;
  EXPECT_EQ(sources.read(all.locations[1], buffer), "two\n");
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(5));
  const Error error = error_of([&] { sources.read(all.locations[1], buffer); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), path);
  EXPECT_EQ(error.message(), "changed while it was being read; run again");
}

TEST(Reread, NoticesAFileThatGrewOrShrank) {
  TempDir dir;
  const std::string path = dir.write("a.lines", "one\ntwo\n");
  for (const char* bytes : {"one\ntwo\nthree\n", "one\n", ""}) {
    dir.write("a.lines", "one\ntwo\n");
    Sources sources(input_of(path), true);
    const Everything all = read_everything(sources);
    dir.write("a.lines", bytes);
    std::string buffer;
    EXPECT_EQ(error_of([&] { sources.read(all.locations[1], buffer); }).code(), ErrorCode::file);
  }
}

TEST(Reread, RefusesAStreamThatWasNotKept) {
  TempDir dir;
  Sources sources(input_of(dir.write("a.lines", gzip("one\n"))), false);
  const Everything all = read_everything(sources);
  std::string buffer;
  EXPECT_EQ(error_of([&] { sources.read(all.locations[0], buffer); }).code(), ErrorCode::file);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST(Reread, KeepsFewFilesOpenAndServesManyThreads) {
  TempDir dir;
  constexpr std::size_t kFiles = 400;
  for (std::size_t i = 0; i < kFiles; ++i) dir.write("f" + std::to_string(1000 + i), "text " + std::to_string(i));
  const std::size_t before = open_descriptors();
  Sources sources(input_of(dir.path()), true);
  const Everything all = read_everything(sources);
  ASSERT_EQ(all.ids.size(), kFiles);
  EXPECT_LE(open_descriptors(), before + 66);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::string buffer;
      for (std::size_t i = 0; i < 2 * kFiles; ++i) {
        const std::size_t row = (i * (2 * t + 1)) % kFiles;
        if (sources.read(all.locations[row], buffer) != all.texts[row]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(open_descriptors(), before + 66);
}

TEST(Sources, ParseOnManyThreadsAtOnce) {
  TempDir dir;
  Sources sources(input_of(dir.write("d.jsonl", some_jsonl(6 << 20))), false);
  std::vector<Chunk> chunks;
  while (auto chunk = sources.next()) chunks.push_back(std::move(*chunk));
  std::vector<Batch> batches(chunks.size()), again(chunks.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < chunks.size(); ++i) threads.emplace_back([&, i] { sources.parse(chunks[i], batches[i]); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    sources.parse(chunks[i], again[i]);
    ASSERT_EQ(batches[i].items.size(), again[i].items.size());
    for (Row row = 0; row < again[i].items.size(); ++row) ASSERT_EQ(batches[i].items.text(row), again[i].items.text(row));
  }
}

TEST(Sources, ReadAFifoOnceAndKeepIt) {
  TempDir dir;
  const std::string path = dir.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "one\ntwo\n"; });
  Sources sources(input_of(path, Format::lines), true);
  const Everything all = read_everything(sources);
  writer.join();
  EXPECT_EQ(all.texts, (Texts{"one", "two"}));
  std::string buffer;
  EXPECT_EQ(sources.read(all.locations[1], buffer), "two\n");
  EXPECT_EQ(sources.total_bytes(), 0U);
}

}  // namespace
}  // namespace nearkin::test::chunks_test
