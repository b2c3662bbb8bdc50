// Queries that the caller ends, and answers that the caller bounds.
#include <stdexcept>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "support/temp_dir.h"

namespace nearkin::test::stop_test {
namespace {

constexpr const char* kText = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood";
constexpr std::size_t kItems = 5000;

Plan plan() { return tune({.threshold = 0.5}, {.shingle = ShinglePlan{.size = 2}}); }

Index hot_index(const TempDir& folder) {
  Index index = Index::create(folder.path("index"), plan());
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < kItems; ++i) ids.push_back("i" + std::to_string(i));
  std::vector<IndexItem> items;
  for (const std::string& id : ids) items.push_back({id, kText, "{\"n\":1}"});
  index.put(items);
  return index;
}

TEST(StoppedQuery, EndsSoonWithWhatItHasFound) {
  const TempDir folder;
  const Index index = hot_index(folder);
  // The first questions are asked while the bucket is read, the later ones while its items are measured.
  for (const int patience : {0, 1, 10, 25, 30}) {
    int asked = 0;
    const IndexAnswer answer = index.query(kText, {.stop = [&] { return ++asked > patience; }});
    EXPECT_TRUE(answer.stopped && answer.stopped_early) << patience;
    EXPECT_EQ(asked, patience + 1);
    EXPECT_LT(answer.looked_at, kItems) << patience;
    EXPECT_LE(answer.hits.size(), answer.looked_at + 256) << patience;
    for (const Hit& hit : answer.hits) EXPECT_EQ(hit.similarity, 1);
  }
}

TEST(StoppedQuery, GoesToItsEndWhereNobodyStopsIt) {
  const TempDir folder;
  const Index index = hot_index(folder);
  int asked = 0;
  const IndexAnswer answer = index.query(kText, {.stop = [&] { return ++asked < 0; }});
  EXPECT_FALSE(answer.stopped || answer.stopped_early);
  EXPECT_EQ(answer.hits.size(), kItems);
  EXPECT_EQ(answer.looked_at, kItems);
  EXPECT_GT(asked, 10);
  EXPECT_EQ(index.query(kText, {.max_candidates = 10}).stopped, false);
}

TEST(StoppedQuery, TablesStopToo) {
  Items items;
  for (std::size_t i = 0; i < kItems; ++i) items.add("i" + std::to_string(i), kText);
  const Plan asked_for = plan();
  const Points points = shingle(items, asked_for.shingle);
  const Tables tables(points, asked_for);
  Searcher searcher(tables);
  const Answer stopped = searcher.find(points, 0, {.stop = [] { return true; }});
  EXPECT_TRUE(stopped.stopped);
  EXPECT_LT(stopped.looked_at, kItems);
  EXPECT_EQ(searcher.find(points, 0).hits.size(), kItems);
}

TEST(BoundedAnswers, AreToldBeforeEachIsAddedAndMayBeRefused) {
  const TempDir folder;
  const Index index = hot_index(folder);
  std::size_t bytes = 0, hits = 0;
  const auto count = [&](std::size_t more) {
    bytes += more;
    if (++hits > 100) throw std::runtime_error("enough");
  };
  EXPECT_THROW(index.query(kText, {.metadata = true, .before_hit = count}), std::runtime_error);
  EXPECT_EQ(hits, 101U);
  EXPECT_GT(bytes, 101 * sizeof(Hit));
  hits = 0;
  EXPECT_EQ(index.query(kText, {.limit = 7, .before_hit = count}).hits.size(), 7U);
  EXPECT_EQ(hits, 7U);
}

}  // namespace
}  // namespace nearkin::test::stop_test
