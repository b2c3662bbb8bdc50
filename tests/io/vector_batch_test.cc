#include <nearkin/vectors.h>

#include "io/formats/records.h"
#include "io/io_support.h"

namespace nearkin::test::vector_batch_test {
namespace {

Batch batch_of(const std::string& path, Format format) {
  Sources sources(input_of(path, format), false);
  Batch batch;
  while (const auto chunk = sources.next()) sources.parse(*chunk, batch);
  return batch;
}

std::optional<VectorShape> first_of(const Vectors& all) {
  return all.size() == 0 ? std::nullopt : std::optional(VectorShape{all.kind, all.dimensions});
}

TEST(VectorBatch, ItemsAreAppendedInAnyChoice) {
  TempDir dir;
  const Batch batch = batch_of(dir.write("a", "1 2\n3 4 5\n6 7\n8 9\n"), Format::dense);
  Vectors all;
  for (const std::size_t i : {0U, 3U, 2U}) {
    EXPECT_EQ(unlike_first(first_of(all), batch, i), "");
    append_vector(all, batch, i);
  }
  EXPECT_EQ(unlike_first(first_of(all), batch, 1), "3 numbers, the first item has 2");
  EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(all.dimensions, 2U);
  EXPECT_EQ(all.numbers, (std::vector<float>{1, 2, 8, 9, 6, 7}));
  EXPECT_TRUE(all.ends.empty());
}

TEST(VectorBatch, BitsKeepTheirWords) {
  TempDir dir;
  const Batch batch = batch_of(dir.write("a", std::string(65, '1') + "\n1\n" + std::string(64, '0') + "1\n"), Format::bits);
  Vectors all;
  append_vector(all, batch, 0);
  EXPECT_EQ(unlike_first(first_of(all), batch, 1), "1 bit, the first item has 65");
  EXPECT_EQ(unlike_first(first_of(all), batch, 2), "");
  append_vector(all, batch, 2);
  EXPECT_EQ(all.kind, Vectors::Kind::bits);
  EXPECT_EQ(all.words, (std::vector<std::uint64_t>{~std::uint64_t{0}, 1, 0, 1}));
}

TEST(VectorBatch, SparseVectorsMayHaveAnyLength) {
  TempDir dir;
  const Batch batch = batch_of(dir.write("a", "1:2\n0\n3:4 5:-6\n"), Format::sparse);
  Vectors all;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(unlike_first(first_of(all), batch, i), "");
    append_vector(all, batch, i);
  }
  EXPECT_EQ(all.ends, (std::vector<std::uint64_t>{1, 1, 3}));
  EXPECT_EQ(all.sparse(2).indices[1], 5U);
  EXPECT_EQ(negative_number(batch, 0), std::nullopt);
  EXPECT_EQ(negative_number(batch, 2), -6);
}

TEST(VectorBatch, KindsDoNotMix) {
  TempDir dir;
  Vectors all;
  append_vector(all, batch_of(dir.write("a", "1 -2\n"), Format::dense), 0);
  EXPECT_EQ(unlike_first(first_of(all), batch_of(dir.write("b", "1:2\n"), Format::sparse), 0),
            "sparse vectors, the first items are dense vectors");
  EXPECT_EQ(negative_number(batch_of(dir.path("a"), Format::dense), 0), -2);
  EXPECT_EQ(negative_number(batch_of(dir.write("c", "11\n"), Format::bits), 0), std::nullopt);
}

TEST(ReadVectors, GathersAllFilesAndFaultsOtherLengths) {
  TempDir dir;
  const std::string a = dir.write("a.txt", "1 2\nbad line\n3\n4 5\n"), b = dir.write("b.txt", "6 7 8\n9 10\n");
  Input input = input_of(a, Format::dense);
  input.paths.push_back(b);
  Faults faults;
  const VectorItems all = read_vectors(input, &faults);
  ASSERT_EQ(all.ids.size(), 3U);
  EXPECT_EQ(all.ids[1], a + ":4");
  EXPECT_EQ(all.vectors.numbers, (std::vector<float>{1, 2, 4, 5, 9, 10}));
  ASSERT_EQ(faults.count, 3U);
  EXPECT_EQ(faults.first[1].where, a + ":3");
  EXPECT_EQ(faults.first[1].message, "1 number, the first item has 2; record skipped");
  EXPECT_EQ(faults.first[2].where, b + ":1");
  EXPECT_EQ(faults.first[2].message, "3 numbers, the first item has 2; record skipped");
  EXPECT_EQ(read_vectors(input).ids.size(), 3U);
}

TEST(ReadVectors, StopsAtAnotherLengthWhenStrict) {
  TempDir dir;
  Input input = input_of(dir.write("a.bits", "01\n011\n"));
  input.strict = true;
  const Error error = error_of([&] { read_vectors(input); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.subject(), dir.path("a.bits:2"));
  EXPECT_EQ(error.message(), "3 bits, the first item has 2");
}

TEST(ReadVectors, OfAnEmptyInputAreOfItsKind) {
  TempDir dir;
  EXPECT_EQ(read_vectors(input_of(dir.write("a.svm", ""))).vectors.kind, Vectors::Kind::sparse);
  EXPECT_EQ(read_vectors(input_of(dir.write("a.bits", "\n"))).vectors.kind, Vectors::Kind::bits);
}

TEST(ReadVectors, AndReadItemsNameEachOther) {
  TempDir dir;
  const std::string text = dir.write("a.jsonl", "{}\n"), bits = dir.write("a.bits", "01\n");
  const Error no_text = error_of([&] { read_items(input_of(bits)); });
  EXPECT_EQ(no_text.code(), ErrorCode::plan);
  EXPECT_EQ(no_text.subject(), "format");
  EXPECT_EQ(no_text.message(), bits + " is bits, which holds vectors and no texts; use read_vectors");
  const Error no_vectors = error_of([&] { read_vectors(input_of(text)); });
  EXPECT_EQ(no_vectors.code(), ErrorCode::plan);
  EXPECT_EQ(no_vectors.subject(), "format");
  EXPECT_EQ(no_vectors.message(), text + " is jsonl, which holds no vectors; use format sparse, dense or bits, or read_items");
}

}  // namespace
}  // namespace nearkin::test::vector_batch_test
