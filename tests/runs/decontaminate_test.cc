// Benchmark items in records against brute force, on every road.
#include "support/run_support.h"

#include <nearkin/decontaminate.h>

#include "reference/decontaminate.h"
#include "support/random.h"

namespace nearkin::decontaminate_test {
namespace {

using reference::Tokens;
using test::json_record;

std::vector<Tokens> tokens_of(const std::vector<std::string>& texts) {
  std::vector<Tokens> tokens;
  for (const std::string& text : texts) tokens.push_back(reference::words_with_places(text));
  return tokens;
}

std::string random_words(test::Random& random, std::size_t count, std::size_t kinds) {
  static const char* const between[] = {" ", ", ", "\n", "  "};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const char letter = static_cast<char>('a' + random.below(kinds));
    text +=
        (i == 0 ? "" : between[random.below(4)]) + std::string(1, random.below(5) == 0 ? static_cast<char>(letter - 'a' + 'A') : letter);
  }
  return text;
}

struct Collection {
  std::vector<std::string> records;
  std::vector<std::vector<std::string>> suites;
};

// Items of a small vocabulary, and records that hold whole items, parts of them, and parts with words between.
Collection random_collection(test::Random& random) {
  Collection all;
  const std::size_t kinds = 1 + random.below(12);
  std::vector<std::string> items;
  for (std::size_t suites = 1 + random.below(3); suites > 0; --suites) {
    std::vector<std::string>& suite = all.suites.emplace_back();
    for (std::size_t count = 1 + random.below(6); count > 0; --count) {
      suite.push_back(!items.empty() && random.below(6) == 0 ? items[random.below(items.size())]
                                                             : random_words(random, random.below(25), kinds));
      items.push_back(suite.back());
    }
    suite.push_back(random_words(random, 20, kinds));  // one that can be looked for
  }
  for (std::size_t count = 1 + random.below(8); count > 0; --count) {
    std::string record = random_words(random, random.below(30), kinds);
    for (std::size_t pieces = random.below(5); pieces > 0; --pieces) {
      const Tokens item = reference::words_with_places(items[random.below(items.size())]);
      const std::size_t first = random.below(item.size() + 1), length = random.below(item.size() - first + 1);
      record += ' ';
      for (std::size_t k = 0; k < length; ++k) record += item[first + k].word + (random.below(12) == 0 ? " z " : " ");
      if (random.below(2) == 0) record += random_words(random, random.below(10), kinds);
    }
    all.records.push_back(record);
  }
  return all;
}

std::string shown(const std::vector<Contamination>& hits) {
  std::string out;
  for (const Contamination& hit : hits) {
    out += std::to_string(hit.row) + ' ' + std::to_string(hit.begin) + '-' + std::to_string(hit.end) + " has " + std::to_string(hit.suite) +
           '/' + std::to_string(hit.item) + ' ' + std::to_string(hit.item_begin) + '-' + std::to_string(hit.item_end) + ": " +
           std::to_string(hit.covered) + '/' + std::to_string(hit.grams) + ", " + std::to_string(hit.run) + " in a row\n";
  }
  return out;
}

std::vector<Contamination> brute_force(const Collection& all, const DecontaminateOptions& options) {
  const reference::DecontaminatePlan plan{options.size, options.least_item, options.share.numerator, options.share.denominator};
  const std::vector<Tokens> records = tokens_of(all.records);
  std::vector<Contamination> hits;
  for (std::size_t row = 0; row < records.size(); ++row) {
    for (std::size_t suite = 0; suite < all.suites.size(); ++suite) {
      const std::vector<Tokens> items = tokens_of(all.suites[suite]);
      for (const reference::FoundItem& found : reference::items_in(records[row], items, reference::counted_grams(items, plan), plan)) {
        const Tokens &here = records[row], &there = items[found.item];
        const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
        hits.push_back({number(row), number(suite), number(found.item), 0, number(found.covered), number(found.grams), number(found.run),
                        here[found.begin].begin, here[found.end - 1].end, there[found.in_begin].begin, there[found.in_end - 1].end});
      }
    }
  }
  return hits;
}

Input in_memory(const std::vector<std::string>& texts) {
  MemoryItems items;
  for (const std::string& text : texts) items.texts.push_back(text);
  Input input;
  input.memory = std::make_shared<MemoryItems>(items);
  return input;
}

std::vector<Suite> suites_in_memory(const Collection& all) {
  std::vector<Suite> suites;
  for (const auto& suite : all.suites) suites.push_back({"suite" + std::to_string(suites.size()), in_memory(suite)});
  return suites;
}

DecontaminateOptions random_options(test::Random& random) {
  return {.size = static_cast<std::uint32_t>(1 + random.below(7)),
          .share = ratio(static_cast<double>(1 + random.below(10)) / 10),
          .least_item = static_cast<std::uint32_t>(1 + random.below(6))};
}

class Decontaminates : public test::Runs {
 protected:
  std::string jsonl(const std::vector<std::string>& texts) const {
    std::string records;
    for (std::size_t i = 0; i < texts.size(); ++i) records += json_record("d" + std::to_string(i), texts[i]);
    return records;
  }
  std::string written(const Input& input, const std::vector<Suite>& suites, Decontaminate act, const DecontaminateOptions& options = {}) {
    const DecontaminateOutput output{.path = dir_.path("written"), .act = act};
    stats_ = write_decontaminated(input, suites, output, options);
    return dir_.read("written");
  }
  DecontaminateStats stats_;
};

TEST_F(Decontaminates, AsBruteForceDoes) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(seed);
    const Collection all = random_collection(random);
    const DecontaminateOptions options = random_options(random);
    const DecontaminateResult found = decontaminate(in_memory(all.records), suites_in_memory(all), options);
    ASSERT_EQ(shown(found.hits), shown(brute_force(all, options)))
        << "seed " << seed << ", word:" << options.size << ", share " << to_string(options.share) << ", least " << options.least_item;
  }
}

