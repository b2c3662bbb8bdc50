#include <cmath>
#include <random>

#include "io/formats/csv.h"
#include "io/io_support.h"

namespace nearkin::test::csv_test {
namespace {

Everything read_csv(const std::string& bytes, Input input = {}, const std::string& name = "d.csv") {
  TempDir dir;
  input.paths = {dir.write(name, bytes)};
  Everything all = read_everything(input);
  for (Fault& fault : all.faults.first) fault.where = fault.where.substr(fault.where.rfind('/') + 1);
  for (std::string& id : all.ids) id = id.substr(id.rfind('/') + 1);
  return all;
}

TEST(Csv, ReadsColumnsByName) {
  const Everything all = read_csv("title,text,id\na,one,1\nb,two,2\n");
  EXPECT_EQ(all.ids, (Texts{"1", "2"}));
  EXPECT_EQ(all.texts, (Texts{"one", "two"}));
}

TEST(Csv, TakesAllColumnsInTheOrderOfTheirNames) {
  Input input;
  input.text = "*";
  EXPECT_EQ(read_csv("title,id,maker\na,1,b\n", input).texts, Texts{"b\na"});
  EXPECT_EQ(read_csv("maker,title,id\nb,a,1\n", input).texts, Texts{"b\na"});
  input.text = "title^2,*,-maker";
  EXPECT_EQ(read_csv("title,id,maker,year\na,1,b,7\n", input).texts, Texts{"a\na\n7"});
  input.text = "*,-1";
  input.header = false;
  EXPECT_EQ(read_csv("a,b,c\n", input).texts, Texts{"b\nc"}) << "columns without names keep their order";
}

TEST(Csv, NeedsNoTextWhereNoneIsToBeRead) {
  Input input;
  input.text = "";
  const Everything all = read_csv("name,id\na,1\nb,2\n", input);
  EXPECT_EQ(all.ids, (Texts{"1", "2"}));
  EXPECT_EQ(all.texts, (Texts{"", ""}));
}

TEST(Csv, KeepsNewlinesQuotesAndCommasInsideQuotes) {
  const Everything all = read_csv("id,text\n1,\"a, \"\"b\"\"\r\n\nc\"\n\"\"\"2\"\"\",\"\"\n");
  EXPECT_EQ(all.ids, (Texts{"1", "\"2\""}));
  EXPECT_EQ(all.texts, (Texts{"a, \"b\"\r\n\nc", ""}));
  EXPECT_EQ(all.locations[1].line, 5U);
}

TEST(Csv, TakesAQuoteInsideAnUnquotedFieldLiterally) {
  const Everything all = read_csv("id,text\n1,a 5\" pipe\n2, \"x\"\n3,\"\"\n");
  EXPECT_EQ(all.texts, (Texts{"a 5\" pipe", " \"x\"", ""}));
}

TEST(Csv, AcceptsCrLfAndNoLastNewline) {
  EXPECT_EQ(read_csv("id,text\r\n1,a\r\n2,\"b\"\r\n3,c").texts, (Texts{"a", "b", "c"}));
  EXPECT_EQ(read_csv("id,text\r\n1,\"c\"").texts, Texts{"c"});
  EXPECT_EQ(read_csv("id,text\n1,").texts, Texts{""});
}

TEST(Csv, PassesOverEmptyLines) {
  const Everything all = read_csv("\n\r\ntext\n\na\n\r\nb\n");
  EXPECT_EQ(all.texts, (Texts{"a", "b"}));
  EXPECT_EQ(all.ids, (Texts{"d.csv:5", "d.csv:7"}));
  EXPECT_EQ(all.faults.count, 0U);
}

TEST(Csv, NamesItemsByTheirFirstLineWithoutAnIdColumn) {
  EXPECT_EQ(read_csv("text\n\"a\nb\"\nc\n").ids, (Texts{"d.csv:2", "d.csv:4"}));
  EXPECT_EQ(read_csv("id,text\n,x\n").ids, Texts{"d.csv:2"});
}

TEST(Csv, SkipsARecordWithTheWrongNumberOfFields) {
  const Everything all = read_csv("id,text\n1,a,b\n2,c\n3\n");
  EXPECT_EQ(all.texts, Texts{"c"});
  ASSERT_EQ(all.faults.count, 2U);
  EXPECT_EQ(all.faults.first[0].where, "d.csv:2");
  EXPECT_EQ(all.faults.first[0].message, "3 fields, the header has 2; record skipped");
  EXPECT_EQ(all.faults.first[1].message, "1 field, the header has 2; record skipped");
}

TEST(Csv, RefusesATableWithoutTheTextColumn) {
  TempDir dir;
  const std::string path = dir.write("d.csv", "id,title,body\n1,2,3\n");
  const Error error = error_of([&] { read_everything(input_of(path)); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.subject(), path);
  EXPECT_EQ(error.message(),
            "no column \"text\"; the columns are id, title, body; choose one of them, or, if the first line is data, "
            "read the table without a header");
  Input input = input_of(path);
  input.header = false;
  EXPECT_EQ(error_of([&] { read_everything(input); }).message(),
            "no column \"text\"; there are 3 columns, called 1, 2, 3; choose one of them");
  input.paths = {dir.write("e.csv", "alone\n")};
  EXPECT_EQ(error_of([&] { read_everything(input); }).message(), "no column \"text\"; there is 1 column, called 1; choose one of them");
}

TEST(Csv, RefusesATableWithoutTheIdColumnThatWasAskedFor) {
  TempDir dir;
  Input input = input_of(dir.write("a.csv", "id,text\n1,a\n"));
  input.id = "url";
  EXPECT_NE(error_of([&] { read_everything(input); }).message().find("no column \"url\"; the columns are id, text"), std::string::npos);
}

TEST(Csv, GoesOnAfterAQuoteThatIsNeverClosed) {
  const Everything all = read_csv("id,text\n1,a\n2,\"b\n3,c\n4,d\n");
  EXPECT_EQ(all.ids, (Texts{"1", "3", "4"}));
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].where, "d.csv:3");
  EXPECT_EQ(all.faults.first[0].message, "the quote opened on line 3 is not closed where a field ends; record skipped");
}

TEST(Csv, GoesOnAfterTextBehindAClosingQuote) {
  const Everything all = read_csv("id,text\n1,\"a\n2,\"b\"\n3,\"c\" \n4,\"d\"\n");
  EXPECT_EQ(all.ids, (Texts{"2", "4"}));
  EXPECT_EQ(all.faults.count, 2U);
}

TEST(Csv, CutsAnUnclosedRecordAfterTheLineOfItsQuote) {
  const Everything all = read_csv("id,text\n\"x\ny\",\"b\n3,c\n");
  EXPECT_EQ(all.ids, Texts{"3"});
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].where, "d.csv:2");
  EXPECT_EQ(all.faults.first[0].message, "the quote opened on line 3 is not closed where a field ends; record skipped");
  EXPECT_EQ(all.fault_locations[0].length, 9U);
}

