// A writer that is killed at any moment loses nothing that it was told is done.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nearkin/index.h>

#include "index/model.h"
#include "support/temp_dir.h"

namespace nearkin::crash_test {
namespace {

using test::some_text;
using test::TempDir;

/// How often; NEARKIN_KILLS says another number.
int wanted_kills() {
  const char* const said = std::getenv("NEARKIN_KILLS");
  return said == nullptr ? 200 : std::max(1, std::atoi(said));
}

/// What a writer says behind each step that has returned: "p id text" or "e id".
struct Said {
  std::map<std::string, std::string> held;  // by id, as far as the last word goes
  std::set<std::string> unsure;             // ids of the step that may or may not have been done when the end came
};

/// Puts, replaces and erases items one by one or in tens, and says so on `out`: before a step what it will do, behind it that it is done.
[[noreturn]] void write_until_killed(const std::string& folder, std::uint64_t seed, std::FILE* out) {
  Index index = Index::open(folder);
  SplitMix random(seed);
  for (;;) {
    const std::uint64_t kind = random() % 8;
    const std::string id = "id-" + std::to_string(random() % 200);
    if (kind == 0) {
      std::fprintf(out, "will e %s\n", id.c_str());
      std::fflush(out);
      index.erase(id);
    } else if (kind == 1) {
      if (random() % 4 == 0) index.compact();
      continue;
    } else {
      const std::string text = some_text(random, 8 + random() % 200);
      std::fprintf(out, "will p %s %s\n", id.c_str(), text.c_str());
      std::fflush(out);
      index.put(id, text);
    }
    std::fprintf(out, "done\n");
    std::fflush(out);
  }
}

void take_word(const std::string& said, std::map<std::string, std::string>& held) {
  const std::size_t space = said.find(' ', 2);
  if (said[0] == 'e') {
    held.erase(said.substr(2));
  } else {
    held[said.substr(2, space - 2)] = said.substr(space + 1);
  }
}

/// Replays what the writer said. Returns the step that was begun and not said to be done.
std::string replay(std::FILE* in, std::map<std::string, std::string>& held) {
  std::string begun, line;
  for (int c = std::fgetc(in); c != EOF; c = std::fgetc(in)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (line == "done") {
      take_word(begun, held);
      begun.clear();
    } else {
      begun = line.substr(5);
    }
    line.clear();
  }
  return begun;
}

TEST(IndexCrash, NoAcknowledgedWriteIsLostAndTheIndexIsSound) {
  const TempDir dir;
  const std::string folder = dir.path("docs.nearkin");
  const Plan plan = parse_plan("jaccard>=0.5 recall=0.95 shingle=word:2 sketch=minhash:128 bands=30x3 seed=1");
  { const Index index = Index::create(folder, plan, {.texts = true}); }
  std::map<std::string, std::string> held;
  SplitMix random(5);
  const int kills = wanted_kills();
  int while_writing = 0;
  for (int kill = 0; kill < kills; ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      write_until_killed(folder, random(), ::fdopen(ends[1], "w"));
    }
    random();
    ::close(ends[1]);
    std::FILE* const in = ::fdopen(ends[0], "r");
    // It has begun to write when it says something, which takes a while on a slow machine.
    pollfd first_word{ends[0], POLLIN, 0};
    ASSERT_EQ(::poll(&first_word, 1, 60'000), 1) << "the writer says nothing";
    ::usleep(static_cast<unsigned>(random() % 25'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string begun = replay(in, held);
    std::fclose(in);
    while_writing += !begun.empty();

    const Index index = Index::open(folder);
    const IndexCheck check = index.verify();
    ASSERT_EQ(check.problem_count, 0u) << check.problems.front() << " behind kill " << kill;
    std::map<std::string, std::string> either = held;
    if (!begun.empty()) take_word(begun, either);
    std::map<std::string, std::string> found;
    for (const std::string& id : index.ids()) found[id] = *index.get(id)->text;
    ASSERT_TRUE(found == held || found == either) << "behind kill " << kill << ", which met: " << begun;
    held = found;
  }
  EXPECT_GT(while_writing, kills / 3);
  EXPECT_GT(held.size(), 10u);
}

}  // namespace
}  // namespace nearkin::crash_test
