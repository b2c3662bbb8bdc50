// Figures worked out by hand, through files and whole runs: each must come out of the tool as it stands in the books.
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nearkin/tools/lists.h>
#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "support/run_support.h"
#include "support/vector_pairs.h"

namespace nearkin::worked_examples_test {
namespace {

using test::vectors_of;
// "a b" → similarity or distance. Items without an id of their own are called by their line.
using Values = std::map<std::string, double>;

class WorkedExamples : public test::Runs {
 protected:
  Values values(const Input& input, const Plan& plan) const {
    const PairsResult result = pairs(input, plan);
    EXPECT_EQ(result.stats.faults.count, 0u);
    Values values;
    for (const Match& match : result.matches) {
      values[short_id(result.ids[match.a]) + " " + short_id(result.ids[match.b])] = measured(match, result.measure);
    }
    return values;
  }

  inline static const ShinglePlan kElements{.token = Token::element, .size = 1, .normalise = Normalise::none};
  static Plan jaccard_at(double threshold) { return tune({.threshold = threshold, .recall = 1}, {.shingle = kElements}); }
  // Answers of a table are compared as elements, one a column.
  static Plan answers_within(double radius, std::uint32_t columns) {
    const Goal goal{.measure = Measure::hamming, .recall = 1, .radius = radius};
    return tune(goal, {.shingle = kElements, .kind = Kind::shingles, .dimensions = columns});
  }

