// Taking up an input where an earlier process had read to.
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "io/resume_support.h"
#include "io/source/reread.h"

namespace nearkin::test::resume_test {
namespace {

namespace fs = std::filesystem;

std::string some_jsonl(std::size_t size, std::size_t longest = 500) {
  std::string bytes;
  for (std::size_t i = 0; bytes.size() < size; ++i) {
    const std::string text(i * 790'153 % longest, static_cast<char>('a' + i % 26));
    bytes += i % 100 == 7 ? "broken\n" : "{\"id\":" + std::to_string(i) + ",\"text\":\"" + text + "\"}\n";
  }
  return bytes;
}

/// Records of several lines, with separators, quotes and quotes at the ends of lines in them.
std::string some_csv(std::size_t size, bool header) {
  std::string bytes = header ? "id,text\r\n" : "";
  for (std::size_t i = 0; bytes.size() < size; ++i) {
    const std::string text(i * 37 % 400, 'x');
    bytes += std::to_string(i) + ",\"" + text + "\"\"\n,\n" + text + "\"\n";
  }
  return bytes;
}

/// Rows of .fvecs of one length.
std::string some_fvecs(std::size_t size) {
  std::string bytes;
  for (std::uint32_t i = 0; bytes.size() < size; ++i) {
    const std::uint32_t count = 100;
    bytes.append(reinterpret_cast<const char*>(&count), 4);
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto number = static_cast<float>(i * k % 1000);
      bytes.append(reinterpret_cast<const char*>(&number), 4);
    }
  }
  return bytes;
}

/// Everything that the parsers make of each chunk, and where.
Texts parsed(const Sources& sources, const std::vector<SeenChunk>& chunks, std::vector<Location>* locations = nullptr) {
  Texts texts;
  for (const SeenChunk& chunk : chunks) {
    Batch batch;
    std::string& all = texts.emplace_back();
    sources.parse({chunk.source, chunk.first_line, chunk.offset, nullptr, chunk.bytes, chunk.problem}, batch);
    for (Row i = 0; i < batch.items.size(); ++i) {
      const Location& at = batch.locations[i];
      all += std::to_string(at.source) + ' ' + std::to_string(at.line) + ' ' + std::to_string(at.offset) + ' ' + std::to_string(at.length) +
             ' ';
      all.append(batch.items.id(i)).append(batch.items.text(i));
    }
    for (const Fault& fault : batch.faults.first) all += fault.where + fault.message;
    all += std::to_string(batch.faults.count) + std::to_string(batch.faults.binary);
    if (locations != nullptr) locations->insert(locations->end(), batch.locations.begin(), batch.locations.end());
  }
  return texts;
}

/// What a process that read so many chunks, and two more that it did nothing with, left behind.
struct Left {
  Position place;
  std::vector<SourceRecord> records;
  std::vector<std::shared_ptr<const RunFile>> files;
};

Left read_some(const Input& input, std::size_t count, const TempDir& dir) {
  Left left;
  Sources sources(input, true);
  std::vector<SeenChunk> done;
  for (std::size_t i = 0; i < count + 2; ++i) {
    const auto chunk = sources.next();
    if (!chunk) break;
    if (i < count) done.push_back(seen(*chunk));
    // As two segments, the first of one chunk.
    if (i == 0 && count > 1) {
      left.files.push_back(kept_file(sources, behind(done[0]), dir.path("first.run")));
      sources.take_kept(left.files[0]);
    }
  }
  left.place = behind(done.back());
  left.records = records_until(sources, left.place.source + 1);
  left.files.push_back(kept_file(sources, left.place, dir.path("second.run")));
  return left;
}

using Around = std::function<std::shared_ptr<void>()>;  ///< what must be there while an input is read

void expect_same_after_every_chunk(
    const Input& input, std::size_t at_least, const Around& around = [] { return nullptr; }) {
  std::vector<SeenChunk> whole;
  Texts expected;
  std::vector<Location> locations;
  Texts records;
  {
    const auto there = around();
    Sources sources(input, true);
    whole = all_chunks(sources);
    expected = parsed(sources, whole, &locations);
    std::string buffer;
    for (const Location& location : locations) records.emplace_back(sources.read(location, buffer));
  }
  ASSERT_GE(whole.size(), at_least);
  for (std::size_t done = 1; done <= whole.size(); ++done) {
    TempDir scratch;
    Left left;
    {
      const auto there = around();
      left = read_some(input, done, scratch);
    }
    const auto there = around();
    Sources sources(input, true);
    for (const auto& file : left.files) sources.take_kept(file);
    EXPECT_EQ(sources.kept_bytes(), 0U);
    sources.go_to(left.place, left.records);
    const std::vector<SeenChunk> rest = all_chunks(sources);
    const auto step = static_cast<std::ptrdiff_t>(done);
    EXPECT_TRUE(rest == std::vector(whole.begin() + step, whole.end()))
        << "after " << done << " of " << whole.size() << ": " << rest.size();
    EXPECT_TRUE(parsed(sources, rest) == Texts(expected.begin() + step, expected.end())) << done;
    std::string buffer;
    for (std::size_t i = 0; i < locations.size(); ++i) ASSERT_TRUE(sources.read(locations[i], buffer) == records[i]) << i;
  }
}

TEST(Resume, GoesOnBehindEveryChunkOfAPlainFile) {
  TempDir dir;
  expect_same_after_every_chunk(input_of(dir.write("a.jsonl", some_jsonl(4 << 20))), 4);
  expect_same_after_every_chunk(input_of(dir.write("a.csv", "\xEF\xBB\xBF" + some_csv(3 << 20, true))), 3);
  expect_same_after_every_chunk(input_of(dir.write("a.lines", some_jsonl(2 << 20) + "the last line")), 2);
}

TEST(Resume, GoesOnWhereTheFirstRecordShowsTheColumns) {
  TempDir dir;
  Input input = input_of(dir.write("a.csv", some_csv(3 << 20, false)));
  input.header = false;
  input.id = "1";
  input.text = "2";
  expect_same_after_every_chunk(input, 3);
  input.paths = {dir.write("b.csv.gz", gzip(some_csv(3 << 20, false)))};
  expect_same_after_every_chunk(input, 3);
}

TEST(Resume, CutsRecordsLongerThanAChunkAsBefore) {
  TempDir dir;
  const std::string bytes = some_jsonl(14 << 20, 1'700'000);
  expect_same_after_every_chunk(input_of(dir.write("a.jsonl", bytes)), 5);
  expect_same_after_every_chunk(input_of(dir.write("b.jsonl.zst", zstd(bytes))), 5);
}

TEST(Resume, GoesOnInCompressedFiles) {
  TempDir dir;
  expect_same_after_every_chunk(input_of(dir.write("a.jsonl.gz", gzip(some_jsonl(4 << 20)))), 4);
  expect_same_after_every_chunk(input_of(dir.write("a.csv.zst", zstd(some_csv(3 << 20, true)))), 3);
}

TEST(Resume, GoesOnInAStream) {
  for (const std::string& bytes : {some_jsonl(4 << 20), gzip(some_jsonl(4 << 20)), "\xEF\xBB\xBF" + some_jsonl(3 << 20)}) {
    expect_same_after_every_chunk(input_of("-"), 3, [&] { return std::make_shared<StreamedInput>(bytes); });
  }
}

TEST(Resume, GoesOnInAnArray) {
  TempDir dir;
  expect_same_after_every_chunk(input_of(dir.write("a.fvecs", some_fvecs(3 << 20))), 3);
  expect_same_after_every_chunk(input_of(dir.write("b.fvecs", some_fvecs(3 << 20) + "xyz")), 4);
}

TEST(Resume, GoesOnInAFolderWithFaultsAndFilesThatAreLeftOut) {
  TempDir dir;
  const std::string packed = gzip(some_jsonl(3 << 20));
  dir.write("d/a.txt", "one");
  dir.write("d/b.txt", "");
  dir.write("d/c.bin", std::string("\0\1\2", 3));
  dir.write("d/d.csv", "id,body\n1,x\n");
  dir.write("d/e.txt.gz", gzip("two"));
  dir.write("d/f.jsonl.gz", packed.substr(0, packed.size() - 4));
  dir.write("d/g.csv", some_csv(2 << 20, true));
  dir.write("d/h.txt.gz", gzip("").substr(0, 12));
  dir.write("d/i.txt", "three");
  expect_same_after_every_chunk(input_of(dir.path("d")), 12);
}

TEST(Resume, OfAnInputThatWasReadToItsEndGivesNothingMore) {
  TempDir dir;
  Input input = input_of(dir.write("a.lines", "one\ntwo\n"));
  input.paths.push_back(dir.write("b.lines", "three\n"));
  Sources sources(input, true);
  const Everything all = read_everything(sources);
  Sources again(input, true);
  again.go_to({.source = static_cast<std::uint32_t>(again.size())}, records_until(sources, sources.size()));
  EXPECT_FALSE(again.next());
  std::string buffer;
  EXPECT_EQ(again.read(all.locations[2], buffer), "three\n");
  EXPECT_EQ(again.bytes_read(), again.total_bytes());
}

TEST(Resume, RefusesAFileThatHasChanged) {
  TempDir dir;
  const std::string jsonl = some_jsonl(3 << 20);
  Input input = input_of(dir.write("a.lines", "one\n"));
  input.paths.push_back(dir.write("b.jsonl", jsonl));
  Sources sources(input, true);
  const auto first = sources.next(), second = sources.next();
  const Position place = behind(seen(*second));
  const std::vector<SourceRecord> records = records_until(sources, 2);
  const auto expect_refused = [&](const std::string& path, const std::string& message) {
    const Error error = error_of([&] { Sources(input, true).go_to(place, records); });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.subject(), path);
    EXPECT_EQ(error.message(), message);
  };
  const std::string changed = "changed since the run began; delete its scratch folder and start it again";
  for (const std::string& path : input.paths) {
    const fs::file_time_type time = fs::last_write_time(path);
    fs::last_write_time(path, time + std::chrono::nanoseconds(1));
    expect_refused(path, changed);
    fs::last_write_time(path, time);
  }
  const fs::file_time_type time = fs::last_write_time(input.paths[1]);
  dir.write("b.jsonl", jsonl + "\n");
  fs::last_write_time(input.paths[1], time);
  expect_refused(input.paths[1], changed);
  Sources(input, true);  // nothing was lost of the first
  Input other = input;
  other.paths = {input.paths[1], input.paths[0]};
  EXPECT_EQ(error_of([&] { Sources(other, true).go_to(place, records); }).subject(), input.paths[1]);
}

TEST(Resume, RefusesAFileThatIsGone) {
  TempDir dir;
  dir.write("d/a.txt", "one");
  dir.write("d/b.txt", "two");
  const Input input = input_of(dir.path("d"));
  Sources sources(input, true), again(input, true);
  while (sources.next()) continue;
  fs::remove(dir.path("d/a.txt"));
  const Error error = error_of([&] { again.go_to({.source = 2}, records_until(sources, 2)); });
  EXPECT_EQ(error.subject(), dir.path("d/a.txt"));
  EXPECT_EQ(error.message(),
            "cannot be read: No such file or directory; it was there when the run began: put it back, or delete its scratch folder and "
            "start it again");
}

TEST(Resume, RefusesAStreamThatIsShorterOrAnother) {
  const std::string bytes = some_jsonl(4 << 20);
  const auto resumed = [&](const std::string& second, const Input& input) {
    TempDir dir;
    Left left;
    {
      const StreamedInput in(bytes);
      left = read_some(input, 3, dir);
    }
    const StreamedInput in(second);
    return error_of([&] {
      Sources sources(input, true);
      for (const auto& file : left.files) sources.take_kept(file);
      sources.go_to(left.place, left.records);
    });
  };
  const std::string way_out = "; give what the run began with, or delete its scratch folder and start it again";
  const Error shorter = resumed(bytes.substr(0, 2'000'000), input_of("-"));
  EXPECT_EQ(shorter.code(), ErrorCode::file);
  EXPECT_EQ(shorter.subject(), "-");
  EXPECT_TRUE(shorter.message().starts_with("ends at byte 2000000, and was read to byte ")) << shorter.message();
  EXPECT_TRUE(shorter.message().ends_with(way_out)) << shorter.message();
  std::string other = bytes;
  other[2'000'000] ^= 1;
  EXPECT_TRUE(resumed(other, input_of("-")).message().starts_with("is not what was read before, from byte "));
  EXPECT_EQ(resumed("not json\n" + bytes, input_of("-")).message(), "changed since the run began" + way_out);
  EXPECT_EQ(resumed("", input_of("-", Format::jsonl)).message().substr(0, 36), "ends at byte 0, and was read to byte");
}

TEST(Resume, RefusesAHeaderThatIsAnother) {
  const std::string bytes = some_csv(3 << 20, true);
  TempDir dir;
  Left left;
  {
    const StreamedInput in(bytes);
    left = read_some(input_of("-", Format::csv), 1, dir);
  }
  const StreamedInput in("id,text,more" + bytes.substr(7));
  Sources sources(input_of("-", Format::csv), true);
  EXPECT_EQ(error_of([&] { sources.go_to(left.place, left.records); }).subject(), "-");
}

TEST(Resume, OfEdgesIsRefusedUnlessAllIsRead) {
  TempDir dir;
  Input input = input_of(dir.write("a.edges", "a b\nb c\n"));
  input.paths.push_back(dir.write("b.edges.gz", gzip("c d\n")));
  Sources sources(input, true);
  const Everything all = read_everything(sources);
  const std::vector<SourceRecord> records = records_until(sources, sources.size());
  ASSERT_EQ(records.size(), 3U);
  EXPECT_TRUE(records[2].made);
  EXPECT_EQ(error_of([&] { Sources(input, true).go_to({.source = 1}, records); }).code(), ErrorCode::plan);
  Sources again(input, true);
  again.take_kept(kept_file(sources, {.source = 3}, dir.path("kept.run")));
  again.go_to({.source = 3}, records);
  EXPECT_FALSE(again.next());
  EXPECT_EQ(all_bytes(again, all), all_bytes(sources, all));
  EXPECT_EQ(all.texts, (Texts{"b", "a c", "b d", "c"}));
}

TEST(Resume, RecordsSurviveARunFile) {
  TempDir dir;
  Input input = input_of(dir.write("a.csv", "id,text\n1,x\n"));
  input.paths.push_back(dir.write("b.table", "q,r\nyes,no\n"));
  input.paths.push_back(dir.write("c.lines.gz", gzip("one\n")));
  Sources sources(input, true);
  while (sources.next()) continue;
  std::vector<SourceRecord> records = records_until(sources, 3);
  add_contents(records);
  RunFileWriter writer(dir.path("a.run"), {"segment", {1, 1}, ""});
  write_source_records(writer, records, input);
  writer.finish();
  const std::vector<SourceRecord> read = read_source_records(RunFile(dir.path("a.run")));
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].path, input.paths[i]);
    EXPECT_EQ(read[i].format, sources.format(i));
    EXPECT_EQ(read[i].header, sources.header(i));
    EXPECT_EQ(read[i].on_disk, i < 2);
    EXPECT_FALSE(read[i].made);
    EXPECT_EQ(read[i].size, fs::file_size(input.paths[i]));
    EXPECT_EQ(read[i].seconds, records[i].seconds);
    EXPECT_EQ(read[i].nanoseconds, records[i].nanoseconds);
    EXPECT_NE(read[i].content, 0U);
    EXPECT_EQ(read[i].content, records[i].content);
  }
}

