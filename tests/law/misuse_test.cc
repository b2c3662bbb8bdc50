// Every size and index that a caller passes to the public functions is checked: a value beyond its limit is an error that names both.
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "support/temp_dir.h"

namespace nearkin::misuse_test {
namespace {

using test::TempDir;

// The message of the Error(plan) that `call` throws.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

Features three_sets() { return {.hashes = {1, 2, 3, 1, 2, 4, 5}, .ends = {3, 6, 7}}; }

Sketches three_sketches(std::uint32_t hashes) { return sketch(three_sets(), SketchPlan{.hashes = hashes}); }

Vectors points(std::size_t count, std::uint32_t dimensions = 2) {
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = count};
  vectors.numbers.resize(count * dimensions);
  std::iota(vectors.numbers.begin(), vectors.numbers.end(), 1.0f);
  return vectors;
}

Input three_texts() { return {.memory = std::make_shared<const MemoryItems>(MemoryItems{.texts = {"a b c", "a b d", "e"}})}; }

Plan cosine_plan() {
  Plan plan;
  plan.measure = Measure::cosine;
  plan.kind = Kind::numbers;
  plan.sketch = {.hashes = 64, .family = Family::hyperplane};
  plan.threshold = {9, 10};
  return plan;
}

TEST(Misuse, NoThreadsMeanAllCores) {
  const Vectors vectors = points(1000);
  const Plan plan = cosine_plan();
  const Pairs pairs{{0, 1}, {1, 2}, {998, 999}};
  EXPECT_EQ(sketch(vectors, plan, 0).slots, sketch(vectors, plan, 1).slots);
  EXPECT_EQ(verify(pairs, vectors, plan, 0), verify(pairs, vectors, plan, 1));
  EXPECT_EQ(exact_join(vectors, plan, 0), exact_join(vectors, plan, 1));
  EXPECT_EQ(candidates(three_sketches(64), {.bands = 16, .rows = 4}, nullptr, 0), candidates(three_sketches(64), {.bands = 16, .rows = 4}));
  EXPECT_EQ(verify({{0, 1}}, three_sets(), {1, 10}, 0), verify({{0, 1}}, three_sets(), {1, 10}));
  EXPECT_EQ(exact_join(three_sets(), {1, 10}, 0), exact_join(three_sets(), {1, 10}));
}

TEST(Misuse, BandsMustFitIntoTheSketch) {
  const std::string message = "bands: 20 of 5 rows need 100 hashes, the sketch has 64; use fewer of either";
  const Sketches sketches = three_sketches(64);
  EXPECT_EQ(refusal([&] { candidates(sketches, {.bands = 20, .rows = 5}); }), message);
  EXPECT_EQ(refusal([&] { band_keys(sketches[0], {.bands = 20, .rows = 5}); }), message);
  EXPECT_EQ(refusal([&] { candidates(sketches, {.bands = 20, .rows = 0}); }), "rows: 0 rows make no band; use 1 or more");
  Plan plan;
  plan.sketch.hashes = 64;
  plan.band = {.bands = 20, .rows = 5};
  const std::string_view text = "a text";
  EXPECT_EQ(refusal([&] { describe({&text, 1}, plan); }), message);
}

TEST(Misuse, TheOrderOfKeepingMustListEveryRowOnce) {
  const Matches matches{{0, 1, 1, 2}};
  for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
    const auto refused = [&](const std::vector<Row>& order) { return refusal([&] { cluster(matches, 3, linkage, order); }); };
    EXPECT_EQ(refused({2, 1}), "order: 2 rows where there must be 3");
    EXPECT_EQ(refused({2, 1, 0, 0}), "order: 4 rows where there must be 3");
    EXPECT_EQ(refused({2, 1, 3}), "order: row 3 is not among the 3 items, which are numbered from 0");
    EXPECT_EQ(refused({2, 1, 2}), "order: row 2 is listed twice; every row must be listed once");
    EXPECT_EQ(cluster(matches, 3, linkage, std::vector<Row>{2, 1, 0}).keeper, (std::vector<Row>{1, 2}));
  }
}

