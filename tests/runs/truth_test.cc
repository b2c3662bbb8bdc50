// Labels against what runs find: precision, recall and F1 by threshold, against brute force; files of labels; settings chosen by labels.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nearkin/error.h>
#include <nearkin/tools/truth.h>

#include "analysis/cross_validate.h"
#include "support/run_support.h"

namespace nearkin::truth_test {
namespace {

using test::sure_plan;
using IdPair = std::pair<std::string, std::string>;

IdPair ordered(std::string a, std::string b) { return a < b ? IdPair(a, b) : IdPair(b, a); }

class Truth : public test::Runs {
 protected:
  TruthTable table(const std::string& name, const std::string& bytes, TruthFile file = {}) const {
    file.path = dir_.write(name, bytes);
    return read_truth(file);
  }
  std::string refusal(const std::string& bytes, TruthFile file = {}) const {
    try {
      table("truth", bytes, file);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  Input corpus(std::uint64_t seed, const std::string& name) {
    test::Random random(seed);
    const std::vector<std::string> texts = test::random_texts(random);
    items_[name] = texts.size();
    return file(name, test::as_jsonl(texts));
  }
  /// Random pairs of ids; of one collection, or of two.
  std::set<IdPair> random_pairs(std::uint64_t seed, const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    test::Random random(seed);
    std::set<IdPair> pairs;
    for (std::size_t i = 0; i < 25; ++i) {
      const std::string x = random.pick(a), y = random.pick(b);
      if (&a != &b)
        pairs.emplace(x, y);
      else if (x != y)
        pairs.insert(ordered(x, y));
    }
    return pairs;
  }
  std::map<std::string, std::size_t> items_;
};

std::string as_csv(const std::set<IdPair>& pairs) {
  std::string out = "a,b\n";
  for (const auto& [a, b] : pairs) out += a + "," + b + "\n";
  return out;
}

std::vector<std::string> ids_of(const Input& input) {
  const Items items = read_items(input);
  std::vector<std::string> ids;
  for (Row i = 0; i < items.size(); ++i) ids.emplace_back(items.id(i));
  return ids;
}

/// The pairs that a run of its own finds at a threshold.
std::set<IdPair> pairs_at(const Input& input, const Plan& plan, const Input* against = nullptr) {
  const PairsResult result = pairs(input, plan, {}, against);
  std::set<IdPair> found;
  for (const Match& match : result.matches) {
    const std::string a(result.ids[match.a]), b(result.ids[match.b]);
    found.insert(against != nullptr ? (match.a < match.b ? IdPair(a, b) : IdPair(b, a)) : ordered(a, b));
  }
  return found;
}

void expect_agreement(const TruthAt& row, const std::set<IdPair>& found, const std::set<IdPair>& truth) {
  const auto right =
      static_cast<std::size_t>(std::count_if(found.begin(), found.end(), [&](const IdPair& pair) { return truth.contains(pair); }));
  EXPECT_EQ(row.found, found.size()) << row.border;
  EXPECT_EQ(row.right, right) << row.border;
  EXPECT_EQ(row.pairs.precision, found.empty() ? 1 : static_cast<double>(right) / static_cast<double>(found.size()));
  EXPECT_EQ(row.pairs.recall, static_cast<double>(right) / static_cast<double>(truth.size()));
}

TEST_F(Truth, EachThresholdIsComparedWithWhatARunForItFinds) {
  const std::vector<double> borders{0.5, 0.2, 1, 0.666666667, 0.35};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = corpus(seed, "in.jsonl");
    const std::vector<std::string> ids = ids_of(input);
    const std::set<IdPair> truth = random_pairs(seed, ids, ids);
    for (const Measure measure : {Measure::jaccard, Measure::containment}) {
      const auto plan = [&](double threshold) {
        return tune({.measure = measure, .threshold = threshold, .recall = 1}, {.shingle = parse_shingle("word:1")});
      };
      const TruthResult result = evaluate_truth(input, table("t.csv", as_csv(truth)), plan(0.2), {.borders = borders});
      ASSERT_EQ(result.rows.size(), borders.size());
      EXPECT_EQ(result.notes.labels, truth.size());
      for (std::size_t i = 0; i < borders.size(); ++i) {
        EXPECT_EQ(result.rows[i].border, borders[i]);
        expect_agreement(result.rows[i], pairs_at(input, plan(borders[i])), truth);
      }
      EXPECT_EQ(result.not_found, truth.size() - result.rows[1].right);
    }
  }
}

TEST_F(Truth, BetweenTwoInputsPairsAreOfAnIdOfEach) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Input input = corpus(seed, "in.jsonl"), other = corpus(seed + 100, "other.jsonl");
    const std::vector<std::string> first = ids_of(input), second = ids_of(other);
    std::set<IdPair> truth = random_pairs(seed, first, second);
    const TruthTable labels = table("t.csv", as_csv(truth), {.path = "", .between = true});
    const TruthResult result = evaluate_truth(input, labels, sure_plan(0.3), {.borders = {0.3, 0.6}}, {}, &other);
    for (const TruthAt& row : result.rows) expect_agreement(row, pairs_at(input, sure_plan(row.border), &other), truth);
  }
}

/// Clusters by chains of pairs: for each id the least id of its cluster.
std::map<std::string, std::string> components(const std::vector<std::string>& ids, const std::set<IdPair>& pairs) {
  std::map<std::string, std::string> of;
  for (const std::string& id : ids) of[id] = id;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : pairs) {
      const std::string least = std::min(of[a], of[b]);
      if (of[a] == least && of[b] == least) continue;
      of[a] = of[b] = least;
      changed = true;
    }
  }
  return of;
}