TEST(Adopt, TakesAFileWithAnotherTimeWhereItsContentIsKnown) {
  TempDir dir;
  const std::string path = dir.write("a.lines", "one\ntwo\n");
  Sources sources(input_of(path), true);
  const Everything all = read_everything(sources);
  std::vector<SourceRecord> records = records_until(sources, 1);
  add_contents(records);
  const SourceRecord known = records[0];
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));
  Sources again(input_of(path), true);
  again.go_to({.source = 1}, records);
  EXPECT_EQ(all_bytes(again, all), "one\ntwo\n");
  records[0].content = 0;
  EXPECT_EQ(error_of([&] { Sources(input_of(path), true).go_to({.source = 1}, records); }).subject(), path);
  dir.write("a.lines", "one\nTwo\n");
  EXPECT_EQ(error_of([&] { Sources(input_of(path), true).go_to({.source = 1}, {known}); }).message(),
            "changed since the run began; delete its scratch folder and start it again");
}

TEST(Adopt, NoticesAFileThatChangesLater) {
  TempDir dir;
  const std::string path = dir.write("a.lines", "one\ntwo\n");
  Sources sources(input_of(path), true), again(input_of(path), true);
  const Everything all = read_everything(sources);
  again.go_to({.source = 1}, {sources.record(0)});
  dir.write("a.lines", "one\nTwo\n");
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));
  std::string buffer;
  EXPECT_EQ(error_of([&] { again.read(all.locations[0], buffer); }).code(), ErrorCode::file);
}

}  // namespace
}  // namespace nearkin::test::resume_test
