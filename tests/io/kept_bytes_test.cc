// Bytes of what cannot be read twice, in memory and in run files.
#include <atomic>
#include <fstream>
#include <thread>

#include "base/hash.h"
#include "io/resume_support.h"
#include "io/source/kept_bytes.h"

namespace nearkin::test::kept_bytes_test {
namespace {

std::string some_lines(std::size_t size, std::uint64_t seed = 1) {
  SplitMix random(seed);
  std::string bytes;
  while (bytes.size() < size) bytes += std::to_string(random()) + " and " + std::to_string(random() % 1000) + "\n";
  return bytes;
}

TEST(KeptBytes, AreTheSameInMemoryAndInFiles) {
  TempDir dir;
  const std::string a = some_lines(5 << 20), b = some_lines(3 << 20, 2);
  Input input = input_of(dir.write("a.lines.gz", gzip(a)));
  input.paths.push_back(dir.write("b.lines.zst", zstd(b)));
  Sources sources(input, true);
  std::vector<SeenChunk> chunks;
  for (int i = 0; i < 4; ++i) chunks.push_back(seen(*sources.next()));
  const std::uint64_t before = sources.kept_bytes();
  EXPECT_GE(before, 3U << 20);
  sources.take_kept(kept_file(sources, behind(chunks[2]), dir.path("1.run")));
  // The chunk that was read ahead stays.
  EXPECT_GE(sources.kept_bytes(), chunks[3].bytes.size());
  EXPECT_LE(sources.kept_bytes(), before / 3);
  std::string buffer;
  const std::uint64_t end = chunks[3].offset + chunks[3].bytes.size();
  EXPECT_TRUE(sources.read({0, 1, 0, end}, buffer) == std::string_view(a).substr(0, end));
  EXPECT_TRUE(sources.read({0, 1, chunks[1].offset - 5, 10}, buffer) == std::string_view(a).substr(chunks[1].offset - 5, 10));
  EXPECT_TRUE(sources.read({0, 1, chunks[3].offset + 5, 10}, buffer) == std::string_view(a).substr(chunks[3].offset + 5, 10));
  while (sources.next()) continue;
  sources.take_kept(kept_file(sources, {.source = static_cast<std::uint32_t>(sources.size())}, dir.path("2.run")));
  EXPECT_EQ(sources.kept_bytes(), 0U);
  EXPECT_TRUE(sources.read({0, 1, 0, a.size()}, buffer) == a);
  EXPECT_TRUE(sources.read({1, 1, 0, b.size()}, buffer) == b);
  EXPECT_EQ(std::string_view(buffer).substr(b.size(), kChunkPadding), std::string(kChunkPadding, '\0'));
  EXPECT_EQ(error_of([&] { sources.read({1, 1, 0, b.size() + 1}, buffer); }).code(), ErrorCode::file);
}

TEST(KeptBytes, AreWrittenOnceAndNotAtAllWhereThereAreNone) {
  TempDir dir;
  Input input = input_of(dir.write("a.lines.gz", gzip("one\n")));
  input.paths.push_back(dir.write("b.lines", "two\n"));
  Sources sources(input, true);
  while (sources.next()) continue;
  const auto first = kept_file(sources, {.source = 2}, dir.path("1.run"));
  EXPECT_EQ(read_frame_index(*first, 0).size(), 1U);
  sources.take_kept(first);
  const auto second = kept_file(sources, {.source = 2}, dir.path("2.run"));
  EXPECT_EQ(second->sections().size(), 1U);
  sources.take_kept(second);
  std::string buffer;
  EXPECT_EQ(sources.read({0, 1, 0, 4}, buffer), "one\n");
}

TEST(KeptBytes, AreCompressed) {
  TempDir dir;
  const std::string bytes = some_lines(4 << 20);
  Sources sources(input_of(dir.write("a.lines.gz", gzip(bytes))), true);
  while (sources.next()) continue;
  EXPECT_LT(kept_file(sources, {.source = 1}, dir.path("1.run"))->bytes(), bytes.size() * 7 / 10);
}

TEST(KeptBytes, MayBeWrittenIntoOneFileUnderSeveralNumbers) {
  TempDir dir;
  const std::string bytes = some_lines(4 << 20), path = dir.path("both.run");
  const Input input = input_of(dir.write("a.lines.gz", gzip(bytes)));
  Sources sources(input, true);
  std::vector<SeenChunk> chunks;
  for (int i = 0; i < 2; ++i) chunks.push_back(seen(*sources.next()));
  const Position place = behind(chunks[1]);
  RunFileWriter writer(path, {"segment", {}, ""});
  write_frames(writer, 7, sources.held_kept(place.source, place.offset));
  sources.take_kept(kept_file(sources, place, dir.path("1.run")));
  while (sources.next()) continue;
  write_frames(writer, 3, sources.held_kept(1, 0));
  writer.finish();
  Sources again(input, true);
  again.take_kept(std::make_shared<const RunFile>(path));
  again.go_to({.source = 1}, {sources.record(0)});
  std::string buffer;
  EXPECT_TRUE(again.read({0, 1, 0, bytes.size()}, buffer) == bytes);
}

TEST(KeptBytes, ServeManyThreadsFromMoreFramesThanAreRemembered) {
  TempDir dir;
  const std::string bytes = some_lines(2 * kKeptCacheBytes);
  Sources sources(input_of(dir.write("a.lines.zst", zstd(bytes))), true);
  while (sources.next()) continue;
  sources.take_kept(kept_file(sources, {.source = 1}, dir.path("1.run")));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      SplitMix random(t);
      std::string buffer;
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t length = 1 + random() % 3000, offset = random() % (bytes.size() - length);
        if (sources.read({0, 1, offset, length}, buffer) != std::string_view(bytes).substr(offset, length)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(KeptBytes, MayBeReadWhileTheyGoToFiles) {
  TempDir dir;
  const std::string bytes = some_lines(12 << 20);
  Sources sources(input_of(dir.write("a.lines.zst", zstd(bytes))), true);
  std::atomic<std::uint64_t> until{0};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    SplitMix random(7);
    std::string buffer;
    while (until < bytes.size()) {
      const std::uint64_t most = until;
      if (most < 2 * kChunkBytes) continue;
      // Across chunks, so that the bytes are copied: a view would not outlive the chunk.
      const std::uint64_t length = kChunkBytes + 1 + random() % (most - kChunkBytes - 1), offset = random() % (most - length + 1);
      if (sources.read({0, 1, offset, length}, buffer) != std::string_view(bytes).substr(offset, length)) ++wrong;
    }
  });
  int number = 0;
  while (const auto chunk = sources.next()) {
    const Position place = behind(seen(*chunk));
    until = place.offset;
    if (number % 3 == 2) sources.take_kept(kept_file(sources, place, dir.path(std::to_string(number) + ".run")));
    ++number;
  }
  reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(number, 12);
}

TEST(KeptBytes, NameTheFileWhereTheyAreDamaged) {
  TempDir dir;
  const std::string bytes = some_lines(3 << 20);
  Sources sources(input_of(dir.write("a.lines.zst", zstd(bytes))), true);
  while (sources.next()) continue;
  const std::string path = dir.path("1.run");
  const auto file = kept_file(sources, {.source = 1}, path);
  sources.take_kept(file);
  const Section frames = file->at(kKeptFrames);
  std::fstream raw(path, std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(static_cast<std::streamoff>(frames.offset + frames.length / 2)).write("\xA5\x5A\xA5\x5A", 4);
  raw.close();
  std::string buffer;
  const Error error = error_of([&] { sources.read({0, 1, 0, bytes.size()}, buffer); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), path);
  EXPECT_NE(error.message().find("damaged"), std::string::npos) << error.message();
}

void write_index(const std::string& path, const std::vector<KeptFrame>& index, const std::string& frames) {
  RunFileWriter writer(path, {"segment", {}, ""});
  writer.begin(kKeptFrames);
  writer.write(frames.data(), frames.size());
  writer.section(kKeptIndex, 0, index);
  writer.finish();
}

TEST(KeptBytes, RefuseAnIndexThatDoesNotFit) {
  TempDir dir;
  const std::string frame = zstd("one\n"), path = dir.path("1.run");
  const Input input = input_of(dir.write("a.lines.gz", gzip("one\n")));
  const auto message_of = [&](const std::vector<KeptFrame>& index, const std::string& frames) {
    write_index(path, index, frames);
    const Error error = error_of([&] {
      Sources sources(input, true);
      sources.take_kept(std::make_shared<const RunFile>(path));
      std::string buffer;
      sources.read({0, 1, 0, 4}, buffer);
    });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.subject(), path);
    return error.message();
  };
  const KeptFrame good{0, 0, 4, 0, frame.size()};
  KeptFrame bad = good;
  bad.source = 1;
  EXPECT_EQ(message_of({bad}, frame), "damaged: it has kept records of a source that it does not know");
  bad = good;
  bad.length = 5;
  EXPECT_EQ(message_of({bad}, frame), "damaged: kept records of another length than their index says; make it again");
  bad = good;
  bad.frame_length += 1;
  EXPECT_EQ(message_of({bad}, frame), "damaged: the index of kept records points beyond them; make it again");
  bad = good;
  bad.offset = 2;
  EXPECT_EQ(message_of({good, bad}, frame), "damaged: kept records overlap others; make it again");
  EXPECT_TRUE(message_of({good}, std::string(frame.size(), 'x')).starts_with("damaged: kept records"));
  write_index(path, {good}, frame);
  Sources sources(input, true);
  sources.take_kept(std::make_shared<const RunFile>(path));
  std::string buffer;
  EXPECT_EQ(sources.read({0, 1, 0, 4}, buffer), "one\n");
}

}  // namespace
}  // namespace nearkin::test::kept_bytes_test
