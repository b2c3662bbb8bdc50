// Mistakes that other tools made, each as a named test: hashing first, then odd documents, then candidates and clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "reference/reference.h"
#include "support/temp_dir.h"

namespace nearkin::traps_test {
namespace {

using test::Random;

// ---- Hashing

struct Moments {
  double mean, variance;
};

// Estimates of one true similarity (1/2: 2n of 4n elements shared) by many seeds, over elements made by `element(i)`.
template <typename Element>
Moments estimates(std::size_t n, std::uint32_t hashes, Element element) {
  Features features;
  for (std::size_t i = 0; i < 3 * n; ++i) features.hashes.push_back(element(i));
  features.ends.push_back(3 * n);
  for (std::size_t i = n; i < 4 * n; ++i) features.hashes.push_back(element(i));
  features.ends.push_back(6 * n);
  constexpr int kSeeds = 1500;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Sketches sketches = sketch(features, {.hashes = hashes, .seed = seed});
    const double value = estimate(sketches[0], sketches[1]);
    sum += value;
    squares += value * value;
  }
  return {sum / kSeeds, squares / kSeeds - sum / kSeeds * (sum / kSeeds)};
}

// The mean of 1,500 estimates is right to within four standard errors, and their variance is that of as many independent coins, or
// less (elements drawn without putting back vary less).
void expect_honest(const Moments& moments, std::uint32_t hashes, const char* what) {
  const double variance = 0.25 / hashes;
  EXPECT_NEAR(moments.mean, 0.5, 4 * std::sqrt(variance / 1500)) << what;
  EXPECT_LT(moments.variance, 1.15 * variance) << what;
  EXPECT_GT(moments.variance, 0.4 * variance) << what;
}

TEST(Trap01, EstimatesAreUnbiasedForRandomAndForConsecutiveElements) {
  Random random(1);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 4000; ++i) numbers.push_back(random());
  for (const std::size_t n : {5, 40, 300}) {
    expect_honest(estimates(n, 64, [&](std::size_t i) { return numbers[i]; }), 64, "random");
    expect_honest(estimates(n, 64, [](std::size_t i) { return std::uint64_t{i}; }), 64, "consecutive");
    expect_honest(estimates(n, 64, [](std::size_t i) { return std::uint64_t{i} << 40; }), 64, "high bits only");
  }
}

TEST(Trap02, WordsWithCommonPrefixesAreHashedAsWellAsAnyOthers) {
  Items items;
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "customer00000" + std::to_string(100000 + i) + ' ';
  items.add("all", text);
  const Features features = shingle(items, parse_shingle("word:1"));
  ASSERT_EQ(features[0].size(), 4000u);
  for (const std::size_t n : {40, 300}) {
    expect_honest(estimates(n, 64, [&](std::size_t i) { return features[0][i]; }), 64, "common prefix");
  }
}

