#include "io/io_support.h"
#include "io/source/chunker.h"

namespace nearkin::test::sparse_test {
namespace {

TEST(Sparse, ReadsIndicesAndValues) {
  TempDir dir;
  const std::string path = dir.write("v.svm", "+1 1:0.5 3:-2e1 # first\n# a comment\n\n7:1 2:+3\r\n-1 qid:4 5:1\n0\n1,2,7 9:0 10:4\n  \n");
  const Everything all = read_everything(input_of(path));
  EXPECT_EQ(all.ids, (Texts{path + ":1", path + ":4", path + ":5", path + ":6", path + ":7"}));
  EXPECT_EQ(all.vectors, (Texts{"1:0.5 3:-20", "2:3 7:1", "5:1", "", "10:4"}));
  EXPECT_EQ(all.texts, Texts(5));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST(Sparse, TakesTheIdFromTheCommentOrTheFirstWord) {
  TempDir dir;
  const std::string path = dir.write("v.sparse", "1 2:3 # doc one \n1 2:3\n");
  Input input = input_of(path);
  input.id = "comment";
  EXPECT_EQ(read_everything(input).ids, (Texts{"doc one", path + ":2"}));
  input = input_of(dir.write("w.sparse", "a 1:2\n3:4\nb\nc qid:1 5:6\n"));
  input.id = "first-word";
  const Everything all = read_everything(input);
  EXPECT_EQ(all.ids, (Texts{"a", "b", "c"}));
  EXPECT_EQ(all.vectors, (Texts{"1:2", "", "5:6"}));
  EXPECT_EQ(first_fault(all), "no first word to take as the id; the line begins with \"3:4\"");
}

TEST(Sparse, TakesTheWholeRangeOfIndicesAndValues) {
  TempDir dir;
  const Everything all = read_everything(input_of(dir.write("v.svm", "9223372036854775808:1e100 0:1e-300 1:1e-999\n")));
  EXPECT_EQ(all.vectors, Texts{"0:1e-300 9223372036854775808:1e+100"});
}

TEST(Sparse, SaysWhatIsWrongWithARecord) {
  TempDir dir;
  const auto fault = [&](std::string_view line) { return first_fault(read_everything(input_of(dir.write("v.svm", line)))); };
  EXPECT_EQ(fault("1:2 3:4 1:5"), "index 1 is given twice");
  EXPECT_EQ(fault("1:2 1:0"), "index 1 is given twice");
  EXPECT_EQ(fault("word 1:2"), "\"word\" is neither a label, which is a number, nor index:value");
  EXPECT_EQ(fault("1 -1:2"), "\"-1:2\" is not index:value, the index a whole number of 0 and more");
  EXPECT_EQ(fault("1 2"), "\"2\" is not index:value, the index a whole number of 0 and more");
  EXPECT_EQ(fault("1 1.5:2"), "\"1.5:2\" is not index:value, the index a whole number of 0 and more");
  EXPECT_EQ(fault("1 9223372036854775809:2"), "\"9223372036854775809:2\": the index is above 2^63");
  EXPECT_EQ(fault("1 99999999999999999999:2"), "\"99999999999999999999:2\": the index is above 2^63");
  EXPECT_EQ(fault("1 2:"), "\"2:\": the value is not a number");
  EXPECT_EQ(fault("1 2: 3"), "\"2:\": the value is not a number");
  EXPECT_EQ(fault("1 2:3x"), "\"2:3x\": the value is not a number");
  EXPECT_EQ(fault("1 2:0x10"), "\"2:0x10\": the value is not a number");
  EXPECT_EQ(fault("1 2:nan"), "\"2:nan\": the value is not finite");
  EXPECT_EQ(fault("1 2:-inf"), "\"2:-inf\": the value is not finite");
  EXPECT_EQ(fault("1 2:1e999"), "\"2:1e999\": the value is beyond ±1e100");
  EXPECT_EQ(fault("1 2:" + std::string(100, 'x')), "\"2:" + std::string(58, 'x') + "...\": the value is not a number");
  EXPECT_EQ(fault(std::string("1 2:\x01\xFF\n", 7)), "\"2:??\": the value is not a number");
}

TEST(Sparse, LeavesNothingOfARecordAtFault) {
  TempDir dir;
  const Everything all = read_everything(input_of(dir.write("v.svm", "1:1\n2:2 3:3 bad\n4:4\n")));
  EXPECT_EQ(all.vectors, (Texts{"1:1", "4:4"}));
  EXPECT_EQ(all.fault_locations[0].line, 2U);
}

TEST(Sparse, StopsAtTheFirstFaultWhenStrict) {
  TempDir dir;
  Input input = input_of(dir.write("v.svm", "1:1\n2:\n"));
  input.strict = true;
  EXPECT_EQ(error_of([&] { read_everything(input); }).subject(), dir.path("v.svm:2"));
}

TEST(Sparse, GivesTheSameRecordsAcrossChunksPackedAndFromStandardInput) {
  TempDir dir;
  std::string bytes;
  for (int i = 0; bytes.size() < 2 * kChunkBytes; ++i) {
    bytes += "1";
    for (int j = 0; j < i % 50; ++j) bytes += ' ' + std::to_string(j * 7 + i) + ':' + std::to_string(i + 0.25 * j);
    bytes += i % 1000 == 999 ? " bad\n" : "\n";
  }
  bytes += "1 5:" + std::string(2 * kChunkBytes, '1') + "e-2097152\n1 6:1\n";
  const std::string plain = dir.write("v.svm", bytes);
  const Everything expected = read_everything(input_of(plain));
  EXPECT_GT(expected.faults.count, 3U);
  EXPECT_EQ(expected.vectors.back(), "6:1");
  const StandardInput in(plain);
  for (const std::string& path : {plain, dir.write("v.svm.gz", gzip(bytes)), dir.write("v.svm.zst", zstd(bytes)), std::string("-")}) {
    Sources sources(input_of(path, Format::sparse), true);
    const Everything all = read_everything(sources);
    EXPECT_TRUE(all.vectors == expected.vectors);
    EXPECT_EQ(all.faults.count, expected.faults.count);
    EXPECT_TRUE(all_bytes(sources, all) == bytes);
    std::string buffer;
    Batch batch;
    sources.parse_again(all.locations[77], buffer, batch);
    EXPECT_EQ(shown_vector(batch, 0), expected.vectors[77]);
  }
}

TEST(Sparse, CutShortGivesWhatIsThere) {
  TempDir dir;
  const std::vector<std::size_t> items = cut_at_every_byte(dir, "v.svm", "1 2:3 # x\n4:5\n");
  EXPECT_EQ(items, (std::vector<std::size_t>{0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 2, 1, 2, 2}));
}

}  // namespace
}  // namespace nearkin::test::sparse_test
