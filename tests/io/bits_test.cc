#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::bits_test {
namespace {

TEST(Bits, AreReadFromBinaryAndHexadecimalDigits) {
  TempDir dir;
  const std::string path = dir.write("b.bits", "0110\n\n# comment\n 01 10\t1 \r\n0x8F1\n0Xa b\n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":4", path + ":5", path + ":6"}));
  EXPECT_EQ(all.vectors, (Texts{"0110", "01101", "100011110001", "10101011"}));
}

TEST(Bits, PutBitZeroIntoTheLowestPlaceOfTheFirstWord) {
  TempDir dir;
  Sources sources(input_of(dir.write("b.bits", "1" + std::string(63, '0') +
                                                   "01\n0x8000000000000000"
                                                   "4\n")),
                  false);
  Batch batch;
  sources.parse(*sources.next(), batch);
  EXPECT_EQ(batch.vectors.words, (std::vector<std::uint64_t>{1, 2, 1, 2}));
  EXPECT_EQ(batch.vector_lengths, (std::vector<std::uint32_t>{66, 68}));
  EXPECT_EQ(batch.vectors.ends, (std::vector<std::uint64_t>{2, 4}));
}

TEST(Bits, TakeTheIdFromTheFirstWord) {
  TempDir dir;
  Input input = input_of(dir.write("b.bits", "a\t01\nb 0x3\nc\n010 1\n"));
  input.id = "first-word";
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, (Texts{"a", "b", "010"}));
  EXPECT_EQ(all.vectors, (Texts{"01", "0011", "1"}));
  EXPECT_EQ(first_fault(all), "no bits");
}

TEST(Bits, NameTheFirstBadCharacter) {
  TempDir dir;
  const auto fault = [&](std::string_view line) { return first_fault(read_everything(input_of(dir.write("b.bits", line)))); };
  EXPECT_EQ(fault("01021"), "character 4 is \"2\"; a bit is 0 or 1");
  EXPECT_EQ(fault("01_1"), "character 3 is \"_\"; a bit is 0 or 1");
  EXPECT_EQ(fault(" é"), "character 2 is \"é\"; a bit is 0 or 1");
  EXPECT_EQ(fault("0x12g"), "character 5 is \"g\"; after 0x there are only 0 to 9 and a to f");
  EXPECT_EQ(fault("1x0"), "character 2 is \"x\"; a bit is 0 or 1");
  EXPECT_EQ(fault("0x"), "no bits");
  EXPECT_EQ(fault("01\xFF"), "character 3 is \"?\"; a bit is 0 or 1");
}

TEST(Bits, LeaveNothingOfARecordAtFault) {
  TempDir dir;
  const Everything all = read_everything(input_of(dir.write("b.bits", "01\n" + std::string(200, '1') + "x\n10\n")));
  EXPECT_EQ(all.vectors, (Texts{"01", "10"}));
  EXPECT_EQ(all.faults.first[0].where, dir.path("b.bits:2"));
}

TEST(Bits, AreTheSameAcrossChunksPackedAndFromStandardInput) {
  TempDir dir;
  std::string bytes;
  Texts expected;
  for (std::size_t i = 0; bytes.size() < 2 * kChunkBytes; ++i) {
    std::string bits;
    for (std::size_t j = 0; j < 200; ++j) bits += (i * 31 + j * j) % 7 < 3 ? '1' : '0';
    bytes += bits + "\n";
    expected.push_back(bits);
  }
  expected.emplace_back(2 * kChunkBytes + 5, '1');
  bytes += expected.back() + "\n";
  const std::string plain = dir.write("b.bits", bytes);
  const StandardInput in(plain);
  for (const std::string& path : {plain, dir.write("b.bits.gz", gzip(bytes)), std::string("-")}) {
    Sources sources(input_of(path, Format::bits), true);
    const Everything all = read_everything(sources);
    EXPECT_TRUE(all.vectors == expected);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
  }
}

TEST(Bits, CutShortGiveWhatIsThere) {
  TempDir dir;
  EXPECT_EQ(cut_at_every_byte(dir, "b.bits", "01\n0x1\n"), (std::vector<std::size_t>{0, 1, 1, 1, 2, 1, 2, 2}));
}

}  // namespace
}  // namespace nearkin::test::bits_test