TEST_F(Decontaminates, AnItemThatOccursTwiceHasTwoHitsWhereverItWasEdited) {
  const std::string item =
      "A baker sells twelve loaves on Monday and twice as many on Tuesday. How many loaves does the baker sell on both days together?";
  const std::string monday =
      "A baker sells twelve loaves on Monday and twice as many on Wednesday. How many loaves does the baker sell on both days together?";
  const std::string breads =
      "A baker sells twelve loaves on Monday and twice as many on Tuesday. How many breads does the baker sell on both days together?";
  const std::string record = "First sheet. " + monday + " The bakery opens at six in the morning. " + breads + " End of sheet.";
  const std::vector<std::string> items{item}, records{record};
  std::vector<Suite> suites;
  suites.push_back({"suite", in_memory(items)});
  const DecontaminateResult found = decontaminate(in_memory(records), suites);
  ASSERT_EQ(found.hits.size(), 2u);
  EXPECT_EQ(written(file("train.jsonl", jsonl(records)), suites, Decontaminate::cut),
            json_record("d0", "First sheet. The bakery opens at six in the morning. End of sheet."));
}

TEST_F(Decontaminates, CopiesOfAnItemAsBruteForceDoes) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(5000 + seed);
    Collection all = random_collection(random);
    const std::vector<std::string>& items = all.suites.front();
    for (std::string& record : all.records) {
      const std::string& item = items[random.below(items.size())];
      for (std::uint64_t copies = random.below(4); copies > 0; --copies) record += " x" + std::to_string(random.below(3)) + " " + item;
      for (char& c : record) c = c == 'a' && random.below(8) == 0 ? 'y' : c;
    }
    const DecontaminateOptions options = random_options(random);
    ASSERT_EQ(shown(decontaminate(in_memory(all.records), suites_in_memory(all), options).hits), shown(brute_force(all, options)))
        << "seed " << seed << ", word:" << options.size << ", share " << to_string(options.share) << ", least " << options.least_item;
  }
}

