// dedup_with_index works in steps: what they decide, what others may do between them, and what is left of a run that ends early.
#include "index/reading.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <nearkin/nearkin.h>

#include "index/index_support.h"
#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::dedup_steps_test {
namespace {

using test::file_text;
using test::message_of;
using test::records_of;
using test::small_plan;
using test::some_text;
using test::TempDir;

/// About half of them have nothing like them before.
std::string documents(int count, std::uint64_t seed, const std::string& prefix = "d") {
  SplitMix random(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    std::string text = some_text(random);
    if (i % 2 == 0) {
      text.clear();
      for (int word = 0; word < 12; ++word) text += "u" + std::to_string(random() % 1'000'000) + " ";
    }
    lines += "{\"id\":\"" + prefix + std::to_string(i) + "\",\"text\":\"" + text + "\"}\n";
  }
  return lines;
}

TEST(DedupSteps, TheAnswerDoesNotDependOnTheSizeOfAStep) {
  const TempDir dir;
  const std::string bad = "{broken\n";
  const Input input = records_of(dir.write("a.jsonl", documents(150, 1) + bad + documents(150, 2) + bad + documents(100, 3, "e")));
  std::string kept, removed, skipped;
  std::vector<std::string> ids;
  for (const std::size_t records : {8192u, 1u, 7u, 100u, 400u}) {
    const std::string name = std::to_string(records);
    Index index = Index::create(dir.path("i" + name), small_plan(), {.texts = true});
    index.put("d3", "an item that has one of their ids");
    const DedupOptions options{.removed = dir.path("removed" + name), .skipped = dir.path("skipped" + name)};
    const DedupResult result = dedup_in_steps(index, input, dir.path("kept" + name), options, {}, {.records = records});
    EXPECT_EQ(result.kept + result.removed, 400u);
    EXPECT_EQ(result.stats.items, 400u);
    EXPECT_EQ(result.stats.faults.count, 2u);
    EXPECT_EQ(index.verify().problem_count, 0u);
    EXPECT_EQ(index.info().items, result.kept + 1);
    EXPECT_FALSE(std::filesystem::exists(dir.path("kept" + name + ".partial")));
    if (kept.empty()) {
      kept = file_text(dir.path("kept" + name));
      removed = file_text(dir.path("removed" + name));
      skipped = file_text(dir.path("skipped" + name));
      ids = index.ids();
      EXPECT_GT(result.kept, 150u);
      EXPECT_GT(result.removed, 50u);
      EXPECT_EQ(skipped, bad + bad);
    }
    EXPECT_EQ(file_text(dir.path("kept" + name)), kept) << records;
    EXPECT_EQ(file_text(dir.path("removed" + name)), removed) << records;
    EXPECT_EQ(file_text(dir.path("skipped" + name)), skipped) << records;
    EXPECT_EQ(index.ids(), ids) << records;
  }
}

TEST(DedupSteps, RecordsOfSeveralFilesKeepOneHeaderAndTheirLineEnds) {
  const TempDir dir;
  Input input;
  input.paths = {dir.write("a.csv", "id,text\n"), dir.write("b.csv", "id,text\na,one two three four five"),
                 dir.write("c.csv", "id,text\nb,six seven eight nine ten\n")};
  for (const std::size_t records : {8192u, 1u}) {
    Index index = Index::create(dir.path("i" + std::to_string(records)), small_plan());
    dedup_in_steps(index, input, dir.path("kept"), {}, {}, {.records = records});
    EXPECT_EQ(file_text(dir.path("kept")), "id,text\na,one two three four five\nb,six seven eight nine ten\n");
  }
}

TEST(DedupSteps, CompressedOutputsAreReadAsOne) {
  const TempDir dir;
  const Input input = records_of(dir.write("a.jsonl", documents(100, 1)));
  Index whole = Index::create(dir.path("whole"), small_plan());
  dedup_with_index(whole, input, dir.path("kept.jsonl"));
  for (const char* const name : {"kept.jsonl.gz", "kept.jsonl.zst"}) {
    Index index = Index::create(dir.path(std::string("i-") + name), small_plan());
    dedup_in_steps(index, input, dir.path(name), {}, {}, {.records = 9});
    const Items packed = read_items(records_of(dir.path(name))), plain = read_items(records_of(dir.path("kept.jsonl")));
    ASSERT_EQ(packed.size(), plain.size());
    for (Row i = 0; i < plain.size(); ++i) EXPECT_EQ(packed.id(i), plain.id(i));
  }
}

TEST(DedupSteps, OthersWriteWhileTheInputIsOpen) {
  const TempDir dir;
  const std::string pipe = dir.path("pipe.jsonl"), folder = dir.path("i");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Index index = Index::create(folder, small_plan());
  std::thread run([&] { dedup_with_index(index, records_of(pipe), dir.path("kept")); });
  const int stream = ::open(pipe.c_str(), O_WRONLY);
  ASSERT_GE(stream, 0);
  const std::string lines = documents(50, 1);
  ASSERT_EQ(::write(stream, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  std::future<IndexPut> put = std::async(std::launch::async, [&] { return Index::open(folder).put("other", "a text of another writer"); });
  const bool done = put.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  ::close(stream);
  run.join();
  EXPECT_TRUE(done) << "a stream that does not end keeps others from writing";
  EXPECT_EQ(put.get().added, 1u);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(DedupSteps, ARunThatFailsLeavesWhatItsStepsKeptAndSaysWhere) {
  const TempDir dir;
  Input input = records_of(dir.write("a.jsonl", documents(20'000, 1)));
  std::ofstream(dir.path("a.jsonl"), std::ios::app) << "{broken\n";
  input.strict = true;
  dir.write("kept", "of before\n");
  Index index = Index::create(dir.path("i"), small_plan());
  const std::string said = message_of([&] { dedup_in_steps(index, input, dir.path("kept"), {}, {}, {.records = 100}); });
  const std::uint64_t items = index.info().items;
  EXPECT_GT(items, 1000u);
  EXPECT_NE(said.find(std::to_string(items) + " records kept before are in the index, and in " + dir.path("kept.partial")),
            std::string::npos)
      << said;
  EXPECT_EQ(file_text(dir.path("kept")), "of before\n");
  const std::string partial = file_text(dir.path("kept.partial"));
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(partial.begin(), partial.end(), '\n')), items);
  EXPECT_EQ(index.verify().problem_count, 0u);
  // Nobody takes the only copy of these away.
  EXPECT_NE(message_of([&] {
              dedup_with_index(index, records_of(dir.path("a.jsonl")), dir.path("kept"));
            }).find("was left by a run that ended early"),
            std::string::npos);
  EXPECT_EQ(file_text(dir.path("kept.partial")), partial);
  std::filesystem::rename(dir.path("kept.partial"), dir.path("first"));
  dedup_with_index(index, records_of(dir.path("a.jsonl")), dir.path("kept"));
  Index whole = Index::create(dir.path("j"), small_plan());
  dedup_with_index(whole, records_of(dir.path("a.jsonl")), dir.path("all"));
  EXPECT_EQ(partial + file_text(dir.path("kept")), file_text(dir.path("all")));
}

TEST(DedupSteps, ARunWithoutAStepThatIsDoneLeavesNothing) {
  const TempDir dir;
  Input input = records_of(dir.write("a.jsonl", documents(50, 1) + "{broken\n"));
  input.strict = true;
  Index index = Index::create(dir.path("i"), small_plan());
  EXPECT_THROW(dedup_in_steps(index, input, dir.path("kept"), {}, {}, {.records = 10}), Error);
  EXPECT_EQ(index.info().items, 0u);
  EXPECT_FALSE(std::filesystem::exists(dir.path("kept")));
  EXPECT_FALSE(std::filesystem::exists(dir.path("kept.partial")));
}

TEST(DedupSteps, NothingThatTheIndexHoldsIsLostByAKill) {
  constexpr int kKills = 25;
  const TempDir dir;
  const std::string folder = dir.path("i");
  { const Index made = Index::create(folder, small_plan()); }
  SplitMix random(3);
  std::set<std::string> written;
  int left_early = 0;
  for (int round = 0; round < kKills; ++round) {
    const Input input = records_of(dir.write("a.jsonl", documents(4000, random(), "r" + std::to_string(round) + "-")));
    const pid_t child = ::fork();
    if (child == 0) {
      Index index = Index::open(folder);
      dedup_in_steps(index, input, dir.path("kept"), {}, {.threads = 1}, {.records = 50});
      ::_exit(0);
    }
    // Mostly between two steps or within one, now and then before the first.
    for (int wait = 0; round % 5 != 0 && wait < 10'000 && !std::filesystem::exists(dir.path("kept.partial")); ++wait) ::usleep(1000);
    ::usleep(static_cast<unsigned>(random() % 40'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const char* const name : {"kept.partial", "kept"}) {
      if (!std::filesystem::exists(dir.path(name))) continue;
      left_early += name == std::string("kept.partial");
      std::filesystem::rename(dir.path(name), dir.path("found.jsonl"));
      const Items found = read_items(records_of(dir.path("found.jsonl")));
      for (Row i = 0; i < found.size(); ++i) written.insert(std::string(found.id(i)));
    }
    const Index index = Index::open(folder);
    ASSERT_EQ(index.verify().problem_count, 0u);
    for (const std::string& id : index.ids())
      ASSERT_TRUE(written.contains(id)) << id << " is in the index and nowhere else, after kill " << round;
  }
  EXPECT_GT(left_early, kKills / 3);
}

}  // namespace
}  // namespace nearkin::dedup_steps_test
