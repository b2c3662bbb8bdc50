#include "io/formats/metadata_filter.h"

#include "io/io_support.h"

namespace nearkin::test::metadata_test {
namespace {

bool metadata_holds(std::string_view metadata, const std::vector<MetadataTest>& tests) { return MetadataFilter(tests).holds(metadata); }

Texts metadata_of(const std::string& name, const std::string& bytes, const Texts& fields, Input input = {}) {
  TempDir dir;
  input.paths = {dir.write(name, bytes)};
  input.metadata = fields;
  Sources sources(input, false);
  Texts all;
  while (const auto chunk = sources.next()) {
    Batch batch;
    sources.parse(*chunk, batch);
    EXPECT_EQ(batch.metadata.size(), fields.empty() ? 0 : batch.items.size());
    for (std::size_t i = 0; i < batch.metadata.size(); ++i) all.emplace_back(batch.metadata[i]);
  }
  return all;
}

TEST(Metadata, IsAWholeJsonObjectAndNothingElse) {
  for (const char* good : {"{}", " {\"a\":1} \n", "{\"a\":{\"b\":[null,true,\"\\u00e9\"]}}", "{\"n\":123456789012345678901234567890}",
                           "{\n\"n\":\n123456789012345678901234567890\n}", "{\"a\":1,\"a\":2}"}) {
    EXPECT_TRUE(is_json_object(good)) << good;
  }
  for (const char* bad : {"", " ", "[]", "1", "null", "\"{}\"", "{", "{}}", "{} {}", "{'a':1}", "{\"a\":01}", "{\"a\":1,}", "{a:1}",
                          "{\"a\":\"\xFF\"}", "{\"a\":nan}", "{\"a\":\"\n\"}", "{\"a\":12345678901234567890x}"}) {
    EXPECT_FALSE(is_json_object(bad)) << bad;
  }
}

TEST(Metadata, CutAnywhereIsNoObject) {
  const std::string whole = "{\"lang\":\"\xC3\xA9n\",\"n\":[1,2.5,{\"x\":null}]}";
  ASSERT_TRUE(is_json_object(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(is_json_object(std::string_view(whole).substr(0, size))) << size;
}

TEST(MetadataTest, ComparesStringsByWhatTheySayAndAllElseByItsSpelling) {
  const std::string metadata =
      R"({"lang":"en","n":3,"r":3.0,"e":1e2,"yes":true,"none":null,"quote":"a\"b\u00e9","text":"3","empty":"","big":123456789012345678901})";
  for (const auto& [field, value] : std::vector<std::pair<std::string, std::string>>{{"lang", "en"},
                                                                                     {"n", "3"},
                                                                                     {"r", "3.0"},
                                                                                     {"e", "1e2"},
                                                                                     {"yes", "true"},
                                                                                     {"none", "null"},
                                                                                     {"quote", "a\"b\xC3\xA9"},
                                                                                     {"text", "3"},
                                                                                     {"empty", ""},
                                                                                     {"big", "123456789012345678901"}}) {
    EXPECT_TRUE(metadata_holds(metadata, {{field, value}})) << field;
    EXPECT_FALSE(metadata_holds(metadata, {{field, value + "0"}})) << field;
  }
  EXPECT_FALSE(metadata_holds(metadata, {{"r", "3"}}));
  EXPECT_FALSE(metadata_holds(metadata, {{"LANG", "en"}}));
}

TEST(MetadataTest, TellsStringsFromNumbersTrueFalseAndNullWhereAsked) {
  using Type = MetadataTest::Type;
  const std::string metadata = R"({"n":1,"s":"1","none":null,"said":"null","a.b":true,"a":{"c":"true"}})";
  for (const auto& [field, value, type] : std::vector<std::tuple<std::string, std::string, Type>>{{"n", "1", Type::literal},
                                                                                                  {"s", "1", Type::string},
                                                                                                  {"none", "null", Type::literal},
                                                                                                  {"said", "null", Type::string},
                                                                                                  {"a.b", "true", Type::literal},
                                                                                                  {"a.c", "true", Type::string}}) {
    EXPECT_TRUE(metadata_holds(metadata, {{field, value, type}})) << field;
    EXPECT_FALSE(metadata_holds(metadata, {{field, value, type == Type::string ? Type::literal : Type::string}})) << field;
    EXPECT_TRUE(metadata_holds(metadata, {{field, value}})) << field;
  }
}

TEST(MetadataTest, ReachesIntoObjectsByDots) {
  const std::string metadata = R"({"a":{"b":"inner","c":{"d":1}},"a.c":"literal","list":[1],"a.b.x":2})";
  EXPECT_TRUE(metadata_holds(metadata, {{"a.b", "inner"}}));
  EXPECT_TRUE(metadata_holds(metadata, {{"a.c.d", "1"}}));
  EXPECT_TRUE(metadata_holds(metadata, {{"a.c", "literal"}}));
  EXPECT_TRUE(metadata_holds(metadata, {{"a.b.x", "2"}}));
  EXPECT_FALSE(metadata_holds(metadata, {{"a", "{\"b\":\"inner\"}"}}));
  EXPECT_FALSE(metadata_holds(metadata, {{"list", "[1]"}}));
  EXPECT_FALSE(metadata_holds(metadata, {{"a.b.c", "inner"}}));
  EXPECT_FALSE(metadata_holds(metadata, {{"a.", "inner"}}));
}

TEST(MetadataTest, AllMustHoldAndNoneOfEmptyMetadataDoes) {
  EXPECT_TRUE(metadata_holds(R"({"a":1,"b":"x"})", {{"b", "x"}, {"a", "1"}}));
  EXPECT_FALSE(metadata_holds(R"({"a":1,"b":"x"})", {{"b", "x"}, {"a", "2"}}));
  EXPECT_TRUE(metadata_holds("", {}));
  EXPECT_FALSE(metadata_holds("", {{"a", ""}}));
  EXPECT_FALSE(metadata_holds("not json", {{"a", ""}}));
}

TEST(MetadataTest, OneFilterServesManyDocumentsAndForgetsEach) {
  MetadataFilter filter({{"a.b", "1"}, {"c", "x"}, {"a.b", "1"}});
  EXPECT_TRUE(filter.holds(R"({"a":{"b":1},"c":"x"})"));
  EXPECT_FALSE(filter.holds(R"({"a":{},"c":"x"})"));
  EXPECT_FALSE(filter.holds(R"({"a":{"b":1}})"));
  EXPECT_TRUE(filter.holds(R"({"a":{"b":2},"c":"x","a.b":1})"));
  EXPECT_FALSE(filter.holds(R"({"a.b":2,"a":{"b":1},"c":"x"})"));
  EXPECT_TRUE(filter.holds(R"({"c":"x","a":{"b":1,"b":2},"a":{"b":3}})"));
  EXPECT_FALSE(metadata_holds(R"({"a":1})", {{"a", "1"}, {"a", "2"}}));
}

// Each test walked the document anew: ten thousand millions of steps here, minutes; one pass takes milliseconds.
TEST(MetadataTest, ManyTestsOfAWideDocumentTakeOnePass) {
  constexpr int kFields = 100'000;
  std::string metadata = "{";
  std::vector<MetadataTest> tests;
  for (int i = 0; i < kFields; ++i) {
    metadata += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":" + std::to_string(i);
    tests.push_back({"f" + std::to_string(i), std::to_string(i)});
  }
  metadata += '}';
  MetadataFilter filter(tests);
  for (int round = 0; round < 5; ++round) EXPECT_TRUE(filter.holds(metadata));
  tests.back().value = "other";
  EXPECT_FALSE(metadata_holds(metadata, tests));
  EXPECT_FALSE(metadata_holds(metadata, {{std::string(3'000'000, '.'), "1"}}));
}

TEST(MetadataTest, KnowsAKeyByWhatItSays) {
  EXPECT_TRUE(metadata_holds("{\"l\\u0061ng\":\"en\"}", {{"lang", "en"}}));
  EXPECT_TRUE(metadata_holds("{\"lang\":\"en\",\"lang\":\"de\"}", {{"lang", "en"}}));
  EXPECT_FALSE(metadata_holds("{\"lang\":\"en\",\"lang\":\"de\"}", {{"lang", "de"}}));
}

TEST(Metadata, OfJsonLinesIsEachFieldAsTheRecordSpellsIt) {
  const Texts all = metadata_of("d.jsonl",
                                "{\"id\":\"a\",\"lang\" : \"e\\u006e\" ,\"text\":\"x\",\"n\": 1.50 }\n"
                                "{\"text\":\"lang\"}\n"
                                "{\"text\":\"y\",\"n\":{ \"deep\":[1, 2] },\"lang\":null}\n"
                                "{\"text\":\"z\",\"n\":123456789012345678901234567890}\n",
                                {"lang", "n"});
  EXPECT_EQ(all, (Texts{"{\"lang\":\"e\\u006e\",\"n\":1.50}", "", "{\"lang\":null,\"n\":{ \"deep\":[1, 2] }}",
                        "{\"n\":123456789012345678901234567890}"}));
  for (const std::string& metadata : all) EXPECT_TRUE(metadata.empty() || is_json_object(metadata)) << metadata;
}

TEST(Metadata, KeepsTheFullNameOfAFieldReachedByDots) {
  EXPECT_EQ(metadata_of("d.jsonl", "{\"text\":\"x\",\"meta\":{\"lang\":\"en\",\"more\":{}}}\n", {"meta.lang", "meta.none", "meta.lang"}),
            (Texts{"{\"meta.lang\":\"en\"}"}));
}

TEST(Metadata, OfTablesIsStrings) {
  EXPECT_EQ(metadata_of("d.csv", "id,text,lang,n\na,x,\"e\"\"n\",3\nb,y,,4\n", {"lang", "n"}),
            (Texts{"{\"lang\":\"e\\\"n\",\"n\":\"3\"}", "{\"lang\":\"\",\"n\":\"4\"}"}));
  EXPECT_EQ(metadata_of("d.tsv", "id\ttext\tlang\na\tx\ten\n", {"lang"}), (Texts{"{\"lang\":\"en\"}"}));
}

TEST(Metadata, OfRecordsAtFaultIsNotTaken) {
  EXPECT_EQ(metadata_of("d.jsonl", "{\"n\":1}\n{\"text\":\"x\",\"n\":2}\n[]\n", {"n"}), (Texts{"{\"n\":2}"}));
}

TEST(Metadata, IsNotReadWhereItWasNotAskedFor) { EXPECT_TRUE(metadata_of("d.jsonl", "{\"text\":\"x\",\"n\":2}\n", {}).empty()); }

TEST(Metadata, NamesAColumnThatATableLacks) {
  const Error error = error_of([] { metadata_of("d.csv", "id,text\na,x\n", {"lang"}); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.message().substr(0, 17), "no column \"lang\";");
}

TEST(Metadata, IsRefusedOfFormatsWithoutFields) {
  for (const char* file : {"d.txt", "d.lines", "d.sets", "d.bits"}) {
    Input input;
    if (std::string_view(file) == "d.lines") input.format = Format::lines;
    const Error error = error_of([&] { metadata_of(file, "01\n", {"lang"}, input); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.subject(), "metadata");
    EXPECT_NE(error.message().find("no field \"lang\" can be kept of"), std::string::npos) << error.message();
  }
}

TEST(Metadata, IsRefusedOfLinesFromStandardInput) {
  TempDir dir;
  const StandardInput from(dir.write("lines", "just a line\n"));
  Input input;
  input.paths = {"-"};
  input.metadata = {"lang"};
  const Error error = error_of([&] { read_everything(input); });
  EXPECT_EQ(error.subject(), "metadata");
}

}  // namespace
}  // namespace nearkin::test::metadata_test