 private:
  static std::string short_id(std::string_view id) { return std::string(id.substr(id.rfind(':') + 1)); }
};

const Values kBitDistances{{"1 2", 2}, {"1 3", 2}, {"1 4", 1}, {"2 3", 4}, {"2 4", 3}, {"3 4", 1}};

TEST_F(WorkedExamples, HammingDistancesOfBitStrings) {
  const Input input = file("x.bits", "1011101\n1001001\n1110101\n1111101\n");
  EXPECT_EQ(values(input, tune({.measure = Measure::hamming, .recall = 1, .radius = 6}, {.dimensions = 7})), kBitDistances);
}

TEST_F(WorkedExamples, HammingDistancesOfTheSameBitsAsAnswers) {
  const Input input = file("x.table", "id,a,b,c,d,e,f,g\n1,1,0,1,1,1,0,1\n2,1,0,0,1,0,0,1\n3,1,1,1,0,1,0,1\n4,1,1,1,1,1,0,1\n");
  EXPECT_EQ(values(input, answers_within(6, 7)), kBitDistances);
}

TEST_F(WorkedExamples, HammingDistancesOfTheSameBitsAsNumbersCutAtZero) {
  Input dense = file("x.csv", "1,-1,1,1,1,-1,1\n1,-1,0,1,-3,-1,1\n1,2,1,-1,1,-1,0.5\n1,1,1,1,1,-1,1\n");
  dense.format = Format::dense;
  const Goal goal{.measure = Measure::hamming, .recall = 1, .radius = 6};
  EXPECT_EQ(values(dense, tune(goal, {.binarise = Binarise::sign, .dimensions = 7})), kBitDistances);
}

TEST_F(WorkedExamples, ThreeCommonElementsOfEightAreThreeEighths) {
  EXPECT_EQ(values(file("x.sets", "1 2 3 4 5\n3 4 5 6 7 8\n"), jaccard_at(0.375)), (Values{{"1 2", 3.0 / 8}}));
  EXPECT_EQ(values(file("x.sets", "1 2 3 4 5\n3 4 5 6 7 8\n"), jaccard_at(0.376)), Values{});
}

TEST_F(WorkedExamples, JaccardOfTwoBitStringsIsThatOfTheirOnes) {
  const Input input = file("x.table", "id,a,b,c,d,e\n1,1,0,1,1,1\n2,1,0,0,1,1\n");
  EXPECT_EQ(values(input, jaccard_at(0.75)), (Values{{"1 2", 3.0 / 4}}));
  EXPECT_EQ(values(input, answers_within(1, 5)), (Values{{"1 2", 1}}));
}

// Rows 1110, 1101, 0101, 0001, 1001, 1110, 1010, a column for each document.
const Values kDocuments{{"1 2", 1.0 / 2}, {"1 3", 3.0 / 5}, {"1 4", 2.0 / 7}, {"2 3", 2.0 / 5}, {"2 4", 1.0 / 3}};

TEST_F(WorkedExamples, TheDocumentMatrixAsSets) {
  EXPECT_EQ(values(file("x.sets", "1 2 5 6 7\n1 2 3 6\n1 6 7\n2 3 4 5\n"), jaccard_at(0.1)), kDocuments);
}

TEST_F(WorkedExamples, TheDocumentMatrixAsATable) {
  const std::string table = "id,r1,r2,r3,r4,r5,r6,r7\n1,1,1,0,0,1,1,1\n2,1,1,1,0,0,1,0\n3,1,0,0,0,0,1,1\n4,0,1,1,1,1,0,0\n";
  EXPECT_EQ(values(file("x.table", table), jaccard_at(0.1)), kDocuments);
}

TEST_F(WorkedExamples, TheDocumentMatrixAsAGraphOfDocumentsAndRows) {
  Input input = file("x.edges", "1 r1\n1 r2\n1 r5\n1 r6\n1 r7\n2 r1\n2 r2\n2 r3\n2 r6\n3 r1\n3 r6\n3 r7\n4 r2\n4 r3\n4 r4\n4 r5\n");
  input.directed = Directed::out;
  EXPECT_EQ(values(input, jaccard_at(0.1)), kDocuments);
}

TEST_F(WorkedExamples, TheDocumentMatrixAsWeights) {
  // Weights of 0 and 1: Σmin / Σmax is |A∩B| / |A∪B|.
  const Input input = file("x.sparse", "1:1 2:1 5:1 6:1 7:1\n1:1 2:1 3:1 6:1\n1:1 6:1 7:1\n2:1 3:1 4:1 5:1\n");
  const Plan plan = tune({.measure = Measure::weighted_jaccard, .threshold = 0.1, .recall = 1}, {.kind = Kind::numbers});
  EXPECT_EQ(values(input, plan), kDocuments);
}

// Restaurants that users like, do not like, or do not know:
//         Uno   Due   Tre  Four  Five   likes
//   ann   yes   no     -   yes   yes    Uno Four Five
//   bob   yes   no    no   yes   yes    Uno Four Five
//   cyd   yes   yes    -   no     -     Uno Due
//   dan   no     -    yes  no    no     Tre
//   eve    -    no     -   yes   yes    Four Five
constexpr const char* kUsers =
    "id,Uno,Due,Tre,Four,Five\nann,yes,no,,yes,yes\nbob,yes,no,no,yes,yes\ncyd,yes,yes,,no,\ndan,no,,yes,no,no\neve,,no,,yes,yes\n";

TEST_F(WorkedExamples, UsersDifferInAsManyAnswersAsCounted) {
  // Unknown is an answer of its own: ann and bob differ about Tre. ann, bob and eve each differ from dan everywhere.
  EXPECT_EQ(values(file("users.table", kUsers), answers_within(4, 5)),
            (Values{{"ann bob", 1}, {"ann cyd", 3}, {"ann eve", 1}, {"bob cyd", 4}, {"bob eve", 2}, {"cyd dan", 4}, {"cyd eve", 4}}));
}

TEST_F(WorkedExamples, UsersAreAsAlikeAsWhatTheyLike) {
  EXPECT_EQ(values(file("users.table", kUsers), jaccard_at(0.1)),
            (Values{{"ann bob", 1}, {"ann cyd", 1.0 / 4}, {"ann eve", 2.0 / 3}, {"bob cyd", 1.0 / 4}, {"bob eve", 2.0 / 3}}));
}

TEST_F(WorkedExamples, UsersLikeOneAndGroupsOfUsers) {
  const Input users = file("users.table", kUsers);
  EXPECT_EQ(clustered(users, answers_within(1, 5)), "ann\t0\nbob\t0\ncyd\t1\ndan\t2\neve\t0\n");
  const Input asked = file("asked.table", "id,Uno,Due,Tre,Four,Five\nfay,yes,no,no,yes,no\n");
  write_hits(query(users, asked, answers_within(3, 5)), dir_.path("hits"), RowStyle::tsv);
  // fay differs from bob about Five, from ann about Tre and Five, from eve about Uno, Tre and Five, from cyd and dan about four.
  EXPECT_EQ(dir_.read("hits"), "fay\tbob\t1\nfay\tann\t2\nfay\teve\t3\n");
}

// a → c d, b → d e, c → b, e → b, f → a
class WorkedGraph : public WorkedExamples {
 protected:
  Values similar(Directed directed) const {
    Input input = file("g.edges", "a c\na d\nb d\nb e\nc b\ne b\nf a\n");
    input.directed = directed;
    return values(input, jaccard_at(0.1));
  }
};

TEST_F(WorkedGraph, ByNeighboursOnBothEndsOfAnEdge) {
  // a {c d f}, b {c d e}, c {a b}, d {a b}, e {b}, f {a}; pairs are named in order of first appearance: a c d b e f.
  const Values expected{{"a b", 1.0 / 2}, {"c d", 1}, {"c e", 1.0 / 2}, {"c f", 1.0 / 2}, {"d e", 1.0 / 2}, {"d f", 1.0 / 2}};
  EXPECT_EQ(similar(Directed::no), expected);
}

TEST_F(WorkedGraph, ByWhomANodePointsTo) {
  // a {c d}, b {d e}, c {b}, e {b}, f {a}; d points to none and is EMPTY.
  EXPECT_EQ(similar(Directed::out), (Values{{"a b", 1.0 / 3}, {"c e", 1}}));
}

TEST_F(WorkedGraph, ByWhoPointsToANode) {
  // a {f}, b {c e}, c {a}, d {a b}, e {b}; nobody points to f.
  EXPECT_EQ(similar(Directed::in), (Values{{"c d", 1.0 / 2}, {"d e", 1.0 / 2}}));
}

TEST_F(WorkedGraph, ByBothKeptApart) {
  // a {>c >d <f}, b {>d >e <c <e}, c {>b <a}, d {<a <b}, e {>b <b}, f {>a}.
  EXPECT_EQ(similar(Directed::both), (Values{{"a b", 1.0 / 6}, {"c d", 1.0 / 3}, {"c e", 1.0 / 3}, {"d e", 1.0 / 3}}));
}

// The share of equal slots over many seeds, which must be within four standard errors of the figure.
void expect_agreement(const Vectors& two, Plan plan, double figure) {
  constexpr std::uint64_t kSeeds = 100;
  plan.sketch.hashes = 200;
  double share = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    plan.sketch.seed = seed;
    const Sketches sketches = sketch(two, plan);
    share += estimate(sketches[0], sketches[1]) / kSeeds;
  }
  EXPECT_NEAR(share, figure, 4 * std::sqrt(figure * (1 - figure) / (200 * kSeeds)) + 0.00005) << to_string(plan);
}

TEST(WorkedFamilies, HyperplanesSeparateVectorsThirtyDegreesApartOnceInSix) {
  const float side = std::sqrt(3.0f) / 2;
  const Vectors two = vectors_of(std::vector<test::Dense>{{1, 0}, {side, 0.5f}});
  EXPECT_NEAR(value_between(two, 0, two, 1, Measure::cosine), std::cos(std::numbers::pi / 6), 1e-6);
  expect_agreement(two, tune({.measure = Measure::cosine}), 0.8333);
}

TEST(WorkedFamilies, SampledBitsAgreeInAllButTheShareThatDiffers) {
  const Vectors two = vectors_of(std::vector<test::Bits>{{1, 0, 1, 1, 1, 0, 1}, {1, 0, 0, 1, 0, 0, 1}});
  expect_agreement(two, tune({.measure = Measure::hamming, .radius = 2}, {.dimensions = 7}), 1 - 2.0 / 7);
}

TEST(WorkedFamilies, ProjectionsIntoSlotsOfFourAgreeAsTheTableSays) {
  for (const auto& [distance, figure] : {std::pair{1.0f, 0.8005}, {2.0f, 0.6095}, {4.0f, 0.3687}}) {
    const Vectors two = vectors_of(std::vector<test::Dense>{{5, 7}, {5 + 0.6f * distance, 7 + 0.8f * distance}});
    EXPECT_NEAR(value_between(two, 0, two, 1, Measure::euclidean), double{distance}, 1e-6);
    expect_agreement(two, tune({.measure = Measure::euclidean, .radius = 1}, {.width = 4}), figure);
  }
}

TEST(WorkedFamilies, PlansHaveTheCurveOfTheirTables) {
  const Plan minhash = tune({.threshold = 0.9}, {.bands = 50, .rows = 25});
  EXPECT_NEAR(found_probability(minhash, 0.9), 0.976, 0.0005);
  EXPECT_NEAR(found_probability(minhash, 0.7), 0.0067, 0.00005);
  // The same tables of sampled bits: a distance of 10 in 100 is an agreement of 0.9.
  const Plan bits = tune({.measure = Measure::hamming, .radius = 10}, {.bands = 50, .rows = 25, .dimensions = 100});
  EXPECT_NEAR(found_probability(bits, 10), 0.976, 0.0005);
  EXPECT_NEAR(found_probability(bits, 30), 0.0067, 0.00005);
}

test::Bits flipped(test::Bits bits, std::size_t count, SplitMix& random) {
  std::vector<std::size_t> places(bits.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(places[k], places[k + random() % (places.size() - k)]);
    bits[places[k]] = !bits[places[k]];
  }
  return bits;
}

// One item at distance 16 of 256 from the query, behind 1,000 at 65: with R = 16 and c = 4 these are just too far.
std::vector<test::Bits> far_items_and_a_near_one(const test::Bits& query, SplitMix& random) {
  std::vector<test::Bits> items;
  for (int i = 0; i < 1000; ++i) items.push_back(flipped(query, 65, random));
  items.push_back(flipped(query, 16, random));
  return items;
}

// Of a search that stops after 3L items the books say: with p1 = 1 − 16/256, p2 = 1 − 64/256, rows k = ln n / ln(1/p2) = 24.01 and
// L = p1^−k = 4.7 tables, the near item shares a bucket in all but 1/e of the cases, and more than 3L of the others come before it in at
// most 1/3 of them: it is found in 1 − 1/e − 1/3 = 0.298 at least.
TEST(WorkedQueries, ThatStopAfterThreeTimesTheTablesStillFindTheNearItem) {
  constexpr int kTrials = 60;
  constexpr std::uint32_t kRows = 24, kTables = 5;
  SplitMix random(1);
  int found = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const test::Bits query = flipped(test::Bits(256), 128, random);
    const Goal goal{.measure = Measure::hamming, .radius = 64};
    const Tables tables(vectors_of(far_items_and_a_near_one(query, random)),
                        tune(goal, {.bands = kTables, .rows = kRows, .seed = trial, .dimensions = 256}));
    const Answer answer = Searcher(tables).find(vectors_of(std::vector<test::Bits>{query}), 0, {.max_candidates = 3 * kTables});
    EXPECT_LE(answer.looked_at, 3 * kTables);
    EXPECT_TRUE(!answer.stopped_early || answer.looked_at == 3 * kTables);
    ASSERT_LE(answer.hits.size(), 1u);
    if (answer.hits.empty()) continue;
    EXPECT_EQ(answer.hits[0].b, 1000u);
    EXPECT_EQ(answer.hits[0].value, 16);
    ++found;
  }
  const double least = 1 - 1 / std::numbers::e - 1.0 / 3;
  EXPECT_GE(found, kTrials * least - 3 * std::sqrt(kTrials * least * (1 - least)));
  EXPECT_LT(found, kTrials) << "so few tables cannot be so sure";
}

TEST(WorkedQueries, StopAfterThreeTimesTheTablesWhereEveryBucketIsFull) {
  SplitMix random(2);
  const test::Bits query = flipped(test::Bits(256), 128, random);
  const Tables tables(vectors_of(far_items_and_a_near_one(query, random)),
                      tune({.measure = Measure::hamming, .radius = 64}, {.bands = 5, .rows = 1, .dimensions = 256}));
  const Answer answer = Searcher(tables).find(vectors_of(std::vector<test::Bits>{query}), 0, {.max_candidates = 3 * 5});
  EXPECT_EQ(answer.looked_at, 15u);
  EXPECT_TRUE(answer.stopped_early);
  EXPECT_TRUE(answer.hits.empty()) << "rows ascending within a bucket: the near item is the last";
}

}  // namespace
}  // namespace nearkin::worked_examples_test
