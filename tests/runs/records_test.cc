// What dedup writes: the records kept, annotated ones, the list of the removed, the records at fault.
#include "support/run_support.h"

#include <nearkin/tools/names.h>

namespace nearkin::records_test {
namespace {

using test::json_record;
using test::sure_plan;

class Records : public test::Runs {};

TEST_F(Records, KeepTheirBytesWhateverTheyAre) {
  const std::string records =
      " {\"text\" : \"a b\",\"n\":1.50e+1, \"id\":\"1\" } \r\n\n{\"id\":\"2\",\"text\":\"\\u0063\"}\t\n   \n{\"id\":\"3\",\"text\":\"é\"}";
  EXPECT_EQ(test::lines_of(kept(file("docs.jsonl", records), sure_plan())).size(), 3u);
  std::string expected;
  for (const std::string& line : test::lines_of(records)) expected += line.find('{') == std::string::npos ? "" : line + "\n";
  expected.pop_back();
  EXPECT_EQ(dir_.read("kept"), expected);
}

TEST_F(Records, OfALastLineWithoutAnEndGetOneWhenAnotherFollows) {
  const Input input = files({{"1.jsonl", "{\"id\":\"a\",\"text\":\"one\"}"}, {"2.jsonl", "{\"id\":\"b\",\"text\":\"two\"}"}});
  EXPECT_EQ(kept(input, sure_plan()), "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"text\":\"two\"}");
  EXPECT_EQ(kept(input, test::exact_plan(), {.bloom = 0.01}), "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"text\":\"two\"}");
}

TEST_F(Records, OfSeveralCsvFilesHaveOneHeader) {
  const Input input = files({{"1.csv", "id,text\n1,one"}, {"2.csv", "id,text\n2,two\n3,one\n"}, {"3.csv", "id,text\n4,four\n"}});
  EXPECT_EQ(kept(input, sure_plan()), "id,text\n1,one\n2,two\n4,four\n");
  EXPECT_EQ(kept(input, test::exact_plan(), {.bloom = 0.01}), "id,text\n1,one\n2,two\n4,four\n");
  EXPECT_EQ(annotated(input), "id,text,cluster,keeper,similarity\n1,one,0,1,1\n2,two,1,2,1\n3,one,0,1,1\n4,four,2,4,1\n");
}

TEST_F(Records, OfCsvFilesWithOtherHeadersAreRefused) {
  const Input input = files({{"1.csv", "id,text\n1,one\n"}, {"2.csv", "text,id\ntwo,2\n"}});
  for (const bool bloom : {false, true}) {
    const DedupOptions options{.bloom = bloom ? std::optional(0.01) : std::nullopt};
    const Error error = test::error_of([&] { kept(input, test::exact_plan(), options); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.subject(), input.paths[1]);
    EXPECT_NE(error.message().find("header"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.path("kept")));
  EXPECT_EQ(listed(input, sure_plan()), "") << "pairs do not mind";
}

TEST_F(Records, OfCsvFilesThatDifferInLineEndsOnlyFollowOneAnother) {
  const Input input = files({{"1.csv", "id,text\r\n1,one\r\n"}, {"2.csv", "id,text\n2,two\n"}});
  EXPECT_EQ(kept(input, sure_plan()), "id,text\r\n1,one\r\n2,two\n");
}

TEST_F(Records, ThatHaveTheFieldsOfAnnotateAlreadyAreRefused) {
  const Input json = file("docs.jsonl", "{\"id\":\"a\",\"text\":\"x\",\"cluster\" : 7}\n");
  EXPECT_NE(test::error_of([&] { annotated(json); }).message().find("\"cluster\" already"), std::string::npos);
  const Input csv = file("docs.csv", "id,text,\"keeper\"\n1,one,2\n");
  EXPECT_NE(test::error_of([&] { annotated(csv); }).message().find("\"keeper\" already"), std::string::npos);
  const Input escaped = file("escaped.jsonl", "{\"id\":\"a\",\"text\":\"x\",\"\\u0063luster\":7}\n");
  EXPECT_NE(test::error_of([&] { annotated(escaped); }).message().find("\"cluster\" already"), std::string::npos);
  const Input quoted = file("quoted.csv", "id,text,\"x,cluster,y\"\n1,one,2\n");
  EXPECT_EQ(annotated(quoted), "id,text,\"x,cluster,y\",cluster,keeper,similarity\n1,one,2,0,1,1\n");
  const Input inside = file("inside.jsonl", "{\"id\":\"a\",\"text\":\"\\\"cluster\\\": 1\",\"m\":{\"cluster\":7}}\n");
  EXPECT_EQ(annotated(inside),
            "{\"id\":\"a\",\"text\":\"\\\"cluster\\\": 1\",\"m\":{\"cluster\":7},\"cluster\":0,\"keeper\":\"a\",\"similarity\":1}\n");
}

TEST_F(Records, OfOtherFormatsAreRefused) {
  const Input input = files({{"1.csv", "id,text\n1,one\n"}, {"2.jsonl", json_record("2", "two")}});
  EXPECT_EQ(test::error_of([&] { kept(input, sure_plan()); }).subject(), input.paths[1]);
}

TEST_F(Records, EmptyCsvFilesChangeNothing) {
  const Input first = files({{"a.csv", ""}, {"b.csv", "id,text\n2,two\n"}});
  const Input last = files({{"c.csv", "id,text\n1,one\n"}, {"d.csv", ""}});
  const Input bare = files({{"e.csv", "id,text\n"}, {"f.csv", "id,text\n2,two\n"}});
  const Input header = file("only.csv", "id,text\n");
  for (const DedupOptions& options : {DedupOptions{}, DedupOptions{.bloom = 0.01}}) {
    EXPECT_EQ(kept(first, test::exact_plan(), options), "id,text\n2,two\n");
    EXPECT_EQ(kept(last, test::exact_plan(), options), "id,text\n1,one\n");
    EXPECT_EQ(kept(bare, test::exact_plan(), options), "id,text\n2,two\n");
    EXPECT_EQ(kept(header, test::exact_plan(), options), "id,text\n");
  }
  EXPECT_EQ(annotated(first), "id,text,cluster,keeper,similarity\n2,two,0,2,1\n");
  EXPECT_EQ(annotated(header), "id,text,cluster,keeper,similarity\n");
}

TEST_F(Records, OfTablesWithoutAHeaderGetNone) {
  Input input = files({{"1.csv", "a,x y\nb,y x\n"}, {"2.csv", "c,z"}});
  input.header = false;
  input.id = "1";
  input.text = "2";
  EXPECT_EQ(kept(input, sure_plan()), "a,x y\nc,z");
  EXPECT_EQ(kept(input, test::exact_plan(), {.bloom = 0.01}), "a,x y\nb,y x\nc,z");
  EXPECT_EQ(annotated(input), "a,x y,0,a,1\nb,y x,0,a,1\nc,z,1,c,1");
}

TEST_F(Records, OfAnEmptyInputAreNone) {
  EXPECT_EQ(kept(file("docs.jsonl", ""), tune({})), "");
  EXPECT_EQ(annotated(file("docs.jsonl", "")), "");
  EXPECT_EQ(listed(file("docs.jsonl", ""), tune({})), "");
  EXPECT_EQ(clustered(file("docs.jsonl", ""), tune({})), "");
}

TEST_F(Records, MayReplaceTheirOwnInput) {
  const Input input = file("docs.jsonl", json_record("a", "x y") + json_record("b", "y x") + json_record("c", "z"));
  dedup(input, input.paths[0], sure_plan());
  EXPECT_EQ(dir_.read("docs.jsonl"), json_record("a", "x y") + json_record("c", "z"));
}

TEST_F(Records, AreAnnotatedInJson) {
  Input input = file("docs.jsonl",
                     "{\"text\":\"x y\"  }\r\n{\"id\":\"b\",\"text\":\"Y x\"\t} \n"
                     "{\"id\":\"c\\\"}\",\"text\":\"}\"}\n{\"id\":\"d\",\"text\":\"z\",\"o\":{}}");
  EXPECT_EQ(annotated(input),
            "{\"text\":\"x y\"  ,\"cluster\":0,\"keeper\":\"docs.jsonl:1\",\"similarity\":1}\r\n"
            "{\"id\":\"b\",\"text\":\"Y x\"\t,\"cluster\":0,\"keeper\":\"docs.jsonl:1\",\"similarity\":1} \n"
            "{\"id\":\"c\\\"}\",\"text\":\"}\",\"cluster\":1,\"keeper\":\"c\\\"}\",\"similarity\":1}\n"
            "{\"id\":\"d\",\"text\":\"z\",\"o\":{},\"cluster\":2,\"keeper\":\"d\",\"similarity\":1}");
  EXPECT_EQ(result_.kept, 3u);
  EXPECT_EQ(result_.removed, 1u);
}

TEST_F(Records, AreAnnotatedInCsvAndTsv) {
  EXPECT_EQ(annotated(file("docs.csv", "id,text\r\n\"a \"\"b\"\", c\",x y\r\n2,\"y\nx\"\r\n3,z")),
            "id,text,cluster,keeper,similarity\r\n\"a \"\"b\"\", c\",x y,0,\"a \"\"b\"\", c\",1\r\n2,\"y\nx\",0,\"a \"\"b\"\", "
            "c\",1\r\n3,z,1,3,1");
  EXPECT_EQ(annotated(file("docs.tsv", "id\ttext\na,1\tx y\n2\ty x\n")),
            "id\ttext\tcluster\tkeeper\tsimilarity\na,1\tx y\t0\ta,1\t1\n2\ty x\t0\ta,1\t1\n");
}

TEST_F(Records, WithoutFieldsCannotBeAnnotated) {
  for (const Format format : {Format::lines, Format::files, Format::sets}) {
    Input input = file("docs", "x y\n");
    input.format = format;
    EXPECT_EQ(test::error_of([&] { annotated(input); }).subject(), "annotate") << name(format);
  }
}

TEST_F(Records, RemovedAreListedWithTheirKeepers) {
  const Input input = file("docs.jsonl", json_record("a", "1 2 3 4") + json_record("tab\t", "2 3 4 5") + json_record("c", "4 3 2 1"));
  kept(input, sure_plan(0.6), {.removed = dir_.path("removed")});
  EXPECT_EQ(dir_.read("removed"), "tab\\t\ta\t0.6\nc\ta\t1\n");
  kept(input, sure_plan(0.6), {.removed = dir_.path("removed.gz"), .removed_as_json = true});
  Input listed = test::input_from(dir_.path("removed.gz"));
  listed.format = Format::lines;
  EXPECT_EQ(read_items(listed).text(0), "{\"id\":\"tab\\t\",\"keeper\":\"a\",\"similarity\":0.6}");
}

TEST_F(Records, RemovedByConnectionHaveTheirTrueSimilarity) {
  const Plan sketched = tune({.threshold = 0.6, .recall = 0.9999}, {.shingle = ShinglePlan{.token = Token::element, .size = 1}});
  for (const Plan& plan : {test::element_plan(0.6), sketched}) {
    kept(file("docs.sets", "1 2 3 4\n2 3 4 5\n3 4 5 6\n"), plan, {.linkage = Linkage::connected, .removed = dir_.path("removed")});
    EXPECT_EQ(without_folder(dir_.read("removed")), "docs.sets:2\tdocs.sets:1\t0.6\ndocs.sets:3\tdocs.sets:1\t0.333333\n") << plan;
  }
}

TEST_F(Records, AtFaultGoToAFileOfTheirOwnInInputOrder) {
  const std::string good = json_record("a", "x"), again = json_record("a", "y");
  const std::string broken = "{\"id\":\"b\",\n", no_text = "{\"id\":\"c\"}\r\n";
  const std::string bad_utf8 = "{\"id\":\"d\",\"text\":\"\xff\"}";
  const Input input = file("docs.jsonl", good + again + broken + no_text + bad_utf8);
  EXPECT_EQ(kept(input, sure_plan(), {.keep_faults = false, .skipped = dir_.path("skipped")}), good);
  EXPECT_EQ(dir_.read("skipped"), again + broken + no_text + bad_utf8);
  EXPECT_EQ(result_.stats.faults.count, 4u);
  EXPECT_EQ(result_.stats.items, 1u);
}

TEST_F(Records, OfAllInputsTogetherHaveOneId) {
  const Input input = files({{"1.jsonl", "\n" + json_record("a", "x")}, {"2.jsonl", json_record("b", "y") + json_record("a", "z")}});
  const std::string first = json_record("a", "x") + json_record("b", "y"), again = json_record("a", "z");
  EXPECT_EQ(kept(input, sure_plan(), {.keep_faults = false}), first);
  EXPECT_EQ(kept(input, sure_plan()), first + again);
  ASSERT_EQ(result_.stats.faults.first.size(), 1u);
  EXPECT_EQ(without_folder(result_.stats.faults.first[0].where), "2.jsonl:2");
  EXPECT_EQ(without_folder(result_.stats.faults.first[0].message), "id \"a\" was used before, at 1.jsonl:2; record kept as it is");
}

TEST_F(Records, FaultsAreNamedTenTimesAndCountedAlways) {
  std::string records;
  for (int i = 0; i < 25; ++i) records += "{\"id\":\"same\",\"text\":\"x\"}\nbroken\n";
  kept(file("docs.jsonl", records), sure_plan());
  EXPECT_EQ(result_.stats.faults.count, 49u);
  EXPECT_EQ(result_.stats.faults.first.size(), Faults::kNamed);
}

}  // namespace
}  // namespace nearkin::records_test