TEST(Csv, SkipsInvalidUtf8AndKeepsNulBytes) {
  const Everything all = read_csv(std::string("id,text\n1,\xFF\n2,a\0b\n", 18));
  EXPECT_EQ(all.texts, Texts{std::string("a\0b", 3)});
  ASSERT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first[0].message, "invalid UTF-8 at byte 3 of the record; record skipped");
}

TEST(Csv, ReadsAHeaderBehindAByteOrderMark) {
  TempDir dir;
  Sources sources(input_of(dir.write("d.csv", "\xEF\xBB\xBF\"id\",\"te\"\"xt\",text\n1,2,3\n")), false);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids, Texts{"1"});
  EXPECT_EQ(all.texts, Texts{"3"});
  EXPECT_EQ(sources.header(0), "\"id\",\"te\"\"xt\",text\n");
  EXPECT_EQ(all.locations[0].offset, 22U);
}

TEST(Csv, ReadsDataBehindAByteOrderMark) {
  Input input;
  input.header = false;
  input.id = "1";
  input.text = "2";
  const Everything all = read_csv("\xEF\xBB\xBF\"a\",one\nb,two\n", input);
  EXPECT_EQ(all.ids, (Texts{"a", "b"}));
  EXPECT_EQ(all.texts, (Texts{"one", "two"}));
  EXPECT_EQ(all.locations[0].offset, 3U);
}

