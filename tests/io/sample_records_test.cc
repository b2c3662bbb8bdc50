#include "io/source/sample_records.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "io/io_support.h"
#include "support/temp_dir.h"

namespace nearkin::sample_records_test {
namespace {

using test::gzip;
using test::StandardInput;
using test::TempDir;

Input input_from(const std::vector<std::string>& paths, Format format) {
  Input input;
  input.paths = paths;
  input.format = format;
  return input;
}

/// Texts of different lengths, each known by its number.
std::string text(int number) {
  const std::uint64_t length = 20 + mix64(static_cast<std::uint64_t>(number)) % 400;
  return std::to_string(number) + std::string(length, 'x');
}

std::string lines(int begin, int end) {
  std::string out;
  for (int i = begin; i < end; ++i) out += text(i) + "\n";
  return out;
}

std::vector<std::string> texts_of(const RecordSample& sample) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sample.texts.size(); ++i) texts.emplace_back(sample.texts[i]);
  return texts;
}

TEST(SampleRecords, OfASmallInputEveryRecordIsTaken) {
  const TempDir dir;
  const RecordSample sample = sample_records(input_from({dir.write("a.txt", lines(0, 100))}, Format::lines), 1);
  EXPECT_EQ(sample.texts.size(), 100u);
  EXPECT_EQ(sample.records, 100u);
  EXPECT_TRUE(sample.all);
}

TEST(SampleRecords, OfALargeOneSomeAreTakenAtRandomFromItsBeginning) {
  const TempDir dir;
  const Input input = input_from({dir.write("a.txt", lines(0, 60'000))}, Format::lines);
  const RecordSample sample = sample_records(input, 1);
  EXPECT_FALSE(sample.all);
  EXPECT_EQ(sample.records, 16'384u);
  const std::vector<std::string> texts = texts_of(sample);
  EXPECT_EQ(texts.size(), 2048u);
  int first_half = 0, before = -1;
  for (const std::string& one : texts) {
    const int number = std::stoi(one);
    EXPECT_EQ(one, text(number)) << "a whole record";
    EXPECT_GT(number, before) << "in order, none twice";
    EXPECT_LT(number, 16'384);
    before = number;
    first_half += number < 8192;
  }
  EXPECT_NEAR(first_half, 1024, 100);
  EXPECT_EQ(texts, texts_of(sample_records(input, 1)));
  EXPECT_NE(texts, texts_of(sample_records(input, 2))) << "the seed decides";
}

TEST(SampleRecords, OfLongRecordsFewAreEnough) {
  const TempDir dir;
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += std::to_string(i) + std::string(1'000'000, 'y') + "\n";
  const RecordSample sample = sample_records(input_from({dir.write("a.txt", bytes)}, Format::lines), 1);
  EXPECT_EQ(sample.records, 9u);
  EXPECT_FALSE(sample.all);
}

TEST(SampleRecords, OfRecordsWithoutATextNoMoreAreReadThanOfOthers) {
  const TempDir dir;
  std::string faulty, wide;
  for (int i = 0; i < 4'000'000; ++i) faulty += "{\"id\":123456}\n";
  for (int i = 0; i < 100; ++i)
    wide += R"({"id":)" + std::to_string(i) + R"(,"text":"x","other":")" + std::string(1'000'000, 'y') + "\"}\n";
  const RecordSample none = sample_records(input_from({dir.write("a.jsonl", faulty)}, Format::jsonl), 1);
  EXPECT_FALSE(none.all);
  EXPECT_EQ(none.records, 0u);
  const RecordSample few = sample_records(input_from({dir.write("b.jsonl", wide)}, Format::jsonl), 1);
  EXPECT_FALSE(few.all);
  EXPECT_LT(few.records, 40u);
}

class Containers : public ::testing::Test {
 protected:
  static constexpr int kRecords = 20'000;

  std::string fielded(char separator) const {
    std::string out = std::string("id") + separator + "text\n";
    for (int i = 0; i < kRecords; ++i) out += std::to_string(i) + separator + text(i) + "\n";
    return out;
  }
  std::string jsonl() const {
    std::string out;
    for (int i = 0; i < kRecords; ++i)
      out += R"({"id":)" + std::to_string(i) + R"(,"text":")" + text(i) + "\"}\n" + (i % 7 == 0 ? "broken\n" : "");
    return out;
  }
  std::vector<std::string> expected() {
    return texts_of(sample_records(input_from({dir_.write("a.txt", lines(0, kRecords))}, Format::lines), 1));
  }

  TempDir dir_;
};

TEST_F(Containers, DoNotMatter) {
  const std::vector<std::string> plain = expected();
  const auto same = [&](const std::vector<std::string>& paths, Format format) {
    EXPECT_EQ(texts_of(sample_records(input_from(paths, format), 1)), plain) << paths.front();
  };
  same({dir_.write("a.csv", fielded(','))}, Format::csv);
  same({dir_.write("a.tsv", fielded('\t'))}, Format::tsv);
  same({dir_.write("a.jsonl", jsonl())}, Format::jsonl);
  same({dir_.write("a.txt.gz", gzip(lines(0, kRecords)))}, Format::lines);
  same({dir_.write("1.txt", lines(0, 3)), dir_.write("2.txt", ""), dir_.write("3.txt", lines(3, 15'000)),
        dir_.write("4.txt", lines(15'000, kRecords))},
       Format::lines);
  for (int i = 0; i < kRecords; ++i) dir_.write("files/" + std::to_string(100'000 + i), text(i));
  same({dir_.path("files")}, Format::files);
  std::vector<std::string> held;
  for (int i = 0; i < kRecords; ++i) held.push_back(text(i));
  auto items = std::make_shared<MemoryItems>();
  items->texts.assign(held.begin(), held.end());
  Input memory;
  memory.memory = items;
  EXPECT_EQ(texts_of(sample_records(memory, 1)), plain);
}

TEST_F(Containers, AStreamIsReadFromItsBeginningAgain) {
  const std::vector<std::string> plain = expected();
  for (const bool compressed : {false, true}) {
    const StandardInput in_place(dir_.write("a", compressed ? gzip(lines(0, kRecords)) : lines(0, kRecords)));
    const Input input = input_from({"-"}, Format::lines);
    EXPECT_EQ(texts_of(sample_records(input, 1)), plain);
    EXPECT_EQ(texts_of(sample_records(input, 1)), plain) << "a second look";
    const Items items = read_items(input);
    ASSERT_EQ(items.size(), static_cast<std::size_t>(kRecords));
    for (int i = 0; i < kRecords; ++i) ASSERT_EQ(items.text(static_cast<Row>(i)), text(i));
    EXPECT_EQ(read_items(input).size(), 0u) << "it is gone now";
  }
}

TEST_F(Containers, SoIsAListOfFiles) {
  const std::vector<std::string> plain = expected();
  const StandardInput in_place(dir_.write("list", dir_.path("a.txt") + "\n"));
  Input input;
  input.files_from = "-";
  input.format = Format::lines;
  EXPECT_EQ(texts_of(sample_records(input, 1)), plain);
  EXPECT_EQ(read_items(input).size(), static_cast<std::size_t>(kRecords));
}

}  // namespace
}  // namespace nearkin::sample_records_test
