// Scores of several fields against brute force: every pair, every part computed by itself.
#include "support/run_support.h"

#include <cmath>
#include <map>

#include <nearkin/error.h>
#include <nearkin/score.h>
#include <nearkin/tools/truth.h>

#include "reference/reference.h"
#include "support/random.h"

namespace nearkin::score_test {
namespace {

using Record = std::map<std::string, std::string>;  // "" where the record lacks the field

const std::vector<std::string> kFields{"title", "maker", "year", "place"};

std::string random_title(test::Random& random) {
  static const std::vector<std::string> words{"red", "fox", "jumps", "over", "lazy", "dog", "sony", "walkman", "tape", "pro", "xl"};
  std::string text;
  for (std::size_t count = 1 + random.below(5); count > 0; --count) text += (text.empty() ? "" : " ") + random.pick(words);
  return text;
}

/// Records of which many agree in some fields.
std::vector<Record> random_records(test::Random& random, std::size_t count) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    Record record;
    if (!records.empty() && random.below(2) == 0) record = random.pick(records);
    if (record.empty() || random.below(2) == 0) record["title"] = random_title(random);
    if (record["maker"].empty() || random.below(3) == 0) record["maker"] = random_title(random);
    if (random.below(2) == 0) record["year"] = std::to_string(1990 + random.below(6));
    if (random.below(3) == 0) record["place"] = random_title(random);
    if (random.below(8) == 0) record[random.pick(kFields)] = "";
    records.push_back(record);
  }
  return records;
}

std::string as_csv(const std::vector<Record>& records) {
  std::string out = "id,title,maker,year,place\n";
  for (std::size_t i = 0; i < records.size(); ++i) {
    out += "r" + std::to_string(i);
    for (const std::string& field : kFields) out += "," + (records[i].contains(field) ? records[i].at(field) : "");
    out += "\n";
  }
  return out;
}

/// Years as numbers, and fields that are not there.
std::string as_jsonl(const std::vector<Record>& records) {
  std::string out;
  for (std::size_t i = 0; i < records.size(); ++i) {
    out += "{\"id\":\"r" + std::to_string(i) + "\"";
    for (const auto& [field, value] : records[i]) {
      if (!value.empty()) out += ",\"" + field + "\":" + (field == "year" ? value : "\"" + value + "\"");
    }
    out += "}\n";
  }
  return out;
}

double value_of(const ScorePart& part, const Record& a, const Record& b) {
  const auto text = [&](const Record& record) { return record.contains(part.text) ? record.at(part.text) : std::string(); };
  if (text(a).empty() || text(b).empty()) return 0;
  if (part.how == ScorePart::How::equal) return text(a) == text(b) ? 1 : 0;
  const Match match = reference::jaccard(0, 1, reference::shingles(text(a), part.shingle), reference::shingles(text(b), part.shingle));
  return static_cast<double>(match.shared) / static_cast<double>(match.total);
}

Score random_score(test::Random& random) {
  Score score;
  for (const std::string& field : kFields) {
    if (random.below(3) == 0) continue;
    ScorePart part{.text = field, .weight = 0.5 * static_cast<double>(1 + random.below(6))};
    if (random.below(3) == 0) part.how = ScorePart::How::equal;
    part.shingle = parse_shingle(random.pick(std::vector<std::string>{"char:3", "word:1", "char:2"}));
    score.parts.push_back(part);
  }
  if (score.parts.empty()) score.parts.push_back({.text = "title"});
  return score;
}

/// Lines "a b score values…" of the pairs that reach the threshold.
std::vector<std::string> brute_force(const std::vector<Record>& records, const std::vector<Record>* others, const Score& score,
                                     double threshold) {
  std::vector<std::string> lines;
  double weights = 0;
  for (const ScorePart& part : score.parts) weights += part.weight;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = others != nullptr ? 0 : i + 1; j < (others != nullptr ? others->size() : records.size()); ++j) {
      const Record& other = others != nullptr ? (*others)[j] : records[j];
      double sum = 0;
      std::string values;
      for (const ScorePart& part : score.parts) {
        const double value = value_of(part, records[i], other);
        sum += part.weight * value;
        values += " " + std::to_string(value);
      }
      const double rounded = std::round(sum / weights * 1e9);
      if (rounded < std::round(threshold * 1e9)) continue;
      lines.push_back("r" + std::to_string(i) + " r" + std::to_string(j) + " " + std::to_string(rounded) + values);
    }
  }
  return lines;
}