TEST_F(Decontaminates, TheSameFromFilesWithAnyThreads) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    test::Random random(1000 + seed);
    const Collection all = random_collection(random);
    const DecontaminateOptions options = random_options(random);
    const std::string expected = shown(brute_force(all, options));
    const Input input = file("train.jsonl", jsonl(all.records));
    std::vector<Suite> suites;
    for (const auto& suite : all.suites) {
      const std::string name = "suite" + std::to_string(suites.size());
      suites.push_back({name, file(name + ".jsonl", jsonl(suite))});
    }
    for (const unsigned threads : {1u, 4u}) {
      ASSERT_EQ(shown(decontaminate(input, suites, options, {.threads = threads}).hits), expected) << "seed " << seed;
    }
  }
}

TEST_F(Decontaminates, WithoutWhatManyItemsHave) {
  std::vector<std::string> items;
  for (int i = 0; i < 30; ++i)
    items.push_back("choose the one right answer from the list below w" + std::to_string(i) + " and v" + std::to_string(i) + " or none");
  const std::string frame = "choose the one right answer from the list below";
  const Collection all{{frame + " x", items[3], frame}, {items, {frame, "another item of this suite"}}};
  const DecontaminateOptions options{.size = 4, .share = ratio(0.5), .least_item = 4};
  const DecontaminateResult found = decontaminate(in_memory(all.records), suites_in_memory(all), options);
  EXPECT_EQ(shown(found.hits), shown(brute_force(all, options)));
  EXPECT_EQ(found.stats.suites[0].found(), 1u);
  EXPECT_GT(found.stats.suites[0].common, 0u);
  EXPECT_EQ(found.stats.suites[1].records, 3u);
}

// Items of one frame: some of a long question, some of a word or two, one of the frame alone.
Collection framed_collection(test::Random& random) {
  Collection all;
  const std::size_t kinds = 8 + random.below(40), count = 1 + random.below(30);
  const std::string before = random_words(random, random.below(12), 20), behind = random_words(random, random.below(6), 20);
  std::vector<std::string>& suite = all.suites.emplace_back();
  for (std::size_t i = 0; i < count; ++i) {
    std::string question;
    for (std::size_t words = random.below(random.below(2) == 0 ? 3 : 12); words > 0; --words)
      question += "q" + std::to_string(random.below(kinds)) + " ";
    suite.push_back(random.below(8) == 0 && i > 0 ? suite[random.below(i)] : before + " " + question + behind);
  }
  suite.push_back(before + " " + behind + " one two three four five six seven");
  for (std::size_t i = 0; i < 8; ++i) {
    std::string record = random_words(random, random.below(6), 20);
    for (std::size_t pieces = 1 + random.below(3); pieces > 0; --pieces) {
      const std::string& item = suite[random.below(suite.size())];
      record += " " + (random.below(4) == 0 ? before : random.below(6) == 0 ? item.substr(item.size() / 2) : item) + " ";
      if (random.below(2) == 0) record += random_words(random, random.below(8), 20);
    }
    for (char& c : record) c = c == 'b' && random.below(8) == 0 ? 'y' : c;
    all.records.push_back(record);
  }
  return all;
}

TEST_F(Decontaminates, ItemsOfOneFrameAsBruteForceDoes) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Random random(7000 + seed);
    const Collection all = framed_collection(random);
    const DecontaminateOptions options = random_options(random);
    ASSERT_EQ(shown(decontaminate(in_memory(all.records), suites_in_memory(all), options).hits), shown(brute_force(all, options)))
        << "seed " << seed << ", word:" << options.size << ", share " << to_string(options.share) << ", least " << options.least_item;
  }
}

const std::string kLongFrame =
    "Read the following sentence carefully and then decide which one of the four answers given below it is the best description of what it "
    "means in English: ";

std::vector<std::string> framed(std::size_t count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back(kLongFrame + "N" + std::to_string(i) + " went over bridge " + std::to_string(100 + i) + " quietly.");
  return items;
}

