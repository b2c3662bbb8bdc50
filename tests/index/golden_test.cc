// Folders of every version of the format that was ever released, as they were written then.
#include <filesystem>

#include <gtest/gtest.h>
#include <nearkin/index.h>

#include "index/index_support.h"
#include "support/temp_dir.h"

namespace nearkin::golden_test {
namespace {

void expect_answers_and_change(const std::string& folder) {
  Index index = Index::open(folder);
  const IndexCheck check = index.verify();
  ASSERT_EQ(check.problem_count, 0u) << check.problems.front();
  EXPECT_EQ(index.ids(), (std::vector<std::string>{"empty", "fox", "fox-2", std::string(600, 'x'), "zebras"}));
  EXPECT_EQ(index.info().empty, 1u);
  const std::optional<StoredItem> fox = index.get("fox");
  ASSERT_TRUE(fox);
  EXPECT_EQ(fox->text, "the quick brown fox jumps over the lazy dog");
  EXPECT_EQ(fox->metadata, R"({"lang":"en","year":1885})");
  const IndexAnswer answer = index.query("the quick brown fox jumps over the lazy dog");
  ASSERT_EQ(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[1].id, "fox-2");
  EXPECT_DOUBLE_EQ(answer.hits[1].similarity, 0.6);
  EXPECT_EQ(index.query("the quick brown fox jumps over the lazy dog", {.where = {{"year", "1885"}}}).hits.size(), 1u);
  index.put("new", "the quick brown fox jumps over the lazy dog");
  EXPECT_EQ(index.query("the quick brown fox jumps over the lazy dog").hits.size(), 3u);
  EXPECT_TRUE(index.erase("fox"));
  EXPECT_EQ(index.verify().problem_count, 0u);
}

std::string copy_of(const test::TempDir& dir, const std::string& name) {
  std::filesystem::copy(std::string(NEARKIN_TEST_DATA "/") + name, dir.path("i"), std::filesystem::copy_options::recursive);
  return dir.path("i");
}

TEST(IndexGolden, AFolderOfFormat2IsReadAndChanged) {
  const test::TempDir dir;
  expect_answers_and_change(copy_of(dir, "index-format-2"));
}

TEST(IndexGolden, AFolderOfFormat1IsRefusedWithTheWayOutAndUpgraded) {
  const test::TempDir dir;
  const std::string folder = copy_of(dir, "index-format-1");
  EXPECT_EQ(test::message_of([&] { Index::open(folder); }),
            folder + ": has format 1, of an earlier version; 'nearkin index compact' converts it to format 2");
  EXPECT_TRUE(upgrade_index(folder));
  EXPECT_FALSE(upgrade_index(folder));
  expect_answers_and_change(folder);
}

}  // namespace
}  // namespace nearkin::golden_test