std::vector<std::string> lines_of(const ScoreResult& found, std::size_t parts) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < found.matches.size(); ++i) {
    const Match& match = found.matches[i];
    lines.push_back(std::string(found.ids[match.a]) + " " + std::string(found.ids[match.b]) + " " +
                    std::to_string(double{1} * match.shared));
    for (std::size_t part = 0; part < parts; ++part) lines.back() += " " + std::to_string(found.values[i * parts + part]);
  }
  return lines;
}

class Scores : public test::Runs {
 protected:
  static std::string refusal(const std::string& text) {
    try {
      parse_score(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(Scores, AreAsBruteForceHasThem) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    const std::vector<Record> records = random_records(random, 30), others = random_records(random, 20);
    const Score score = random_score(random);
    const double threshold = static_cast<double>(1 + random.below(10)) / 10;
    const Input input = random.below(2) == 0 ? file("a.csv", as_csv(records)) : file("a.jsonl", as_jsonl(records));
    const Input against = random.below(2) == 0 ? file("b.csv", as_csv(others)) : file("b.jsonl", as_jsonl(others));
    const bool across = random.below(2) == 0;
    const RunOptions run{.threads = static_cast<unsigned>(1 + random.below(3))};
    const std::vector<std::string> expected = brute_force(records, across ? &others : nullptr, score, threshold);
    const ScoreResult all = score_pairs(input, score, {.threshold = threshold, .recall = 1}, run, across ? &against : nullptr);
    ASSERT_EQ(lines_of(all, score.parts.size()), expected) << "seed " << seed << ": " << to_string(score) << " at " << threshold;
    EXPECT_EQ(all.stats.recall->estimate, 1);
    const ScoreResult most = score_pairs(input, score, {.threshold = threshold, .recall = 0.9}, run, across ? &against : nullptr);
    const std::vector<std::string> lines = lines_of(most, score.parts.size());
    EXPECT_TRUE(
        std::includes(expected.begin(), expected.end(), lines.begin(), lines.end(), [&](const std::string& x, const std::string& y) {
          return std::find(expected.begin(), expected.end(), x) < std::find(expected.begin(), expected.end(), y);
        }));
    found += expected.size();
  }
  EXPECT_GT(found, 500u);
}

// The promise holds where no single field is nearly equal.
TEST_F(Scores, KeepTheirRecall) {
  std::size_t found = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    test::Random random(100 + seed);
    const std::vector<Record> records = random_records(random, 120);
    const Score score = parse_score("title:jaccard(char:2)*2 + maker:jaccard(char:2) + year:equal");
    const Input input = file("a.csv", as_csv(records));
    found += score_pairs(input, score, {.threshold = 0.6, .recall = 0.9, .seed = seed}).matches.size();
    all += score_pairs(input, score, {.threshold = 0.6, .recall = 1}).matches.size();
  }
  EXPECT_GT(all, 1000u);
  EXPECT_GE(static_cast<double>(found), 0.9 * static_cast<double>(all));
}

// Records with the same title are found or missed together.
TEST_F(Scores, SayHowSureTheirRecallIsWhereValuesRepeat) {
  test::Random random(1);
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i) {
    records.push_back(
        {{"title", random.pick(std::vector<std::string>{"red fox ", "blue fox ", "green cat "}) + static_cast<char>('a' + random.below(3))},
         {"year", std::to_string(2000 + random.below(4))}});
  }
  const Input input = file("a.csv", as_csv(records));
  const Score score = parse_score("title:jaccard(char:3)*3 + year:equal");
  const auto all = static_cast<double>(score_pairs(input, score, {.threshold = 0.8, .recall = 1}).matches.size());
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ScoreResult found = score_pairs(input, score, {.threshold = 0.8, .recall = 0.7, .seed = seed});
    const double share = static_cast<double>(found.matches.size()) / all;
    covered += !found.stats.recall || (share >= found.stats.recall->low && share <= found.stats.recall->high);
  }
  EXPECT_GE(covered, 36);
}

