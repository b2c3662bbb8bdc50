#include "io/bytes/output.h"

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/front_end.h>

#include "io/io_support.h"

namespace nearkin::test::unfinished_test {
namespace {

namespace fs = std::filesystem;

/// What a handler of signals does cannot be undone, so that it is done in a process of its own, which `check` decides the end of.
#define EXPECT_TRUE_AFTER_A_SIGNAL(check) \
  EXPECT_EXIT((remove_unfinished_outputs(), std::_Exit((check) ? 0 : 1)), ::testing::ExitedWithCode(0), "")

TEST(Unfinished, AFileIsRemovedWhenASignalEndsTheProcess) {
  TempDir dir;
  const std::string path = dir.write("half", "written"), other = dir.write("other", "whole");
  const Unfinished unfinished(path);
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(path) && fs::exists(other));
}

TEST(Unfinished, AFileThatIsInPlaceStays) {
  TempDir dir;
  const std::string released = dir.write("released", "whole"), left = dir.write("left", "whole");
  Unfinished first(released);
  first.release();
  { const Unfinished second(left); }
  EXPECT_TRUE_AFTER_A_SIGNAL(fs::exists(released) && fs::exists(left));
}

TEST(Unfinished, FoldersGoWithAllThatIsNamedInThemOrStay) {
  TempDir dir;
  const auto made = [&](const std::string& name) {
    fs::create_directories(dir.path(name + "/inner"));
    dir.write(name + "/outer-file", "half");
    dir.write(name + "/inner/inner-file", "half");
    std::vector<Unfinished> names;
    for (const char* const one : {"", "/inner", "/outer-file", "/inner/inner-file"}) names.emplace_back(dir.path(name + one));
    return names;
  };
  const std::vector<Unfinished> whole = made("whole"), with_another = made("with-another");
  dir.write("with-another/unknown", "of somebody else");
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(dir.path("whole")) && fs::exists(dir.path("with-another/unknown")) &&
                             !fs::exists(dir.path("with-another/inner")));
}

TEST(Unfinished, AFolderOfFilesGoesWithThem) {
  TempDir dir;
  fs::create_directories(dir.path("many"));
  for (int i = 0; i < 500; ++i) dir.write("many/a-name-as-long-as-those-of-runs-" + std::to_string(i), "bytes");
  fs::create_directories(dir.path("with-another/folder"));
  dir.write("with-another/file", "bytes");
  const Unfinished many(dir.path("many"), Unfinished::Kind::folder_of_files);
  const Unfinished other(dir.path("with-another"), Unfinished::Kind::folder_of_files);
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(dir.path("many")) && fs::exists(dir.path("with-another/folder")) &&
                             !fs::exists(dir.path("with-another/file")));
}

TEST(Unfinished, FilesToContinueFromGoOnlyWhenTheOutputsAreComplete) {
  TempDir dir;
  fs::create_directories(dir.path("spare"));
  dir.write("spare/unit", "bytes");
  const Unfinished spare(dir.path("spare"), Unfinished::Kind::spare_folder);
  {
    OutputFile output(dir.path("out"));
    EXPECT_FALSE(outputs_are_complete());
    EXPECT_TRUE_AFTER_A_SIGNAL(fs::exists(dir.path("spare/unit")));
    {
      OutputFile second(dir.path("second"));
      second.commit();
    }
    EXPECT_FALSE(outputs_are_complete()) << "one of two";
    output.commit();
  }
  EXPECT_TRUE(outputs_are_complete());
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(dir.path("spare")));
}

TEST(Unfinished, TheNameMovesWithItsOwner) {
  TempDir dir;
  const std::string path = dir.write("half", "written"), replaced = dir.write("replaced", "whole");
  Unfinished owner(replaced);
  {
    Unfinished first(path);
    owner = std::move(first);
  }
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(path) && fs::exists(replaced));
}

TEST(Unfinished, ANameTooManyIsForgottenAndRoomIsUsedAgain) {
  TempDir dir;
  {
    std::vector<Unfinished> many;
    for (int i = 0; i < 1000; ++i) many.emplace_back(dir.path("none"));
  }
  const Unfinished too_long(std::string(100'000, 'x'));
  const std::string path = dir.write("half", "written");
  const Unfinished unfinished(path);
  EXPECT_TRUE_AFTER_A_SIGNAL(!fs::exists(path));
}

}  // namespace
}  // namespace nearkin::test::unfinished_test
