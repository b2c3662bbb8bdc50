#include "index/write.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/temp_dir.h"

namespace nearkin::id_runs_test {
namespace {

using test::TempDir;

/// Keys that differ late, keys that begin others, bytes beyond ASCII, and zeros.
std::string some_key(SplitMix& random) {
  std::string key = random() % 4 == 0 ? "" : "https://example.org/";
  for (std::uint64_t i = random() % 6; i > 0; --i) key += std::string_view("a\0\xff/9", 5)[random() % 5];
  return key + std::to_string(random() % 500);
}

TEST(IdRuns, KeysComeOutOnceEachInOrderWithAllTheirRowsWhateverFitsInMemory) {
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{100'000}, std::size_t{10'000}}) {
    const TempDir dir;
    SplitMix random(1);
    std::map<std::string, std::vector<Row>> expected;
    IdRuns runs(dir.path(), memory);
    for (Row row = 0; row < 3000; ++row) {
      const std::string key = some_key(random);
      expected[key].push_back(row);
      runs.add(key, row);
    }
    auto next = expected.begin();
    runs.drain([&](std::string_view key, std::span<const Row> rows) {
      ASSERT_NE(next, expected.end());
      EXPECT_EQ(key, next->first);
      EXPECT_TRUE(std::equal(rows.begin(), rows.end(), next->second.begin(), next->second.end()));
      ++next;
    });
    EXPECT_EQ(next, expected.end());
    EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "files are left";
  }
}

TEST(IdRuns, FilesAreTakenAwayAlsoWhereTheyAreNotAskedFor) {
  const TempDir dir;
  {
    IdRuns runs(dir.path(), 100);
    for (Row row = 0; row < 50; ++row) runs.add("id-" + std::to_string(row), row);
    EXPECT_FALSE(std::filesystem::is_empty(dir.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace nearkin::id_runs_test
