#include "index/record.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::record_test {
namespace {

std::vector<std::uint64_t> some_features(std::size_t count, std::uint64_t seed) {
  SplitMix random(seed);
  std::vector<std::uint64_t> features;
  for (std::size_t i = 0; i < count; ++i) features.push_back(random());
  std::sort(features.begin(), features.end());
  return features;
}

TEST(IndexRecord, GivesBackASetWithItsIdAndMetadata) {
  for (const std::size_t count : {0u, 1u, 56u, 5000u}) {
    const std::vector<std::uint64_t> features = some_features(count, count);
    std::string bytes;
    append_set_record(bytes, "doc-1", "{\"lang\":\"en\"}", features);
    const std::optional<RecordView> record = read_record(bytes);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->id, "doc-1");
    EXPECT_EQ(record->metadata, "{\"lang\":\"en\"}");
    EXPECT_EQ(size_of(*record), count);
    Points points;
    clear_for(*record, points);
    ASSERT_TRUE(append_content(*record, points));
    EXPECT_EQ(std::get<Features>(points).hashes, features);
  }
}

TEST(IndexRecord, GivesBackVectorsOfEveryKind) {
  const Vectors dense{.kind = Vectors::Kind::dense, .dimensions = 3, .count = 1, .numbers = {1.5f, -2, 0}};
  const Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 70, .count = 1, .words = {0xdeadbeefu, 63}};
  const Vectors sparse{.kind = Vectors::Kind::sparse, .count = 1, .indices = {3, 1000}, .values = {0.25, -7}, .ends = {2}};
  for (const Vectors& vectors : {dense, bits, sparse}) {
    std::string bytes;
    append_vector_record(bytes, std::string(40'000, 'i'), "", vectors, 0);
    const std::optional<RecordView> record = read_record(bytes);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->id.size(), 40'000u);
    Points points;
    clear_for(*record, points);
    ASSERT_TRUE(append_content(*record, points));
    ASSERT_TRUE(append_content(*record, points));
    const Vectors& read = std::get<Vectors>(points);
    EXPECT_EQ(read.count, 2u);
    EXPECT_EQ(read.kind, vectors.kind);
    EXPECT_EQ(read.dimensions, vectors.dimensions);
    EXPECT_EQ(std::vector(read.numbers.begin(), read.numbers.begin() + static_cast<std::ptrdiff_t>(read.numbers.size() / 2)),
              vectors.numbers);
    EXPECT_EQ(std::vector(read.words.begin(), read.words.begin() + static_cast<std::ptrdiff_t>(read.words.size() / 2)), vectors.words);
    EXPECT_EQ(std::vector(read.values.begin(), read.values.begin() + static_cast<std::ptrdiff_t>(read.values.size() / 2)), vectors.values);
  }
}

TEST(IndexRecord, TheBytesOfARecordAreFrozen) {
  std::string bytes;
  append_set_record(bytes, "a", "{}", std::vector<std::uint64_t>{1, 2, 0x8000000000000000u});
  std::string hex;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(hex, "b4fc5430000161027b7d0340010000000000000002000000000000000000000000000080");
}

TEST(IndexRecord, DamageIsNoticedInEveryByteAndAtEveryLength) {
  std::string bytes;
  append_set_record(bytes, "doc-1", "{\"lang\":\"en\"}", some_features(20, 7));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_FALSE(read_record(std::string_view(bytes).substr(0, at))) << at;
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_FALSE(read_record(damaged)) << at;
    }
  }
}

TEST(IndexRecord, ContentOfAnotherKindOrLengthIsRefused) {
  const Vectors two{.kind = Vectors::Kind::dense, .dimensions = 2, .count = 1, .numbers = {1, 2}};
  const Vectors three{.kind = Vectors::Kind::dense, .dimensions = 3, .count = 1, .numbers = {1, 2, 3}};
  std::string short_bytes, long_bytes, set_bytes;
  append_vector_record(short_bytes, "a", "", two, 0);
  append_vector_record(long_bytes, "b", "", three, 0);
  append_set_record(set_bytes, "c", "", some_features(3, 1));
  Points points;
  clear_for(*read_record(short_bytes), points);
  EXPECT_TRUE(append_content(*read_record(short_bytes), points));
  EXPECT_FALSE(append_content(*read_record(long_bytes), points));
  EXPECT_FALSE(append_content(*read_record(set_bytes), points));
  EXPECT_EQ(std::get<Vectors>(points).count, 1u);
}

}  // namespace
}  // namespace nearkin::record_test
