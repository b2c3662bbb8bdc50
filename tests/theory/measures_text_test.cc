#include <array>
#include <random>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/unicode.h"
#include "support/normalises.h"

namespace nearkin::measures_text_test {
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

/// The line of a plan that is what it should be, and reads back.
void expect_line(const Plan& plan, const std::string& line) {
  EXPECT_EQ(to_string(plan), line);
  EXPECT_EQ(parse_plan(line), plan);
}

TEST(MeasureText, OfSimilaritiesHasAThreshold) {
  expect_line(tune({.measure = Measure::cosine}, {.bands = 77, .rows = 21}),
              "cosine>=0.8 recall=0.95 features=numbers sketch=hyperplane:1617 bands=77x21 bucket=128 verify=exact seed=1");
  expect_line(tune({.measure = Measure::containment, .threshold = 0.5}),
              "containment>=0.5 recall=1 shingle=word:5 normalise=text join=exact verify=exact" + tables());
  expect_line(tune({.measure = Measure::weighted_jaccard}, {.bands = 6, .rows = 4, .verify = Verify::none, .kind = Kind::numbers}),
              "weighted-jaccard>=0.8 recall=0.95 features=numbers sketch=weighted-minhash:24 bands=6x4 bucket=128 verify=none seed=1");
}

TEST(MeasureText, OfDistancesHasARadius) {
  expect_line(tune({.measure = Measure::euclidean, .radius = 3.5}, {.bands = 20, .rows = 12, .width = 14.2}),
              "euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:240 width=14.2 bands=20x12 bucket=128 verify=exact seed=1");
  expect_line(tune({.measure = Measure::euclidean, .radius = 3.5}, {.bands = 20, .rows = 12, .width = 14.2, .probes = 8}),
              "euclidean<=3.5 recall=0.95 features=numbers sketch=gaussian:240 width=14.2 bands=20x12 probes=8 bucket=128 verify=exact "
              "seed=1");
  expect_line(tune({.measure = Measure::manhattan, .radius = 0.1}, {.bands = 20, .rows = 12, .width = 0.3}),
              "manhattan<=0.1 recall=0.95 features=numbers sketch=cauchy:240 width=0.3 bands=20x12 bucket=128 verify=exact seed=1");
  expect_line(tune({.measure = Measure::hamming, .radius = 16}, {.bands = 14, .rows = 25, .dimensions = 256}),
              "hamming<=16 recall=0.95 features=bits sketch=bit-sampling:350 dimensions=256 bands=14x25 bucket=128 verify=exact seed=1");
  expect_line(tune({.measure = Measure::hamming, .radius = 0.05}, {.bands = 10, .rows = 26, .binarise = Binarise::unary, .levels = 8}),
              "hamming<=0.05 recall=0.95 features=bits binarise=unary:8 sketch=bit-sampling:260 bands=10x26 bucket=128 verify=exact "
              "seed=1");
  expect_line(tune({.measure = Measure::hamming, .recall = 1, .radius = 2}, {.binarise = Binarise::median}),
              "hamming<=2 recall=1 features=bits binarise=median join=exact verify=exact");
}

TEST(MeasureText, OfTextsAsVectorsHasShinglesToo) {
  const Choices choices{.shingle = parse_shingle("word:1"), .bands = 30, .rows = 10, .kind = Kind::tfidf};
  expect_line(tune({.measure = Measure::cosine, .threshold = 0.9}, choices),
              "cosine>=0.9 recall=0.95 features=tfidf shingle=word:1 normalise=text sketch=hyperplane:300 bands=30x10 bucket=128 "
              "verify=exact "
              "seed=1" +
                  tables());
}

TEST(MeasureText, OfTextsAsVectorsHasWordsUnlessOtherShinglesAreChosen) {
  const Choices choices{.bands = 30, .rows = 10, .kind = Kind::tfidf};
  EXPECT_EQ(shingle_name(tune({.measure = Measure::cosine, .threshold = 0.9}, choices).shingle), "word:1");
}

TEST(MeasureText, OfATableNamesItsColumns) {
  expect_line(tune({.measure = Measure::hamming, .radius = 2}, {.bands = 8, .rows = 7, .kind = Kind::shingles, .dimensions = 50}),
              "hamming<=2 recall=0.95 features=shingles shingle=element:1 normalise=none sketch=minhash:56 dimensions=50 bands=8x7 "
              "bucket=128 "
              "verify=exact seed=1" +
                  tables());
}

TEST(MeasureText, OfTheNearestHasNoThreshold) {
  expect_line(tune({.measure = Measure::cosine, .nearest = 10}),
              "cosine recall=0.95 nearest=10 features=numbers sketch=hyperplane:1536 tables=64 verify=exact seed=1");
  expect_line(tune({.measure = Measure::jaccard, .nearest = 10}),
              "jaccard recall=1 nearest=10 shingle=word:5 normalise=text join=exact verify=exact" + tables());
  expect_line(tune({.measure = Measure::jaccard, .nearest = 10}, {.bands = 40, .rows = 3}),
              "jaccard recall=0.95 nearest=10 shingle=word:5 normalise=text sketch=minhash:120 bands=40x3 bucket=128 verify=exact seed=1" +
                  tables());
  expect_line(tune({.measure = Measure::euclidean, .nearest = 3}, {.bands = 20, .rows = 24, .width = 2}),
              "euclidean recall=0.95 nearest=3 features=numbers sketch=gaussian:480 width=2 bands=20x24 bucket=128 verify=exact seed=1");
  expect_line(tune({.measure = Measure::hamming, .recall = 1, .nearest = 1}),
              "hamming recall=1 nearest=1 features=bits join=exact verify=exact");
}

Plan random_plan(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto distance = [&] { return std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(below(60)) - 30); };
  Goal goal;
  goal.measure = std::array{Measure::jaccard, Measure::weighted_jaccard, Measure::containment, Measure::cosine,
                            Measure::hamming, Measure::euclidean,        Measure::manhattan}[below(7)];
  goal.recall = below(5) == 0 ? 1 : std::uniform_real_distribution<double>(1e-12, 1)(random);
  Choices choices;
  const bool nearest = below(3) == 0;
  if (nearest)
    goal.nearest = 1 + below(0xffffffff);
  else if (goal.measure == Measure::hamming)
    goal.radius = below(2) ? below(5000) : static_cast<double>(1 + below(1u << 30)) / (1u << 31);
  else if (is_distance(goal.measure))
    goal.radius = distance();
  else
    goal.threshold = static_cast<double>(1 + below(1000000000)) / 1e9;
  const bool numbers = goal.measure == Measure::cosine || goal.measure == Measure::euclidean || goal.measure == Measure::manhattan;
  if (numbers) choices.kind = below(2) ? Kind::numbers : Kind::tfidf;
  if (goal.measure == Measure::hamming) choices.kind = below(2) ? Kind::bits : Kind::shingles;
  if (goal.measure == Measure::weighted_jaccard) choices.kind = std::array{Kind::shingles, Kind::numbers, Kind::tfidf}[below(3)];
  const Kind kind = choices.kind.value_or(Kind::shingles);
  constexpr std::array kWays{Binarise::median, Binarise::mean, Binarise::sign, Binarise::unary};
  if (kind == Kind::bits && below(2)) choices.binarise = kWays[below(4)];
  if (choices.binarise == Binarise::unary) choices.levels = 1 + below(1000);
  if (kind == Kind::tfidf && below(2)) choices.tfidf = {.sublinear = below(2) == 1, .cap = below(3)};
  if (goal.measure == Measure::hamming) choices.dimensions = 5000 + below(1000000);
  if ((kind == Kind::shingles || kind == Kind::tfidf) && below(2)) {
    const auto token = static_cast<Token>(below(5));
    const auto normalise = static_cast<Normalise>(below(token == Token::element ? 3 : test::kNormalises));
    choices.shingle = ShinglePlan{.token = token, .size = 1 + below(1000), .normalise = normalise};
  }
  choices.seed = random() >> below(64);
  choices.large_bucket = 2 + below(0xfffffffe);
  if (goal.recall == 1 || goal.measure == Measure::containment) return tune(goal, choices);
  choices.bands = 1 + below(64);
  if (!nearest || kind == Kind::shingles || below(2)) choices.rows = 1 + below(64);
  const std::uint32_t needed = *choices.bands * choices.rows.value_or(24);
  if (below(2)) choices.hashes = needed + below(4096 - needed + 1);
  if (goal.measure == Measure::euclidean || goal.measure == Measure::manhattan) choices.width = distance();
  if (goal.measure == Measure::euclidean && choices.rows && below(2)) choices.probes = 1 + below(256);
  if (!nearest && below(2)) choices.verify = Verify::none;
  return tune(goal, choices);
}

