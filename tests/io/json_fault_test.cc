#include <random>

#include <gtest/gtest.h>

#include "io/formats/json_fault.h"
#include "io/formats/json_text.h"

namespace nearkin::test::json_fault_test {
namespace {

TEST(JsonFault, NamesThePlace) {
  EXPECT_EQ(json_fault(R"({"a":1,"b":[true,null,-1.5e+3,"\u00e9\ud83d\ude00"]})"), "");
  EXPECT_EQ(json_fault(R"({"a":1)"), "at byte 7: a comma or } is missing before the end");
  EXPECT_EQ(json_fault(R"([1 2])"), "at byte 4: a comma or ] is missing before \"2\"");
  EXPECT_EQ(json_fault(R"({a:1})"), "at byte 2: a name in double quotes is missing before \"a\"");
  EXPECT_EQ(json_fault(R"({"a" 1})"), "at byte 6: a colon is missing before \"1\"");
  EXPECT_EQ(json_fault(R"({"a":nul})"), "at byte 6: a value is missing before \"n\"");
  EXPECT_EQ(json_fault(R"([01])"), "at byte 3: nothing may follow a leading 0, there is \"1\"");
  EXPECT_EQ(json_fault(R"(["\x"])"), "at byte 4: a backslash cannot stand before \"x\"");
  EXPECT_EQ(json_fault("[\"a\tb\"]"), "at byte 4: a control character must be written as \\u00…, not \"?\"");
  EXPECT_EQ(json_fault(R"(["\ud800"])"), "at byte 3: half of a character (\\ud800 to \\udfff come in twos), at \"\\\"");
  EXPECT_EQ(json_fault(""), "at byte 1: a value is missing before the end");
  EXPECT_EQ(json_fault(std::string(100'000, '[')), "at byte 100001: a value is missing before the end");
}

/// Two opinions on what JSON is: random changes of a good text are a fault to both, or to none.
TEST(JsonFault, AgreesWithTheParser) {
  const std::string good = R"({"id":"a\n\"\u00e9","n":[1,-2.5e3,0,true,false,null,{}],"o":{"text":"one two","x":[]}})";
  constexpr std::string_view kBytes = "{}[]\",:\\tu0123456789.eE+- \tabn\x1f";
  std::mt19937 random(5);
  int broken = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = good;
    for (unsigned change = 0; change < 1 + random() % 3; ++change) {
      const std::size_t at = random() % text.size();
      const char c = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0: text[at] = c; break;
        case 1: text.insert(at, 1, c); break;
        default: text.erase(at, 1);
      }
    }
    const bool accepted = ParsedJson(padded_json(text)).error == simdjson::SUCCESS;
    broken += accepted ? 0 : 1;
    ASSERT_EQ(json_fault(text).empty(), accepted) << text << '\n' << json_fault(text);
  }
  EXPECT_GT(broken, 10'000);
  EXPECT_LT(broken, 49'000);
}

}  // namespace
}  // namespace nearkin::test::json_fault_test
