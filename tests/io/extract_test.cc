#include "io/source/extract.h"

#include <chrono>
#include <thread>

#include <sys/stat.h>

#include "io/bytes/program.h"
#include "io/io_support.h"

namespace nearkin::test::extract_test {
namespace {

const std::atomic<bool> kGoOn{false};

TEST(Program, GivesWhatItWrites) {
  EXPECT_EQ(run_program({"printf", "a b"}, {}, kGoOn).output, "a b");
  EXPECT_EQ(run_program({"cat"}, {}, kGoOn).output, "");
  EXPECT_EQ(run_program({"head", "-c", "3000000", "/dev/zero"}, {}, kGoOn).output.size(), 3'000'000U);
}

TEST(Program, TellsHowItFailed) {
  EXPECT_TRUE(run_program({"no-such-program-here"}, {}, kGoOn).missing);
  EXPECT_EQ(run_program({"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"}, {}, kGoOn).problem, "failed with status 3: two");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, {}, kGoOn).problem, "was ended by signal 9");
}

TEST(Program, CostsItsBoundsAndNoMore) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run_program({"sleep", "100"}, {.seconds = 1}, kGoOn).problem, "took longer than 1 s and was stopped");
  EXPECT_EQ(run_program({"cat", "/dev/zero"}, {.output = 1 << 20}, kGoOn).problem, "wrote more than 1 MiB and was stopped");
  EXPECT_EQ(run_program({"sh", "-c", "sleep 100 & sleep 100"}, {.seconds = 1}, kGoOn).problem, "took longer than 1 s and was stopped");
  // What it leaves behind holds the pipes open, and is not waited for.
  EXPECT_EQ(run_program({"sh", "-c", "sleep 100 & echo done"}, {}, kGoOn).output, "done\n");
  EXPECT_FALSE(
      run_program({"sh", "-c", "x=$(head -c 200000000 /dev/zero | tr '\\0' a); echo ok"}, {.memory = 100 << 20}, kGoOn).problem.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Program, EndsWhenItIsTold) {
  std::atomic<bool> stop{false};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  EXPECT_EQ(run_program({"sleep", "100"}, {}, stop).problem, "was stopped");
  later.join();
}

Input with(const std::string& path, const std::string& command, std::vector<std::string> globs = {}) {
  Input input = input_of(path);
  input.extraction.command = command;
  input.extraction.globs = std::move(globs);
  return input;
}

TEST(Extraction, TheProgramMakesTheText) {
  const TempDir dir;
  dir.write("d/a.up", "ABC");
  dir.write("d/b.txt", "DEF");
  dir.write("d/-c.up", "GHI");
  EXPECT_EQ(read_everything(with(dir.path("d"), "rev", {"*.up"})).texts, (Texts{"IHG", "CBA", "DEF"}));
  EXPECT_EQ(read_everything(with(dir.path("d"), "rev")).texts, (Texts{"IHG", "CBA", "FED"}));
  EXPECT_EQ(read_everything(with(dir.path("d"), "head -c 1 {}", {"*/a.*"})).texts, (Texts{"GHI", "A", "DEF"}));
  EXPECT_EQ(read_everything(with(dir.path("d"), "")).texts, (Texts{"GHI", "ABC", "DEF"}));
}

TEST(Extraction, ASpecialFormatYieldsToAGlob) {
  const TempDir dir;
  dir.write("a.jsonl", "{\"text\":\"x\"}\n");
  EXPECT_EQ(read_everything(with(dir.path("a.jsonl"), "cat", {"*.jsonl"})).texts, (Texts{"{\"text\":\"x\"}\n"}));
  EXPECT_EQ(read_everything(with(dir.path("a.jsonl"), "cat")).texts, (Texts{"x"}));
}

TEST(Extraction, FailuresAreFaultsThatNameTheFile) {
  const TempDir dir;
  dir.write("d/a.x", "a");
  dir.write("d/b.txt", "b");
  const auto fault = [&](const std::string& command) {
    const Everything got = read_everything(with(dir.path("d"), command, {"*.x"}));
    EXPECT_EQ(got.texts, (Texts{"b"}));
    EXPECT_EQ(got.faults.count, 1U);
    EXPECT_EQ(got.faults.first.at(0).where, dir.path("d/a.x"));
    return got.faults.first.at(0).message;
  };
  EXPECT_EQ(fault("ls --no-such-flag").substr(0, 23), "ls failed with status 2");
  EXPECT_EQ(fault("no-such-program-here"), "no-such-program-here cannot be run: No such file or directory; skipped");
  EXPECT_EQ(fault("head -q -c 10 /dev/zero"), "head wrote something that is not text (NUL byte at 1); skipped");
}

TEST(Extraction, IsMadeOnceAndReadAgainFromWhatWasKept) {
  const TempDir dir;
  const std::string script = dir.write("once.sh", "#!/bin/sh\necho run >> " + dir.path("log") + "\ntac \"$1\"\n");
  ::chmod(script.c_str(), 0755);
  for (int i = 0; i < 20; ++i) dir.write("d/" + std::to_string(10 + i) + ".x", "one " + std::to_string(i) + "\ntwo\n");
  const Input input = with(dir.path("d"), script);
  {
    Sources ahead(input, false, true);
    ahead.use_threads(4);
    EXPECT_EQ(read_everything(ahead).texts.size(), 20U);
  }
  Sources sources(input, true);
  sources.use_threads(4);
  const Everything got = read_everything(sources);
  ASSERT_EQ(got.texts.size(), 20U);
  EXPECT_EQ(got.texts[3], "two\none 3\n");
  std::string buffer;
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(sources.read(got.locations[i], buffer), got.texts[i]);
  EXPECT_EQ(read_everything(input_of(dir.path("log"), Format::lines)).texts.size(), 20U);
}

TEST(Extraction, WrongOnesAreRefused) {
  EXPECT_THROW(require_extraction({.command = " "}), Error);
  EXPECT_THROW(require_extraction({.globs = {"*.x"}}), Error);
  EXPECT_THROW(require_extraction({.seconds = 0}), Error);
}

}  // namespace
}  // namespace nearkin::test::extract_test