TEST(MeasureText, ReadsBackToTheSamePlan) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const Plan plan = random_plan(random);
    ASSERT_EQ(parse_plan(to_string(plan)), plan) << plan;
  }
}

TEST(MeasureText, NeverCrashesOnADamagedLine) {
  std::mt19937_64 random(2);
  const std::string letters = "0123456789.:=<>x -etabls\t";
  int read = 0;
  for (int i = 0; i < 10000; ++i) {
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

TEST(MeasureText, KeepsDefaultsForAbsentParts) {
  EXPECT_EQ(parse_plan("cosine>=0.9 recall=1"), tune({.measure = Measure::cosine, .threshold = 0.9, .recall = 1}));
  EXPECT_EQ(parse_plan("cosine nearest=10 tables=64"), tune({.measure = Measure::cosine, .nearest = 10}));
  EXPECT_EQ(parse_plan("hamming<=0.1 bands=3x4").kind, Kind::bits);
  EXPECT_EQ(parse_plan("hamming<=0.1 bands=3x4 features=shingles").shingle, parse_shingle("element:1"));
  EXPECT_EQ(parse_plan("cosine bands=3x4"), parse_plan("cosine>=0.8 bands=3x4"));
}

TEST(MeasureText, RefusesAGoalOfTheOtherKind) {
  EXPECT_EQ(refusal("euclidean>=0.8 recall=1"), "threshold: euclidean is a distance and has a radius; write euclidean<=RADIUS");
  EXPECT_EQ(refusal("cosine<=0.8 recall=1"), "radius: cosine is a similarity and has a threshold; write cosine>=0.8");
  EXPECT_EQ(refusal("euclidean recall=1"), "radius: absent, and euclidean needs one; write euclidean<=RADIUS, or add nearest=10");
  EXPECT_EQ(refusal("cosine>=0.8 nearest=10 tables=8"), "threshold: \"0.8\" has no place in a plan with nearest=10; write cosine alone");
  EXPECT_EQ(refusal("hamming<=8 nearest=10 tables=8"), "radius: \"8\" has no place in a plan with nearest=10; write hamming alone");
  EXPECT_EQ(refusal("exact nearest=10"), "nearest: \"10\" has no place in a plan with measure exact; remove it");
  EXPECT_EQ(refusal("cosine nearest=0 tables=8"), "nearest: 0 is not between 1 and 4294967295");
  EXPECT_EQ(refusal("containment nearest=2 tables=8"), "tables: \"8\" has no place in a plan with containment; remove it");
}

TEST(MeasureText, RefusesARadiusOutOfRange) {
  const std::string hamming = " is neither a number of places, such as 16, nor a share of them below 1, such as 0.05";
  EXPECT_EQ(refusal("hamming<=1.5 recall=1"), "radius: 1.5" + hamming);
  EXPECT_EQ(refusal("hamming<=-1 recall=1"), "radius: -1" + hamming);
  EXPECT_EQ(refusal("hamming<=4294967296 recall=1"), "radius: 4294967296" + hamming);
  EXPECT_EQ(refusal("euclidean<=0 recall=1"), "radius: 0 is not above 0; use a distance, such as 3.5");
  EXPECT_EQ(refusal("manhattan<=-2 recall=1"), "radius: -2 is not above 0; use a distance, such as 3.5");
  EXPECT_EQ(refusal("euclidean<=inf recall=1"), "radius: \"inf\" is not a number, such as 3.5");
  EXPECT_EQ(refusal("hamming<=16 bands=3x4"),
            "dimensions: unknown, and radius 16 is a number of places among them; name the input, give dimensions, or give the radius as a "
            "share, "
            "such as 0.05");
  EXPECT_EQ(refusal("hamming<=16 bands=3x4 dimensions=16"),
            "radius: 16 is not below the 16 places of an item: every pair would be near enough; use a smaller one");
}

TEST(MeasureText, RefusesFeaturesThatTheMeasureDoesNotCompare) {
  EXPECT_EQ(refusal("jaccard recall=1 features=numbers"), "features: numbers cannot be compared by jaccard; use shingles");
  EXPECT_EQ(refusal("cosine recall=1 features=bits"), "features: bits cannot be compared by cosine; use numbers or tfidf");
  EXPECT_EQ(refusal("weighted-jaccard recall=1 features=bits"),
            "features: bits cannot be compared by weighted-jaccard; use shingles, numbers or tfidf");
  EXPECT_EQ(refusal("hamming<=3 recall=1 features=numbers"),
            "features: numbers cannot be compared by hamming; use bits, which binarise makes of numbers, or shingles for the rows of a "
            "table");
  EXPECT_EQ(refusal("cosine recall=1 binarise=mean"),
            "binarise: mean makes bits, which features=numbers are not; leave it out, or use measure hamming");
  EXPECT_EQ(refusal("hamming<=3 recall=1 binarise=half"), "binarise: \"half\" is not median, mean, sign or unary:N, such as unary:8");
  EXPECT_EQ(refusal("hamming<=3 recall=1 binarise=unary:0"), "binarise: 0 is not between 1 and 1000");
  EXPECT_EQ(refusal("cosine recall=1 shingle=word:5"), "shingle: \"word:5\" has no place in a plan with features=numbers; remove it");
  EXPECT_EQ(refusal("cosine recall=1" + tables()),
            "unicode: \"" + unicode_version() + "\" has no place in a plan with features=numbers; remove it");
}

TEST(MeasureText, RefusesASketchOfAnotherFamily) {
  EXPECT_EQ(refusal("cosine bands=3x4 sketch=minhash:12"), "sketch: \"minhash:12\" is not hyperplane:K, such as hyperplane:128");
  EXPECT_EQ(refusal("euclidean<=1 bands=3x4"), "width: absent, and euclidean needs one; add width=W, such as four times the radius");
  EXPECT_EQ(refusal("euclidean<=1 bands=3x4 width=0"), "width: 0 is not above 0; use a distance, such as four times the radius");
  EXPECT_EQ(refusal("cosine bands=3x4 width=1"), "width: \"1\" has no place in a plan with measure cosine; remove it");
  EXPECT_EQ(refusal("cosine bands=3x4 dimensions=7"), "dimensions: \"7\" has no place in a plan with measure cosine; remove it");
  EXPECT_EQ(refusal("cosine bands=3x4 probes=4"), "probes: 4 have no use with measure cosine; leave them out, or use measure euclidean");
  EXPECT_EQ(refusal("euclidean<=1 bands=3x4 width=4 probes=257"), "probes: 257 is not between 1 and 256");
  EXPECT_EQ(refusal("cosine bands=3x4 verify=estimate"),
            "verify: estimate has no use with vectors, which are in memory: the exact value costs no more; use exact");
  EXPECT_EQ(refusal("containment bands=3x4 verify=estimate"), "bands: \"3x4\" has no place in a plan with containment; remove it");
  EXPECT_EQ(refusal("jaccard nearest=3 tables=4"),
            "tables: \"4\" has no place in a plan with the nearest sets, which are found exactly; remove it");
  EXPECT_EQ(parse_plan("jaccard nearest=3 recall=0.9"), tune({.nearest = 3}));
  EXPECT_EQ(refusal("jaccard nearest=3 bands=4x4 verify=none"),
            "verify: none has no use with nearest, which compares true values; use exact");
}

TEST(MeasureText, MakesTablesAndSketchAgree) {
  EXPECT_EQ(refusal("cosine>=0.8 tables=64"), "tables: \"64\" are for a plan with nearest; add nearest=10, or use bands=BxR");
  EXPECT_EQ(refusal("cosine nearest=10 tables=64 bands=3x4"), "bands: \"3x4\" has no place in a plan with tables=64; remove it");
  EXPECT_EQ(refusal("cosine nearest=10 tables=64 sketch=hyperplane:1000"),
            "bands: 64 tables of 24 digits need 1536 hashes, the sketch has 1000; use 41 tables or 1536 hashes");
  EXPECT_EQ(refusal("cosine nearest=10 tables=400"),
            "bands: 400 tables of 24 digits need 9600 hashes, at most 4096 are possible; use 170 tables");
  EXPECT_EQ(refusal("cosine nearest=10"),
            "bands: absent, and recall 0.95 needs them; add bands=BxR, such as bands=17x8, or tables=64, or recall=1");
  EXPECT_EQ(refusal("cosine nearest=10 recall=1 tables=4"), "tables: \"4\" has no place in a plan with recall=1; remove it");
}

TEST(MeasureNames, OfBinarisingReadBack) {
  EXPECT_EQ(parse_binarise("median").binarise, Binarise::median);
  EXPECT_EQ(parse_binarise("mean").binarise, Binarise::mean);
  EXPECT_EQ(parse_binarise("sign").levels, 0u);
  EXPECT_EQ(parse_binarise("unary:8").binarise, Binarise::unary);
  EXPECT_EQ(parse_binarise("unary:8").levels, 8u);
  for (const Binarise value : {Binarise::median, Binarise::mean, Binarise::sign}) EXPECT_EQ(parse_binarise(name(value)).binarise, value);
}

}  // namespace
}  // namespace nearkin::measures_text_test
