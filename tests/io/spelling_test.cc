
#include <random>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/spelling.h>

namespace nearkin::spelling_test {
namespace {

TEST(Spelling, JsonStringsEscapeWhatJsonMust) {
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a\"b\\c\n\t\r\b\f\x01\x1f\x7f/"), "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u001f\\u007f/\"");
  EXPECT_EQ(json_string("plain text of more than eight bytes, é, 日本, \U0001F600"),
            "\"plain text of more than eight bytes, é, 日本, \U0001F600\"");
}

// What a terminal obeys or hides, and what has the same first byte and is shown.
TEST(Spelling, JsonStringsEscapeWhatATerminalWouldObeyOrHide) {
  EXPECT_EQ(json_string("\u0085\u009B \u00A0\u00E9"), "\"\\u0085\\u009b \u00A0\u00E9\"");
  EXPECT_EQ(json_string("\u061C\u061B"), "\"\\u061c\u061B\"");
  EXPECT_EQ(json_string("\u200B\u2010\u202E\u2067\""), "\"\\u200b\u2010\\u202e\\u2067\\\"\"");
  EXPECT_EQ(json_string("\uFEFF\uFFFA\uFFFD\uFF01"), "\"\\ufeff\\ufffa\uFFFD\uFF01\"");
  EXPECT_EQ(json_string("\U000E0001\U000E0100\U000F0000"), "\"\\udb40\\udc01\\udb40\\udd00\U000F0000\"");
  std::string object;
  append_json_safely(object, "{\"a\":\"\\n\u202E\"}");
  EXPECT_EQ(object, "{\"a\":\"\\n\\u202e\"}");
  EXPECT_EQ(shown("\u061C\uFFF9\U000E0001"), "\\xd8\\x9c\\xef\\xbf\\xb9\\xf3\\xa0\\x80\\x81");
}

TEST(Spelling, JsonStringsReplaceWhatIsNotUtf8) {
  EXPECT_EQ(json_string("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_string("\xED\xA0\x80\""), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\\"\"");
  std::string kept;
  append_json_escaped(kept, "a\xFF\"");
  EXPECT_EQ(kept, "a\xFF\\\"");
}

// Every place of a special byte within and across stretches of eight.
TEST(Spelling, EscapesAreFoundAtEveryPlace) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x'), expected = text;
      text[at] = '\n';
      expected.replace(at, 1, "\\n");
      std::string out;
      append_json_escaped(out, text);
      ASSERT_EQ(out, expected) << size << ' ' << at;
    }
  }
}

TEST(Spelling, SequencesOfUtf8AreWellFormedOnes) {
  EXPECT_EQ(utf8_sequence(""), 0u);
  EXPECT_EQ(utf8_sequence("a"), 1u);
  EXPECT_EQ(utf8_sequence("\xC3\xA9"), 2u);
  EXPECT_EQ(utf8_sequence("\xEF\xBF\xBD"), 3u);
  EXPECT_EQ(utf8_sequence("\xF0\x9F\x98\x80"), 4u);
  for (const std::string_view wrong :
       {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(utf8_sequence(wrong), 0u);
    EXPECT_FALSE(is_utf8(wrong));
  }
}

TEST(Spelling, RecordsOfTsvAreReadAsTheFormatIs) {
  const auto record = [](std::string_view line) { return tsv_record(line); };
  using Record = std::vector<std::string>;
  EXPECT_EQ(record("a\tb\n"), (Record{"a", "b"}));
  EXPECT_EQ(record("a\tb\r\n"), (Record{"a", "b"}));
  EXPECT_EQ(record("\"a\tb\"\tc"), (Record{"a\tb", "c"}));
  EXPECT_EQ(record("\"a\tb"), (Record{"\"a", "b"})) << "a quote that is not closed is a plain character";
  EXPECT_EQ(record("\"a\" b\tc"), (Record{"\"a\" b", "c"}));
  EXPECT_EQ(record("say \"a\"\tc"), (Record{"say \"a\"", "c"}));
  EXPECT_EQ(record("\"a \"\"b\"\"\"\t"), (Record{"a \"b\"", ""}));
  EXPECT_EQ(record(""), (Record{""}));
}

TEST(Spelling, RecordsOfTsvAreReadBack) {
  std::mt19937 random(1);
  constexpr std::string_view kLetters = "a\"\t\r\\ é";
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> fields(1 + random() % 4);
    std::string line;
    for (std::string& field : fields) {
      for (std::size_t length = random() % 6; length > 0; --length) field += kLetters[random() % kLetters.size()];
      if (&field != fields.data()) line += '\t';
      append_tsv_record_field(line, field);
    }
    ASSERT_EQ(tsv_record(line + "\n"), fields) << line;
  }
  std::string out;
  EXPECT_THROW(append_tsv_record_field(out, "two\nlines"), Error);
}

}  // namespace
}  // namespace nearkin::spelling_test