TEST_F(Scores, OfOneFieldInTwoWays) {
  const Input input = file("a.jsonl",
                           "{\"id\":1,\"t\":[\"red\",\"fox\"],\"u\":true}\n"
                           "{\"id\":2,\"t\":[\"red\",\"fox\"],\"u\":false}\n");
  list_score_pairs(input, parse_score("t:jaccard(word:1) + t:equal + u:equal"), {.path = dir_.path("out"), .style = RowStyle::json},
                   {.threshold = 0.6, .recall = 1});
  EXPECT_EQ(dir_.read("out"),
            "{\"a\":\"1\",\"b\":\"2\",\"similarity\":0.666666667,\"parts\":{\"t:jaccard(word:1)\":1,\"t:equal\":1,\"u\":0}}\n");
}

TEST_F(Scores, LookForCandidatesWhereValuesRepeatLeast) {
  std::vector<Record> records;
  for (int i = 0; i < 200; ++i)
    records.push_back({{"title", "title number " + std::to_string(i / 2)}, {"maker", "one maker"}, {"year", "1999"}});
  const ScoreResult found = score_pairs(file("a.csv", as_csv(records)), parse_score("title:jaccard*2 + maker:jaccard + year:equal"),
                                        {.threshold = 0.9, .recall = 1});
  ASSERT_EQ(found.searched.size(), 1u);
  EXPECT_EQ(found.searched[0].part, 0u);
  EXPECT_NEAR(found.searched[0].level, 0.8, 1e-5);
  EXPECT_LT(found.stats.candidates, 4000u);  // of 19,900
}

TEST_F(Scores, OneToOneAndTheBestFollowTheScore) {
  const Input a = file("a.csv", "id,name,city\na1,anna berg,rome\na2,anna berg,oslo\n");
  const Input b = file("b.csv", "id,label,town\nb1,anna berg,oslo\nb2,anna bergs,oslo\n");
  const Score score = parse_score("name=label:jaccard(char:3)*3 + city=town:equal");
  const ScoreOptions best{.threshold = 0.5, .recall = 1, .partners = {.rule = Partners::Rule::best}};
  const ScoreResult found = score_pairs(a, score, best, {}, &b);
  ASSERT_EQ(found.matches.size(), 2u);
  EXPECT_EQ(found.matches[0].b, 2u);
  EXPECT_EQ(found.matches[0].shared, 750'000'000u);
  EXPECT_EQ(found.values, (std::vector<double>{1, 0, 1, 1}));
  EXPECT_EQ(*found.stats.listed, 2u);
  EXPECT_EQ(found.stats.pairs, 4u);
  const ScoreOptions single{.threshold = 0.5, .recall = 1, .partners = {.rule = Partners::Rule::one_to_one}};
  EXPECT_EQ(lines_of(score_pairs(a, score, single, {}, &b), 0),
            (std::vector<std::string>{"a1 b2 " + std::to_string(0.75e9 * 7 / 8), "a2 b1 1000000000.000000"}));
}

TEST_F(Scores, WithinScopesAndLittleMemory) {
  test::Random random(7);
  std::vector<Record> records = random_records(random, 300);
  Input input = file("a.csv", as_csv(records));
  input.scope = {Scope::Rule::within, "year"};
  const Score score = parse_score("title:jaccard*2 + maker:jaccard");
  const ScoreResult scoped = score_pairs(input, score, {.threshold = 0.5, .recall = 1});
  std::vector<std::string> expected;
  for (const std::string& line : brute_force(records, nullptr, score, 0.5)) {
    const std::size_t blank = line.find(' ');
    const auto year = [&](std::size_t row) { return records[row]["year"]; };
    const std::size_t i = std::stoul(line.substr(1)), j = std::stoul(line.substr(blank + 2));
    if (year(i) == year(j)) expected.push_back(line);
  }
  EXPECT_EQ(lines_of(scoped, 2), expected);
  EXPECT_EQ(lines_of(score_pairs(input, score, {.threshold = 0.5, .recall = 1}, {.threads = 1, .memory = 64 << 20}), 2), expected);
}