TEST(Misuse, MatchesAndPairsMustNameItems) {
  const std::string beyond = " is not among the 3 items, which are numbered from 0";
  for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
    EXPECT_EQ(refusal([&] { cluster({{0, 3, 1, 2}}, 3, linkage); }), "matches: row 3" + beyond);
    EXPECT_EQ(refusal([&] { cluster({{7, 0, 1, 2}}, 3, linkage); }), "matches: row 7" + beyond);
  }
  EXPECT_EQ(refusal([&] { verify({{0, 1}, {1, 3}}, three_sets(), {8, 10}); }), "pairs: row 3" + beyond);
  EXPECT_EQ(refusal([&] { verify({{0, 1}, {4, 1}}, points(3), cosine_plan()); }), "pairs: row 4" + beyond);
}

TEST(Misuse, ThresholdsMustBeFractions) {
  const std::string message = "threshold: 1/0 is not a fraction from 0 to 1 with a denominator of 1 to 1000000000";
  EXPECT_EQ(refusal([&] { verify({{0, 1}}, three_sets(), {1, 0}); }), message);
  EXPECT_EQ(refusal([&] { exact_join(three_sets(), {1, 0}); }), message);
  EXPECT_NE(refusal([&] { exact_join(three_sets(), {3, 2}); }), "nothing was thrown");
  Plan plan = cosine_plan();
  plan.threshold = {1, 0};
  EXPECT_EQ(refusal([&] { exact_join(points(3), plan); }), message);
  EXPECT_EQ(refusal([&] { verify({{0, 1}}, points(3), plan); }), message);
}

TEST(Misuse, RadiiMustBeDistances) {
  const Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 8, .count = 2, .words = {0, 1}};
  Plan plan;
  plan.measure = Measure::hamming;
  plan.kind = Kind::bits;
  plan.radius = -1;
  EXPECT_EQ(refusal([&] { exact_join(bits, plan); }), "radius: -1.000000 is no distance; use 0 or more");
  EXPECT_EQ(refusal([&] { verify({{0, 1}}, bits, plan); }), "radius: -1.000000 is no distance; use 0 or more");
  plan.radius = std::nan("");
  EXPECT_NE(refusal([&] { exact_join(bits, plan); }), "nothing was thrown");
}

TEST(Misuse, FeaturesMustEndWhereTheirHashesDo) {
  const Features beyond{.hashes = {1, 2, 3}, .ends = {2, 4}}, falling{.hashes = {1, 2, 3}, .ends = {3, 2}};
  const std::string message = "features: the last item ends at 4, beyond the 3 entries there are";
  EXPECT_EQ(refusal([&] { sketch(beyond, SketchPlan{}); }), message);
  EXPECT_EQ(refusal([&] { verify({{0, 1}}, beyond, {8, 10}); }), message);
  EXPECT_EQ(refusal([&] { exact_join(beyond, {8, 10}); }), message);
  EXPECT_EQ(refusal([&] { exact_join(falling, {8, 10}); }), "features: an item ends at 2, before it begins at 3; ends must ascend");
}

TEST(Misuse, SketchesMustHaveTheirSlots) {
  Sketches sketches = three_sketches(64);
  sketches.slots.pop_back();
  EXPECT_EQ(refusal([&] { candidates(sketches, {.bands = 1, .rows = 1}); }), "sketches: 191 slots where there must be 192");
  EXPECT_EQ(refusal([&] { estimate(three_sketches(64)[0], three_sketches(32)[0]); }),
            "estimate: sketches of 64 and 32 slots have none in common; use one plan");
  EXPECT_NE(refusal([&] { sketch(three_sets(), SketchPlan{.hashes = 0}); }), "nothing was thrown");
  EXPECT_NE(refusal([&] { slot_origins(three_sets()[0], SketchPlan{.hashes = 0}); }), "nothing was thrown");
  EXPECT_EQ(refusal([&] { slot_origins({}, SketchPlan{.hashes = 8}); }), "elements: 0 elements give no slot its value; use one or more");
}

TEST(Misuse, ItemsMustHaveTextsAndShinglesASize) {
  Items items;
  items.ids.add("a");
  EXPECT_EQ(refusal([&] { shingle(items, {}); }), "items: 0 texts where there must be 1");
  EXPECT_EQ(refusal([&] { shingle_spans("a b c", {.size = 0}); }), "shingle: 0 is not between 1 and 1000");
  const std::string_view text = "a b c";
  EXPECT_EQ(refusal([&] { shingle({&text, 1}, {.size = 0}); }), "shingle: 0 is not between 1 and 1000");
}

