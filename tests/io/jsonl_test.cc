#include <cmath>

#include "io/io_support.h"

namespace nearkin::test::jsonl_test {
namespace {

Everything read_jsonl(const std::string& bytes, Input input = {}) {
  TempDir dir;
  input.paths = {dir.write("d.jsonl", bytes)};
  Everything all = read_everything(input);
  for (Fault& fault : all.faults.first) fault.where = fault.where.substr(fault.where.rfind('/') + 1);
  for (std::string& id : all.ids) id = id.substr(id.rfind('/') + 1);
  return all;
}

std::string only_fault(const std::string& bytes, const Input& input = {}) {
  const Everything all = read_jsonl(bytes, input);
  EXPECT_TRUE(all.ids.empty());
  EXPECT_EQ(all.faults.count, 1U);
  return all.faults.first.empty() ? "" : all.faults.first[0].where + " " + all.faults.first[0].message;
}

TEST(Jsonl, ReadsIdAndText) {
  const Everything all = read_jsonl("{\"id\":\"a\",\"text\":\"one\\u00e9\\n\"}\n{\"text\":\"two\",\"id\":\"b\"}");
  EXPECT_EQ(all.ids, (Texts{"a", "b"}));
  EXPECT_EQ(all.texts, (Texts{"one\xC3\xA9\n", "two"}));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST(Jsonl, NamesAnItemWithoutAnIdByItsLine) {
  const Everything all = read_jsonl("\n{\"text\":\"x\"}\n \t\r\n{\"id\":null,\"text\":\"y\"}\n");
  EXPECT_EQ(all.ids, (Texts{"d.jsonl:2", "d.jsonl:4"}));
}

TEST(Jsonl, SpellsANumberAsIdAsTheFileDoes) {
  const Everything all = read_jsonl(
      "{\"id\":42,\"text\":\"\"}\n{\"text\":\"\", \"id\" : -1.50 }\n{\"id\":1e3,\"text\":\"\"}\n"
      "{\"id\":18446744073709551615,\"text\":\"\"}\n"
      "{\"id\":true,\"text\":\"\"}\n{\"id\":-0,\"text\":\"\"}\n{\"text\":\"\",\"id\":0.10}");
  EXPECT_EQ(all.ids, (Texts{"42", "-1.50", "1e3", "18446744073709551615", "true", "-0", "0.10"}));
}

TEST(Jsonl, NeedsNoTextWhereNoneIsToBeRead) {
  Input input;
  input.text = "";
  const Everything all = read_jsonl("{\"id\":\"a\"}\n{\"id\":7,\"text\":3}\n[]\n", input);
  EXPECT_EQ(all.ids, (Texts{"a", "7"}));
  EXPECT_EQ(all.texts, (Texts{"", ""}));
  EXPECT_EQ(all.faults.count, 1U);
}

Texts texts_of(const std::string& bytes, const std::string& text) {
  Input input;
  input.text = text;
  return read_jsonl(bytes, input).texts;
}

TEST(Jsonl, TakesAllStringsAndNumbersInTheOrderOfTheirNames) {
  const std::string record =
      "{\"title\":\"t\",\"id\":\"i\",\"b\":1.50,\"list\":[1],\"yes\":true,\"a.b\":\"x\",\"o\":{\"p\":\"q\"},\"none\":null,\"zero\":0}\n";
  EXPECT_EQ(texts_of(record, "*"), Texts{"x\n1.50\nt\n0"});
  EXPECT_EQ(texts_of(record, "*,-b,-missing"), Texts{"x\nt\n0"});
  EXPECT_EQ(texts_of(record, "title,*"), Texts{"t\nx\n1.50\n0"}) << "what is named comes first, and once";
  EXPECT_EQ(texts_of(record, "o.p,*^2,-b,-zero"), Texts{"q\nx\nx\nt\nt"});
  EXPECT_EQ(texts_of("{\"id\":1}\n", "*"), Texts{""}) << "a record may lack them all";
}

TEST(Jsonl, ReadsAFieldAsOftenAsItCounts) {
  EXPECT_EQ(texts_of("{\"a\":\"x\",\"b\":\"y\"}\n", "a^3,b"), Texts{"x\nx\nx\ny"});
  EXPECT_EQ(texts_of("{\"a\":\"x\"}\n", "a^1"), Texts{"x"});
  EXPECT_EQ(texts_of("{\"-a\":\"x\"}\n", "-a"), Texts{"x"}) << "without a * nothing is left out";
}

TEST(Jsonl, RefusesFieldsThatCannotBeTold) {
  for (const std::string text : {"a^", "a^0", "a^101", "a^x", "^3", "a^1.5", "a^-1", "*^x"}) {
    try {
      texts_of("{\"a\":\"x\"}\n", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.subject(), "text") << text;
    }
  }
}

TEST(Jsonl, NamesTheNearestField) {
  Input input;
  input.text = "titel";
  EXPECT_EQ(only_fault("{\"id\":\"a\",\"title\":\"x\"}\n", input),
            "d.jsonl:1 no field \"titel\"; did you mean \"title\"? the fields are id, title; record skipped");
}

TEST(Jsonl, SpellsANumberUnderAnEscapedKeyAsTheFileDoes) {
  EXPECT_EQ(read_jsonl("{\"\\u0069d\":1.50,\"text\":\"\"}\n").ids, (Texts{"1.50"}));
}

TEST(Jsonl, NamesAnItemWithAnEmptyIdByItsLine) {
  const Everything all = read_jsonl("{\"id\":\"\",\"text\":\"x\"}\n{\"id\":\" \",\"text\":\"y\"}\n");
  EXPECT_EQ(all.ids, (Texts{"d.jsonl:1", " "}));
}

TEST(Jsonl, UsesARecordWithNumbersThatFitNoType) {
  Input input;
  input.number = "n";
  const Everything all = read_jsonl(
      "{\"id\":\"a\",\"x\":123456789012345678901234567890,\"text\":\"t -1e999 \\\" 7\",\"n\":2.5}\n"
      "{\"id\":123456789012345678901,\"text\":\"u\",\"n\":-98765432109876543210}\n"
      "{\"text\":\"v\",\"y\":[{\"z\": 1e400 },-1E+400],\"n\":1e400,\"id\":1e400}\n"
      "{\"text\":\"w\",\"id\":7,\"n\":\"3\",\"x\":1e400}",
      input);
  EXPECT_EQ(all.faults.count, 0U);
  EXPECT_EQ(all.ids, (Texts{"a", "123456789012345678901", "1e400", "7"}));
  EXPECT_EQ(all.texts, (Texts{"t -1e999 \" 7", "u", "v", "w"}));
  ASSERT_EQ(all.numbers.size(), 4U);
  EXPECT_EQ(all.numbers[0], 2.5);
  EXPECT_EQ(all.numbers[1], -98765432109876543210.0);
  EXPECT_FALSE(std::isfinite(all.numbers[2]));
  EXPECT_EQ(all.numbers[3], 3);
}

TEST(Jsonl, StillRefusesWhatIsNoNumberAndWhatIsBrokenBehindALargeOne) {
  for (const char* number :
       {"01", "1.", ".5", "-", "1e", "1e+", "1e-", "+1", "1a", "--1", "- 1", "1.-1", "1 2", "0x10", "1_0", "1\"b\"", "NaN"}) {
    only_fault(std::string("{\"text\":\"\",\"x\":") + number + "}\n");
    only_fault(std::string("{\"text\":\"\",\"y\":1e400,\"x\":[") + number + "]}\n");
  }
  only_fault("{\"text\":\"\",\"x\":1e400,}\n");
  only_fault("{\"text\":\"\",\"x\":1e400\n");
  only_fault("{\"x\":1e400,\"text\":\"\n");
  only_fault("{\"x\":1e400,\"text\":\"\\\n");
  EXPECT_EQ(only_fault("{\"text\":1e400}\n"), "d.jsonl:1 field \"text\" is a number, not a string; record skipped");
}

TEST(Jsonl, SaysWhatIsExpectedWhenTheSourceIsOneDocument) {
  const std::string object = "\xEF\xBB\xBF\n {\r\n  \"text\": \"a\"\r\n}\r\n{\n";
  const std::vector<Fault> faults = read_jsonl(object).faults.first;
  ASSERT_EQ(faults.size(), 4U);
  EXPECT_EQ(faults[0].where, "d.jsonl:2");
  EXPECT_TRUE(faults[0].message.ends_with("; one object per line is expected (jq -c . makes it so); record skipped")) << faults[0].message;
  for (std::size_t i = 1; i < faults.size(); ++i) EXPECT_EQ(faults[i].message.find("jq"), std::string::npos) << faults[i].message;

  const std::string array = "; one object per line is expected (jq -c '.[]' makes it so); record skipped";
  EXPECT_EQ(only_fault("[1,2]\n"), "d.jsonl:1 the line is an array, not an object" + array);
  EXPECT_TRUE(read_jsonl("[\n{\"text\":\"a\"},\n").faults.first.at(0).message.ends_with(array));
  EXPECT_EQ(read_jsonl("{\"text\":\"a\"}\n[\n").faults.first.at(0).message.find("jq"), std::string::npos);
  EXPECT_EQ(read_jsonl("{\"text\":\n").faults.first.at(0).message.find("jq"), std::string::npos);
}

TEST(Jsonl, SpellsANumberBehindADottedPath) {
  Input input;
  input.id = "a.b";
  const Everything all = read_jsonl("{\"a\":{\"c\":1,\"b\":2.50},\"text\":\"\"}\n{\"a\":{\"b\":2.50},\"a.b\":3.0,\"text\":\"\"}\n", input);
  EXPECT_EQ(all.ids, (Texts{"2.50", "3.0"}));
}

TEST(Jsonl, ReachesIntoObjectsByDots) {
  Input input;
  input.id = "meta.url";
  input.text = "doc.body.text";
  const Everything all = read_jsonl("{\"meta\":{\"url\":\"u\"},\"doc\":{\"body\":{\"text\":\"t\"}}}\n", input);
  EXPECT_EQ(all.ids, Texts{"u"});
  EXPECT_EQ(all.texts, Texts{"t"});
}

TEST(Jsonl, PrefersAKeyThatHoldsTheDotsItself) {
  Input input;
  input.text = "a.b";
  EXPECT_EQ(read_jsonl("{\"a\":{\"b\":\"inner\"},\"a.b\":\"literal\"}\n", input).texts, Texts{"literal"});
}

TEST(Jsonl, JoinsSeveralTextFields) {
  Input input;
  input.text = "title,meta.body";
  const Everything all = read_jsonl("{\"title\":\"t\",\"meta\":{\"body\":\"b\"}}\n{\"title\":\"\",\"meta\":{\"body\":\"\"}}\n", input);
  EXPECT_EQ(all.texts, (Texts{"t\nb", "\n"}));
  EXPECT_EQ(only_fault("{\"title\":\"t\"}\n", input), "d.jsonl:1 no field \"meta.body\"; the fields are title; record skipped");
}

TEST(Jsonl, NamesWhatIsWrongWithARecord) {
  Input input;
  input.text = "body";
  EXPECT_EQ(only_fault("\n{\"id\":1}\n", input), "d.jsonl:2 no field \"body\"; the fields are id; record skipped");
  EXPECT_EQ(only_fault("{\"text\":5}\n"), "d.jsonl:1 field \"text\" is a number, not a string; record skipped");
  EXPECT_EQ(only_fault("{\"text\":null}\n"), "d.jsonl:1 field \"text\" is null, not a string; record skipped");
  EXPECT_EQ(only_fault("{\"id\":[],\"text\":\"\"}\n"), "d.jsonl:1 field \"id\" is an array, not a string or number; record skipped");
  EXPECT_EQ(only_fault("\"x\"\n"), "d.jsonl:1 the line is a string, not an object; record skipped");
  EXPECT_EQ(only_fault("7\n"), "d.jsonl:1 the line is a number, not an object; record skipped");
}

TEST(Jsonl, SkipsBrokenJsonAndGoesOn) {
  const Everything all = read_jsonl("{\"text\":\"a\"}\n{\"text\":\n\"b\"}\n{\"text\":\"c\"} x\n{\"text\":\"d\"}\n");
  EXPECT_EQ(all.texts, (Texts{"a", "d"}));
  EXPECT_EQ(all.faults.count, 3U);
  ASSERT_FALSE(all.faults.first.empty());
  EXPECT_EQ(all.faults.first[0].where, "d.jsonl:2");
  EXPECT_TRUE(all.faults.first[0].message.starts_with("broken JSON at byte ")) << all.faults.first[0].message;
  EXPECT_TRUE(all.faults.first[0].message.ends_with("; record skipped")) << all.faults.first[0].message;
}

TEST(Jsonl, SkipsInvalidUtf8AndNulBytes) {
  EXPECT_EQ(only_fault("{\"text\":\"\xFF\"}\n"), "d.jsonl:1 invalid UTF-8 at byte 10 of the record; record skipped");
  EXPECT_TRUE(only_fault(std::string("{\"text\":\"a\0b\"}\n", 15)).starts_with("d.jsonl:1 broken JSON at byte 11"));
}

TEST(Jsonl, RefusesALoneSurrogate) { EXPECT_TRUE(only_fault("{\"text\":\"\\ud800\"}\n").starts_with("d.jsonl:1 broken JSON")); }

TEST(Jsonl, RefusesNestingWithoutEnd) { only_fault("{\"text\":\"\",\"a\":" + std::string(100000, '[') + "\n"); }

TEST(Jsonl, AcceptsCrLfAndAByteOrderMark) {
  const Everything all = read_jsonl("\xEF\xBB\xBF{\"text\":\"a\"}\r\n{\"text\":\"b\"}\r\n");
  EXPECT_EQ(all.texts, (Texts{"a", "b"}));
  EXPECT_EQ(all.locations[0].offset, 3U);
  EXPECT_EQ(all.locations[0].length, 14U);
}

TEST(Jsonl, ReadsANumberField) {
  Input input;
  input.number = "m.n";
  const Everything all = read_jsonl(
      "{\"text\":\"\",\"m\":{\"n\":2.5}}\n{\"text\":\"\",\"m\":{\"n\":\" -3 \"}}\n{\"text\":\"\",\"m\":{\"n\":7}}\n{\"text\":\"\"}\n"
      "{\"text\":\"\",\"m\":{\"n\":\"x\"}}\n{\"text\":\"\",\"m\":{\"n\":true}}\n",
      input);
  ASSERT_EQ(all.numbers.size(), 6U);
  EXPECT_EQ(all.numbers[0], 2.5);
  EXPECT_EQ(all.numbers[1], -3);
  EXPECT_EQ(all.numbers[2], 7);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isnan(all.numbers[i])) << i;
}

TEST(Jsonl, GivesNoNumbersWhenNoneAreAskedFor) { EXPECT_TRUE(read_jsonl("{\"text\":\"\"}\n").numbers.empty()); }

TEST(Jsonl, StopsAtTheFirstFaultWhenStrict) {
  TempDir dir;
  Input input = input_of(dir.write("d.jsonl", "{\"text\":\"a\"}\n{}\n"));
  input.strict = true;
  const Error error = error_of([&] { read_everything(input); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.subject(), dir.path("d.jsonl:2"));
  EXPECT_EQ(error.message(), "no field \"text\"; the record has no fields");
}

TEST(Jsonl, NamesAFewFaultsAndCountsAll) {
  std::string bytes;
  for (int i = 0; i < 50; ++i) bytes += "{}\n";
  const Everything all = read_jsonl(bytes);
  EXPECT_EQ(all.faults.count, 50U);
  EXPECT_EQ(all.faults.first.size(), Faults::kNamed);
  EXPECT_EQ(all.fault_locations.size(), 50U);
  EXPECT_EQ(all.fault_locations[49].line, 50U);
}

TEST(Jsonl, SurvivesTruncationAtEveryByte) {
  const std::string whole = "{\"id\":1.5,\"text\":\"a\\u00e9\xC3\xA9\"}\r\n\n{\"id\":\"b\",\"text\":\"c\",\"x\":[1,{\"y\":null}]}\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Everything all = read_jsonl(whole.substr(0, length));
    EXPECT_LE(all.ids.size() + all.faults.count, 2U);
  }
}

}  // namespace
}  // namespace nearkin::test::jsonl_test
