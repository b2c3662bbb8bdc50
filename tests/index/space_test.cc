// The room that an index takes: with readers that were killed, behind compactions, and where there is none left.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nearkin/index.h>
#include <nearkin/tools/lists.h>

#include "index/index_support.h"
#include "index/model.h"
#include "index/store.h"
#include "support/temp_dir.h"

namespace nearkin::space_test {
namespace {

using test::message_of;
using test::neighbours_of;
using test::records_of;
using test::small_plan;
using test::some_text;
using test::TempDir;

namespace fs = std::filesystem;

fs::path fast_folder() { return fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(); }

/// Reads until it is killed. `ready` is told when it has its view.
[[noreturn]] void read_until_killed(const std::string& folder, int ready) {
  const Store store = Store::open(folder);
  const Transaction view = store.read();
  if (::write(ready, "r", 1) != 1) ::_exit(1);
  for (;;) ::pause();
}

/// Bytes of the tables when 20 items were replaced again and again; by then a reader was killed.
std::uintmax_t bytes_behind_puts(const std::string& folder, bool with_reader) {
  { const Index made = Index::create(folder, small_plan(), {.texts = true}); }
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = with_reader ? ::fork() : -1;
  if (child == 0) read_until_killed(folder, ends[1]);
  Index index = Index::open(folder);
  if (with_reader) {
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  ::close(ends[1]);
  SplitMix random(3);
  for (int i = 0; i < 400; ++i) index.put("id-" + std::to_string(i % 20), some_text(random, 100));
  return fs::file_size(folder + "/tables-1/data.mdb");
}

TEST(IndexSpace, AReaderThatIsKilledWhileAWriterRunsDoesNotMakeTheFileGrow) {
  const TempDir dir{fast_folder()};
  const std::uintmax_t alone = bytes_behind_puts(dir.path("a"), false), behind = bytes_behind_puts(dir.path("b"), true);
  EXPECT_LT(behind, alone * 3 / 2) << "without a reader " << alone;
}

/// Bytes of the tables when 20 items were replaced again and again between two parts of a run's queries.
std::uintmax_t bytes_behind_a_run(const TempDir& dir, const std::string& folder, const Plan& plan, const Input& queries,
                                  const std::function<void(Index&, int)>& put) {
  { const Index made = Index::create(folder, plan); }
  Index index = Index::open(folder);
  put(index, 0);
  const Index asked = Index::open(folder, Index::Access::read);
  RunOptions run{.threads = 1};
  run.progress = [&, done = false](const char*, std::uint64_t, std::uint64_t) mutable {
    for (int i = 0; i < 400 && !done; ++i) put(index, i);
    done = true;
  };
  run.before_output = [&] {
    for (int i = 0; i < 400; ++i) put(index, i);
  };
  query_index(asked, queries, dir.path("hits"), RowStyle::tsv, {}, run);
  return fs::file_size(folder + "/tables-1/data.mdb");
}

TEST(IndexSpace, ARunOfQueriesThatWaitsDoesNotMakeTheFileGrow) {
  const TempDir dir{fast_folder()};
  SplitMix random(3);
  Input queries;
  queries.paths = {dir.write("first.jsonl", "{\"id\":\"q\",\"text\":\"some words\"}\n"),
                   dir.write("second.jsonl", "{\"id\":\"r\",\"text\":\"marker words of the last put\"}\n")};
  const auto put = [&](Index& index, int i) {
    index.put("id-" + std::to_string(i % 20), i == 399 ? "marker words of the last put" : some_text(random, 100));
  };
  const std::uintmax_t alone = bytes_behind_puts(dir.path("a"), false);
  EXPECT_LT(bytes_behind_a_run(dir, dir.path("b"), small_plan(), queries, put), alone * 3 / 2);
  EXPECT_EQ(test::file_text(dir.path("hits")), "r\tid-19\t1\n") << "each part is answered from the state of its moment";
}

/// Lines of JSON with those of 4,000 documents whose number `wanted` takes.
std::string documents(const TempDir& dir, const std::string& name, const std::function<bool(int)>& wanted) {
  SplitMix random(8);
  std::string lines;
  for (int i = 0; i < 4000; ++i) {
    const std::string line = R"({"id":"doc-)" + std::to_string(i) + R"(","text":")" + some_text(random) + "\"}\n";
    if (wanted(i)) lines += line;
  }
  return dir.write(name, lines);
}

TEST(IndexSpace, CompactionGivesBackWhatRemovedItemsTookAndChangesNoAnswer) {
  const TempDir dir{fast_folder()};
  const auto odd = [](int i) { return i % 2 == 1; };
  create_index(dir.path("a"), records_of(documents(dir, "all.jsonl", [](int) { return true; })), small_plan(), {.texts = true});
  create_index(dir.path("half"), records_of(documents(dir, "half.jsonl", odd)), small_plan(), {.texts = true});
  Index index = Index::open(dir.path("a"));
  std::vector<std::string> gone;
  for (int i = 0; i < 4000; i += 2) gone.push_back("doc-" + std::to_string(i));
  EXPECT_EQ(index.erase(gone), 2000u);
  const auto ask = [&] {
    std::vector<std::vector<test::IndexModel::Neighbour>> answers;
    SplitMix random(21);
    for (int i = 0; i < 50; ++i) answers.push_back(neighbours_of(index.query(some_text(random))));
    return answers;
  };
  const std::vector<std::string> ids = index.ids();
  const auto before = ask();
  index.compact();
  EXPECT_TRUE(before == ask());
  EXPECT_EQ(ids, index.ids());
  EXPECT_EQ(index.verify().problem_count, 0u);
  EXPECT_LT(static_cast<double>(index.info().bytes), 1.1 * static_cast<double>(Index::open(dir.path("half")).info().bytes));
}

TEST(IndexSpace, WhatAKilledCompactionLeftGoesWithTheNextOpenForWriting) {
  const TempDir dir;
  { const Index made = Index::create(dir.path("a"), small_plan()); }
  dir.write("a/tables-2.part-12-0/building.lock", "");
  dir.write("a/tables-2.part-12-0/tables-2/data.mdb", "half of it");
  dir.write("a/tables-2.part-13-0/building.lock", "");
  dir.write("a/tables-7/data.mdb", "left when CURRENT was replaced");
  const int held = ::open(dir.path("a/tables-2.part-13-0/building.lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  { const Index reading = Index::open(dir.path("a"), Index::Access::read); }
  EXPECT_TRUE(fs::exists(dir.path("a/tables-2.part-12-0")));
  Index index = Index::open(dir.path("a"));
  EXPECT_FALSE(fs::exists(dir.path("a/tables-2.part-12-0")));
  EXPECT_TRUE(fs::exists(dir.path("a/tables-2.part-13-0"))) << "its lock is held";
  ::close(held);
  index.put("a", "some words of a text");
  EXPECT_FALSE(fs::exists(dir.path("a/tables-7")));
}

TEST(IndexSpace, WhatAKilledCopyLeftGoesWithTheNextCopyOfWhateverName) {
  const TempDir dir;
  const Index index = Index::create(dir.path("a"), small_plan());
  dir.write("monday.part-12-0/building.lock", "");
  dir.write("monday.part-12-0/tables-1/data.mdb", "half of it");
  dir.write("other.part-12-0/data", "of another program");
  index.backup(dir.path("tuesday"));
  EXPECT_FALSE(fs::exists(dir.path("monday.part-12-0")));
  EXPECT_TRUE(fs::exists(dir.path("other.part-12-0/data")));
  EXPECT_TRUE(fs::exists(dir.path("tuesday/CURRENT")));
}

/// The message of what is done where files may have so many bytes at most.
std::string said_without_room(rlim_t bytes, const std::function<void()>& act) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string said = message_of(act);
    ::_exit(::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

TEST(IndexSpace, AFullDiskIsSaidOfTheFileThatCouldNotBeWritten) {
  const TempDir dir;
  const std::string folder = dir.path("a");
  create_index(folder, records_of(documents(dir, "all.jsonl", [](int i) { return i < 500; })), small_plan());
  const rlim_t half = fs::file_size(folder + "/tables-1/data.mdb") / 2;
  const std::string compacting = said_without_room(half, [&] { Index::open(folder).compact(); });
  EXPECT_NE(compacting.find(folder + "/tables-2"), std::string::npos) << compacting;
  EXPECT_NE(compacting.find("/data.mdb: "), std::string::npos) << compacting;
  const std::string copying = said_without_room(half, [&] { Index::open(folder).backup(dir.path("copy")); });
  EXPECT_NE(copying.find(dir.path("copy")), std::string::npos) << copying;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);
  EXPECT_EQ(Index::open(folder).verify().problem_count, 0u);
}

}  // namespace
}  // namespace nearkin::space_test
