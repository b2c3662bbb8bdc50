// The folder of an index while it is made, and its tables while they are opened and closed.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nearkin/index.h>

#include "index/index_support.h"
#include "index/store.h"
#include "support/temp_dir.h"

namespace nearkin::store_test {
namespace {

using test::small_plan;
using test::TempDir;

pid_t number_of_no_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Store, ABuildThatIsUnderWayIsLeftAloneWhateverItsProcessIsCalledHere) {
  const TempDir dir;
  const std::string folder = dir.path("a"), elsewhere = folder + ".part-" + std::to_string(number_of_no_process()) + "-0";
  const Store building = Store::create(folder);
  std::filesystem::rename(building.place(), elsewhere);  // as a process in another container would have named it
  Index::create(folder, small_plan());
  EXPECT_TRUE(std::filesystem::exists(elsewhere + "/CURRENT"));
}

TEST(Store, ABuildThatNobodyWorksOnIsRemovedThoughItsNumberIsInUseAgain) {
  const TempDir dir;
  const std::string left = "a.part-" + std::to_string(::getppid()) + "-0";
  dir.write(left + "/tables-1/data.mdb", "");
  Index::create(dir.path("a"), small_plan());
  EXPECT_FALSE(std::filesystem::exists(dir.path(left)));
}

TEST(Store, NothingOfTheBuildIsLeftInAnIndex) {
  const TempDir dir;
  const Index index = Index::create(dir.path("a"), small_plan());
  index.backup(dir.path("b"));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  const std::vector<std::string> expected = {"CURRENT", "CURRENT", "a", "b", "data.mdb", "data.mdb", "lock.mdb", "tables-1", "tables-1"};
  EXPECT_EQ(names, expected);
}

TEST(Store, WhoeverOpensTablesThatAreBeingClosedWaitsAndGetsThem) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  { const Index index = Index::create(folder, small_plan()); }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) EXPECT_EQ(Index::open(folder).info().items, 0u);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Store, DamageLeavesAReadWithACodeAndEndsTheProcessOnlyWithinAChange) {
  const TempDir dir;
  const Store store = Store::create(dir.path("a"));
  MDB_env* const env = store.environment()->get();
  const auto meet = [&] {
    meet_damage(env, "a page is not what it should be");
    return MDB_SUCCESS;
  };
  EXPECT_EQ(reading(meet), MDB_CORRUPTED);
  EXPECT_EQ(reading(meet), MDB_CORRUPTED);
  EXPECT_EQ(reading([] { return MDB_NOTFOUND; }), MDB_NOTFOUND);
  EXPECT_EXIT(meet(), testing::KilledBySignal(SIGABRT), "nearkin: .*/a: is damaged \\(a page is not what it should be\\)");
}

}  // namespace
}  // namespace nearkin::store_test