TEST(Misuse, VectorsMustHaveTheirNumbers) {
  Vectors dense = points(3);
  dense.numbers.pop_back();
  Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 65, .count = 2, .words = {1, 2, 3}};
  Vectors sparse{.kind = Vectors::Kind::sparse, .count = 2, .indices = {1, 2}, .values = {1, 1}, .ends = {1, 3}};
  EXPECT_EQ(refusal([&] { sketch(dense, cosine_plan()); }), "vectors: 5 numbers where there must be 6");
  EXPECT_EQ(refusal([&] { verify({}, dense, cosine_plan()); }), "vectors: 5 numbers where there must be 6");
  EXPECT_EQ(refusal([&] { exact_join(bits, cosine_plan()); }), "vectors: 3 words where there must be 4");
  EXPECT_EQ(refusal([&] { prepare(sparse, cosine_plan()); }), "vectors: the last item ends at 3, beyond the 2 entries there are");
  EXPECT_EQ(refusal([&] { sample_data(sparse, Measure::cosine); }), "vectors: the last item ends at 3, beyond the 2 entries there are");
  sparse.ends = {2};
  EXPECT_EQ(refusal([&] { sample_data(sparse, Measure::cosine); }), "vectors: 1 ends where there must be 2");
}

TEST(Misuse, VectorsMustBeThere) {
  const std::string beyond = "vectors: row 3 is not among the 3 items, which are numbered from 0";
  EXPECT_EQ(refusal([&] { is_empty(points(3), 3, Measure::cosine); }), beyond);
  EXPECT_EQ(refusal([&] { value_between(points(3), 3, points(3), 0, Measure::cosine); }), beyond);
  EXPECT_EQ(refusal([&] { value_between(points(3), 0, points(3), 3, Measure::cosine); }), beyond);
  const Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 8, .count = 1, .words = {0}};
  EXPECT_FALSE(is_empty(bits, 0, Measure::cosine));
}

TEST(Misuse, LevelsMustFitIntoABitString) {
  Plan plan;
  plan.measure = Measure::hamming;
  plan.kind = Kind::bits;
  plan.binarise = Binarise::unary;
  plan.levels = 1u << 31;
  EXPECT_EQ(refusal([&] { prepare(points(1, 3), plan); }), "levels: 2147483648 is not between 1 and 1000");
  plan.levels = 1000;
  EXPECT_EQ(refusal([&] { prepare(points(1, 4'294'968), plan); }),
            "binarise: 1000 levels of 4294968 numbers are more than the 4294967295 bits an item may have; use fewer levels");
}

TEST(Misuse, RecallRefusesCountsThatCannotBe) {
  const std::vector<AuditedItem> audited{{.true_pairs = 1, .found = 2}};
  EXPECT_EQ(refusal([&] { audited_recall(audited, 10); }), "audit: 2 pairs found of an item that has 1; it cannot be more");
  EXPECT_EQ(refusal([&] { audited_recall(std::vector<AuditedItem>(3), 2); }),
            "population: 2 are fewer than the 3 items drawn from it; give the whole collection's");
}

TEST(Misuse, CurvesNeedBandsAndRows) {
  EXPECT_EQ(refusal([] { curve_threshold(0, 5); }), "bands: 0 has no curve; use 1 or more");
  EXPECT_EQ(refusal([] { half_point(20, 0); }), "rows: 0 has no curve; use 1 or more");
}

TEST(Misuse, AnyNumberOfAlternativesCanBeAskedFor) {
  EXPECT_EQ(alternatives({}, {}, UINT32_MAX).size(), alternatives({}, {}, 1000).size());
}

TEST(Misuse, ThreadsAreLimited) {
  const std::string message = "threads: 4097 is more than 4096; use 0 for one thread per core";
  EXPECT_EQ(refusal([] { candidates(three_sketches(64), {.bands = 1, .rows = 1}, nullptr, 4097); }), message);
  EXPECT_EQ(refusal([] { exact_join(three_sets(), {8, 10}, 4097); }), message);
  EXPECT_EQ(refusal([] { sketch(points(3), cosine_plan(), 4097); }), message);
  EXPECT_EQ(refusal([] { verify({}, points(3), cosine_plan(), 4097); }), message);
  EXPECT_EQ(refusal([] { exact_join(points(3), cosine_plan(), 4097); }), message);
  EXPECT_EQ(refusal([] { Tables(three_sets(), tune({}), 4097); }), message);
  EXPECT_EQ(refusal([] { pairs(three_texts(), tune({}), {.threads = 4097}); }), message);
}

// --- Plans that were made by hand