TEST_F(Decontaminates, ItemsWhoseFrameIsLongerThanTheQuestion) {
  for (const std::size_t count : {3u, 10u, 20u, 21u, 30u}) {
    for (const double share : {0.45, 0.8, 1.0}) {
      const std::vector<std::string> items = framed(count), clean{kLongFrame, "Quiz. " + kLongFrame + "It went over the river, they say."};
      const DecontaminateOptions options{.share = ratio(share)};
      const DecontaminateResult found = decontaminate(in_memory(items), {{"s", in_memory(items)}}, options);
      ASSERT_EQ(found.hits.size(), count) << "share " << share;
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found.hits[i].item, i);
      EXPECT_EQ(found.stats.suites[0].whole, count);
      EXPECT_TRUE(decontaminate(in_memory(clean), {{"s", in_memory(items)}}, options).hits.empty()) << count << ", share " << share;
      const InjectResult result = inject(in_memory(clean), {{"s", in_memory(items)}}, options, {.items = count});
      for (const InjectedForm& form : result.forms) {
        if (form.name != "changed") {
          EXPECT_EQ(form.found, count) << form.name << ", share " << share;
        }
      }
    }
  }
}

TEST_F(Decontaminates, ItemsThatDifferFromTheirFrameByOneWord) {
  std::vector<std::string> items, records{"What is the name of the capital of", "They say that the capital of land7 is a town."};
  for (int i = 0; i < 30; ++i) items.push_back(kLongFrame + "what is the name of the capital of land" + std::to_string(i));
  items.push_back(kLongFrame);
  records.push_back(kLongFrame + "what is the name of the capital of");
  EXPECT_EQ(decontaminate(in_memory(records), {{"s", in_memory(items)}}).stats.suites[0].records, 1u);  // of the frame itself
  records.pop_back();
  EXPECT_TRUE(decontaminate(in_memory(records), {{"s", in_memory(items)}}).hits.empty());
  const DecontaminateResult found = decontaminate(in_memory(items), {{"s", in_memory(items)}}, {.share = ratio(1)});
  EXPECT_EQ(found.stats.suites[0].whole, 31u);
  EXPECT_EQ(found.hits.size(), 61u);  // each item has the frame
}

TEST_F(Decontaminates, EqualItemsMakeNoFrame) {
  const std::vector<std::string> items(40, "Which river flows through the old town of Trier in the west?"),
      records{"Quiz: which river flows through the old town of Trier in the west? The Moselle."};
  EXPECT_EQ(decontaminate(in_memory(records), {{"s", in_memory(items)}}).hits.size(), 40u);
  EXPECT_EQ(decontaminate(in_memory(records), {{"s", in_memory(items)}}).stats.suites[0].common, 0u);
}

// An edit must not take away what tells an item from the others.
TEST_F(Decontaminates, AFrameIsNoEditedItem) {
  std::vector<std::string> items;
  for (int i = 0; i < 30; ++i) items.push_back("Read the sentence and choose the right answer: fruit" + std::to_string(i));
  const std::vector<std::string> records{"Read the sentence and choose the right answer: pear",
                                         "read the sentence and choose the right answer: fruit7."};
  const DecontaminateResult found = decontaminate(in_memory(records), {{"s", in_memory(items)}});
  ASSERT_EQ(found.hits.size(), 1u);
  EXPECT_EQ(found.hits[0].item, 7u);
}