/// B-cubed item by item, as it is defined.
Agreement b_cubed(const std::vector<std::string>& ids, const std::map<std::string, std::string>& found,
                  const std::map<std::string, std::string>& truth) {
  double precision = 0, recall = 0;
  for (const std::string& x : ids) {
    double both = 0, mine = 0, theirs = 0;
    for (const std::string& y : ids) {
      const bool here = found.at(x) == found.at(y), there = truth.at(x) == truth.at(y);
      both += here && there, mine += here, theirs += there;
    }
    precision += both / mine, recall += both / theirs;
  }
  return {.precision = precision / static_cast<double>(ids.size()), .recall = recall / static_cast<double>(ids.size())};
}

TEST_F(Truth, OfClustersPairsAndBCubedAreThoseOfASlowCount) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Input input = corpus(seed, "in.jsonl");
    const std::vector<std::string> ids = ids_of(input);
    test::Random random(seed);
    std::map<std::string, std::string> truth;
    std::set<IdPair> true_pairs;
    std::string csv = "id,cluster\n" + ids[0] + ",c0\n" + ids[1] + ",c0\n";
    for (const std::string& id : ids) truth[id] = "alone " + id;
    truth[ids[0]] = truth[ids[1]] = "c0";
    for (std::size_t i = 2; i < ids.size(); ++i) {
      if (random.chance(30)) continue;  // not named: a cluster of its own
      truth[ids[i]] = "c" + std::to_string(random.below(5));
      csv += ids[i] + "," + truth[ids[i]] + "\n";
    }
    for (const std::string& x : ids) {
      for (const std::string& y : ids) {
        if (x < y && truth[x] == truth[y]) true_pairs.emplace(x, y);
      }
    }
    const TruthTable labels = table("t.csv", csv);
    EXPECT_EQ(labels.kind, TruthKind::clusters);
    const TruthResult result = evaluate_truth(input, labels, sure_plan(0.3), {.borders = {0.3, 0.5, 0.8, 1}});
    EXPECT_EQ(result.notes.labels, true_pairs.size());
    for (const TruthAt& row : result.rows) {
      const std::set<IdPair> found = pairs_at(input, sure_plan(row.border));
      expect_agreement(row, found, true_pairs);
      const std::map<std::string, std::string> clusters = components(ids, found);
      std::set<IdPair> together;
      for (const std::string& x : ids) {
        for (const std::string& y : ids) {
          if (x < y && clusters.at(x) == clusters.at(y)) together.emplace(x, y);
        }
      }
      const auto right = std::count_if(together.begin(), together.end(), [&](const IdPair& pair) { return true_pairs.contains(pair); });
      ASSERT_TRUE(row.clusters);
      EXPECT_EQ(row.clusters->pairs.precision, together.empty() ? 1 : static_cast<double>(right) / static_cast<double>(together.size()));
      EXPECT_EQ(row.clusters->pairs.recall, static_cast<double>(right) / static_cast<double>(true_pairs.size()));
      const Agreement slow = b_cubed(ids, clusters, truth);
      EXPECT_NEAR(row.clusters->b_cubed.precision, slow.precision, 1e-12);
      EXPECT_NEAR(row.clusters->b_cubed.recall, slow.recall, 1e-12);
    }
  }
}