TEST(Csv, ReadsAHeaderLongerThanTheFirstLook) {
  const std::string column(200'000, 'x');
  const Everything all = read_csv("\"" + column + "\n\",text\n1,a\n");
  EXPECT_EQ(all.texts, Texts{"a"});
  EXPECT_EQ(all.ids, Texts{"d.csv:3"});
}

TEST(Csv, RefusesAHeaderWithAnOpenQuote) {
  EXPECT_EQ(error_of([] { read_csv("id,\"text\n1,a\n"); }).code(), ErrorCode::data);
}

TEST(Csv, JoinsTextColumnsAndReadsNumbers) {
  Input input;
  input.text = "title,body";
  input.number = "score";
  const Everything all = read_csv("score,title,body\n\"1.5\",t,\"b\"\"\"\nx,u,c\n,v,d\n+2,w,e\n", input);
  EXPECT_EQ(all.texts, (Texts{"t\nb\"", "u\nc", "v\nd", "w\ne"}));
  ASSERT_EQ(all.numbers.size(), 4U);
  EXPECT_EQ(all.numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(all.numbers[1]));
  EXPECT_TRUE(std::isnan(all.numbers[2]));
  EXPECT_EQ(all.numbers[3], 2);
}

TEST(Csv, AnEmptyTableHasNoItems) {
  EXPECT_TRUE(read_csv("").ids.empty());
  EXPECT_TRUE(read_csv("id,text\n").ids.empty());
  EXPECT_TRUE(read_csv("id,text").ids.empty());
}

TEST(Tsv, SplitsAtTabs) {
  const Everything all = read_csv("id\ttext\n1\ta, b\n2\t\"c\td\"\n", {}, "d.tsv");
  EXPECT_EQ(all.texts, (Texts{"a, b", "c\td"}));
}

TEST(Tsv, TakesAQuoteLiterallyThatDoesNotQuoteTheWholeField) {
  const Everything all = read_csv(
      "id\ttext\n1\t\"hello\" world\n\"2\t\"\n\"3\"\t\"open\r\n4\t\"\"\n5\t\"a\"\"b\"\r\n6\t\"\"a\n7\t\"x\rb\n8\t\"\"\"", {}, "d.tsv");
  EXPECT_EQ(all.faults.count, 1U);
  EXPECT_EQ(all.faults.first.at(0).message, "1 field, the header has 2; record skipped");  // 2<tab> inside quotes
  EXPECT_EQ(all.ids, (Texts{"1", "3", "4", "5", "6", "7", "8"}));
  EXPECT_EQ(all.texts, (Texts{"\"hello\" world", "\"open", "", "a\"b", "\"\"a", "\"x\rb", "\"\"\""}));
}

TEST(Tsv, HasNoRecordOverSeveralLines) {
  const Everything all = read_csv("\"id\ttext\n1\t\"a\n2\tb\"\n", Input{.id = "\"id"}, "d.tsv");
  EXPECT_EQ(all.ids, (Texts{"1", "2"}));
  EXPECT_EQ(all.texts, (Texts{"\"a", "b\""}));
}

TEST(Tsv, EveryLineIsARecordHoweverItIsCut) {
  std::mt19937_64 random(13);
  constexpr std::string_view kSigns = "\"\"\"\t\t\n\n\r a";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = kSigns[random() % kSigns.size()];
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t newline = bytes.find('\n', at), end = newline == std::string::npos ? bytes.size() : newline + 1;
      std::vector<CsvField> fields, alone;
      const CsvRecord record = csv_record(std::string_view(bytes).substr(at), '\t', true, &fields);
      ASSERT_EQ(record.state, CsvRecord::State::whole);
      ASSERT_EQ(record.length, end - at) << testing::PrintToString(bytes);
      csv_record(std::string_view(bytes).substr(at, end - at), '\t', newline == std::string::npos, &alone);
      ASSERT_EQ(fields.size(), alone.size());
      for (std::size_t seen = at; seen < end; ++seen) {
        const CsvRecord part = csv_record(std::string_view(bytes).substr(at, seen - at), '\t', false, nullptr);
        ASSERT_EQ(part.state, CsvRecord::State::incomplete);
        ASSERT_EQ(csv_whole_records(std::string_view(bytes).substr(0, seen), '\t', false), at);
      }
      at = end;
    }
  }
}

TEST(Tsv, IsTheSameInChunksOfALargeTable) {
  std::string table = "id\ttext\n";
  Texts expected;
  for (int i = 0; i < 200'000; ++i) {
    expected.push_back(i % 3 == 0 ? "\"open " + std::to_string(i) : i % 3 == 1 ? "in\tside" : "\"a\" b");
    table += std::to_string(i) + "\t" + (i % 3 == 1 ? "\"in\tside\"" : expected.back()) + "\n";
  }
  TempDir dir;
  Sources sources(input_of(dir.write("d.tsv", table)), true);
  const Everything all = read_everything(sources);
  EXPECT_GE(all.chunks, 2U);
  EXPECT_TRUE(all.texts == expected);
  EXPECT_TRUE(all_bytes(sources, all) == table);
}

TEST(Csv, SurvivesTruncationAtEveryByte) {
  const std::string whole = "id,text\r\n1,\"a\"\"\r\nb\"\r\n\"2\",c\xC3\xA9\n\n3,\"d\n4,e\n";
  for (std::size_t length = 9; length <= whole.size(); ++length) {
    TempDir dir;
    Sources sources(input_of(dir.write("d.csv", whole.substr(0, length))), true);
    const Everything all = read_everything(sources);
    EXPECT_LE(all.ids.size() + all.faults.count, 6U) << length;
  }
  for (std::size_t length = 0; length < 9; ++length) {
    try {
      EXPECT_TRUE(read_csv(whole.substr(0, length)).ids.empty());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
    }
  }
}