TEST(Trap03, AHugeDocumentHasAsManyShinglesAsItHasDifferentWords) {
  // With 32-bit hashes about 19 of 400,000 would be lost.
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "w" + std::to_string(i) + ' ';
  Items items;
  items.add("huge", text);
  EXPECT_EQ(shingle(items, parse_shingle("word:1"))[0].size(), 400'000u);
}

TEST(Trap03, DisjointSetsDoNotAgreeByTruncation) {
  Features features;
  for (std::uint64_t i = 0; i < 200'000; ++i) features.hashes.push_back(i);
  features.ends = {100'000, 200'000};
  const Sketches sketches = sketch(features, {.hashes = 256, .seed = 1});
  EXPECT_EQ(estimate(sketches[0], sketches[1]), 0.0);
}

Sketches sketches_of(const std::vector<std::vector<std::uint32_t>>& slots) {
  Sketches sketches;
  sketches.hashes = static_cast<std::uint32_t>(slots[0].size());
  for (const auto& one : slots) sketches.slots.insert(sketches.slots.end(), one.begin(), one.end());
  sketches.empty.assign(slots.size(), 0);
  return sketches;
}

TEST(Trap04, BandKeysTellBandsAndRowsApart) {
  // The same numbers in another band, and in another order within a band.
  const Sketches sketches = sketches_of({{1, 2, 3, 4}, {3, 4, 1, 2}, {2, 1, 4, 3}, {0, 3, 7, 9}, {9, 9, 3, 4}});
  EXPECT_EQ(candidates(sketches, {.bands = 2, .rows = 2}), (Pairs{{0, 4}}));
}

double similarity_of(std::string_view a, std::string_view b, const std::string& shingle) {
  return compare(a, b, tune({.threshold = 0.5, .recall = 1}, {.shingle = parse_shingle(shingle)})).similarity;
}

TEST(Trap05, WordsAreJoinedSoThatTheirBordersCount) {
  EXPECT_EQ(similarity_of("ab c", "a bc", "word:2"), 0.0);
  EXPECT_EQ(similarity_of("ab c", "abc", "word:2"), 0.0);
  EXPECT_EQ(similarity_of("ab c", "ab  C!", "word:2"), 1.0);
}

TEST(Trap05, CharacterShinglesDoNotSplitCodePoints) {
  // é and è share their first byte.
  EXPECT_EQ(similarity_of("é", "è", "char:1"), 0.0);
  Items items;
  items.add("", "日本語");
  EXPECT_EQ(shingle(items, parse_shingle("char:1"))[0].size(), 3u);
}

TEST(Trap06, HashesAreTheSameInEveryProcess) {
  Items items;
  items.add("", "the quick brown fox jumps over the lazy dog");
  const Features features = shingle(items, parse_shingle("word:5"));
  const Sketches sketches = sketch(features, {.hashes = 4, .seed = 1});
  const std::vector<std::uint64_t> hashes(features[0].begin(), features[0].end());
  EXPECT_EQ(hashes, (std::vector<std::uint64_t>{4897611050117938410u, 7631006663590399346u, 13425860166357514789u, 15097654238900808661u,
                                                18235941811157108096u}));
  EXPECT_EQ(sketches.slots, (std::vector<std::uint32_t>{2664418595u, 2256024874u, 2221116988u, 972829688u}));
}

// ---- Degenerate documents

Input lines_of_text(const std::string& path) {
  Input input = test::input_from(path);
  input.format = Format::lines;
  return input;
}

PairsResult pairs_of(const std::vector<std::string>& texts, const Plan& plan) {
  const test::TempDir dir;
  return pairs(test::input_from(dir.write("docs.jsonl", test::as_jsonl(texts))), plan, {.threads = 2});
}

Plan words_plan(double threshold = 0.8, double recall = 0.95, const std::string& shingle = "word:5") {
  return tune({.threshold = threshold, .recall = recall}, {.shingle = parse_shingle(shingle)});
}

TEST(Trap07, EmptyDocumentsAreNeverOneCluster) {
  const test::TempDir dir;
  const std::vector<std::string> texts{"", "", " \t\n ", "!!! ...", "!!! ...", "\xe3\x80\x80", "\xe2\x80\xa6"};
  const Input input = test::input_from(dir.write("docs.jsonl", test::as_jsonl(texts)));
  for (const double recall : {0.95, 1.0}) {
    const ClusterResult clusters = cluster(input, words_plan(0.3, recall, "word:1"));
    EXPECT_EQ(clusters.clusters.size(), texts.size());
    EXPECT_EQ(clusters.stats.empty, texts.size());
    const DedupResult result = dedup(input, dir.path("kept.jsonl"), words_plan(0.3, recall));
    EXPECT_EQ(result.kept, texts.size());
    EXPECT_EQ(dir.read("kept.jsonl"), dir.read("docs.jsonl"));
  }
}

TEST(Trap07, TextsInScriptsWithoutSpacesAreTheirCharacters) {
  const std::vector<std::string> texts{"今日は天気がいいですね", "東京都は日本の首都です", "今日は天気がいいですね", "สวัสดีครับ"};
  const PairsResult result = pairs_of(texts, words_plan(0.5, 1, "word:2"));
  EXPECT_EQ(result.stats.empty, 0u);
  EXPECT_EQ(result.matches, (Matches{{0, 2, 1, 1}}));
}

TEST(Trap08, DocumentsShorterThanAShingleAreComparedAsAWhole) {
  for (const double recall : {0.95, 1.0}) {
    const std::vector<std::string> texts{"two words", "Two, words!", "other words", "two", "words two", "two words more and more"};
    const PairsResult result = pairs_of(texts, words_plan(0.5, recall));
    EXPECT_EQ(result.matches, (Matches{{0, 1, 1, 1}}));
  }
}

TEST(Trap08, ShortDocumentsAreNotDropped) {
  const test::TempDir dir;
  const DedupResult result = dedup(lines_of_text(dir.write("docs.txt", "a\nb\n\nc d\n")), dir.path("kept.txt"), words_plan());
  EXPECT_EQ(result.kept, result.stats.items);
  EXPECT_EQ(dir.read("kept.txt").substr(0, 4), "a\nb\n");
}

TEST(Trap09, OneGiantDocumentAndItsNearCopy) {
  const test::TempDir dir;
  Random random(9);
  std::string giant;
  while (giant.size() < 24'000'000) giant += "w" + std::to_string(random.below(1'000'000)) + ' ';
  const std::string lines = giant + "\nsmall one\n" + giant + "and a tail that is new\nsmall one";
  const PairsResult result = pairs(lines_of_text(dir.write("docs.txt", lines)), words_plan(0.99));
  ASSERT_EQ(result.matches.size(), 2u);
  EXPECT_EQ(result.matches[0].b, 2u);
  EXPECT_GT(result.matches[0].shared, 3'000'000u);
  EXPECT_EQ(result.matches[1], (Match{1, 3, 1, 1}));
}

TEST(Trap09, OneTokenRepeatedIsOneShingleInASetAndManyInABag) {
  std::string often, more;
  for (int i = 0; i < 100'000; ++i) often += "na ";
  for (int i = 0; i < 200'000; ++i) more += "na ";
  const PairsResult as_set = pairs_of({often, more, "na na na na na"}, words_plan(0.9));
  EXPECT_EQ(as_set.matches.size(), 3u);
  for (const Match& match : as_set.matches) EXPECT_EQ(match.similarity(), 1.0);
  const Plan bag = tune({.measure = Measure::weighted_jaccard, .threshold = 0.4, .recall = 1}, {.shingle = parse_shingle("word:1")});
  EXPECT_EQ(pairs_of({often, more, "na na"}, bag).matches, (Matches{{0, 1, 100'000, 200'000}}));
}

TEST(Trap09, HostileBytesAreReadOrNamedAndNothingIsLost) {
  const test::TempDir dir;
  const std::string nul("nul \0 byte\n", 11), bad("bad \xff\xc0 byte\n");
  const std::string bytes = "plain text of five words\r\nplain text of five words\n" + bad + nul + "\nplain TEXT of five words";
  const Input input = lines_of_text(dir.write("docs.txt", bytes));
  const PairsResult result = pairs(input, words_plan());
  EXPECT_GE(result.matches.size(), 3u);
  const DedupResult kept =
      dedup(input, dir.path("kept.txt"), words_plan(), {.removed = dir.path("removed.tsv"), .skipped = dir.path("skipped.txt")});
  EXPECT_EQ(kept.kept + kept.removed, kept.stats.items);
  EXPECT_EQ(kept.removed, 2u);
  // What was not removed is in the output or among the records at fault, bytes unchanged.
  const std::string written = dir.read("kept.txt") + dir.read("skipped.txt");
  for (const std::string& part : {std::string("plain text of five words\r\n"), bad, nul}) {
    EXPECT_NE(written.find(part), std::string::npos) << part;
  }
}

// ---- Candidates and clusters

TEST(Trap10, AMillionIdenticalDocumentsTakeLinearTime) {
  const test::TempDir dir;
  std::string lines;
  for (int i = 0; i < 1'000'000; ++i) lines += "the same few words over and over again\n";
  const DedupResult result = dedup(lines_of_text(dir.write("docs.txt", lines)), dir.path("kept.txt"), words_plan());
  EXPECT_EQ(result.kept, 1u);
  EXPECT_EQ(result.removed, 999'999u);
  EXPECT_EQ(result.stats.copies, 999'999u);
  EXPECT_EQ(result.stats.candidates, 0u);
  EXPECT_EQ(result.stats.pairs, 499'999'500'000u);
  EXPECT_EQ(dir.read("kept.txt"), "the same few words over and over again\n");
}

// Texts that differ in their last word: 56 of 58 five-word shingles are shared by any two.
std::vector<std::string> near_copies(std::size_t count) {
  std::string common;
  for (int i = 0; i < 60; ++i) common += "word" + std::to_string(i) + ' ';
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(common + "number" + std::to_string(i));
  return texts;
}

TEST(Trap10, TwentyThousandNearCopiesAreOneClusterForFewComparisons) {
  const test::TempDir dir;
  const std::size_t count = 20'000;
  const Input input = test::input_from(dir.write("docs.jsonl", test::as_jsonl(near_copies(count))));
  const Plan plan = words_plan();
  const DedupResult result = dedup(input, dir.path("kept.jsonl"), plan);
  EXPECT_EQ(result.kept, 1u);
  EXPECT_LT(result.stats.candidates, 40 * plan.band.bands * count);
  EXPECT_GT(result.stats.buckets.large, 0u);
  EXPECT_GT(result.stats.buckets.largest, count / 2);
  EXPECT_GT(result.stats.buckets.not_compared, 0u) << "what the rule for large buckets leaves out is told";
  EXPECT_EQ(cluster(input, plan).clusters.size(), 1u);
}

TEST(Trap10, AMegaBucketOfUnlikeItemsDoesNotHideThePairsWithinIt) {
  // All share one boilerplate, so that any two have similarity 400/442; what tells them apart comes in 500 pairs, at 420/422.
  Random random(10);
  std::string boilerplate;
  for (int i = 0; i < 400; ++i) boilerplate += "legal" + std::to_string(i) + ' ';
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    std::string own;
    for (int j = 0; j < 20; ++j) own += std::to_string(random()) + ' ';
    texts.push_back(boilerplate + own + "first" + std::to_string(i));
    texts.push_back(boilerplate + own + "second" + std::to_string(i));
  }
  const Plan plan = tune({.threshold = 0.95}, {.shingle = parse_shingle("word:1"), .large_bucket = 32});
  const PairsResult result = pairs_of(texts, plan);
  EXPECT_GT(result.stats.buckets.largest, 200u);
  for (const Match& match : result.matches) EXPECT_EQ(match.b, match.a + 1);
  EXPECT_GE(result.matches.size(), 495u);
}

TEST(Trap11, MoreThanTwoHundredCopiesAreAllFound) {
  const std::size_t count = 300;
  const std::vector<std::string> same(count, "one text that is there three hundred times");
  EXPECT_EQ(pairs_of(same, words_plan()).matches.size(), count * (count - 1) / 2);
  const Plan all_pairs = tune({.threshold = 0.8}, {.large_bucket = 1000});
  EXPECT_EQ(pairs_of(near_copies(count), all_pairs).matches.size(), count * (count - 1) / 2);
  EXPECT_EQ(pairs_of(near_copies(count), words_plan(0.8, 1)).matches.size(), count * (count - 1) / 2);
  const test::TempDir dir;
  const Input input = test::input_from(dir.write("docs.jsonl", test::as_jsonl(near_copies(count))));
  EXPECT_EQ(dedup(input, dir.path("kept.jsonl"), words_plan()).kept, 1u);
}

TEST(Trap12, APairIsTriedThoughTheNeighboursBetweenFail) {
  // Six items in one bucket; only the first and the last are similar.
  const Sketches sketches = sketches_of(std::vector<std::vector<std::uint32_t>>(6, {5, 5}));
  Features features;
  for (std::uint64_t item = 0; item < 6; ++item) {
    for (std::uint64_t i = 0; i < 10; ++i) features.hashes.push_back((item == 5 ? 0 : item) * 100 + i);
    features.ends.push_back(features.hashes.size());
  }
  const Matches matches = verify(candidates(sketches, {.bands = 1, .rows = 2}), features, ratio(0.8));
  EXPECT_EQ(matches, (Matches{{0, 5, 10, 10}}));
}

TEST(Trap13, OnlyVerifiedPairsMakeClusters) {
  // One row a band: nearly every pair that shares anything is a candidate.
  Random random(13);
  const std::vector<std::string> texts = test::random_texts(random);
  const test::TempDir dir;
  const Input input = test::input_from(dir.write("docs.jsonl", test::as_jsonl(texts)));
  const Choices loose{.shingle = parse_shingle("word:1"), .bands = 64, .rows = 1};
  const Plan checked = tune({.threshold = 0.9}, loose);
  Plan unchecked = checked;
  unchecked.verify = Verify::none;
  const std::size_t without = cluster(input, unchecked).clusters.size(), with = cluster(input, checked).clusters.size();
  EXPECT_LT(without, with);
  const Clusters expected = cluster(pairs(input, checked).matches, texts.size());
  EXPECT_EQ(cluster(input, checked).clusters.cluster, expected.cluster);
}

// A~B and B~C at 0.6, A and C at 1/3.
const char* const kChain = "1 2 3 4\n2 3 4 5\n3 4 5 6\n";

Plan sets_plan(double threshold) {
  return tune({.threshold = threshold, .recall = 1}, {.shingle = ShinglePlan{.token = Token::element, .size = 1}});
}

TEST(Trap14, AChainIsOneConnectedClusterAndTwoStars) {
  const test::TempDir dir;
  const Input input = test::input_from(dir.write("chain.sets", kChain));
  const ClusterResult connected = cluster(input, sets_plan(0.6));
  EXPECT_EQ(connected.clusters.cluster, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(connected.to_keeper[2].shared, 2u);
  EXPECT_EQ(connected.to_keeper[2].total, 6u);
  list_clusters(input, sets_plan(0.6), {.path = dir.path("clusters.tsv"), .summary = dir.path("summary.tsv")});
  EXPECT_EQ(dir.read("summary.tsv"), "0\t3\t" + dir.path("chain.sets") + ":1\t0.333333\n") << "the smallest similarity is reported";
  EXPECT_EQ(cluster(input, sets_plan(0.6), {.linkage = Linkage::star}).clusters.cluster, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(Trap14, EveryRemovedItemHasAKeeperThatSurvives) {
  const test::TempDir dir;
  std::string sets;
  for (int begin = 0; begin < 200; ++begin) {
    for (int i = 0; i < 10; ++i) sets += std::to_string(begin + i) + ' ';
    sets += '\n';
  }
  Input input = test::input_from(dir.write("chain.sets", sets));
  const DedupResult result = dedup(input, dir.path("kept.sets"), sets_plan(0.6), {.removed = dir.path("removed.tsv")});
  std::set<std::string> removed, keepers;
  for (const std::string& line : test::lines_of(dir.read("removed.tsv"))) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    removed.insert(line.substr(0, first));
    keepers.insert(line.substr(first + 1, second - first - 1));
    EXPECT_GE(std::stod(line.substr(second + 1)), 0.6) << line;
  }
  EXPECT_EQ(removed.size(), result.removed);
  EXPECT_GT(removed.size(), 100u);
  for (const std::string& keeper : keepers) EXPECT_FALSE(removed.contains(keeper)) << keeper;
}

TEST(Trap15, OneOfEveryClusterIsKept) {
  Random random(15);
  for (int round = 0; round < 20; ++round) {
    const test::TempDir dir;
    const std::vector<std::string> texts = test::random_texts(random);
    const Input input = test::input_from(dir.write("docs.jsonl", test::as_jsonl(texts)));
    for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
      const ClusterResult clusters = cluster(input, words_plan(0.5, 0.95, "word:2"), {.linkage = linkage});
      const DedupResult result = dedup(input, dir.path("kept.jsonl"), words_plan(0.5, 0.95, "word:2"), {.linkage = linkage});
      EXPECT_EQ(result.kept, clusters.clusters.size());
      EXPECT_EQ(result.kept + result.removed, texts.size());
      EXPECT_EQ(test::lines_of(dir.read("kept.jsonl")).size(), result.kept);
    }
  }
}

TEST(Trap16, TheKeeperDoesNotDependOnThreadsNorOnTheOrderOfTheFilesWhenARuleNamesIt) {
  const test::TempDir dir;
  const std::string a = dir.write("a.jsonl", test::json_record("short", "x y z") + test::json_record("long", "x ... y ... z"));
  const std::string b = dir.write("b.jsonl", test::json_record("middle", "x, y, z"));
  const Keep longest = parse_keep("longest");
  for (const unsigned threads : {1u, 4u}) {
    for (const std::vector<std::string>& paths : {std::vector{a, b}, std::vector{b, a}}) {
      Input input;
      input.paths = paths;
      dedup(input, dir.path("kept.jsonl"), words_plan(), {.keep = longest}, {.threads = threads});
      EXPECT_EQ(dir.read("kept.jsonl"), test::json_record("long", "x ... y ... z"));
    }
  }
}

TEST(Trap17, APlanHoldsEveryParameterAndContradictionsAreRefused) {
  const Plan plan = tune({.threshold = 0.7, .recall = 0.9}, {.shingle = parse_shingle("char:7"), .large_bucket = 50, .seed = 9});
  EXPECT_EQ(parse_plan(to_string(plan)), plan);
  EXPECT_THROW(parse_plan("jaccard>=0.8 sketch=minhash:100 bands=20x9"), Error);
  EXPECT_THROW(tune({}, {.hashes = 100, .bands = 20, .rows = 9}), Error);
}

TEST(Trap18, OneTokenPutInTakenOutOrMovedChangesLittleWhereverItStands) {
  Random random(18);
  const Plan plan = words_plan(0.8, 0.99);
  for (const std::size_t size : {50, 200, 5'000, 50'000}) {
    test::Words words;
    for (std::size_t i = 0; i < size; ++i) words.push_back(std::to_string(random() % 1'000'000'000));
    const auto text = [](const test::Words& of) {
      std::string joined;
      for (const std::string& word : of) joined += word + ' ';
      return joined;
    };
    for (const std::size_t place : {std::size_t{0}, size / 3, size - 1}) {
      const auto at = static_cast<std::ptrdiff_t>(place);
      test::Words more = words, fewer = words, moved = words;
      more.insert(more.begin() + at, "new");
      fewer.erase(fewer.begin() + at);
      moved.erase(moved.begin() + at);
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(size / 2), words[place]);
      for (const test::Words& changed : {more, fewer, moved}) {
        const Comparison result = compare(text(words), text(changed), plan);
        EXPECT_GE(result.similarity, 1 - 22.0 / static_cast<double>(size)) << size << " words, place " << place;
        EXPECT_NEAR(result.estimate, result.similarity, 0.12);
        EXPECT_TRUE(result.candidate || result.similarity < 0.8);
      }
    }
  }
}

TEST(Trap19, HashesThatTheBandsLeaveOverAreUsedByTheEstimate) {
  const Plan plan = tune({.threshold = 0.5}, {.hashes = 128, .bands = 13, .rows = 9, .verify = Verify::estimate});
  const PairsResult result = pairs_of(near_copies(3), plan);
  ASSERT_FALSE(result.matches.empty());
  for (const Match& match : result.matches) EXPECT_EQ(match.total, 128u);
}

TEST(Trap20, AShingleNamesItsUnit) {
  EXPECT_THROW(parse_shingle("5"), Error);
  EXPECT_EQ(shingle_name(parse_shingle("char:5")), "char:5");
  Items items;
  items.add("", "dé été");  // 6 characters, 9 bytes, 2 words
  EXPECT_EQ(shingle(items, parse_shingle("char:2"))[0].size(), 5u);
  EXPECT_EQ(shingle(items, parse_shingle("word:2"))[0].size(), 1u);
}

TEST(Trap21, ARepeatedIdIsNamedAndItsRecordSkipped) {
  const test::TempDir dir;
  const std::string x = test::json_record("x", "a b c"), y = test::json_record("y", "a b c");
  const std::string file = dir.write("docs.jsonl", x + y + x);
  const PairsResult result = pairs(test::input_from(file), words_plan());
  EXPECT_EQ(result.matches.size(), 1u);
  EXPECT_EQ(result.stats.faults.count, 1u);
  EXPECT_THROW(tune({.threshold = std::numeric_limits<double>::quiet_NaN()}), Error);
}

TEST(Trap23, EachPairIsListedOnceAndNoItemWithItself) {
  Random random(23);
  for (const double recall : {0.95, 1.0}) {
    const std::vector<std::string> texts = test::random_texts(random);
    const Matches matches = pairs_of(texts, words_plan(0.3, recall, "word:1")).matches;
    ASSERT_FALSE(matches.empty());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      EXPECT_LT(matches[i].a, matches[i].b);
      EXPECT_TRUE(i == 0 || std::pair(matches[i - 1].a, matches[i - 1].b) < std::pair(matches[i].a, matches[i].b)) << i;
    }
  }
}

}  // namespace
}  // namespace nearkin::traps_test