TEST_F(Scores, AreWrittenWithTheirParts) {
  const Input input = file("a.jsonl",
                           "{\"id\":1,\"title\":\"red fox\",\"year\":1999}\n"
                           "{\"id\":2,\"title\":\"red fox\",\"year\":2001}\n"
                           "{\"id\":3,\"title\":null,\"year\":1999}\n");
  const Score score = parse_score("title:jaccard(word:1)*2+year:equal");
  const ScoreOptions options{.threshold = 0.3, .recall = 1};
  list_score_pairs(input, score, {.path = dir_.path("out"), .style = RowStyle::json}, options);
  EXPECT_EQ(dir_.read("out"),
            "{\"a\":\"1\",\"b\":\"2\",\"similarity\":0.666666667,\"parts\":{\"title\":1,\"year\":0}}\n"
            "{\"a\":\"1\",\"b\":\"3\",\"similarity\":0.333333333,\"parts\":{\"title\":0,\"year\":1}}\n");
  list_score_pairs(input, score, {.path = dir_.path("out")}, options);
  EXPECT_EQ(dir_.read("out"), "1\t2\t0.666666\n1\t3\t0.333333\n");
}

TEST_F(Scores, AreSpelledAndReadBack) {
  for (const std::string text : {"title:jaccard(char:3)*2 + year:equal", "a.b,c:jaccard(word:1)", "name=label:equal*0.5"}) {
    EXPECT_EQ(to_string(parse_score(text)), text);
  }
  EXPECT_EQ(to_string(parse_score(" title : jaccard +year:equal * 3")), "title:jaccard(char:3) + year:equal*3");
}

TEST_F(Scores, OfFieldsWithOddNames) {
  const Input input = file("a.csv",
                           "id,\"a + b\",\"x, y\",\"say \"\"hi\"\"\",\"c=d*2\",e(f):g^2\n"
                           "1,red,fox,one,two,three\n2,red,fox,one,two,three\n3,blue,cat,six,ten,nine\n");
  const std::string text = "\"a + b\":equal + \"x, y\":jaccard(char:3)*2 + \"say \"\"hi\"\"\":equal + \"c=d*2\":equal + \"e(f):g^2\":equal";
  EXPECT_EQ(to_string(parse_score(text)), text);
  list_score_pairs(input, parse_score(text), {.path = dir_.path("out"), .style = RowStyle::json}, {.threshold = 0.5, .recall = 1});
  EXPECT_EQ(
      dir_.read("out"),
      "{\"a\":\"1\",\"b\":\"2\",\"similarity\":1,\"parts\":{\"a + b\":1,\"x, y\":1,\"say \\\"hi\\\"\":1,\"c=d*2\":1,\"e(f):g^2\":1}}\n");
  const Input nested = file("a.jsonl", "{\"id\":1,\"a.b\":\"x\",\"a\":{\"b\":\"z\"}}\n{\"id\":2,\"a.b\":\"x\",\"a\":{\"b\":\"y\"}}\n");
  EXPECT_EQ(score_pairs(nested, parse_score("\"a.b\":equal"), {.recall = 1}).matches.size(), 1u);
  const Input other = file("b.csv", "id,a=b\n7,red\n");
  EXPECT_EQ(score_pairs(input, parse_score("\"a + b\"=\"a=b\":equal"), {.recall = 1}, {}, &other).matches.size(), 2u);
  EXPECT_EQ(to_string(Score{.parts = {{.text = "a+b", .how = ScorePart::How::equal}}}), "\"a+b\":equal");
  EXPECT_EQ(to_string(parse_score(" \"a\" , b :equal")), "\"a\",b:equal");
  EXPECT_EQ(to_string(parse_score("5\" disk:equal")), "5\" disk:equal");  // a mark within a name is part of it
  EXPECT_NE(refusal("\"a + b:equal").find("has no closing quotation mark"), std::string::npos);
  EXPECT_NE(refusal("x:equal + \"a:jaccard").find("\"\"a:jaccard\" has no closing"), std::string::npos) << refusal("x:equal + \"a:jaccard");
  EXPECT_NE(refusal("\"a\"b:equal").find("follows a name in quotation marks"), std::string::npos);
}

