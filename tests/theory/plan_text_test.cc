#include <array>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/unicode.h"
#include "support/normalises.h"

namespace nearkin::plan_text_test {
namespace {

std::string refusal(std::string_view line) {
  try {
    return "no error: " + to_string(parse_plan(line));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    return error.what();
  }
}

std::string tables() { return " unicode=" + unicode_version(); }

template <typename Function>
std::string error_of(Function function) {
  try {
    function();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PlanText, IsOneLineWithEveryNumber) {
  const Plan plan = tune({}, {.bands = 17, .rows = 8});
  EXPECT_EQ(to_string(plan),
            "jaccard>=0.8 recall=0.95 shingle=word:5 normalise=text sketch=minhash:136 bands=17x8 bucket=128 "
            "verify=exact seed=1" +
                tables());
  std::ostringstream out;
  out << plan;
  EXPECT_EQ(out.str(), to_string(plan));
}

TEST(PlanText, OfAnExactJoinHasNoSketch) {
  EXPECT_EQ(to_string(tune({.recall = 1})), "jaccard>=0.8 recall=1 shingle=word:5 normalise=text join=exact verify=exact" + tables());
}

TEST(PlanText, OfMeasureExactHasOnlyItsNormalisation) {
  EXPECT_EQ(to_string(tune({.measure = Measure::exact})), "exact normalise=text" + tables());
}

TEST(PlanText, OfABagNamesTheWeightedMeasure) {
  const Plan plan = tune({.recall = 1}, {.shingle = ShinglePlan{.bag = true}});
  EXPECT_EQ(to_string(plan), "weighted-jaccard>=0.8 recall=1 shingle=word:5 normalise=text join=exact verify=exact" + tables());
  EXPECT_EQ(parse_plan(to_string(plan)), plan);
}

Plan random_plan(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Goal goal;
  goal.measure = std::array{Measure::jaccard, Measure::weighted_jaccard, Measure::exact}[below(3)];
  goal.threshold = static_cast<double>(1 + below(1000000000)) / 1e9;
  goal.recall = below(5) == 0 ? 1 : std::uniform_real_distribution<double>(1e-12, 1)(random);
  Choices choices;
  ShinglePlan shingle{.token = static_cast<Token>(below(5)),
                      .size = static_cast<std::uint32_t>(1 + below(1000)),
                      .bag = below(2) == 0,
                      .normalise = Normalise::text};
  shingle.normalise = static_cast<Normalise>(below(shingle.token == Token::element ? 3 : test::kNormalises));
  choices.shingle = shingle;
  choices.seed = random() >> below(64);
  choices.large_bucket = static_cast<std::uint32_t>(2 + below(0xfffffffe));
  if (goal.measure != Measure::exact && goal.recall < 1) {
    choices.bands = static_cast<std::uint32_t>(1 + below(64));
    choices.rows = static_cast<std::uint32_t>(1 + below(64));
    const std::uint32_t needed = *choices.bands * *choices.rows;
    if (below(2)) choices.hashes = static_cast<std::uint32_t>(needed + below(4096 - needed + 1));
    choices.verify = static_cast<Verify>(below(3));
    goal.recall_at = static_cast<RecallAt>(below(2));
  }
  return tune(goal, choices);
}

TEST(PlanText, ReadsBackToTheSamePlan) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Plan plan = random_plan(random);
    ASSERT_EQ(parse_plan(to_string(plan)), plan) << plan;
  }
  EXPECT_EQ(parse_plan(to_string(Plan{})), Plan{});
}

TEST(PlanText, NeverCrashesOnADamagedLine) {
  std::mt19937_64 random(2);
  const std::string letters = "0123456789.:=>x -ejaccardminhash\t";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = to_string(random_plan(random));
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % line.size();
      if (random() % 2)
        line[at] = letters[random() % letters.size()];
      else
        line.erase(at, 1);
    }
    try {
      const Plan plan = parse_plan(line);
      ASSERT_EQ(parse_plan(to_string(plan)), plan) << line;
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 100);
}

