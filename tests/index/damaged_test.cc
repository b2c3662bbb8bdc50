// Writes to an index whose pages are not what they should be.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nearkin/error.h>
#include <nearkin/index.h>

#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::damaged_test {
namespace {

using test::some_text;
using test::TempDir;

Plan small_plan() { return parse_plan("jaccard>=0.5 recall=0.95 shingle=word:2 sketch=minhash:32 bands=8x3 seed=1"); }

void flip(const std::string& path, std::streamoff at, unsigned bit) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ (1 << bit)));
}

/// Writes a few times, whatever becomes of it. Ends by itself, or by SIGALRM where it hangs.
[[noreturn]] void write_again_and_again(const std::string& folder) {
  ::alarm(20);
  try {
    Index index = Index::open(folder);
    SplitMix random(9);
    for (int i = 0; i < 4; ++i) {
      try {
        index.put("id-" + std::to_string(random() % 60), some_text(random));
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  ::_exit(0);
}

TEST(DamagedIndex, AWriteThatMeetsDamageDoesNotKeepTheNextOnesWaiting) {
  constexpr int kFlips = 400;
  const TempDir dir{std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()};
  const std::string folder = dir.path("whole"), broken = dir.path("broken");
  SplitMix random(2);
  {
    Index index = Index::create(folder, small_plan());
    for (int i = 0; i < 120; ++i) index.put("id-" + std::to_string(random() % 60), some_text(random));
  }
  const auto size = std::filesystem::file_size(folder + "/tables-1/data.mdb");
  int hung = 0;
  for (int i = 0; i < kFlips && hung == 0; ++i) {
    std::filesystem::remove_all(broken);
    std::filesystem::copy(folder, broken, std::filesystem::copy_options::recursive);
    // Heads of pages: what says of which sort they are, and where their nodes are.
    const std::uint64_t page = random() % (size / 4096);
    flip(broken + "/tables-1/data.mdb", static_cast<std::streamoff>(page * 4096 + random() % 40), static_cast<unsigned>(random() % 8));
    const pid_t child = ::fork();
    if (child == 0) write_again_and_again(broken);
    int status = 0;
    ::waitpid(child, &status, 0);
    hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  }
  EXPECT_EQ(hung, 0);
}

}  // namespace
}  // namespace nearkin::damaged_test
