// Frozen answers: what a committed collection gave once, it gives on every machine and in every later version. A change here is a change
// of what users get. The files were written by the runs below; tests/data/golden.jsonl holds hostile records too.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::golden_test {
namespace {

std::string data(const std::string& name) { return std::string(NEARKIN_TEST_DATA) + "/" + name; }

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Golden : public testing::Test {
 protected:
  const Plan plan_ =
      parse_plan("jaccard>=0.55 recall=0.95 shingle=word:2 normalise=text sketch=minhash:96 bands=24x4 bucket=128 verify=exact seed=7");
  const Input input_ = test::input_from(data("golden.jsonl"));
  const test::TempDir dir_;

  void expect_frozen(const std::string& name) const {
    const std::string expected = bytes_of(data(name));
    EXPECT_FALSE(expected.empty()) << data(name) << " is missing";
    EXPECT_EQ(dir_.read(name), expected) << name;
  }
};

TEST_F(Golden, Pairs) {
  const PairsResult result = pairs(input_, plan_);
  list_pairs(input_, plan_, {.path = dir_.path("golden.pairs.tsv")});
  expect_frozen("golden.pairs.tsv");
  EXPECT_EQ(result.stats.items, 36u);
  EXPECT_EQ(result.stats.empty, 4u);
  EXPECT_EQ(result.stats.faults.count, 7u);
}

TEST_F(Golden, Estimates) {
  Plan plan = plan_;
  plan.verify = Verify::estimate;
  list_pairs(input_, plan, {.path = dir_.path("golden.estimates.json"), .style = RowStyle::json});
  expect_frozen("golden.estimates.json");
}

TEST_F(Golden, Clusters) {
  list_clusters(input_, plan_, {.path = dir_.path("golden.clusters.tsv"), .summary = dir_.path("golden.summary.tsv")});
  list_clusters(input_, plan_, {.path = dir_.path("golden.stars.json"), .style = RowStyle::json, .least = 2}, {.linkage = Linkage::star});
  expect_frozen("golden.clusters.tsv");
  expect_frozen("golden.summary.tsv");
  expect_frozen("golden.stars.json");
}

TEST_F(Golden, Dedup) {
  const DedupResult result =
      dedup(input_, dir_.path("golden.kept.jsonl"), plan_,
            {.removed = dir_.path("golden.removed.tsv"), .keep_faults = false, .skipped = dir_.path("golden.skipped.jsonl")});
  EXPECT_EQ(result.kept + result.removed, 36u);
  expect_frozen("golden.kept.jsonl");
  expect_frozen("golden.removed.tsv");
  expect_frozen("golden.skipped.jsonl");
}

TEST_F(Golden, Annotated) {
  dedup(input_, dir_.path("golden.annotated.jsonl"), plan_, {.annotate = true});
  expect_frozen("golden.annotated.jsonl");
}

}  // namespace
}  // namespace nearkin::golden_test
