#include "io/formats/result_rows.h"

#include <gtest/gtest.h>

#include <nearkin/error.h>

namespace nearkin::annotate_test {
namespace {

const std::vector<std::string> kFields{"cluster", "keeper"};

std::string json(std::string_view record, std::uint64_t cluster, std::string_view keeper) {
  return with_json_fields(record, kFields, std::vector<AddedValue>{cluster, keeper});
}
std::string csv(std::string_view record, char separator, std::string_view cluster, std::string_view keeper) {
  return with_csv_columns(record, separator, std::vector<AddedValue>{cluster, keeper});
}
std::string in_json(std::string_view record) { return field_in_json(record, kFields).value_or("neither"); }
std::string in_header(std::string_view header, char separator = ',') {
  return field_in_header(header, kFields, separator, "docs").value_or("neither");
}

TEST(Annotate, SeesAFieldOfAnObjectHoweverItIsSpelled) {
  EXPECT_EQ(in_json(R"({"id":"a","cluster" : 7})"), "cluster");
  EXPECT_EQ(in_json(R"({"id":"a","\u0063luster":7})"), "cluster");
  EXPECT_EQ(in_json(R"({"\u006b\u0065\u0065\u0070\u0065\u0072":null})"), "keeper");
  EXPECT_EQ(in_json("{\"keeper\":\t[1,{\"cluster\":2}]}\r\n"), "keeper");
  EXPECT_EQ(in_json(R"({"huge":123456789012345678901234567890,"cluster":1e999})"), "cluster");
}

TEST(Annotate, SeesNoFieldInValuesAndNestedObjects) {
  EXPECT_EQ(in_json(R"({"id":"a","text":"\"cluster\": 1"})"), "neither");
  EXPECT_EQ(in_json(R"({"m":{"cluster":7,"keeper":1}})"), "neither");
  EXPECT_EQ(in_json(R"({"m":[{"\u0063luster":7}],"text":"\u0063luster"})"), "neither");
  EXPECT_EQ(in_json(R"({"a":"cluster","b":"keeper"})"), "neither");
  EXPECT_EQ(in_json(R"({"clusters":1,"a.cluster":2,"Cluster":3,"\\u0063luster":4})"), "neither");
  EXPECT_EQ(in_json("{}"), "neither");
}

TEST(Annotate, SeesNamesThatCanBeEscapedOtherwise) {
  const std::vector<std::string> odd{"a/b", "q\"q"};
  EXPECT_EQ(field_in_json(R"({"a\/b":1})", odd), "a/b");
  EXPECT_EQ(field_in_json(R"({"q\"q":1})", odd), "q\"q");
  EXPECT_FALSE(field_in_json(R"({"text":"a\/b"})", odd));
}

TEST(Annotate, SeesTheColumnsOfAHeaderAsAParserDoes) {
  EXPECT_EQ(in_header("id,text,cluster\n"), "cluster");
  EXPECT_EQ(in_header("id,text,\"cluster\"\r\n"), "cluster");
  EXPECT_EQ(in_header("\"x,cluster,y\",text\n"), "neither");
  EXPECT_EQ(in_header("\"x\n,keeper,\",text\n"), "neither");
  EXPECT_EQ(in_header("\"say \"\"cluster\"\"\",text\n"), "neither");
  EXPECT_EQ(in_header("id;keeper", ';'), "keeper");
  EXPECT_EQ(in_header("id;keeper,text", ';'), "neither");
  EXPECT_EQ(in_header("id\t\"cluster\"\ttext\n", '\t'), "cluster");
  EXPECT_EQ(in_header("id\t\"a\tcluster\tb\"\n", '\t'), "neither");
  EXPECT_EQ(in_header("id\t\"a\tcluster\tb\n", '\t'), "cluster") << "a quote that is not closed is a plain character in TSV";
}

TEST(Annotate, AddsTheFieldsAtTheEndOfAnObject) {
  EXPECT_EQ(json("{\"id\":1}\n", 3, "a\"b"), "{\"id\":1,\"cluster\":3,\"keeper\":\"a\\\"b\"}\n");
  EXPECT_EQ(json("{ }", 0, "k"), "{ \"cluster\":0,\"keeper\":\"k\"}");
  EXPECT_EQ(json("{\r}\r\n", 0, "k"), "{\r\"cluster\":0,\"keeper\":\"k\"}\r\n");
  EXPECT_EQ(json("{\"a\":{}}", 0, "k"), "{\"a\":{},\"cluster\":0,\"keeper\":\"k\"}");
}

TEST(Annotate, AddsColumnsAtTheEndOfALine) {
  EXPECT_EQ(csv("1,one\r\n", ',', "3", "a,b"), "1,one,3,\"a,b\"\r\n");
  EXPECT_EQ(csv("1,one", ',', "3", "a;b"), "1,one,3,a;b");
  EXPECT_EQ(csv("1\tone\n", '\t', "3", "\"a"), "1\tone\t3\t\"\"\"a\"\n");
}

}  // namespace
}  // namespace nearkin::annotate_test
