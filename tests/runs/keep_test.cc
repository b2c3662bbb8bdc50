// Which member of a group stays.
#include "support/run_support.h"

#include <nearkin/tools/names.h>

namespace nearkin::keep_test {
namespace {

class KeepRules : public test::Runs {
 protected:
  std::string ids(const std::string& records) const {
    std::string found;
    for (const std::string& line : test::lines_of(records)) found += line.substr(7, 1);
    return found;
  }
};

TEST_F(KeepRules, FirstLastLongestAndShortest) {
  const Input input = file("docs.jsonl", test::json_record("a", "x y  z") + test::json_record("b", "x ... y z") +
                                             test::json_record("c", "x y z") + test::json_record("d", "x y z!"));
  EXPECT_EQ(ids(kept_by("first", input)), "a");
  EXPECT_EQ(ids(kept_by("last", input)), "d");
  EXPECT_EQ(ids(kept_by("longest", input)), "b");
  EXPECT_EQ(ids(kept_by("shortest", input)), "c");
}

TEST_F(KeepRules, OfEqualsTheEarlierStays) {
  const Input input = file("docs.jsonl", test::json_record("a", "x y z") + test::json_record("b", "z y x"));
  EXPECT_EQ(ids(kept_by("longest", input)), "a");
  EXPECT_EQ(ids(kept_by("shortest", input)), "a");
  EXPECT_EQ(ids(kept_by("max:score", input)), "a") << "no item has the number";
}

TEST_F(KeepRules, NumbersThatAreMissingComeLast) {
  const Input input = file("docs.jsonl",
                           "{\"id\":\"a\",\"text\":\"x y\"}\n{\"id\":\"b\",\"text\":\"x y\",\"score\":-5}\n"
                           "{\"id\":\"c\",\"text\":\"x y\",\"score\":\"-4.5\"}\n"
                           "{\"id\":\"d\",\"text\":\"x y\",\"score\":null}\n{\"id\":\"e\",\"text\":\"x y\",\"score\":\"none\"}\n");
  EXPECT_EQ(ids(kept_by("max:score", input)), "c");
  EXPECT_EQ(ids(kept_by("min:score", input)), "b");
}

TEST_F(KeepRules, NumbersOfDottedFieldsAndOfCsv) {
  const Input nested =
      file("docs.jsonl", "{\"id\":\"a\",\"text\":\"x y\",\"m\":{\"n\":1}}\n{\"id\":\"b\",\"text\":\"x y\",\"m\":{\"n\":1e2}}\n");
  EXPECT_EQ(ids(kept_by("max:m.n", nested)), "b");
  const Input table = file("docs.csv", "id,text,n\na,x y,\nb,x y,10\nc,x y,9\n");
  EXPECT_EQ(kept_by("max:n", table), "id,text,n\nb,x y,10\n");
  EXPECT_EQ(kept_by("min:n", table), "id,text,n\nc,x y,9\n");
}

TEST_F(KeepRules, ApplyToSketchedExactAndClusteredRunsAlike) {
  const Input input = file("docs.jsonl", test::json_record("a", "one two three four five six") +
                                             test::json_record("b", "one two three four five six ") + test::json_record("c", "other"));
  for (const Plan& plan : {tune({}), test::exact_plan(), test::sure_plan()}) {
    EXPECT_EQ(ids(kept_by("longest", input, plan)), "bc") << plan;
    const ClusterResult result = cluster(input, plan, {.keep = parse_keep("longest")});
    EXPECT_EQ(result.clusters.keeper, (std::vector<Row>{1, 2}));
  }
}

TEST_F(KeepRules, DecideTheStars) {
  // A chain: with the middle one first, it takes both ends.
  const std::string a = test::json_record("a", "1 2 3 4"), b = test::json_record("b", "2 3 4 5   "), c = test::json_record("c", "3 4 5 6");
  EXPECT_EQ(ids(kept_by("first", file("docs.jsonl", a + b + c), test::sure_plan(0.6))), "ac");
  EXPECT_EQ(ids(kept_by("longest", file("docs.jsonl", a + b + c), test::sure_plan(0.6))), "b");
}

TEST_F(KeepRules, AreSpelledAndRefused) {
  for (const char* spelled : {"first", "last", "longest", "shortest", "max:score", "min:a.b"})
    EXPECT_EQ(to_string(parse_keep(spelled)), spelled);
  for (const char* wrong : {"", "best", "max", "max:", "min:", "first:x", "longest:text"}) EXPECT_THROW(parse_keep(wrong), Error) << wrong;
}

}  // namespace
}  // namespace nearkin::keep_test
