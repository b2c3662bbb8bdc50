// What a person decided about pairs, on every road, against brute force.
#include "support/run_support.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

namespace nearkin::decisions_test {
namespace {

using Random = std::mt19937_64;
using Words = std::set<char>;

struct Case {
  std::vector<Words> items;
  std::map<std::pair<Row, Row>, bool> decided;  // a < b; true: the same
};

// Few letters, so that there are copies, near copies and EMPTY items.
Case random_case(Random& random) {
  Case made;
  const std::size_t count = 2 + random() % 12;
  for (std::size_t i = 0; i < count; ++i) {
    Words words;
    for (std::size_t n = random() % 5; n > 0; --n) words.insert(static_cast<char>('a' + random() % 6));
    made.items.push_back(std::move(words));
  }
  for (std::size_t n = random() % 8; n > 0; --n) {
    const Row a = static_cast<Row>(random() % count), b = static_cast<Row>(random() % count);
    if (a != b) made.decided.emplace(std::minmax(a, b), random() % 2 == 0);
  }
  return made;
}

bool similar(const Words& a, const Words& b) {
  std::size_t shared = 0;
  for (const char word : a) shared += b.count(word);
  return shared > 0 && 2 * shared >= a.size() + b.size() - shared;  // 1/2 or more
}

bool matches(const Case& of, Row a, Row b) {
  const auto decided = of.decided.find(std::minmax(a, b));
  return decided != of.decided.end() ? decided->second : similar(of.items[a], of.items[b]);
}

bool rejected(const Case& of, Row a, Row b) {
  const auto decided = of.decided.find(std::minmax(a, b));
  return decided != of.decided.end() && !decided->second;
}

// Of each item in order of keeping: the first keeper that it matches, or itself.
std::vector<Row> stars(const Case& of, const std::vector<Row>& order) {
  std::vector<Row> keepers(of.items.size()), kept;
  for (const Row row : order) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](Row keeper) { return matches(of, row, keeper); });
    keepers[row] = found == kept.end() ? row : *found;
    if (found == kept.end()) kept.push_back(row);
  }
  return keepers;
}

// Chains of matches; in each group the first keeper that an item was not rejected with.
std::vector<Row> chains(const Case& of, const std::vector<Row>& order) {
  const auto count = static_cast<Row>(of.items.size());
  std::vector<Row> label(count);
  for (Row row = 0; row < count; ++row) label[row] = row;
  for (bool changed = true; changed;) {
    changed = false;
    for (Row a = 0; a < count; ++a) {
      for (Row b = 0; b < count; ++b) {
        if (a == b || !matches(of, a, b) || label[b] <= label[a]) continue;
        label[b] = label[a];
        changed = true;
      }
    }
  }
  std::vector<Row> keepers(count), kept;
  for (const Row row : order) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](Row one) { return label[one] == label[row] && !rejected(of, row, one); });
    keepers[row] = found == kept.end() ? row : *found;
    if (found == kept.end()) kept.push_back(row);
  }
  return keepers;
}

class Decisions : public test::Runs {
 protected:
  Input write(const Case& of) const {
    std::string lines;
    for (std::size_t i = 0; i < of.items.size(); ++i) {
      std::string text;
      for (const char word : of.items[i]) (text += word) += ' ';
      lines += test::json_record(std::to_string(i), text);
    }
    return file("docs.jsonl", lines);
  }
  static std::vector<PairDecision> decisions(const Case& of) {
    std::vector<PairDecision> made;
    for (const auto& [pair, same] : of.decided) made.push_back({std::to_string(pair.second), std::to_string(pair.first), same});
    return made;
  }
  std::string removed(const Input& input, const Plan& plan, DedupOptions options, const RunOptions& run = {}) {
    options.removed = dir_.path("removed");
    result_ = dedup(input, dir_.path("kept"), plan, options, run);
    return dir_.read("removed");
  }
};

std::string lines_of_removed(const std::vector<Row>& keepers) {
  std::string lines;
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] != row) lines += std::to_string(row) + "\t" + std::to_string(keepers[row]) + "\n";
  }
  return lines;
}

std::string without_similarities(const std::string& removed) {
  std::string lines;
  for (const std::string& line : test::lines_of(removed)) lines += line.substr(0, line.rfind('\t')) + "\n";
  return lines;
}