TEST(PlanText, SaysWhereTheRecallIsPromisedUnlessItIsAtTheThreshold) {
  Plan plan = tune({.recall = 0.9}, {.bands = 17, .rows = 8});
  EXPECT_EQ(to_string(plan).find("recall_at"), std::string::npos);
  plan.recall_at = RecallAt::average;
  EXPECT_TRUE(to_string(plan).starts_with("jaccard>=0.8 recall=0.9 recall_at=average shingle=word:5 ")) << plan;
  EXPECT_EQ(parse_plan(to_string(plan)), plan);
  plan.recall_at = RecallAt::threshold;
  EXPECT_EQ(parse_plan("jaccard>=0.8 recall=0.9 recall_at=threshold bands=17x8"), plan);
}

TEST(PlanText, RefusesAnAverageWhereNothingIsAveraged) {
  const std::string rest = "recall_at: average has no use with ";
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 recall_at=average"),
            rest + "an exact join, which finds all; leave it out, or ask for a recall below 1");
  EXPECT_EQ(refusal("jaccard>=0.8 join=exact recall_at=average"),
            rest + "an exact join, which finds all; leave it out, or ask for a recall below 1");
  EXPECT_EQ(refusal("cosine recall_at=average nearest=10 tables=64"), rest + "nearest, which has no threshold; leave it out");
  EXPECT_EQ(refusal("jaccard recall_at=average nearest=10"), rest + "nearest, which has no threshold; leave it out");
  EXPECT_EQ(refusal("containment>=0.8 recall_at=average"), rest + "an exact join, which finds all; leave it out");
  EXPECT_EQ(refusal("exact recall_at=average"), "recall_at: \"average\" has no place in a plan with measure exact; remove it");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=17x8 recall_at=mean"), "recall_at: \"mean\" is not threshold or average");
}

TEST(PlanText, TakesItsPartsInAnyOrderAndSpacing) {
  const Plan plan = tune({}, {.bands = 17, .rows = 8, .seed = 9});
  EXPECT_EQ(parse_plan("  jaccard>=0.8\tseed=9 bands=17x8 \r\n verify=exact sketch=minhash:136 \n"), plan);
}

TEST(PlanText, KeepsDefaultsForAbsentParts) {
  EXPECT_EQ(parse_plan("jaccard>=0.8 bands=17x8"), tune({}, {.bands = 17, .rows = 8}));
  EXPECT_EQ(parse_plan("jaccard recall=1"), tune({.recall = 1}));
  EXPECT_EQ(parse_plan("exact"), tune({.measure = Measure::exact}));
  EXPECT_EQ(parse_plan("jaccard>=0.8 bands=17x8 shingle=code:3").shingle.normalise, Normalise::code);
  EXPECT_EQ(parse_plan("jaccard>=0.8 bands=17x8 normalise=text shingle=code:3").shingle.normalise, Normalise::text);
}

TEST(PlanText, RefusesOtherUnicodeTables) {
  const std::string rest =
      ", this build has " + unicode_version() + "; tune a new plan, or use a build of nearkin with the same Unicode tables";
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 unicode=1.0.0"), "plan: made with Unicode 1.0.0" + rest);
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 unicode=new"), "plan: made with Unicode \"new\"" + rest);
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 unicode="), "plan: made with Unicode \"\"" + rest);
}