TEST_F(Truth, MatchesThatARuleLeavesOutAreNotFound) {
  const Input input =
      file("in.jsonl", test::json_record("x", "a b c d") + test::json_record("y", "a b c d") + test::json_record("z", "a b c e"));
  const TruthTable labels = table("t.csv", "x,y\ny,z\n");
  const TruthResult all = evaluate_truth(input, labels, sure_plan(0.5), {.borders = {0.5}});
  const TruthResult one =
      evaluate_truth(input, labels, sure_plan(0.5), {.borders = {0.5}, .partners = {.rule = Partners::Rule::one_to_one}});
  EXPECT_EQ(all.rows[0].found, 3u);
  EXPECT_EQ(all.rows[0].right, 2u);
  EXPECT_EQ(one.rows[0].found, 1u);
  EXPECT_EQ(one.rows[0].right, 1u);
}

TEST_F(Truth, LabelsAreReadFromEveryKindOfFile) {
  const std::vector<std::pair<std::string, TruthFile>> files{
      {"a,b\nx,y\ny,z\n", {}},
      {"\xEF\xBB\xBF"
       "a,b\r\nx,y\r\ny,z\r\n",
       {}},
      {"x\ty\t0.9\ny\tz\t0.8\n", {}},
      {"x|y\n\ny|z", {}},
      {"x%y\ny%z\n", {.path = "", .separator = '%'}},
      {"score,b,a\n1,y,x\n1,z,y\n", {}},
      {"\"x\",\"y\"\n\"y\",\"z\"\n", {}},
      {"match_weight,unique_id_l,unique_id_r\n3.5,x,y\n3,y,z\n", {}},
      {"left,other,right\nx,1,y\ny,2,z\n", {.path = "", .fields = {{"left", "right"}}}},
      {"{\"a\":\"x\",\"b\":\"y\",\"similarity\":0.9}\n{\"a\":\"y\",\"b\":\"z\"}\n", {}},
      {"{\"one\":\"x\",\"two\":\"y\"}\n{\"two\":\"z\",\"one\":\"y\"}\n", {}},
      {"first,second\nx,y\ny,z\n", {}},
  };
  const Input input =
      file("in.jsonl", test::json_record("x", "a b c d") + test::json_record("y", "a b c d") + test::json_record("z", "a b c e"));
  for (const auto& [bytes, how] : files) {
    const TruthResult result = evaluate_truth(input, table("truth", bytes, how), sure_plan(0.5), {.borders = {0.5}});
    EXPECT_EQ(result.notes.labels, 2u) << bytes;
    EXPECT_EQ(result.rows[0].right, 2u) << bytes;
    EXPECT_EQ(result.notes.unknown, 0u) << bytes;
    EXPECT_EQ(result.notes.header.has_value(), bytes.starts_with("first,second")) << bytes;
  }
  EXPECT_EQ(table("n.jsonl", "{\"a\":1,\"b\":20}\n").second[0], "20");
}

TEST_F(Truth, RepeatedAndUnknownLabelsAreCounted) {
  const Input input = file("in.jsonl", test::json_record("x", "a b c d") + test::json_record("y", "a b c d"));
  const TruthTable labels = table("t.csv", "a,b\nx,y\ny,x\nx,y\nx,nobody\nghost,nobody\n");
  const TruthResult result = evaluate_truth(input, labels, sure_plan(0.5), {.borders = {0.5}});
  EXPECT_EQ(result.notes.labels, 1u);
  EXPECT_EQ(result.notes.repeated, 2u);
  EXPECT_EQ(result.notes.unknown, 2u);
  EXPECT_EQ(result.notes.unknown_ids, (std::vector<std::string>{"nobody", "ghost"}));
  EXPECT_EQ(result.rows[0].pairs.recall, 1);
}