TEST_F(Scores, ThatAreWrongAreRefused) {
  EXPECT_NE(refusal("").find("an empty score"), std::string::npos);
  EXPECT_NE(refusal("title").find("\"title\" does not say how its field is compared"), std::string::npos);
  EXPECT_NE(refusal("title:cosine").find("\"cosine\" in \"title:cosine\" is not equal, jaccard or jaccard(SHINGLE)"), std::string::npos);
  EXPECT_NE(refusal("title:equal*x").find("the weight \"x\""), std::string::npos);
  EXPECT_NE(refusal("title:equal*0").find("the weight \"0\""), std::string::npos);
  EXPECT_NE(refusal("title:equal+").find("nothing beside a +"), std::string::npos);
  EXPECT_NE(refusal("title:jaccard(words:2)").find("words"), std::string::npos);
  EXPECT_NE(refusal(":equal").find("names no field"), std::string::npos);
  const auto run = [&](const Input& input, const ScoreOptions& options) -> std::string {
    try {
      score_pairs(input, parse_score("title:jaccard + nope:equal"), options);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(run(file("a.csv", "id,title\n1,x\n"), {}).find("nope"), std::string::npos);
  EXPECT_NE(run(file("a.jsonl", "{\"id\":1,\"title\":\"x\"}\n"), {}).find("no field \"nope\" in"), std::string::npos);
  // A column or field that is there may be empty.
  EXPECT_EQ(run(file("e.jsonl", "{\"id\":1,\"title\":\"x\",\"nope\":\"\"}\n"), {}), "none");
  EXPECT_EQ(run(file("a.csv", "id,title,nope\n1,x,\n2,x,\n"), {}), "none");
  const Input other = file("b.jsonl", "{\"id\":3,\"label\":\"x\"}\n");
  try {
    score_pairs(file("a.jsonl", "{\"id\":1,\"title\":\"x\"}\n"), parse_score("title=lable:equal"), {}, {}, &other);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("b.jsonl; did you mean \"label\"? the fields are id, label"), std::string::npos)
        << error.what();
  }
  std::string same = "id,title,year\n";
  for (int i = 0; i < 2000; ++i) same += std::to_string(i) + ",x," + std::to_string(i) + "\n";
  try {
    score_pairs(file("a.csv", same), parse_score("title:equal*9 + year:equal"), {}, {.threads = 1, .memory = 64 << 20});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1999000 pairs have to be compared"), std::string::npos) << error.what();
  }
  EXPECT_NE(run(file("a.txt", "a line\n"), {}).find("format files"), std::string::npos);
  EXPECT_NE(run(file("a.csv", "id,title,nope\n1,x,y\n"), {.threshold = 0}).find("threshold"), std::string::npos);
  Input standard;
  standard.paths = {"-"};
  EXPECT_NE(run(standard, {}).find("standard input or a pipe can be read once"), std::string::npos);
}

/// "id keeper score" of each record, by brute force: stars, the first first.
std::vector<std::string> star_lines(const std::vector<Record>& records, const Score& score, double threshold) {
  std::vector<std::string> lines;
  std::vector<std::size_t> keepers;
  double weights = 0;
  for (const ScorePart& part : score.parts) weights += part.weight;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto score_with = [&](std::size_t keeper) {
      double sum = 0;
      for (const ScorePart& part : score.parts) sum += part.weight * value_of(part, records[keeper], records[i]);
      return std::round(sum / weights * 1e9);
    };
    const auto keeper =
        std::find_if(keepers.begin(), keepers.end(), [&](std::size_t one) { return score_with(one) >= std::round(threshold * 1e9); });
    lines.push_back("r" + std::to_string(i) + " r" + std::to_string(keeper == keepers.end() ? i : *keeper) + " " +
                    std::to_string(keeper == keepers.end() ? 1e9 : score_with(*keeper)));
    if (keeper == keepers.end()) keepers.push_back(i);
  }
  return lines;
}