TEST_F(Decisions, AreFollowedAsByBruteForceOnEveryRoad) {
  Random random(7);
  const std::vector<Plan> plans{test::sure_plan(0.5), tune({.threshold = 0.5, .recall = 0.999999}, {.shingle = parse_shingle("word:1")})};
  for (int round = 0; round < 150; ++round) {
    const Case made = random_case(random);
    const Input input = write(made);
    std::vector<Row> order(made.items.size());
    for (Row row = 0; row < order.size(); ++row) order[row] = row;
    const bool last = round % 2 == 1;
    if (last) std::reverse(order.begin(), order.end());
    for (const Linkage linkage : {Linkage::star, Linkage::connected}) {
      const std::string expected = lines_of_removed(linkage == Linkage::star ? stars(made, order) : chains(made, order));
      const DedupOptions options{.linkage = linkage, .keep = parse_keep(last ? "last" : "first"), .decisions = decisions(made)};
      for (const Plan& plan : plans) {
        const std::string found = removed(input, plan, options, {.threads = 1});
        ASSERT_EQ(without_similarities(found), expected) << round << " " << plan;
        ASSERT_EQ(removed(input, plan, options, {.threads = 3, .scratch = dir_.path()}), found) << round << " " << plan;
        const DecisionNotes notes = result_.stats.decisions.value_or(DecisionNotes());
        ASSERT_EQ(notes.accepted + notes.rejected, made.decided.size());
      }
    }
  }
}

TEST_F(Decisions, WithoutAnyTheAnswerIsThatOfTheSearch) {
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    const Case made = random_case(random);
    const Input input = write(made);
    const std::vector<PairDecision> strangers{{"0", "nobody", true}, {"no one", "1", false}};
    for (const Plan& plan : {test::sure_plan(0.5), test::exact_plan(), tune({.threshold = 0.5}, {.shingle = parse_shingle("word:1")})}) {
      EXPECT_EQ(removed(input, plan, {.decisions = strangers}), removed(input, plan, {})) << plan;
    }
  }
}

TEST_F(Decisions, AreAboutEqualTextsToo) {
  const Input input = file("docs.jsonl", test::json_record("a", "x") + test::json_record("b", "x") + test::json_record("c", "x") +
                                             test::json_record("d", "y") + test::json_record("e", ""));
  const DedupOptions options{.decisions = {{"a", "b", false}, {"d", "a", true}, {"e", "d", true}}};
  EXPECT_EQ(removed(input, test::exact_plan(), options), "c\ta\t1\nd\ta\t0\n") << "e is accepted with d alone, which does not stay";
  const DedupOptions connected{.linkage = Linkage::connected, .decisions = options.decisions};
  EXPECT_EQ(removed(input, test::exact_plan(), connected), "c\ta\t1\nd\ta\t0\ne\ta\t0\n");
}

TEST_F(Decisions, BetweenTwoInputsNameTheInputFirst) {
  const Input input =
      file("new.jsonl", test::json_record("1", "a b c d") + test::json_record("2", "a b c d") + test::json_record("3", "z"));
  const Input other = file("old.jsonl", test::json_record("1", "a b c d") + test::json_record("2", "q"));
  const DedupOptions options{.against = other, .decisions = {{"1", "1", false}, {"3", "2", true}, {"2", "3", true}}};
  for (const Plan& plan : {test::sure_plan(), tune({}, {.shingle = parse_shingle("word:1")}), test::exact_plan()}) {
    EXPECT_EQ(removed(input, plan, options), "2\t1\t1\n3\t2\t0\n") << plan;
    EXPECT_EQ(result_.stats.decisions->unknown, 1u);
    EXPECT_EQ(result_.stats.decisions->unknown_ids, std::vector<std::string>{"3"});
  }
}

TEST_F(Decisions, OfContainmentHoldInBothDirections) {
  const Input input =
      file("docs.jsonl", test::json_record("a", "p q") + test::json_record("b", "p q r s") + test::json_record("c", "x y z"));
  const Plan plan = tune({.measure = Measure::containment, .threshold = 0.9, .recall = 1}, {.shingle = parse_shingle("word:1")});
  const Keep longest{.rule = Keep::Rule::longest};
  EXPECT_EQ(removed(input, plan, {.keep = longest}), "a\tb\t1\n");
  EXPECT_EQ(removed(input, plan, {.keep = longest, .decisions = {{"b", "a", false}}}), "");
  EXPECT_EQ(removed(input, plan, {.keep = longest, .decisions = {{"b", "c", true}}}), "a\tb\t1\nc\tb\t0\n");
}