Plan bands_that_do_not_fit() {
  Plan plan;
  plan.sketch.hashes = 64;
  plan.band = {.bands = 20, .rows = 5};
  return plan;
}

TEST(Misuse, EveryRunRefusesBandsThatDoNotFitIntoTheSketch) {
  const std::string message = "bands: 20 with rows 5 needs 100 hashes, the sketch has 64; use rows 3 or hashes 100";
  const Plan plan = bands_that_do_not_fit();
  const Input input = three_texts();
  const TempDir dir;
  EXPECT_EQ(refusal([&] { pairs(input, plan); }), message);
  EXPECT_EQ(refusal([&] { cluster(input, plan); }), message);
  EXPECT_EQ(refusal([&] { dedup_rows(input, plan); }), message);
  EXPECT_EQ(refusal([&] { dedup(input, dir.path("kept"), plan); }), message);
  EXPECT_EQ(refusal([&] { list_pairs(input, plan, {.path = dir.path("pairs")}); }), message);
  EXPECT_EQ(refusal([&] { list_clusters(input, plan, {.path = dir.path("clusters")}); }), message);
  EXPECT_EQ(refusal([&] { what_if(input, plan, {}); }), message);
  EXPECT_EQ(refusal([&] { write_sketches(input, dir.path("sketches"), plan); }), message);
  EXPECT_EQ(refusal([&] { query(input, input, plan); }), message);
  EXPECT_EQ(refusal([&] { evaluate(input, std::nullopt, {{.plan = plan}}); }), message);
  EXPECT_EQ(refusal([&] { Tables(three_sets(), plan); }), message);
  EXPECT_EQ(refusal([&] { Index::create(dir.path("index"), plan); }), message);
  EXPECT_EQ(refusal([&] { create_index(dir.path("index"), input, plan); }), message);
  EXPECT_EQ(refusal([&] { compare("a text", "a text", plan); }), message);
  EXPECT_FALSE(std::filesystem::exists(dir.path("index")));
  Plan vectors = cosine_plan();
  vectors.band = {.bands = 20, .rows = 5};
  EXPECT_EQ(refusal([&] { compare(points(2), 0, points(2), 1, vectors); }), message);
}

TEST(Misuse, ARunNeedsBandsWhereThereIsASketch) {
  Plan plan;
  plan.sketch.hashes = 64;
  EXPECT_EQ(refusal([&] { pairs(three_texts(), plan); }),
            "bands: 0 bands of a sketch with 64 hashes find nothing; use 1 or more, or no hashes");
  plan.band.bands = 8;
  EXPECT_EQ(refusal([&] { pairs(three_texts(), plan); }), "rows: 0 rows make no band; use 1 or more");
}

// What Tables says to the plan of a goal after `change`.
std::string said_to(const Goal& goal, const Points& items, const std::function<void(Plan&)>& change) {
  Plan plan = tune(goal);
  change(plan);
  return refusal([&] { Tables(items, plan); });
}

TEST(Misuse, NumbersOfAPlanMustBeInTheirRange) {
  const auto sets = [](const std::function<void(Plan&)>& change) { return said_to({}, three_sets(), change); };
  EXPECT_EQ(sets([](Plan& plan) {
              plan.threshold = {3, 0};
            }),
            "threshold: 3/0 is not a fraction from 0 to 1 with a denominator of 1 to 1000000000");
  EXPECT_EQ(sets([](Plan& plan) { plan.band.large_bucket = 1; }), "bucket: 1 is not between 2 and 4294967295");
  EXPECT_EQ(sets([](Plan& plan) { plan.band.probes = 257; }), "probes: 257 is not between 1 and 256");
  EXPECT_EQ(sets([](Plan& plan) { plan.sketch.hashes = 5000; }), "hashes: 5000 is not between 1 and 4096");
  EXPECT_EQ(sets([](Plan& plan) { plan.levels = 3; }), "binarise: 3 bits per number have no use with none; use unary:3");
  EXPECT_EQ(sets([](Plan& plan) { plan.sketch.family = Family::gaussian; }),
            "sketch: gaussian does not hash shingles for jaccard; use minhash");
  EXPECT_NE(sets([](Plan& plan) { plan.recall = 0; }), "nothing was thrown");
  EXPECT_NE(sets([](Plan& plan) { plan.recall = std::nan(""); }), "nothing was thrown");

  const Goal near{.measure = Measure::euclidean, .radius = 2};
  EXPECT_NE(said_to(near, points(3), [](Plan& plan) { plan.radius = -1; }), "nothing was thrown");
  EXPECT_NE(said_to(near, points(3), [](Plan& plan) { plan.sketch.width = 0; }), "nothing was thrown");
  const Vectors bits{.kind = Vectors::Kind::bits, .dimensions = 8, .count = 1, .words = {0}};
  const Goal alike{.measure = Measure::hamming, .recall = 1, .radius = 2};
  EXPECT_EQ(said_to(alike, bits, [](Plan& plan) { plan.radius = 2.5; }),
            "radius: 2.5 is neither a number of places, such as 16, nor a share of them below 1, such as 0.05");
}