TEST_F(Scores, MakeStarsAsBruteForceDoes) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Random random(500 + seed);
    const std::vector<Record> records = random_records(random, 40);
    const Score score = random_score(random);
    const double threshold = static_cast<double>(3 + random.below(8)) / 10;
    const auto [result, searched] =
        cluster_by_score(file("a.jsonl", as_jsonl(records)), score, {.threshold = threshold, .recall = 1}, {.linkage = Linkage::star});
    std::vector<std::string> lines;
    for (Row row = 0; row < records.size(); ++row) {
      const Match& match = result.to_keeper[row];
      removed += match.b != row;
      lines.push_back("r" + std::to_string(row) + " r" + std::to_string(match.b) + " " + std::to_string(1e9 * match.shared / match.total));
    }
    ASSERT_EQ(lines, star_lines(records, score, threshold)) << "seed " << seed << ": " << to_string(score) << " at " << threshold;
    EXPECT_FALSE(searched.empty());
  }
  EXPECT_GT(removed, 100u);
}

TEST_F(Scores, RemoveRecordsAndFollowDecisions) {
  const Input input = file("a.csv", "id,name,born\n1,anna berg,1999\n2,anna bergs,1999\n3,john smith,1980\n4,jon smith,1980\n5,eve,1950\n");
  const Score score = parse_score("name:jaccard(char:3)*2 + born:equal");
  DedupOptions options;
  options.removed = dir_.path("removed");
  const auto [plain, searched] = dedup_by_score(input, dir_.path("out"), score, {.threshold = 0.6, .recall = 1}, options);
  EXPECT_EQ(dir_.read("out"), "id,name,born\n1,anna berg,1999\n3,john smith,1980\n5,eve,1950\n");
  EXPECT_EQ(dir_.read("removed"), "2\t1\t0.916666\n4\t3\t0.666666\n");
  EXPECT_EQ(plain.kept, 3u);
  EXPECT_EQ(plain.stats.pairs, 2u);
  options.decisions = {{"3", "4", false}, {"3", "5", true}};
  const DedupResult decided = dedup_by_score(input, dir_.path("out"), score, {.threshold = 0.6, .recall = 1}, options).result;
  EXPECT_EQ(dir_.read("out"), "id,name,born\n1,anna berg,1999\n3,john smith,1980\n4,jon smith,1980\n");
  EXPECT_EQ(dir_.read("removed"), "2\t1\t0.916666\n5\t3\t0\n");
  EXPECT_EQ(decided.stats.decisions->accepted, 1u);
}

TEST_F(Scores, ListWhatAPersonDecided) {
  const Input input = file("a.csv", "id,name,born\n1,anna berg,1999\n2,anna bergs,1999\n3,john smith,1980\n4,anna berg,1999\n5,eve,1980\n");
  ScoreOptions options{.threshold = 0.6, .recall = 1};
  options.partners.decisions = {{"1", "2", false}, {"3", "5", true}, {"2", "4", true}};
  list_score_pairs(input, parse_score("name:jaccard(char:3)*2 + born:equal"), {.path = dir_.path("out"), .style = RowStyle::json}, options);
  EXPECT_EQ(dir_.read("out"),
            "{\"a\":\"1\",\"b\":\"4\",\"similarity\":1,\"parts\":{\"name\":1,\"born\":1}}\n"
            "{\"a\":\"2\",\"b\":\"4\",\"similarity\":0.916666667,\"parts\":{\"name\":0.875,\"born\":1}}\n"
            "{\"a\":\"3\",\"b\":\"5\",\"similarity\":0.333333333,\"parts\":{\"name\":0,\"born\":1}}\n");
}