TEST_F(Truth, WrongLabelsAreRefused) {
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
  EXPECT_NE(refusal("a,b\n").find("has a header and no labels"), std::string::npos);
  EXPECT_NE(refusal("a,b\nx,y\nz,z\n").find("truth:3: a pair of \"z\" with itself"), std::string::npos);
  EXPECT_NE(refusal("a,b\nx,\n").find("truth:2: the second of the two values is missing"), std::string::npos);
  EXPECT_NE(refusal("x y\n").find("has one column"), std::string::npos);
  EXPECT_NE(refusal("id,cluster\nx,1\nx,2\n").find("truth:3: \"x\" is in the cluster \"2\", and above in \"1\""), std::string::npos);
  EXPECT_NE(refusal("a,b\nx,y\n", {.path = "", .fields = {{"l", "r"}}}).find("no column \"l\" and \"r\"; the columns are a, b"),
            std::string::npos);
  EXPECT_NE(refusal("a,b\nx,y\n", {.path = "", .fields = {{"a", "r"}}}).find("no column \"r\"; the columns are a, b"), std::string::npos);
  EXPECT_NE(refusal("{\"a\":1}\n").find("has one column"), std::string::npos);
  EXPECT_NE(refusal("{\"a\":1,\"b\":[2]}\n").find("field \"b\" is not a string or number"), std::string::npos);
  const Input input = file("in.jsonl", test::json_record("x", "a b c d") + test::json_record("y", "a b c d"));
  const auto refused = [&](const std::string& bytes, TruthFile how = {}, const Input* against = nullptr) {
    try {
      evaluate_truth(input, table("t.csv", bytes, how), sure_plan(0.5), {.borders = {0.5}}, {}, against);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(refused("a,b\np,q\n").find("the file has \"p\", the items have \"x\""), std::string::npos);
  EXPECT_NE(refused("x,c1\ny,c1\n").find("if that column names clusters"), std::string::npos);
  EXPECT_NE(refused("x,x\nx,y\n").find("a pair of \"x\" with itself"), std::string::npos);
  EXPECT_NE(refused("id,cluster\nx,1\ny,2\n").find("no two items of the input share a cluster"), std::string::npos);
  EXPECT_NE(refused("id,cluster\nx,1\ny,1\n", {}, &input).find("clusters describe one input"), std::string::npos);
  EXPECT_NE(refused("a,b\nx,y\n").find("none"), std::string::npos);
}

TEST(CrossValidate, TheBestThresholdIsInTheMiddleOfThoseAsGood) {
  StepCounts counts;
  counts.labels = 2;
  counts.add({0, 1, 80, true});
  counts.add({2, 3, 60, true});
  counts.add({1, 2, 20, false});
  const BestThreshold best = best_threshold(counts, 1);
  EXPECT_EQ(best.f1, 1);
  EXPECT_EQ(best.step, 40u);  // all from 21 to 60
  EXPECT_EQ(best.agreement.precision, 1);
  EXPECT_EQ(best_threshold(counts, 50).step, 55u);
  EXPECT_NEAR(f1_at(counts, 10), 0.8, 1e-12);
  EXPECT_NEAR(f1_at(counts, 10, 2), 2.0 * 2 / (2 + 2 + 2), 1e-12);
  EXPECT_EQ(threshold_step(0.29), 29);  // 0.29 · 100 is a little less than 29 in binary
  EXPECT_EQ(threshold_step(1), 100);
}

TEST(CrossValidate, ItemsOfAGroupStayTogether) {
  std::vector<std::uint32_t> group;
  for (std::uint32_t i = 0; i < 300; ++i) group.push_back(i % 3 == 0 ? UINT32_MAX : i / 10);
  const Folds folds = make_folds(group, 30, 5, 3, 7);
  ASSERT_EQ(folds.of.size(), 3u);
  for (const std::vector<std::uint8_t>& of : folds.of) {
    std::map<std::uint32_t, std::set<std::uint8_t>> seen;
    std::vector<std::set<std::uint32_t>> groups(5);
    for (std::size_t row = 0; row < group.size(); ++row) {
      if (group[row] == UINT32_MAX) continue;
      seen[group[row]].insert(of[row]);
      groups[of[row]].insert(group[row]);
    }
    for (const auto& [number, in] : seen) EXPECT_EQ(in.size(), 1u);
    for (const auto& in : groups) EXPECT_EQ(in.size(), 6u);
  }
  EXPECT_NE(folds.of[0], folds.of[1]);
}

/// F1 of the pairs for which `here` is true, wrong ones counting so many times.
template <typename Here>
double slow_f1(const ScoredPairs& found, const std::vector<WeighedPair>& labels, std::size_t step, double times, Here here) {
  double right = 0, wrong = 0, all = 0;
  for (const ScoredPair& pair : found.pairs) {
    if (here(pair.a, pair.b) && pair.step >= step) (pair.right ? right : wrong) += 1;
  }
  for (const WeighedPair& pair : labels) all += here(pair.a, pair.b) ? 1 : 0;
  return right == 0 ? 0 : 2 * right / (right + times * wrong + all);
}

TEST(CrossValidate, FoldsAreJudgedAtTheThresholdOfTheOthers) {
  test::Random random(9);
  ScoredPairs found;
  found.lowest = 10;
  std::vector<WeighedPair> labels;
  std::vector<std::uint32_t> group;
  for (Row i = 0; i < 60; i += 2) {
    found.pairs.push_back({i, i + 1, static_cast<std::uint8_t>(random.between(30, 100)), true});
    labels.push_back({i, i + 1});
    group.insert(group.end(), {i / 2, i / 2});
  }
  for (int i = 0; i < 200; ++i) {
    const Row a = static_cast<Row>(random.below(60)), b = static_cast<Row>(random.below(60));
    if (a / 2 != b / 2) found.pairs.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint8_t>(random.between(10, 60)), false});
  }
  const Folds folds = make_folds(group, 30, 3, 2, 1);
  const std::vector<double> f1 = f1_of_folds(found, labels, folds);
  ASSERT_EQ(f1.size(), 6u);
  for (std::size_t i = 0; i < f1.size(); ++i) {
    const std::vector<std::uint8_t>& of = folds.of[i / 3];
    const auto outside = [&](Row a, Row b) { return of[a] != i % 3 && of[b] != i % 3; };
    const auto inside = [&](Row a, Row b) { return of[a] == i % 3 && of[b] == i % 3; };
    double most = 0;
    for (std::size_t step = 10; step <= 100; ++step) most = std::max(most, slow_f1(found, labels, step, 1.5, outside));
    std::size_t high = 100;
    while (slow_f1(found, labels, high, 1.5, outside) < most - 1e-12) --high;
    std::size_t low = high;
    while (low > 10 && slow_f1(found, labels, low - 1, 1.5, outside) >= most - 1e-12) --low;
    EXPECT_NEAR(f1[i], slow_f1(found, labels, low + (high - low) / 2, 3, inside), 1e-12);
  }
  const Lead lead = lead_over({0.9, 0.8, 0.9, 0.8}, {0.8, 0.7, 0.8, 0.7}, 2);
  EXPECT_NEAR(lead.mean, 0.1, 1e-12);
  EXPECT_NEAR(lead.low, 0.1, 1e-9);
  EXPECT_LT(lead_over({0.9, 0.8, 0.9, 0.7}, {0.8, 0.9, 0.8, 0.7}, 2).low, 0);
}

