#include "base/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/library.h"

namespace nearkin::system_test {
namespace {

TEST(System, AFileWithoutANameCanBeWrittenSyncedAndRead) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  const int file = open_unnamed(folder.c_str(), O_RDWR, 0600);
  if (file < 0) GTEST_SKIP() << folder << " has no files without a name";
  const std::string text(100'000, 'x');
  ASSERT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  begin_sync(file, 0, static_cast<off_t>(text.size()));
  EXPECT_EQ(sync_bytes(file), 0);
  drop_bytes(file, 0, static_cast<off_t>(text.size() / 2));
  struct stat state {};
  ASSERT_EQ(::fstat(file, &state), 0);
  EXPECT_EQ(state.st_size, static_cast<off_t>(text.size()));
  EXPECT_GT(modified_at(state).tv_sec, 0);
  EXPECT_NE(::fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
  ::close(file);
}

TEST(System, APipeIsClosedInProgramsThatAreStarted) {
  std::array<int, 2> ends{};
  ASSERT_EQ(closing_pipe(ends.data()), 0);
  for (const int end : ends) {
    EXPECT_NE(::fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
    ::close(end);
  }
}

TEST(System, MemoryIsTold) {
  give_back_memory();
  EXPECT_GT(free_memory(), 0U);
  EXPECT_GT(most_memory_used(), 1U << 20);
}

TEST(System, ADecimalIsReadAsFarAsItGoes) {
  const std::string text = "-12.5e1x";
  double value = 0;
  const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(error, std::errc());
  EXPECT_EQ(end, text.data() + 7);
  EXPECT_EQ(value, -125);
}

}  // namespace
}  // namespace nearkin::system_test