/// A table of two columns read in the plainest way: all bytes at once, one character after the other.
struct SimpleRecord {
  std::string id, text;
  std::uint32_t line;
  bool operator==(const SimpleRecord&) const = default;
};
std::vector<SimpleRecord> simple_parse(const std::string& bytes) {
  std::vector<SimpleRecord> records;
  Texts fields(1);
  std::uint32_t line = 1, first_line = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '\n') ++line;
    if (quoted && c == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\n') {
      records.push_back({fields.at(0), fields.at(1), first_line});
      fields.assign(1, "");
      first_line = line;
    } else {
      fields.back() += c;
    }
  }
  return records;
}

std::string random_table(std::mt19937_64& random, std::size_t size) {
  constexpr std::string_view kSigns[] = {"a", " b", "\n", "\"\"", ",", "word ", "\xC3\xA9", "\n\n"};
  std::string table = "id,text\n";
  for (int row = 0; table.size() < size; ++row) {
    table += std::to_string(row) + ",";
    const std::size_t length = random() % 100 == 0 ? random() % 200'000 : random() % 300;
    const bool quoted = random() % 4 != 0;
    if (quoted) table += '"';
    for (std::size_t i = 0; i < length; ++i) {
      table += quoted ? kSigns[random() % 8] : std::string_view("x\"y").substr(i > 0 ? random() % 3 : 0, 1);
    }
    table += quoted ? "\"\n" : "\n";
  }
  return table;
}

TEST(Csv, AgreesWithASimpleParserAcrossChunkBorders) {
  std::mt19937_64 random(7);
  TempDir dir;
  for (int round = 0; round < 3; ++round) {
    const std::string table = random_table(random, 5 << 20);
    Sources sources(input_of(dir.write("d.csv", table)), true);
    const Everything all = read_everything(sources);
    EXPECT_GE(all.chunks, 4U);
    EXPECT_EQ(all.faults.count, 0U);
    auto expected = simple_parse(table);
    expected.erase(expected.begin());
    ASSERT_EQ(all.ids.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const SimpleRecord found{all.ids[i], all.texts[i], all.locations[i].line};
      ASSERT_TRUE(found == expected[i]) << i;
    }
    EXPECT_TRUE(all_bytes(sources, all) == table);
  }
}

TEST(Csv, KeepsARecordOfSeveralChunksWhole) {
  std::string text;
  while (text.size() < (7U << 20)) text += "line,\"\" \n";
  const Everything all = read_csv("id,text\n1,a\n2,\"" + text + "\"\n3,b\n");
  ASSERT_EQ(all.ids, (Texts{"1", "2", "3"}));
  EXPECT_EQ(all.texts[1].size(), text.size() - text.size() / 9);
  EXPECT_EQ(all.locations[2].line, 4 + text.size() / 9);
}

TEST(Csv, AStrayQuoteInALargeTableCostsOneRecord) {
  std::string table = "id,text\n";
  for (int i = 0; i < 300'000; ++i) table += std::to_string(i) + (i == 1000 || i == 200'000 ? ",\"stray\n" : ",plain text\n");
  TempDir dir;
  Sources sources(input_of(dir.write("d.csv", table)), true);
  const Everything all = read_everything(sources);
  EXPECT_EQ(all.ids.size() + all.faults.count, 300'000U);
  EXPECT_EQ(all.faults.count, 2U);
  EXPECT_EQ(all.fault_locations[0].line, 1002U);
  EXPECT_EQ(all.fault_locations[1].line, 200'002U);
  EXPECT_TRUE(all_bytes(sources, all) == table);
}

TEST(Csv, TheCutterAndTheParserAgreeOnAnyBytes) {
  std::mt19937_64 random(11);
  constexpr std::string_view kSigns = "\"\"\",,\n\n\r a";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = kSigns[random() % kSigns.size()];
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < bytes.size();) {
      const CsvRecord record = csv_record(std::string_view(bytes).substr(at), ',', true, nullptr);
      ASSERT_NE(record.state, CsvRecord::State::incomplete);
      ASSERT_GT(record.length, 0U);
      ends.push_back(at += record.length);
    }
    for (std::size_t seen = 0; seen <= bytes.size(); ++seen) {
      const std::size_t cut = csv_whole_records(std::string_view(bytes).substr(0, seen), ',', false);
      ASSERT_TRUE(cut == 0 || std::count(ends.begin(), ends.end(), cut) == 1) << testing::PrintToString(bytes) << " " << seen;
    }
    // A chunk that ends at any border is parsed as the whole is.
    for (const std::size_t border : ends) {
      std::size_t at = 0;
      for (const std::size_t end : ends) {
        if (end > border) break;
        at += csv_record(std::string_view(bytes).substr(at, border - at), ',', true, nullptr).length;
        ASSERT_EQ(at, end) << testing::PrintToString(bytes) << " " << border;
      }
    }
  }
}

}  // namespace
}  // namespace nearkin::test::csv_test