TEST_F(Decisions, OfContainmentBetweenTwoInputsAreAboutTheInput) {
  const Input input = file("new.jsonl", test::json_record("a", "p q") + test::json_record("b", "x"));
  const Input other = file("old.jsonl", test::json_record("c", "p q r s") + test::json_record("d", "y z"));
  const Plan plan = tune({.measure = Measure::containment, .threshold = 0.9, .recall = 1}, {.shingle = parse_shingle("word:1")});
  EXPECT_EQ(removed(input, plan, {.against = other, .decisions = {{"a", "c", false}, {"b", "d", true}}}), "b\td\t0\n");
}

TEST_F(Decisions, AboutItemsInMemoryNameTheirRows) {
  const Input input{.memory = std::make_shared<const MemoryItems>(MemoryItems{.texts = {"a b c", "a b c", "d"}})};
  const DedupRows rows = dedup_rows(input, test::sure_plan(), {.decisions = {{"0", "1", false}, {"2", "1", true}}});
  EXPECT_EQ(rows.keeper, (std::vector<Row>{0, 1, 1}));
  EXPECT_EQ(rows.stats.decisions->accepted, 1u);
}

std::string told_pairs(const Input& input, const Partners& partners, const Input* against = nullptr, const RunOptions& run = {}) {
  const PairsResult result = pairs(input, test::sure_plan(0.5), run, against, partners);
  std::string text;
  for (const Match& match : result.matches)
    text += fmt::format("{} {} {:.2}\n", result.ids[match.a], result.ids[match.b], match.similarity());
  return text;
}

TEST_F(Decisions, AreFollowedByAListOfPairs) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const Case made = random_case(random);
    std::string records, expected;
    for (Row row = 0; row < made.items.size(); ++row) {
      std::string text;
      for (const char word : made.items[row]) text += std::string{word, ' '};
      records += test::json_record(std::to_string(row), text);
    }
    const auto count = static_cast<Row>(made.items.size());
    for (Row a = 0; a < count; ++a) {
      for (Row b = a + 1; b < count; ++b) {
        if (matches(made, a, b)) expected += fmt::format("{} {}\n", a, b);
      }
    }
    const PairsResult result = pairs(file("docs.jsonl", records), test::sure_plan(0.5), {}, nullptr, {.decisions = decisions(made)});
    std::string got;
    for (const Match& match : result.matches) got += fmt::format("{} {}\n", match.a, match.b);
    ASSERT_EQ(got, expected) << records;
    ASSERT_EQ(result.stats.listed.value_or(result.stats.pairs), result.matches.size());
  }
}

// `cluster` has the groups of `dedup`.
TEST_F(Decisions, AreFollowedByClusters) {
  Random random(12);
  for (int i = 0; i < 200; ++i) {
    const Case made = random_case(random);
    std::vector<std::string> texts;
    for (const Words& words : made.items) {
      std::string& text = texts.emplace_back();
      for (const char word : words) text += std::string{word, ' '};
    }
    const Input input{.memory = std::make_shared<const MemoryItems>(MemoryItems{.texts = {texts.begin(), texts.end()}})};
    for (const Linkage linkage : {Linkage::star, Linkage::connected}) {
      const DedupRows kept = dedup_rows(input, test::sure_plan(0.5), {.linkage = linkage, .decisions = decisions(made)});
      const ClusterResult grouped = cluster(input, test::sure_plan(0.5), {.linkage = linkage, .decisions = decisions(made)});
      ASSERT_EQ(grouped.clusters.cluster, kept.cluster);
      ASSERT_EQ(grouped.stats.decisions.has_value(), !made.decided.empty());
    }
  }
}