TEST_F(Decontaminates, OneWordAgainAndAgainInLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "so ";
  const DecontaminateResult found = decontaminate(in_memory({text}), {{"s", in_memory({"so so so so so so so so so so"})}}, {});
  EXPECT_EQ(found.hits.size(), 100'000u / 20);  // each up to twice as long as the item
}

TEST_F(Decontaminates, ItemsInWhichWordsRepeatAsAWhole) {
  const std::string zeros = "0 0 0 0 0 0 0 0 0 0 0 0";
  const std::string wood = "How much wood would a woodchuck chuck if a woodchuck could chuck wood and how much wood would a woodchuck";
  const std::vector<std::string> items{zeros, wood},
      records{"matrix 0 0 0 0 identity row", "x " + zeros + " y", "Quiz: " + wood + ". End."};
  const DecontaminateResult found = decontaminate(in_memory(records), {{"s", in_memory(items)}}, {});
  ASSERT_EQ(found.hits.size(), 2u);
  EXPECT_EQ(found.hits[0].row, 1u);
  EXPECT_EQ(found.hits[0].end - found.hits[0].begin, zeros.size());
  EXPECT_EQ(found.hits[1].row, 2u);
  EXPECT_EQ(found.hits[1].end - found.hits[1].begin, wood.size());
  EXPECT_EQ(found.hits[1].run, 20u);
}

// Each place of such an item can be read in thousands of ways.
TEST_F(Decontaminates, AShortItemOfOneWordInLinearTime) {
  std::string text, item;
  for (int i = 0; i < 10'000; ++i) text += "so ";
  for (int i = 0; i < 19; ++i) item += "so ";
  const DecontaminateResult found = decontaminate(in_memory({text}), {{"s", in_memory({item})}}, {.size = 8, .share = ratio(0.9)});
  EXPECT_EQ(found.hits.size(), 10'000u / 38);
}

TEST_F(Decontaminates, PlacesInTheTextAsItWasRead) {
  const std::string text = "  The Straße, ﬁve WORDS — and\tmore";
  const DecontaminateResult found = decontaminate(in_memory({text}), {{"s", in_memory({"the strasse five words and more"})}}, {});
  ASSERT_EQ(found.hits.size(), 1u);
  EXPECT_EQ(text.substr(found.hits[0].begin, found.hits[0].end - found.hits[0].begin), text.substr(2));
  EXPECT_EQ(found.hits[0].item_end, 31u);
}

TEST_F(Decontaminates, ByMarkingCuttingAndRemoving) {
  const std::string item = "one two three four five six seven", clean = R"({"id":"b","text":"nothing here","n":2})"
                                                                        "\n";
  const std::vector<Suite> suites{{"s", file("s.jsonl", json_record("q", item))}};
  const Input input = file("t.jsonl", R"({"id":"a","text":"\u00e4 ONE two, three four five six seven!","n":1})"
                                      "\n" +
                                          clean);
  EXPECT_EQ(written(input, suites, Decontaminate::mark),
            R"({"id":"a","text":"\u00e4 ONE two, three four five six seven!","n":1,"contaminated":"s"})"
            "\n" +
                clean);
  EXPECT_EQ(stats_.marked, 1u);
  EXPECT_EQ(written(input, suites, Decontaminate::cut), R"({"id":"a","text":"ä!","n":1})"
                                                        "\n" +
                                                            clean);
  EXPECT_EQ(stats_.cut, 1u);
  EXPECT_EQ(written(input, suites, Decontaminate::remove), clean);
  EXPECT_EQ(stats_.removed, 1u);
  const Input table = file("t.csv", "id,text\n1,\"say one two three four five six seven\"\n2,no\n");
  EXPECT_EQ(written(table, suites, Decontaminate::mark), "id,text,contaminated\n1,\"say one two three four five six seven\",s\n2,no,\n");
  EXPECT_EQ(written(table, suites, Decontaminate::cut), "id,text\n1,say\n2,no\n");
}

TEST_F(Decontaminates, FieldByFieldWhereSomeAreNeeded) {
  Input suite = file("s.jsonl", R"({"id":"q","question":"what is the name of the river","answer":"it is called the long river"})"
                                "\n");
  suite.text = "question,answer";
  const std::vector<std::string> texts{"what is the name of the river", "it is called the long river",
                                       "What is the name of the river? It is called the long river."};
  const Input input = in_memory(texts);
  const DecontaminateOptions whole{.share = ratio(1)};
  EXPECT_EQ(decontaminate(input, {{"s", suite}}, whole).hits.size(), 1u);
  DecontaminateOptions apart{.share = ratio(1), .need = {"question"}};
  EXPECT_EQ(shown(decontaminate(input, {{"s", suite}}, apart).hits),
            "0 0-29 has 0/0 0-29: 4/4, 7 in a row\n"
            "2 0-29 has 0/0 0-29: 4/4, 7 in a row\n"
            "2 31-58 has 0/0 30-57: 3/3, 6 in a row\n");
  apart.need = {"question", "answer"};
  EXPECT_EQ(decontaminate(input, {{"s", suite}}, apart).stats.records, 1u);
}

TEST_F(Decontaminates, AnItemThatLacksAFieldWhichIsNotNeeded) {
  const std::string question = "What is the capital of the small country of Liechtenstein please number ";
  std::string records;
  for (const char* const answer :
       {"", R"(,"answer":"the town of Vaduz on the Rhine")", R"(,"answer":null)", R"(,"answer":6)", R"(,"answer":[6])"}) {
    const std::string number(1, static_cast<char>('0' + std::count(records.begin(), records.end(), '\n')));
    records += R"({"id":"q)" + number + R"(","question":")" + question + number + '"' + answer + "}\n";
  }
  records += "{\"id\":\"x\",\"answer\":\"the town of Bern on the Aare\"}\n";
  Input suite = file("s.jsonl", records);
  suite.text = "question,answer";
  const std::vector<std::string> texts{question + "0", "One. " + question + "1. The town of Vaduz on the Rhine.", question + "3, 6",
                                       question};
  const DecontaminateResult found = decontaminate(in_memory(texts), {{"s", suite}}, {.share = ratio(1), .need = {"question"}});
  EXPECT_EQ(found.stats.suites[0].items, 5u);
  EXPECT_EQ(found.stats.suites[0].lacking, 3u);
  EXPECT_EQ(found.stats.stats.faults.count, 1u);
  EXPECT_EQ(found.stats.records, 3u);
  ASSERT_EQ(found.hits.size(), 4u);
  EXPECT_EQ(found.hits[2].field, 1u);
  EXPECT_EQ(found.hits[3].item, 3u);
}

TEST_F(Decontaminates, AndMeasuresItself) {
  test::Random random(7);
  std::vector<std::string> items, records;
  const auto sentence = [&](std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += (i == 0 ? "w" : " w") + std::to_string(random.below(5000));
    return text + ".";
  };
  for (int i = 0; i < 60; ++i) items.push_back(sentence(40));
  for (int i = 0; i < 300; ++i) records.push_back(sentence(100));
  const InjectResult result = inject(in_memory(records), {{"s", in_memory(items)}}, {}, {.items = 50});
  ASSERT_EQ(result.forms.size(), 5u);
  for (const InjectedForm& form : result.forms) {
    EXPECT_EQ(form.planted, 50u);
    EXPECT_GE(form.found, form.name == "changed" ? 48u : 50u) << form.name;
  }
  EXPECT_EQ(result.clean, 300u);
  EXPECT_EQ(result.flagged, 0u);
}

TEST_F(Decontaminates, OnlyWhatMakesSense) {
  const std::vector<std::string> texts{"one two three four five six"};
  const Input some = in_memory(texts);
  const auto refuses = [&](const std::vector<Suite>& suites, const DecontaminateOptions& options, const std::string& said) {
    try {
      decontaminate(some, suites, options);
      FAIL() << "not refused: " << said;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  refuses({}, {}, "names no suite");
  refuses({{"s", some}, {"s", some}}, {}, "two suites are called \"s\"");
  refuses({{"s", in_memory({})}}, {}, "s: is a suite without items");
  refuses({{"s", in_memory({"one two"})}}, {}, "s: has no item of 5 or more tokens");
  refuses({{"s", some}}, {.size = 0}, "shingle: 0");
  refuses({{"s", some}}, {.share = ratio(0)}, "share: 0");
  refuses({{"s", some}}, {.token = Token::element}, "elements of a set have no order");
  Input train = file("t.jsonl", json_record("a", "one two three four five six"));
  EXPECT_THROW(decontaminate(train, {{"s", train}}), Error);
}

}  // namespace
}  // namespace nearkin::decontaminate_test