// --- Points and items in memory

TEST(Misuse, PointsMustHaveTheirSizes) {
  const Plan plan = tune({});
  const Features beyond{.hashes = {1, 2, 3}, .ends = {2, 4}};
  EXPECT_EQ(refusal([&] { Tables(beyond, plan); }), "features: the last item ends at 4, beyond the 3 entries there are");
  EXPECT_EQ(refusal([&] { Tables(std::shared_ptr<const Points>(), plan); }),
            "points: there are none; give a collection, which may be empty");
  const Tables tables(three_sets(), plan);
  Searcher searcher(tables);
  EXPECT_EQ(refusal([&] { searcher.find(three_sets(), 3); }), "features: row 3 is not among the 3 items, which are numbered from 0");
  EXPECT_EQ(refusal([&] { searcher.find(beyond, 1); }), "features: item 1 ends at 4, beyond the 3 entries there are");
  EXPECT_EQ(searcher.find(beyond, 0).hits.size(), 0u);
}

TEST(Misuse, OneVectorIsCheckedLikeAll) {
  Vectors cut = points(3);
  cut.numbers.pop_back();
  const Vectors sparse{.kind = Vectors::Kind::sparse, .count = 2, .indices = {1, 2}, .values = {1, 1}, .ends = {1, 3}};
  const std::string short_of_one = "vectors: 5 numbers where there must be 6";
  EXPECT_EQ(refusal([&] { is_empty(cut, 2, Measure::cosine); }), short_of_one);
  EXPECT_EQ(refusal([&] { value_between(cut, 2, points(3), 0, Measure::cosine); }), short_of_one);
  EXPECT_EQ(refusal([&] { value_between(points(3), 0, cut, 2, Measure::cosine); }), short_of_one);
  EXPECT_EQ(refusal([&] { compare(points(3), 0, cut, 2, cosine_plan()); }), short_of_one);
  EXPECT_EQ(refusal([&] { compare(sparse, 1, sparse, 0, cosine_plan()); }), "vectors: item 1 ends at 3, beyond the 2 entries there are");
  EXPECT_EQ(refusal([&] { compare(sparse, 2, sparse, 0, cosine_plan()); }),
            "vectors: row 2 is not among the 2 items, which are numbered from 0");
  EXPECT_THROW(value_between(points(3), 0, points(3, 3), 0, Measure::cosine), Error);
}

TEST(Misuse, ItemsInMemoryMustHaveTheirSizes) {
  const Plan plan = tune({});
  const auto refused = [&](MemoryItems items) {
    return refusal([&] { pairs({.memory = std::make_shared<const MemoryItems>(std::move(items))}, plan); });
  };
  EXPECT_EQ(refused({.texts = {"a", "b"}, .numbers = {1}}), "memory: 1 numbers where there must be 2");
  EXPECT_EQ(refused({.texts = {"a"}, .vectors = std::make_shared<const Vectors>(points(3))}),
            "memory: 1 texts beside 3 vectors; give one of them");
  Vectors cut = points(3);
  cut.numbers.pop_back();
  EXPECT_EQ(refused({.vectors = std::make_shared<const Vectors>(cut)}), "vectors: 5 numbers where there must be 6");
}

TEST(Misuse, ItemsMustBeFewEnoughToBeNumbered) {
  const std::string message = "4294967295 are more than the 4294967294 that can be numbered; use fewer";
  EXPECT_EQ(refusal([] { cluster({}, 4294967295); }), "items: " + message);
  const Vectors many{.kind = Vectors::Kind::dense, .dimensions = 0, .count = 4294967295};
  EXPECT_EQ(refusal([&] { is_empty(many, 0, Measure::cosine); }), "vectors: " + message);
}

}  // namespace
}  // namespace nearkin::misuse_test