TEST(PlanText, NamesThePartAtFault) {
  const std::string ok = "jaccard>=0.8 bands=17x8 ";
  const auto with = [&](const std::string& part) { return refusal(ok + part); };
  const std::string parts =
      "the parts are recall, recall_at, nearest, features, shingle, normalise, ignore, binarise, sketch, width, dimensions, "
      "bands, tables, probes, bucket, join, verify, seed and unicode";
  EXPECT_EQ(refusal(" \n"), "plan: the line is empty; a plan begins with its measure, such as jaccard>=0.8");
  EXPECT_EQ(with("colour=red"), "plan: \"colour=red\" is not a part of a plan as tune prints it; " + parts);
  EXPECT_EQ(with("seed"), "plan: \"seed\" is not a part of a plan as tune prints it; " + parts);
  EXPECT_EQ(with("seed=1 seed=2"), "seed: given twice, as \"1\" and \"2\"; remove one");
  EXPECT_EQ(refusal("jacard>=0.8"),
            "measure: \"jacard\" is not jaccard, weighted-jaccard, containment, cosine, hamming, euclidean, manhattan or exact");
  EXPECT_EQ(refusal("jaccard>=80 bands=17x8"), "threshold: 80 is not between 0 and 1; did you mean 0.8?");
  EXPECT_EQ(refusal("jaccard>=0 bands=17x8"), "threshold: 0 would match everything; use a number above 0, such as 0.8");
  EXPECT_EQ(refusal("jaccard>=0.8x bands=17x8"), "threshold: \"0.8x\" is not a number between 0 and 1, such as 0.8");
  EXPECT_EQ(refusal("exact>=0.8"), "threshold: measure exact has none; write exact alone");
  EXPECT_EQ(with("recall=95"), "recall: 95 is not between 0 and 1; did you mean 0.95?");
  EXPECT_EQ(with("recall=0"), "recall: 0 would find nothing; use a number above 0, such as 0.95");
  EXPECT_EQ(with("recall=high"), "recall: \"high\" is not a number between 0 and 1, such as 0.95");
  EXPECT_EQ(with("bucket=1"), "bucket: 1 is not between 2 and 4294967295");
  EXPECT_EQ(with("bucket=4294967296"), "bucket: 4294967296 is not between 2 and 4294967295");
  EXPECT_EQ(with("bucket=big"), "bucket: \"big\" is not a whole number, such as 128");
  EXPECT_EQ(with("seed=-1"), "seed: \"-1\" is not a whole number, such as 1");
  EXPECT_EQ(with("seed=18446744073709551616"), "seed: \"18446744073709551616\" is not a whole number, such as 1");
  EXPECT_EQ(with("verify=maybe"), "verify: \"maybe\" is not exact, estimate or none");
  EXPECT_TRUE(with("normalise=txt").starts_with("normalise: \"txt\" is not text, none, code, code:no-comments or code:identifiers;"));
  EXPECT_EQ(with("join=fast"), "join: \"fast\" is not exact");
}

TEST(PlanText, MakesSketchAndBandsAgree) {
  EXPECT_EQ(refusal("jaccard>=0.8 sketch=minhash:128 bands=20x7"),
            "bands: 20 with rows 7 needs 140 hashes, the sketch has 128; use rows 6 or hashes 140");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=4096x4096"),
            "bands: 4096 with rows 4096 needs 16777216 hashes, at most 4096 are possible; use rows 1");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=17"), "bands: \"17\" is not BxR, bands times rows, such as 17x8");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=17x8x2"), "bands: \"17x8x2\" is not BxR, bands times rows, such as 17x8");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=0x8"), "bands: 0 is not between 1 and 4096");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=8x0"), "rows: 0 is not between 1 and 4096");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=17x8 sketch=simhash:64"), "sketch: \"simhash:64\" is not minhash:K, such as minhash:128");
  EXPECT_EQ(refusal("jaccard>=0.8 bands=17x8 sketch=minhash:5000"), "hashes: 5000 is not between 1 and 4096");
  EXPECT_EQ(refusal("jaccard>=0.8 sketch=minhash:128"),
            "bands: absent, and recall 0.95 needs them; add bands=BxR, such as bands=17x8, or recall=1");
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 bands=17x8"), "bands: \"17x8\" has no place in a plan with recall=1; remove it");
  EXPECT_EQ(refusal("jaccard>=0.8 join=exact sketch=minhash:9"), "sketch: \"minhash:9\" has no place in a plan with join=exact; remove it");
  EXPECT_EQ(refusal("jaccard>=0.8 recall=1 verify=none"), "verify: \"none\" has no place in an exact join; use exact");
  EXPECT_EQ(refusal("exact recall=0.9"), "recall: \"0.9\" has no place in a plan with measure exact; remove it");
}

TEST(PlanText, ShowsHostileBytesHarmlessly) {
  const std::string message = refusal("jaccard>=0.8 \x1b[31m\xff=" + std::string(100000, 'a'));
  EXPECT_LT(message.size(), 300u);
  for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~');
}

TEST(ShingleText, ReadsUnitAndSizeWithTheUsualNormalisation) {
  EXPECT_EQ(parse_shingle("word:5"), ShinglePlan{});
  EXPECT_EQ(parse_shingle("char:9"), (ShinglePlan{.token = Token::character, .size = 9}));
  EXPECT_EQ(parse_shingle("line:1"), (ShinglePlan{.token = Token::line, .size = 1}));
  EXPECT_EQ(parse_shingle("code:1000"), (ShinglePlan{.token = Token::code, .size = 1000, .normalise = Normalise::code}));
  EXPECT_EQ(parse_shingle("element:1"), (ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}));
  for (const char* text : {"word:5", "char:9", "code:1000", "line:1", "element:2"}) EXPECT_EQ(shingle_name(parse_shingle(text)), text);
}

