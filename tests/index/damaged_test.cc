// Writes to an index whose pages are not what they should be.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

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

/// LMDB takes the state with the higher number: with a damaged number, that would be the state before the last change.
TEST(DamagedIndex, AChangeIsNotUndoneByADamagedNumberOfItsState) {
  const TempDir dir;
  const std::string folder = dir.path("index"), broken = dir.path("broken");
  SplitMix random(5);
  {
    Index index = Index::create(folder, small_plan());
    for (int i = 0; i < 9; ++i) index.put("id-" + std::to_string(i), some_text(random));
    index.erase("id-3");
  }
  constexpr std::streamoff kPage = 4096, kNumber = 144;
  for (const std::streamoff page : {0, 1}) {
    // Not bit 1: lower by two, the number of the last state is that of the state before, and nothing tells them apart.
    for (const unsigned bit : {0u, 2u, 3u, 4u, 5u, 6u, 7u}) {
      std::filesystem::remove_all(broken);
      std::filesystem::copy(folder, broken, std::filesystem::copy_options::recursive);
      flip(broken + "/tables-1/data.mdb", page * kPage + kNumber, bit);
      EXPECT_THROW(Index::open(broken), Error) << page << ' ' << bit;
    }
  }
}

enum Outcome : int { kChanged = 0, kRefused = 1, kOtherError = 2, kNotOpened = 3 };

/// Replaces, adds and removes, in one transaction each, until one is refused. To open an index is a read, which damage may end.
[[noreturn]] void change_and_exit(const std::string& folder) {
  ::alarm(60);
  int outcome = kChanged;
  for (const int signal : {SIGBUS, SIGSEGV}) std::signal(signal, [](int) { ::_exit(kNotOpened); });
  try {
    Index index = Index::open(folder);
    for (const int signal : {SIGBUS, SIGSEGV}) std::signal(signal, SIG_DFL);
    SplitMix random(9);
    for (int i = 0; i < 6; ++i) index.put("id-" + std::to_string(i * 37), some_text(random, i % 3 == 0 ? 5000 : 30));
    index.put("another", some_text(random));
    for (int i = 0; i < 40; ++i) index.erase("id-" + std::to_string(60 + i));
  } catch (const Error& error) {
    outcome = std::string_view(error.what()).find("restore") != std::string_view::npos ? kRefused : kOtherError;
  }
  ::_exit(outcome);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// LMDB goes by what a page says of itself when it changes it, and would move bytes that are not the page's.
TEST(DamagedIndex, AChangeOfADamagedPageIsRefusedBeforeLmdbTouchesIt) {
  constexpr std::uint64_t kPage = 4096;
  const TempDir dir{std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()};
  const std::string folder = dir.path("whole"), broken = dir.path("broken"), data = "/tables-1/data.mdb";
  SplitMix random(6);
  {
    Index index = Index::create(folder, small_plan(), {.texts = true});
    for (int i = 0; i < 400; ++i) index.put("id-" + std::to_string(i), some_text(random, i % 20 == 0 ? 5000 : 30));
  }
  const std::string whole = bytes_of(folder + data);
  std::map<int, int> outcomes;
  int signals = 0;
  for (int i = 0; i < 600; ++i) {
    std::filesystem::remove_all(broken);
    std::filesystem::copy(folder, broken, std::filesystem::copy_options::recursive);
    const std::uint64_t page = 2 + random() % (whole.size() / kPage - 2);
    const std::uint64_t at = page * kPage + 10 + random() % 20;  // its kind, where its nodes are, and the first of their places
    flip(broken + data, static_cast<std::streamoff>(at), static_cast<unsigned>(random() % 8));
    const pid_t child = ::fork();
    if (child == 0) change_and_exit(broken);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      ++signals;
      ADD_FAILURE() << "byte " << at % kPage << " of page " << page << ": signal " << WTERMSIG(status);
    } else {
      ++outcomes[WEXITSTATUS(status)];
    }
  }
  EXPECT_EQ(signals, 0);
  EXPECT_EQ(outcomes[kOtherError], 0);
  EXPECT_GT(outcomes[kRefused], 50);
}

/// Status 1: there is a problem.
[[noreturn]] void verify_and_exit(const std::string& folder) {
  int status = 1;
  try {
    status = Index::open(folder, Index::Access::read).verify().problem_count > 0 ? 1 : 0;
  } catch (const Error&) {
  }
  ::_exit(status);
}

TEST(DamagedIndex, EveryBitOfTheHeaderOfEveryPageInUseIsChecked) {
  constexpr std::streamoff kPage = 4096, kHeader = 16, kUnused = 8;  // LMDB leaves the bytes 8 and 9 of a page alone
  const TempDir dir{std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()};
  const std::string folder = dir.path("whole"), data = folder + "/tables-1/data.mdb";
  SplitMix random(4);
  std::uint64_t free_pages = 0;
  {
    Index index = Index::create(folder, small_plan(), {.texts = true});
    for (int i = 0; i < 80; ++i) index.put("id-" + std::to_string(random() % 60), some_text(random, i % 20 == 0 ? 5000 : 30));
    ASSERT_EQ(index.verify().problem_count, 0u);
    free_pages = index.info().free_bytes / kPage;
  }
  const auto notices = [&](std::streamoff at, unsigned bit) {
    flip(data, at, bit);
    const pid_t child = ::fork();  // a page that points behind the end of the file ends the process, which the program turns into a message
    if (child == 0) verify_and_exit(folder);
    int status = 0;
    ::waitpid(child, &status, 0);
    flip(data, at, bit);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  };
  std::set<std::streamoff> in_use, not_noticed;
  for (std::streamoff page = 2; page < static_cast<std::streamoff>(std::filesystem::file_size(data)) / kPage; ++page) {
    // Pages without a header, behind the first of a long value, are covered by the checksum of the value.
    for (std::streamoff at = 0; at < kHeader; ++at) {
      for (unsigned bit = 0; bit < 8 && (at < kUnused || at > kUnused + 1); ++bit)
        (notices(page * kPage + at, bit) ? in_use : not_noticed).insert(page);
    }
  }
  EXPECT_GT(in_use.size(), 10u);
  EXPECT_LE(not_noticed.size(), free_pages);
}

}  // namespace
}  // namespace nearkin::damaged_test
