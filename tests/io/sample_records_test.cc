#include "io/source/sample_records.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/temp_dir.h"

namespace nearkin::sample_records_test {
namespace {

using test::TempDir;

Input input_from(const std::string& path, Format format) {
  Input input;
  input.paths = {path};
  input.format = format;
  return input;
}

/// Lines of different lengths, each known by its number.
std::string line(int number) {
  const std::uint64_t length = 20 + mix64(static_cast<std::uint64_t>(number)) % 400;
  return std::to_string(number) + std::string(length, 'x');
}

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += line(i) + "\n";
  return out;
}

std::set<std::string> texts_of(const RecordSample& sample) {
  std::set<std::string> texts;
  for (std::size_t i = 0; i < sample.texts.size(); ++i) texts.emplace(sample.texts[i]);
  return texts;
}

TEST(SampleRecords, OfASmallInputEveryRecordIsTaken) {
  const TempDir dir;
  const RecordSample sample = sample_records(input_from(dir.write("a.txt", lines(100)), Format::lines), 1);
  EXPECT_EQ(sample.texts.size(), 100u);
  EXPECT_EQ(sample.in_all, 100u);
}

TEST(SampleRecords, OfALargeFileWholeLinesAreTakenFromAllOverIt) {
  const TempDir dir;
  constexpr int kLines = 60'000;
  const Input input = input_from(dir.write("a.txt", lines(kLines)), Format::lines);
  const RecordSample sample = sample_records(input, 1);
  const std::set<std::string> texts = texts_of(sample);
  EXPECT_EQ(texts.size(), sample.texts.size()) << "no record is taken twice";
  EXPECT_NEAR(static_cast<double>(sample.texts.size()), kLines / 16.0, kLines / 16.0 * 0.1);
  EXPECT_NEAR(static_cast<double>(sample.in_all), kLines, kLines * 0.05);
  int first_half = 0;
  for (const std::string& text : texts) {
    const int number = std::stoi(text);
    EXPECT_EQ(text, line(number)) << "a whole record";
    first_half += number < kLines / 2;
  }
  EXPECT_NEAR(static_cast<double>(first_half), static_cast<double>(texts.size()) / 2, static_cast<double>(texts.size()) * 0.05);
}

TEST(SampleRecords, TheSeedDecides) {
  const TempDir dir;
  const Input input = input_from(dir.write("a.txt", lines(60'000)), Format::lines);
  EXPECT_EQ(texts_of(sample_records(input, 1)), texts_of(sample_records(input, 1)));
  EXPECT_NE(texts_of(sample_records(input, 1)), texts_of(sample_records(input, 2)));
}

TEST(SampleRecords, LinesThatAreLongerThanAStretchAreTakenWhole) {
  const TempDir dir;
  std::string bytes;
  for (int i = 0; i < 400; ++i) bytes += std::to_string(i) + std::string(20'000, 'y') + "\n";
  const RecordSample sample = sample_records(input_from(dir.write("a.txt", bytes), Format::lines), 1);
  EXPECT_GT(sample.texts.size(), 150u);
  for (std::size_t i = 0; i < sample.texts.size(); ++i) EXPECT_GT(sample.texts[i].size(), 20'000u);
}

TEST(SampleRecords, LongLinesThatFollowOneAnotherAreNotTakenMoreOftenThanTheirBytesAllow) {
  const TempDir dir;
  std::string bytes = lines(20'000);
  for (int i = 0; i < 300; ++i) bytes += std::to_string(i) + std::string(30'000, 'y') + "\n";
  const RecordSample sample = sample_records(input_from(dir.write("a.txt", bytes), Format::lines), 1);
  EXPECT_GE(sample.texts.size(), 200u);
  EXPECT_LT(sample.texts.bytes(), 8'000'000u);
}

TEST(SampleRecords, LongRecordsAreFewerAndNotReadAgainAndAgain) {
  const TempDir dir;
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += std::to_string(i) + std::string(1'000'000, 'y') + "\n";
  const RecordSample sample = sample_records(input_from(dir.write("a.txt", bytes), Format::lines), 1);
  EXPECT_GT(sample.texts.size(), 4u);
  EXPECT_LT(sample.texts.bytes(), 34'000'000u);
  std::string one_long = lines(20'000);
  one_long += std::string(30'000'000, 'z') + "\n" + lines(20'000);
  const RecordSample beside = sample_records(input_from(dir.write("b.txt", one_long), Format::lines), 1);
  EXPECT_LT(beside.texts.bytes(), 34'000'000u);
  EXPECT_GT(texts_of(beside).size(), 100u);
}

TEST(SampleRecords, ShardsAreSampledByTheirSizes) {
  const TempDir dir;
  Input input;
  input.format = Format::lines;
  for (int shard = 0; shard < 4; ++shard) {
    input.paths.push_back(
        dir.write("shard" + std::to_string(shard) + ".txt", std::string(shard == 3 ? 1 : 0, '\n') + lines(shard == 3 ? 60'000 : 6'000)));
  }
  const RecordSample sample = sample_records(input, 1);
  EXPECT_NEAR(static_cast<double>(sample.in_all), 78'000, 78'000 * 0.05);
}

TEST(SampleRecords, OfManyFilesSomeAreRead) {
  const TempDir dir;
  constexpr int kFiles = 1500;
  for (int i = 0; i < kFiles; ++i) dir.write("files/" + std::to_string(i), std::to_string(i) + std::string(4000, 'z'));
  const RecordSample sample = sample_records(input_from(dir.path("files"), Format::files), 1);
  EXPECT_EQ(sample.in_all, static_cast<std::uint64_t>(kFiles));
  EXPECT_NEAR(static_cast<double>(sample.texts.size()), (1 << 20) / 4004.0, 60) << "about a megabyte of them";
}

TEST(SampleRecords, OfWhatMustBeReadInOrderTheBeginningIsTaken) {
  const TempDir dir;
  std::string csv = "id,text\n";
  for (int i = 0; i < 40'000; ++i) csv += std::to_string(i) + ",\"" + line(i) + "\n of two lines\"\n";
  const RecordSample sample = sample_records(input_from(dir.write("a.csv", csv), Format::csv), 1);
  EXPECT_NEAR(static_cast<double>(sample.in_all), 40'000, 40'000 * 0.15);
  EXPECT_NEAR(static_cast<double>(sample.texts.size()), 40'000 / 16.0, 400);
  EXPECT_EQ(sample.texts[0], line(0) + "\n of two lines");
}

TEST(SampleRecords, TheHeaderOfATsvFileIsNoRecord) {
  const TempDir dir;
  std::string tsv = "id\ttext\n";
  for (int i = 0; i < 60'000; ++i) tsv += std::to_string(i) + "\t" + line(i) + "\n";
  for (const std::string& text : texts_of(sample_records(input_from(dir.write("a.tsv", tsv), Format::tsv), 1))) {
    EXPECT_EQ(text, line(std::stoi(text)));
  }
}

}  // namespace
}  // namespace nearkin::sample_records_test