TEST(ShingleText, SaysWhatIsWrong) {
  const auto shingle = [](std::string_view text) { return error_of([&] { parse_shingle(text); }); };
  const std::string rest = " is not char:K, word:K, code:K, line:K or element:K";
  for (const std::string text : {"wrod:5", "word", "word:", "word:5x", "word:-5", "5", "", ":5", "word:5:5", "Word:5"}) {
    EXPECT_EQ(shingle(text), "shingle: \"" + text + "\"" + rest);
  }
  for (const std::string text : {"word:0", "word:1001", "char:99999999999999999999999"}) {
    EXPECT_EQ(shingle(text), "shingle: the size of \"" + text + "\" is not between 1 and 1000");
  }
  EXPECT_EQ(error_of([] { parse_shingle("x", "--shingle"); }), "--shingle: \"x\"" + rest);
}

TEST(PlanNames, ReadBackToTheirValues) {
  for (const Measure value : {Measure::jaccard, Measure::weighted_jaccard, Measure::containment, Measure::cosine, Measure::hamming,
                              Measure::euclidean, Measure::manhattan, Measure::exact}) {
    EXPECT_EQ(parse_measure(name(value)), value);
  }
  for (const Kind value : {Kind::shingles, Kind::numbers, Kind::tfidf, Kind::bits}) EXPECT_EQ(parse_features(name(value)).kind, value);
  for (const Normalise value : test::all_normalises()) EXPECT_EQ(parse_normalise(name(value)), value);
  EXPECT_EQ(name(Normalise::code_identifiers_cpp), "code:identifiers:c++");
  EXPECT_EQ(error_of([] { parse_normalise("code:python", "--normalise"); }),
            "--normalise: \"code:python\" is not text, none, code, code:no-comments or code:identifiers; the last two may name a language, "
            "such as code:identifiers:java (c, c++, java, python, javascript, go or rust)");
  EXPECT_EQ(error_of([] { parse_plan("jaccard>=0.8 bands=17x8 shingle=element:1 normalise=code:identifiers"); }),
            "normalise: code:identifiers is for programs and has no use with the elements of sets; use none, or shingles of words, code, "
            "characters or lines");
  for (const Verify value : {Verify::exact, Verify::estimate, Verify::none}) EXPECT_EQ(parse_verify(name(value)), value);
  for (const RecallAt value : {RecallAt::threshold, RecallAt::average}) EXPECT_EQ(parse_recall_at(name(value)), value);
  EXPECT_EQ(error_of([] { parse_recall_at("mean", "--recall-at"); }), "--recall-at: \"mean\" is not threshold or average");
  EXPECT_EQ(error_of([] { parse_measure("cosmic", "--measure"); }),
            "--measure: \"cosmic\" is not jaccard, weighted-jaccard, containment, cosine, hamming, euclidean, manhattan or exact");
  for (const std::string text : {"tfidf", "tfidf:sublinear", "tfidf:cap=3", "tfidf:sublinear:cap=4294967295"}) {
    const FeaturesChoice choice = parse_features(text);
    Plan plan;
    plan.kind = choice.kind;
    plan.tfidf = choice.tfidf;
    EXPECT_EQ(features_name(plan), text);
  }
  EXPECT_EQ(parse_features("tfidf:cap=3:sublinear").tfidf, (TfidfPlan{.sublinear = true, .cap = 3}));
  for (const std::string text : {"tfidf:", "tfidf:cap", "tfidf:cap=", "tfidf:cap=0", "tfidf:cap=x", "tfidf:cap=1:cap=2",
                                 "tfidf:sublinear:sublinear", "tfidf:log", "numbers:sublinear"}) {
    EXPECT_EQ(error_of([&] { parse_features(text); }), "features: \"" + text +
                                                           "\" is not shingles, numbers, tfidf or bits; tfidf may be tfidf:sublinear, "
                                                           "tfidf:cap=3 or tfidf:sublinear:cap=3");
  }
  EXPECT_EQ(error_of([] { tune({}, {.tfidf = TfidfPlan{.cap = 3}}); }),
            "features: cap is about tfidf, and the plan compares shingles; leave it out, or use tfidf");
  EXPECT_EQ(error_of([] { parse_features("texts"); }), "features: \"texts\" is not shingles, numbers, tfidf or bits");
}

}  // namespace
}  // namespace nearkin::plan_text_test
