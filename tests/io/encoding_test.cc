#include <random>

#include "io/formats/encoding.h"
#include "io/io_support.h"

namespace nearkin::test::encoding_test {
namespace {

/// Lines of characters that the encoding has, among them those whose bytes look like a newline or a quote in UTF-16.
std::string some_lines(std::mt19937& random, const std::string& encoding, std::size_t bytes) {
  const std::vector<std::string> wide{"a", "b", " ", "é", "ÿ", "€", "ਊ" /* U+0A0A */, "∀" /* U+2200 */, "漢", "😀"};
  const std::vector<std::string> narrow{"a", "b", " ", "é", "ÿ", "ü"};
  const std::vector<std::string>& letters = encoding.starts_with("UTF") ? wide : narrow;
  std::string text;
  while (text.size() < bytes) {
    text += "id";
    for (std::size_t i = random() % 200; i > 0; --i) text += letters[random() % letters.size()];
    text += random() % 5 == 0 ? "\r\n" : "\n";
  }
  return text;
}

std::string spelled(const std::string& text, const std::string& name) {
  const Encoding encoding = find_encoding({}, name).encoding;
  return encoded_as("\xFF", text, encoding);
}

/// Texts and places of an input, longer than a chunk.
TEST(Encoding, EveryRecordIsReadAndFoundAgain) {
  std::mt19937 random(3);
  const TempDir dir;
  for (const std::string name : {"latin1", "windows-1252", "UTF-16LE", "UTF-16BE", "UTF-32LE", "ISO-8859-15"}) {
    const std::string text = some_lines(random, name, 3'000'000), bytes = spelled(text, name);
    const Everything plain = read_everything({.paths = {dir.write("a.lines", text)}});
    Input input{.paths = {dir.write("a.lines", bytes)}};
    input.encoding = name;
    const Everything got = read_everything(input);
    EXPECT_EQ(got.texts, plain.texts) << name;
    EXPECT_EQ(got.ids, plain.ids) << name;
    EXPECT_GE(got.chunks, 2U);
    std::string again;
    for (const Location& location : got.locations) again += bytes.substr(location.offset, location.length);
    EXPECT_EQ(again, bytes) << name;
  }
}

TEST(Encoding, AutoReadsEachLineAsWhatItIs) {
  const TempDir dir;
  Input input{.paths = {dir.write("a.lines", "caf\xC3\xA9\ncaf\xE9\n\x80\nplain\n\x81\n")}};
  input.encoding = "auto";
  const Everything got = read_everything(input);
  EXPECT_EQ(got.texts, (Texts{"café", "café", "€", "plain"}));
  ASSERT_EQ(got.faults.count, 1U);  // a byte that neither has
  EXPECT_EQ(got.faults.first[0].message, "not valid UTF-8 or windows-1252; record skipped");
  EXPECT_EQ(got.fault_locations.at(0).offset, 19U);
}

TEST(Encoding, MarksAreFollowed) {
  using namespace std::string_view_literals;
  EXPECT_EQ(find_encoding("\xEF\xBB\xBFx", "auto"), (EncodingFound{{}, 3}));
  EXPECT_EQ(find_encoding("\xFF\xFEx\0"sv, "utf-16").encoding.name, "UTF-16LE");
  EXPECT_EQ(find_encoding("\xFE\xFF\0x"sv, "utf-16"), (EncodingFound{{.name = "UTF-16BE", .width = 2, .high_first = true}, 2}));
  EXPECT_EQ(find_encoding("\xFE\xFF\0x"sv, "auto").mark, 2U);
  EXPECT_EQ(find_encoding("x\0y\0"sv, "utf-16"), (EncodingFound{{.name = "UTF-16LE", .width = 2}, 0}));
  EXPECT_EQ(find_encoding("\xFE\xFF", "latin1").mark, 0U);
  EXPECT_THROW(find_encoding("", "EBCDIC-US"), Error);
  EXPECT_THROW(find_encoding("", ""), Error);
}

TEST(Encoding, WhatCannotBeWrittenIsNamed) {
  const Encoding latin = find_encoding({}, "latin1").encoding;
  EXPECT_EQ(encoded_as("\xE9", "é", latin), "\xE9");
  EXPECT_THROW(encoded_as("\xE9", "€", latin), Error);
}

}  // namespace
}  // namespace nearkin::test::encoding_test
