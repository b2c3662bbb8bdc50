// From files of each format to pairs, clusters and the records kept.
#include "support/run_support.h"

#include <fmt/format.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

namespace nearkin::formats_test {
namespace {

using test::sure_plan;

class WholeRuns : public test::Runs {};

TEST_F(WholeRuns, OfJsonl) {
  const std::string records = "{\"id\":\"a\", \"text\":\"one two\"}\n{\"text\":\"three\",\"id\":7}\n{\"id\":\"c\",\"text\":\"Two, ONE\"}\n";
  const Input input = file("docs.jsonl", records);
  EXPECT_EQ(listed(input, sure_plan()), "a\tc\t1\n");
  EXPECT_EQ(clustered(input, sure_plan()), "a\t0\n7\t1\nc\t0\n");
  EXPECT_EQ(kept(input, sure_plan()), records.substr(0, records.find("{\"id\":\"c\"")));
}

TEST_F(WholeRuns, OfJsonlWithDottedFieldsAndSeveralTexts) {
  Input input = file("docs.jsonl",
                     "{\"meta\":{\"url\":\"u1\"},\"title\":\"one\",\"body\":\"two\"}\n"
                     "{\"meta\":{\"url\":\"u2\"},\"title\":\"one two\",\"body\":\"\"}\n");
  input.id = "meta.url";
  input.text = "title,body";
  EXPECT_EQ(listed(input, sure_plan()), "u1\tu2\t1\n");
}

TEST_F(WholeRuns, OfCsv) {
  const std::string records = "id,text\r\n1,\"one, \"\"two\"\"\"\r\n2,three\r\n3,\"two\r\none\"\r\n";
  const Input input = file("docs.csv", records);
  EXPECT_EQ(listed(input, sure_plan()), "1\t3\t1\n");
  EXPECT_EQ(clustered(input, sure_plan()), "1\t0\n2\t1\n3\t0\n");
  EXPECT_EQ(kept(input, sure_plan()), "id,text\r\n1,\"one, \"\"two\"\"\"\r\n2,three\r\n");
}

TEST_F(WholeRuns, OfTsv) {
  const Input input = file("docs.tsv", "text\tid\none two\tx\nthree\ty\ntwo one\tz");
  EXPECT_EQ(listed(input, sure_plan()), "x\tz\t1\n");
  EXPECT_EQ(kept(input, sure_plan()), "text\tid\none two\tx\nthree\ty\n");
}

TEST_F(WholeRuns, OfLines) {
  Input input = file("docs", "one two\nthree\ntwo one");
  input.format = Format::lines;
  EXPECT_EQ(listed(input, sure_plan()), "docs:1\tdocs:3\t1\n");
  EXPECT_EQ(clustered(input, sure_plan()), "docs:1\t0\ndocs:2\t1\ndocs:3\t0\n");
  EXPECT_EQ(kept(input, sure_plan()), "one two\nthree\n");
}

TEST_F(WholeRuns, OfLinesThatBeginWithTheirIds) {
  Input input = file("docs", "k1 one two\nk2 three\nk3 two one\n");
  input.format = Format::lines;
  input.id = "first-word";
  EXPECT_EQ(listed(input, sure_plan()), "k1\tk3\t1\n");
  EXPECT_EQ(kept(input, sure_plan()), "k1 one two\nk2 three\n");
}

TEST_F(WholeRuns, OfFilesOfAFolder) {
  dir_.write("docs/a.txt", "one two");
  dir_.write("docs/b/c.txt", "two one\n");
  dir_.write("docs/b/binary", std::string("\0\1\2", 3));
  dir_.write("docs/d.txt", "");
  const Input input = test::input_from(dir_.path("docs"));
  EXPECT_EQ(listed(input, sure_plan()), "docs/a.txt\tdocs/b/c.txt\t1\n");
  EXPECT_EQ(kept(input, sure_plan()), "docs/a.txt\ndocs/d.txt\n");
  EXPECT_EQ(result_.stats.faults.binary, 1u);
  EXPECT_EQ(result_.stats.empty, 1u);
}

TEST_F(WholeRuns, OfSets) {
  const Input input = file("docs.sets", "1 2 3 4\n5\n4 3 2 1 1\n2 3 4 5\n");
  EXPECT_EQ(listed(input, test::element_plan(0.6)),
            "docs.sets:1\tdocs.sets:3\t1\ndocs.sets:1\tdocs.sets:4\t0.6\ndocs.sets:3\tdocs.sets:4\t0.6\n");
  EXPECT_EQ(kept(input, test::element_plan(0.6)), "1 2 3 4\n5\n");
}

TEST_F(WholeRuns, ReadCompressedInputsTwiceAsPlainOnes) {
  const std::string records = test::json_record("a", "one two three four five six") + test::json_record("b", "else") +
                              test::json_record("c", "one two three four five six!");
  const std::string members = test::gzip(records.substr(0, 20)) + test::gzip(records.substr(20));
  for (const std::string& bytes : {test::gzip(records), test::zstd(records), members}) {
    const Input input = file("docs.jsonl.gz", bytes);
    EXPECT_EQ(listed(input, tune({})), "a\tc\t1\n");
    EXPECT_EQ(kept(input, tune({})), test::json_record("a", "one two three four five six") + test::json_record("b", "else"));
  }
}

TEST_F(WholeRuns, CompressOutputsByTheirNames) {
  std::string records;
  for (int i = 0; i < 5000; ++i) records += test::json_record(std::to_string(i), "text number " + std::to_string(i));
  const Input input = file("docs.jsonl", records);
  for (const std::string name : {"kept.jsonl.gz", "kept.jsonl.zst"}) {
    dedup(input, dir_.path(name), test::exact_plan());
    EXPECT_LT(dir_.read(name).size(), records.size() / 3);
    EXPECT_EQ(dir_.read(name).substr(0, 2), name.ends_with("gz") ? "\x1f\x8b" : "\x28\xb5");
    EXPECT_EQ(kept(test::input_from(dir_.path(name)), test::exact_plan()), records) << name;
  }
}

TEST_F(WholeRuns, EscapeTheirRows) {
  const Input input = file("docs.jsonl", test::json_record("tab\there", "x y") + test::json_record("quote\"\\", "x y"));
  EXPECT_EQ(listed(input, sure_plan()), "tab\\there\tquote\"\\\\\t1\n");
  list_pairs(input, sure_plan(), {.path = dir_.path("json"), .style = RowStyle::json});
  EXPECT_EQ(dir_.read("json"), "{\"a\":\"tab\\there\",\"b\":\"quote\\\"\\\\\",\"similarity\":1}\n");
}

TEST_F(WholeRuns, CutSimilaritiesAndDoNotRoundThem) {
  EXPECT_EQ(similarity_text({0, 1, 2, 3}), "0.666666");
  EXPECT_EQ(similarity_text({0, 1, 4, 5}), "0.8");
  EXPECT_EQ(similarity_text({0, 1, 999'999'999, 1'000'000'000}), "0.999999") << "only what is 1 reads 1";
  EXPECT_EQ(similarity_text({0, 1, 3'999'999'999u, 4'000'000'000u}), "0.999999");
  EXPECT_EQ(similarity_text({0, 1, 7, 7}), "1");
  EXPECT_EQ(similarity_text({0, 1, 0, 9}), "0");
  EXPECT_EQ(similarity_text({0, 1, 1, 3'000'000}), "0");
  EXPECT_EQ(similarity_text({0, 1, 1, 20}), "0.05");
  EXPECT_EQ(similarity_text({0, 1, 0, 0}), "0");
}

TEST_F(WholeRuns, SayWhatIsEstimatedAndWhatIsNotVerified) {
  const std::string text = "one two three four five six seven eight nine ten";
  const Input input =
      file("docs.jsonl", test::json_record("a", text) + test::json_record("b", text + " eleven") + test::json_record("c", "else"));
  const Plan estimated = tune({.threshold = 0.5}, {.shingle = parse_shingle("word:2"), .verify = Verify::estimate});
  const PairsResult result = pairs(input, estimated);
  ASSERT_EQ(result.matches.size(), 1u);
  EXPECT_EQ(result.matches[0].total, estimated.sketch.hashes);
  EXPECT_EQ(result.verify, Verify::estimate);
  EXPECT_EQ(listed(input, estimated), "a\tb\t~" + similarity_text(result.matches[0]) + "\n");
  list_pairs(input, estimated, {.path = dir_.path("json"), .style = RowStyle::json});
  EXPECT_EQ(dir_.read("json"), "{\"a\":\"a\",\"b\":\"b\",\"estimate\":" + fmt::format("{}", result.matches[0].similarity()) + "}\n");
  const Plan unverified = tune({.threshold = 0.5}, {.shingle = parse_shingle("word:2"), .verify = Verify::none});
  EXPECT_EQ(listed(input, unverified), "a\tb\t?\n");
  list_pairs(input, unverified, {.path = dir_.path("json"), .style = RowStyle::json});
  EXPECT_EQ(dir_.read("json"), "{\"a\":\"a\",\"b\":\"b\"}\n");
}

}  // namespace
}  // namespace nearkin::formats_test