/// Records of two kinds: names that differ by a letter, for which characters are right.
class ChosenSettings : public Truth {
 protected:
  static constexpr int kNames = 60;
  void SetUp() override {
    test::Random random(3);
    std::string records;
    for (int i = 0; i < kNames; ++i) {
      std::string name;
      for (int c = 0; c < 14; ++c) name += static_cast<char>('a' + random.below(26));
      std::string slip = name;
      slip[random.below(slip.size())] = 'X';
      records += test::json_record("n" + std::to_string(i), name) + test::json_record("m" + std::to_string(i), slip);
      labels_ += "n" + std::to_string(i) + ",m" + std::to_string(i) + "\n";
    }
    input_ = file("names.jsonl", records);
  }
  Input input_;
  std::string labels_ = "a,b\n";
};

TEST_F(ChosenSettings, CharactersAreChosenForSlipsOfTheFinger) {
  const TruthTuned tuned = tune_by_truth(input_, table("t.csv", labels_));
  const SettingScore& best = tuned.scores.front();
  EXPECT_EQ(best.setting.shingle.token, Token::character);
  EXPECT_GT(best.f1, 0.98);
  EXPECT_EQ(tuned.groups, 60u);
  EXPECT_EQ(tuned.folds, 5u);
  EXPECT_EQ(tuned.compared, 120u);
  for (const SettingScore& score : tuned.scores) {
    EXPECT_LE(score.f1, best.f1);
    if (score.setting.shingle.token != Token::word) continue;
    EXPECT_LT(score.all.f1(), 0.5) << to_string(score.setting);
  }
  // What is said of all labels is what a run with that setting finds.
  const Plan plan = tune({.measure = best.setting.measure, .threshold = best.threshold, .recall = 1},
                         {.shingle = best.setting.shingle, .kind = best.setting.kind});
  const TruthResult again = evaluate_truth(input_, table("t.csv", labels_), plan, {.borders = {best.threshold}});
  EXPECT_NEAR(again.rows[0].pairs.f1(), best.all.f1(), 1e-9);
}

