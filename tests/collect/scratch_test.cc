// The folder of a run: where it is made, what is said of it, and that nothing of it is left.
#include "collect/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include <nearkin/error.h>
#include <nearkin/tools/front_end.h>

#include "support/temp_dir.h"

namespace nearkin::test::scratch_test {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Scratch> scratch_in(const std::string& folder, bool resume = false, std::uint64_t run = 7) {
  return std::make_unique<Scratch>(Scratch::Options{.folder = folder, .run = {run, 0}, .plan = "plan", .resume = resume});
}

void do_unit(const Scratch& scratch) {
  RunFileWriter writer = scratch.create("segment", 0);
  writer.section<char>(1, 0, {'x'});
  writer.finish();
}

TEST(Scratch, IsRefusedWhereNeitherItsFolderNorTheOneAboveIsThere) {
  TempDir dir;
  try {
    scratch_in(dir.path("no/such"));
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.subject(), dir.path("no/such"));
  }
  EXPECT_FALSE(fs::exists(dir.path("no")));
  EXPECT_THROW(scratch_in(dir.write("plain", "no folder")), Error);
}

TEST(Scratch, RemovesAFolderThatItMade) {
  TempDir dir;
  {
    const auto scratch = scratch_in(dir.path("made"));
    do_unit(*scratch);
    EXPECT_TRUE(fs::exists(dir.path("made")));
    scratch->remove_folder();
  }
  EXPECT_FALSE(fs::exists(dir.path("made")));
  scratch_in(dir.path("made"));  // and where no unit was done
  EXPECT_FALSE(fs::exists(dir.path("made")));
}

TEST(Scratch, RemovesAFolderThatWasMadeByTheRunItGoesOnWith) {
  TempDir dir;
  do_unit(*scratch_in(dir.path("made")));
  ASSERT_TRUE(fs::exists(dir.path("made")));
  scratch_in(dir.path("made"), true)->remove_folder();
  EXPECT_FALSE(fs::exists(dir.path("made")));
}

TEST(Scratch, LeavesAFolderThatWasThere) {
  TempDir dir;
  fs::create_directory(dir.path("there"));
  const auto scratch = scratch_in(dir.path("there"));
  do_unit(*scratch);
  scratch->remove_folder();
  EXPECT_TRUE(fs::is_empty(dir.path("there")));
}

TEST(Scratch, LeavesAFolderThatItMadeToAnotherRunInIt) {
  TempDir dir;
  const auto first = scratch_in(dir.path("made"), false, 1), second = scratch_in(dir.path("made"), false, 2);
  first->remove_folder();
  EXPECT_TRUE(fs::exists(second->folder()));
}

TEST(Scratch, HasATidyPath) {
  TempDir dir;
  const auto scratch = scratch_in(dir.path() + "//./tmp//");
  EXPECT_EQ(scratch->folder(), dir.path("tmp/nearkin-0000000000000007"));
}

TEST(Scratch, IsToldWhileItLastsWithWhetherItWasResumed) {
  TempDir dir;
  EXPECT_FALSE(scratch_in_use());
  {
    const auto scratch = scratch_in(dir.path(), true);
    ASSERT_TRUE(scratch_in_use());
    EXPECT_EQ(scratch_in_use()->folder, scratch->folder());
    EXPECT_FALSE(scratch_in_use()->resumed);
    do_unit(*scratch);
  }
  EXPECT_FALSE(scratch_in_use());
  const auto scratch = scratch_in(dir.path(), true);
  ASSERT_TRUE(scratch_in_use());
  EXPECT_TRUE(scratch_in_use()->resumed);
}

}  // namespace
}  // namespace nearkin::test::scratch_test
