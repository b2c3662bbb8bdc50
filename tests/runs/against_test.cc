// Two collections: the pairs between them, and the one without what the other has.
#include "support/run_support.h"

#include <nearkin/tools/names.h>

namespace nearkin::against_test {
namespace {

using test::json_record;
using test::sure_plan;

class Against : public test::Runs {
 protected:
  const Input input_ =
      file("new.jsonl", json_record("n1", "a b c d") + json_record("n2", "a b c d") + json_record("n3", "x y z") + json_record("n4", ""));
  const Input other_ = file("old.jsonl", json_record("o1", "a b c e") + json_record("n1", "d c b a") + json_record("o3", "a b c d") +
                                             json_record("o4", "") + json_record("o5", "p q") + json_record("o6", "p q"));
  std::vector<Plan> plans(double threshold) const {
    return {sure_plan(threshold), tune({.threshold = threshold, .recall = 0.999}, {.shingle = parse_shingle("word:1")})};
  }
};

TEST_F(Against, PairsAreThoseBetweenTheTwoOnly) {
  for (const Plan& plan : plans(0.6)) {
    EXPECT_EQ(listed(input_, plan, &other_), "n1\to1\t0.6\nn1\tn1\t1\nn1\to3\t1\nn2\to1\t0.6\nn2\tn1\t1\nn2\to3\t1\n") << plan;
    const PairsResult result = pairs(input_, plan, {}, &other_);
    EXPECT_EQ(result.ids.size(), 10u);
    EXPECT_EQ(result.stats.pairs, 6u);
    for (const Match& match : result.matches) EXPECT_TRUE(match.a < 4 && match.b >= 4);
  }
}

TEST_F(Against, DedupRemovesWhatIsThereAndNothingElse) {
  for (const Plan& plan : plans(0.6)) {
    const std::string expected = json_record("n3", "x y z") + json_record("n4", "");
    EXPECT_EQ(kept(input_, plan, {.against = other_, .removed = dir_.path("removed")}), expected) << plan;
    EXPECT_EQ(dir_.read("removed"), "n1\tn1\t1\nn2\tn1\t1\n") << "the most similar, the first of equals";
    EXPECT_EQ(result_.stats.items, 4u) << "items of the input";
    EXPECT_EQ(result_.removed, 2u);
  }
}

TEST_F(Against, CopiesWithinTheInputStay) {
  const Input nothing_alike = file("else.jsonl", json_record("o", "nothing of it"));
  EXPECT_EQ(kept(input_, sure_plan(), {.against = nothing_alike}), dir_.read("new.jsonl"));
}

TEST_F(Against, MeasureExact) {
  const Input input = file("a.jsonl", json_record("1", "Same  text") + json_record("2", "same text") + json_record("3", "other"));
  const Input other = file("b.jsonl", json_record("x", "SAME TEXT") + json_record("y", "same text") + json_record("z", "new"));
  EXPECT_EQ(listed(input, test::exact_plan(), &other), "1\tx\t1\n1\ty\t1\n2\tx\t1\n2\ty\t1\n");
  EXPECT_EQ(kept(input, test::exact_plan(), {.against = other}), json_record("3", "other"));
}

TEST_F(Against, AnEmptyInputHasNoPairsAndStaysEmpty) {
  const Input nothing = file("nothing.jsonl", "");
  const Input alike =
      file("alike.jsonl", json_record("a", "one two three") + json_record("b", "one two three four") + json_record("c", "one two three"));
  for (const Plan& plan : plans(0.5)) {
    EXPECT_EQ(listed(nothing, plan, &alike), "");
    EXPECT_EQ(kept(nothing, plan, {.against = alike, .removed = dir_.path("removed")}), "");
    EXPECT_EQ(dir_.read("removed"), "");
  }
  EXPECT_EQ(listed(nothing, test::exact_plan(), &alike), "");
  EXPECT_EQ(kept(nothing, test::exact_plan(), {.against = alike}), "");
}

TEST_F(Against, AnEmptyOtherRemovesNothing) {
  const Input nothing = file("nothing.jsonl", "");
  for (const Plan& plan : plans(0.5)) {
    EXPECT_EQ(listed(input_, plan, &nothing), "");
    EXPECT_EQ(kept(input_, plan, {.against = nothing}), dir_.read("new.jsonl"));
  }
}

TEST_F(Against, FormatsMayDiffer) {
  const Input table = file("old.csv", "id,text\nt,a b c d\n");
  EXPECT_EQ(listed(input_, sure_plan(), &table), "n1\tt\t1\nn2\tt\t1\n");
  EXPECT_EQ(kept(input_, sure_plan(), {.against = table}), json_record("n3", "x y z") + json_record("n4", ""));
}

TEST_F(Against, FaultsOfTheOtherAreCountedButNotWrittenAsSkipped) {
  const Input faulty = file("old.jsonl", "broken\n" + json_record("o", "a b c d"));
  kept(input_, sure_plan(), {.against = faulty, .skipped = dir_.path("skipped")});
  EXPECT_EQ(result_.stats.faults.count, 1u);
  EXPECT_EQ(dir_.read("skipped"), "");
}

TEST_F(Against, LargeBucketsAcrossTwoCollectionsAreFound) {
  std::string common, many, more;
  for (int i = 0; i < 60; ++i) common += "w" + std::to_string(i) + " ";
  for (int i = 0; i < 500; ++i) {
    many += json_record("a" + std::to_string(i), common + "left" + std::to_string(i));
    more += json_record("b" + std::to_string(i), common + "right" + std::to_string(i));
  }
  const Input left = file("left.jsonl", many);
  EXPECT_EQ(kept(left, tune({.threshold = 0.8}), {.against = file("right.jsonl", more)}), "");
  EXPECT_GT(result_.stats.buckets.large, 0u);
}

TEST_F(Against, DoesNotGoWithAnnotate) {
  const Error error = test::error_of([&] { kept(input_, sure_plan(), {.against = other_, .annotate = true}); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.subject(), "annotate");
}

TEST_F(Against, CountsTheInputAlone) {
  const Input input = file("new.jsonl", json_record("a", "") + json_record("b", "x y") + json_record("c", "x y"));
  DedupOptions options{};
  options.against = file("old.jsonl", json_record("d", "") + json_record("e", "x y") + json_record("f", "x y"));
  const DedupResult result = dedup(input, dir_.path("kept"), sure_plan(), options);
  EXPECT_EQ(result.stats.items, 3u);
  EXPECT_EQ(result.stats.empty, 1u);
  EXPECT_EQ(result.stats.copies, 1u);
  EXPECT_EQ(result.removed, 2u);
}

}  // namespace
}  // namespace nearkin::against_test