TEST_F(Decisions, ComeBeforeTheBestPartners) {
  const Input input = file("a.jsonl", test::json_record("a", "x y z") + test::json_record("b", "x y z w") + test::json_record("c", "q"));
  const Input other = file("b.jsonl", test::json_record("A", "x y z") + test::json_record("B", "x y") + test::json_record("C", "v"));
  const Partners::Rule one_to_one = Partners::Rule::one_to_one, best = Partners::Rule::best;
  EXPECT_EQ(told_pairs(input, {.rule = one_to_one}, &other), "a A 1\nb B 0.5\n");
  EXPECT_EQ(told_pairs(input, {.rule = one_to_one, .decisions = {{"b", "A", true}}}, &other), "a B 0.67\nb A 0.75\n");
  EXPECT_EQ(told_pairs(input, {.rule = one_to_one, .decisions = {{"a", "A", false}, {"c", "C", true}}}, &other),
            "a B 0.67\nb A 0.75\nc C 0\n");
  EXPECT_EQ(told_pairs(input, {.rule = best, .decisions = {{"a", "C", true}}}, &other), "a C 0\nb A 0.75\n");
  EXPECT_EQ(told_pairs(input, {.rule = best, .most = 2, .decisions = {{"a", "C", true}, {"b", "B", false}}}, &other),
            "a A 1\na C 0\nb A 0.75\n");
  // Of two that share an item, the more similar, and it is said.
  const Partners both{.rule = one_to_one, .decisions = {{"b", "A", true}, {"b", "C", true}}};
  EXPECT_EQ(told_pairs(input, both, &other), "a B 0.67\nb A 0.75\n");
  EXPECT_EQ(pairs(input, test::sure_plan(0.5), {}, &other, both).stats.decisions->not_listed, 1u);
}

TEST_F(Decisions, ShowInTheReportOfAList) {
  const Input input = file("a.jsonl", test::json_record("a", "x y") + test::json_record("b", "x y z") + test::json_record("c", "q"));
  Report report;
  EXPECT_EQ(told_pairs(input, {.decisions = {{"a", "b", false}, {"b", "c", true}}}, nullptr, {.report = &report}), "b c 0\n");
  ASSERT_TRUE(report.decisions);
  EXPECT_EQ(report.decisions->accepted, 1u);
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_EQ(report.pairs[0].b, "c");
  ASSERT_EQ(report.listed.size(), 1u);
  EXPECT_TRUE(report.listed[0].accepted);
  const std::string page = report_html(report);
  EXPECT_NE(page.find("\"accepted\":[0]"), std::string::npos);
  EXPECT_NE(page.find("\"decided\":[[\"a\",\"b\",0],[\"b\",\"c\",1]]"), std::string::npos) << "the rejected pair is not lost";
  EXPECT_NE(page.find("the saved file can replace your file of decisions"), std::string::npos);
  EXPECT_NE(page.find("pairs listed"), std::string::npos);
}

TEST_F(Decisions, ThatMakeNoSenseAreRefused) {
  const Input input = file("docs.jsonl", test::json_record("a", "x") + test::json_record("b", "x"));
  const auto refusal = [&](const DedupOptions& options, const Plan& plan = test::sure_plan()) -> std::string {
    try {
      dedup(input, dir_.path("kept"), plan, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(refusal({.decisions = {{"a", "b", true}, {"b", "a", false}}}).find("both accepted and rejected"), std::string::npos);
  EXPECT_NE(refusal({.decisions = {{"a", "a", true}}}).find("with itself"), std::string::npos);
  const MemoryItems items{.texts = {"x", "x", "x", "x"}, .scopes = {"1", "2", "3", "4"}};
  const Input scoped{.scope = {.rule = Scope::Rule::across, .field = "s"}, .memory = std::make_shared<const MemoryItems>(items)};
  const DedupOptions decided{.decisions = {{"0", "1", false}}};
  EXPECT_EQ(dedup_rows(scoped, test::exact_plan(), decided, {.max_pairs = 6}).keeper, (std::vector<Row>{0, 1, 0, 0}));
  EXPECT_THROW(dedup_rows(scoped, test::exact_plan(), decided, {.max_pairs = 5}), Error);
  EXPECT_NE(refusal({.bloom = 1e-6, .decisions = {{"a", "b", true}}}, test::exact_plan()).find("Bloom filter"), std::string::npos);
}

TEST_F(Decisions, AcceptedAcrossScopesAreAsSimilarAsTheyAre) {
  Input input = file("docs.jsonl",
                     "{\"id\":\"a\",\"l\":\"x\",\"text\":\"one two three\"}\n"
                     "{\"id\":\"b\",\"l\":\"y\",\"text\":\"one two three\"}\n"
                     "{\"id\":\"c\",\"l\":\"z\",\"text\":\"one two four\"}\n");
  input.scope = {Scope::Rule::within, "l"};
  EXPECT_EQ(removed(input, test::sure_plan(0.9), {.decisions = {{"a", "b", true}, {"a", "c", true}}}), "b\ta\t1\nc\ta\t0.5\n");
}

}  // namespace
}  // namespace nearkin::decisions_test
