// Readers and writers at once, in one process and in several.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <nearkin/index.h>

#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::threads_test {
namespace {

using test::some_text;
using test::TempDir;

Plan small_plan() { return parse_plan("jaccard>=0.5 recall=0.95 shingle=word:2 sketch=minhash:128 bands=30x3 seed=1"); }

/// Pairs of items are put and erased together: whoever sees one without the other has seen half of a step.
void put_pair(Index& index, const std::string& name, const std::string& text) {
  const std::string a = name + "-a", b = name + "-b";
  index.put(std::vector<IndexItem>{{a, text}, {b, text}});
}

void write_pairs(Index& index, std::uint64_t seed, int steps) {
  SplitMix random(seed);
  for (int step = 0; step < steps; ++step) {
    const std::string name = "pair-" + std::to_string(random() % 30);
    if (random() % 3 == 0) {
      index.erase(std::vector<std::string>{name + "-a", name + "-b"});
    } else {
      put_pair(index, name, some_text(random));
    }
    if (step % 40 == 39) index.compact();
  }
}

bool sees_whole_pairs(const Index& index, const std::string& text) {
  std::map<std::string, int> seen;
  for (const Hit& hit : index.query(text).hits) ++seen[hit.id.substr(0, hit.id.size() - 2)];
  for (const auto& [name, count] : seen) {
    if (count != 2) return false;
  }
  return true;
}

TEST(IndexThreads, ReadersSeeWholeStepsWhateverWritersAndCompactionsDo) {
  const TempDir dir;
  Index index = Index::create(dir.path("i"), small_plan());
  std::atomic<bool> over{false};
  std::atomic<int> torn{0}, asked{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 3; ++reader) {
    threads.emplace_back([&, reader] {
      SplitMix random(static_cast<std::uint64_t>(reader) + 100);
      while (!over) {
        torn += !sees_whole_pairs(index, some_text(random));
        ++asked;
      }
    });
  }
  std::thread other([&] {
    Index same = Index::open(dir.path("i"));
    write_pairs(same, 1, 120);
  });
  write_pairs(index, 2, 120);
  other.join();
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(asked, 100);
  EXPECT_EQ(index.verify().problem_count, 0u);
}

TEST(IndexThreads, AnotherProcessReadsWhatWasWrittenAndWritesBesideUs) {
  const TempDir dir;
  const std::string folder = dir.path("i");
  { const Index index = Index::create(folder, small_plan()); }
  const pid_t child = ::fork();
  if (child == 0) {
    Index index = Index::open(folder);
    write_pairs(index, 3, 150);
    ::_exit(index.verify().problem_count == 0 ? 0 : 1);
  }
  Index index = Index::open(folder);
  SplitMix random(4);
  int torn = 0;
  for (int i = 0; i < 300; ++i) {
    torn += !sees_whole_pairs(index, some_text(random));
    if (i % 10 == 0) put_pair(index, "mine-" + std::to_string(i), some_text(random));
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(torn, 0);
  for (int i = 0; i < 300; i += 10) EXPECT_TRUE(index.get("mine-" + std::to_string(i) + "-b")) << i;
  EXPECT_EQ(index.verify().problem_count, 0u);
}

}  // namespace
}  // namespace nearkin::threads_test