TEST_F(ChosenSettings, TheSameForAnyNumberOfThreadsAndAPartStandsForTheWhole) {
  const TruthTable labels = table("t.csv", labels_);
  TruthTuneOptions options{.settings = {{Measure::jaccard, Kind::shingles, parse_shingle("char:2")}}};
  const TruthTuned one = tune_by_truth(input_, labels, options, {.threads = 1}),
                   four = tune_by_truth(input_, labels, options, {.threads = 4});
  EXPECT_EQ(one.scores[0].f1, four.scores[0].f1);
  EXPECT_EQ(one.scores[0].threshold, four.scores[0].threshold);
  options.most_items = 60;
  const TruthTuned part = tune_by_truth(input_, labels, options);
  EXPECT_LE(part.compared, 60u);
  EXPECT_EQ(part.items, 120u);
  EXPECT_GT(part.scores[0].f1, 0.95);
}

// Lower thresholds go on with the items that are left; a run at the threshold alone must find the same.
TEST_F(ChosenSettings, OneToOneAgreesWithARunAtItsThreshold) {
  const TruthTable labels = table("t.csv", labels_);
  const Partners partners{.rule = Partners::Rule::one_to_one};
  for (const SettingScore& score : tune_by_truth(input_, labels, {.partners = partners}).scores) {
    const Plan plan = tune({.measure = score.setting.measure, .threshold = score.threshold, .recall = 1},
                           {.shingle = score.setting.shingle, .kind = score.setting.kind});
    const TruthResult again = evaluate_truth(input_, labels, plan, {.borders = {score.threshold}, .partners = partners});
    EXPECT_NEAR(again.rows[0].pairs.f1(), score.all.f1(), 1e-9) << to_string(score.setting) << " at " << score.threshold;
  }
}

TEST_F(ChosenSettings, WhatCannotBeChosenByIsRefused) {
  EXPECT_THROW(tune_by_truth(input_, table("one.csv", "a,b\nn1,m1\n")), Error);
  EXPECT_THROW(tune_by_truth(input_, table("t.csv", labels_), {.folds = 1}), Error);
  Input vectors = file("v.csv", "1,2\n3,4\n");
  vectors.format = Format::dense;
  EXPECT_THROW(tune_by_truth(vectors, table("t.csv", labels_)), Error);
}

}  // namespace
}  // namespace nearkin::truth_test