// A field that is empty counts 0, so that equal records need not be similar.
TEST_F(Scores, OfRecordsThatAreEqualAreOneOnlyIfNoFieldIsEmpty) {
  const Input input = file("a.csv", "id,name,born\n1,anna,1999\n2,anna,1999\n3,john,\n4,john,\n5,john,\n");
  const Score score = parse_score("name:equal + born:equal");
  const ScoreResult low = score_pairs(input, score, {.threshold = 0.5, .recall = 1});
  EXPECT_EQ(lines_of(low, 0),
            (std::vector<std::string>{"1 2 1000000000.000000", "3 4 500000000.000000", "3 5 500000000.000000", "4 5 500000000.000000"}));
  EXPECT_EQ(low.stats.copies, 1u);
  EXPECT_EQ(low.values, (std::vector<double>{1, 1, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(cluster_by_score(input, score, {.threshold = 0.6}).result.clusters.keeper.size(), 4u);
}

TEST_F(Scores, OfManyEqualRecordsNeedNoPairs) {
  std::string same = "id,title\n";
  for (int i = 0; i < 20'000; ++i) same += std::to_string(i) + ",x\n";
  const ScoreClusters found = cluster_by_score(file("a.csv", same), parse_score("title:equal"), {}, {}, {.threads = 1, .memory = 64 << 20});
  EXPECT_EQ(found.result.clusters.keeper.size(), 1u);
  EXPECT_EQ(found.result.stats.candidates, 0u);
}

// Bands that miss a pair do not part what belongs together: keepers that their members connect are compared again.
TEST_F(Scores, LookAgainAtStarsThatBandsMayHaveParted) {
  std::size_t looked = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    test::Random random(900 + seed);
    const Input input = file("a.csv", as_csv(random_records(random, 150)));
    const Score score = parse_score("title:jaccard(char:2)*2 + maker:jaccard(char:2)");
    const auto clusters = [&](double recall) {
      return cluster_by_score(input, score, {.threshold = 0.7, .recall = recall, .seed = seed}, {.linkage = Linkage::star})
          .result.clusters.keeper.size();
    };
    looked += clusters(0.7);
    all += clusters(1);
  }
  EXPECT_GE(looked, all);
  EXPECT_LE(static_cast<double>(looked), 1.1 * static_cast<double>(all));
}

TEST_F(Scores, AgainstLabels) {
  const Input input = file("a.csv", "id,name,born\n1,anna berg,1999\n2,anna bergs,1999\n3,john smith,1980\n4,jon smith,1980\n5,eve,1950\n");
  dir_.write("truth.csv", "a,b\n1,2\n3,5\n");
  const TruthTable truth = read_truth({.path = dir_.path("truth.csv")});
  const auto [result, searched] = evaluate_truth_by_score(input, truth, parse_score("name:jaccard(char:3)*2 + born:equal"),
                                                          {.threshold = 0.5, .recall = 1}, {.borders = {0.5, 0.9}});
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].found, 2u);
  EXPECT_EQ(result.rows[0].right, 1u);
  EXPECT_EQ(result.rows[1].found, 1u);
  EXPECT_EQ(result.not_found, 1u);
}

TEST_F(Scores, GoWithoutWhatLooksAtOneText) {
  const Input input = file("a.csv", "id,title\n1,x\n2,x\n");
  const Score score = parse_score("title:equal");
  const auto refused = [&](const ScoreOptions& by, const RunOptions& run) -> std::string {
    try {
      cluster_by_score(input, score, by, {}, run);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(refused({.partners = {.rule = Partners::Rule::best}}, {}).find("groups and removals need all pairs"), std::string::npos);
  EXPECT_NE(refused({}, {.audit = 3}).find("audit"), std::string::npos);
  EXPECT_NE(refused({}, {.scratch = "."}).find("cannot be resumed"), std::string::npos);
}

}  // namespace
}  // namespace nearkin::score_test
