// Files of a run, and sketch files, that are not what was written: whatever happens to them, a run names them or gives the right answer.
#include <array>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "io/run_file/run_file_layout.h"
#include "law/spill_support.h"

namespace nearkin::test::spill_flip_test {
namespace {

constexpr std::array<const char*, 5> kStages{"segment", "pairs", "candidates", "sets", "matches"};

struct Stopped {};

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(~bytes[at]);
  return bytes;
}

/// A few dozen records with copies and faults, some of them compressed, so that there are files of every kind with every section.
class Damaged : public testing::Test {
 protected:
  Damaged() : input_(documents("here/")), run_(dedup_run(input_, plan(), {.keep = {Keep::Rule::max, "n"}})), expected_(run_({})) {
    take_snapshots();
  }

  static Plan plan(std::uint64_t seed = 1) {
    return tune({.threshold = 0.6}, {.shingle = parse_shingle("word:2"), .bands = 4, .rows = 2, .seed = seed});
  }

  Input documents(const std::string& folder) const {
    Input input;
    const std::vector<std::string> lines = lines_of(mixed_documents(1, 2));
    std::string first, second;
    for (std::size_t i = 0; i < lines.size(); ++i) (i < lines.size() / 2 ? first : second) += lines[i] + '\n';
    input.paths = {dir_.write(folder + "a.jsonl.gz", gzip(first)), dir_.write(folder + "b.jsonl", second)};
    return input;
  }

  RunOptions options(bool resume = true) const {
    return {.threads = 1, .memory = least_memory(1), .scratch = dir_.path("scratch"), .resume = resume};
  }

  /// What the run had in files when each of its stages was done, and at its end.
  void take_snapshots() {
    for (std::size_t k = 1; !snapshots_.contains("end"); ++k) {
      std::size_t calls = 0;
      RunOptions stopping = options(false);
      stopping.progress = [&](const char*, std::uint64_t, std::uint64_t) {
        if (++calls == k) throw Stopped{};
      };
      stopping.before_output = [] { throw Stopped{}; };
      EXPECT_THROW(run_({.options = stopping}), Stopped);
      if (const std::string folder = run_folder(dir_.path("scratch")); !folder.empty()) folder_ = folder;
      const Files units = units_in(run_folder(dir_.path("scratch")));
      for (const char* const stage : kStages) {
        if (count_kinds(units).contains(stage)) newest_ = stage;
      }
      if (!units.empty()) snapshots_[calls < k ? "end" : newest_] = units;
      std::filesystem::remove_all(dir_.path("scratch"));
    }
  }

  /// The run with these files, one of them changed. True where it was named, false where the answer was right all the same.
  bool is_named(Files files, const std::string& name, const std::string& bytes) const {
    files[name] = bytes;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const auto& [file, content] : files) put_bytes(folder_ + '/' + file, content);
    try {
      const Answer found = run_({.options = options()});
      expect_same(found, expected_);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      return true;
    }
  }

  /// Every byte in turn; how many were named.
  std::size_t named_flips(const Files& files, const std::string& name) const {
    const std::string& bytes = files.at(name);
    std::size_t named = 0;
    for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
      SCOPED_TRACE(name + ", byte " + std::to_string(at));
      named += is_named(files, name, flipped(bytes, at));
    }
    return named;
  }

  /// While it is the newest kind there is, so that all of it is still to be read.
  void expect_flips_named(const std::string& kind) const {
    const Files& files = snapshots_.at(kind);
    for (const auto& [name, bytes] : files) {
      if (kind_of(name) != kind) continue;
      EXPECT_EQ(named_flips(files, name), bytes.size()) << "a byte of " << name << " is not looked at";
    }
  }

  QuickDir dir_;
  Input input_;
  SpillRun run_;
  Answer expected_;
  std::string folder_;
  std::map<std::string, Files> snapshots_;
  std::string newest_;
};

TEST_F(Damaged, TheRunHasFilesOfEveryKind) {
  std::map<std::string, std::size_t> kinds = count_kinds(snapshots_.at("end"));
  for (const char* const stage : kStages) {
    EXPECT_GT(kinds[stage], 0u) << stage;
    EXPECT_TRUE(snapshots_.contains(stage)) << stage;
  }
  EXPECT_GT(expected_.counts.at("removed"), 5u);
  EXPECT_GT(expected_.stats.copies, 0u);
  EXPECT_GT(expected_.stats.faults.count, 0u);
}

TEST_F(Damaged, SegmentsAreNamedForEveryByte) { expect_flips_named("segment"); }
TEST_F(Damaged, PairsAreNamedForEveryByte) { expect_flips_named("pairs"); }
TEST_F(Damaged, CandidatesAreNamedForEveryByte) { expect_flips_named("candidates"); }
TEST_F(Damaged, SetsAreNamedForEveryByte) { expect_flips_named("sets"); }
TEST_F(Damaged, MatchesAreNamedForEveryByte) { expect_flips_named("matches"); }

// What is not read any more may be what it will.
TEST_F(Damaged, FilesOfAFinishedSearchAreNamedOrDoNoHarm) {
  const Files& files = snapshots_.at("end");
  for (const auto& [name, bytes] : files) EXPECT_GT(named_flips(files, name), 0u) << name;
}

TEST_F(Damaged, FilesCutShortAreNamed) {
  for (const char* const kind : kStages) {
    const Files& files = snapshots_.at(kind);
    for (const auto& [name, bytes] : files) {
      if (kind_of(name) != kind) continue;
      for (std::size_t size = 0; size < bytes.size() && !HasFailure(); ++size) {
        SCOPED_TRACE(name + ", " + std::to_string(size) + " bytes");
        EXPECT_TRUE(is_named(files, name, bytes.substr(0, size)));
      }
      EXPECT_TRUE(is_named(files, name, bytes + '\0')) << name;
    }
  }
}

TEST_F(Damaged, FilesOfOthersAreNamed) {
  const auto files_of = [&](const SpillRun& run) {
    RunOptions stopping = options(false);
    stopping.before_output = [] { throw Stopped{}; };
    EXPECT_THROW(run({.options = stopping}), Stopped);
    const Files files = units_in(run_folder(dir_.path("scratch")));
    std::filesystem::remove_all(dir_.path("scratch"));
    return files;
  };
  std::filesystem::remove_all(dir_.path("scratch"));
  const DedupOptions keep{.keep = {Keep::Rule::max, "n"}};
  const Files of_other_input = files_of(dedup_run(documents("elsewhere/"), plan(), keep));
  const Files of_other_plan = files_of(dedup_run(input_, plan(2), keep));
  const Files of_other_rule = files_of(dedup_run(input_, plan(), {.keep = {Keep::Rule::min, "n"}}));
  const Files& all = snapshots_.at("end");
  const std::array<std::string, 3> nobodys{"", "no run file\n", std::string(5000, '\x89')};
  for (const char* const kind : kStages) {
    const Files& files = snapshots_.at(kind);
    const std::string name = std::string(kind) + "-000000";
    for (const Files* const others : {&of_other_input, &of_other_plan, &of_other_rule})
      EXPECT_TRUE(is_named(files, name, others->at(name))) << name;
    for (const std::string& bytes : nobodys) EXPECT_TRUE(is_named(files, name, bytes)) << name;
    // Even a file of the very same run, in the place of another.
    for (const auto& [other, bytes] : all) {
      if (other == name) continue;
      EXPECT_TRUE(is_named(files, name, bytes)) << other << " as " << name;
    }
  }
}

class DamagedSketch : public Damaged {
 protected:
  DamagedSketch() : path_(dir_.path("all.sketch")), by_sketch_(dedup_run(input_from(path_), plan())) {
    write_sketches(input_, path_, plan());
    bytes_ = bytes_of(path_);
    expected_ = by_sketch_({});
  }

  bool is_named(const std::string& bytes) const {
    put_bytes(path_, bytes);
    try {
      expect_same(by_sketch_({.options = {.threads = 1}}), expected_);
      return false;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("all.sketch"), std::string::npos) << error.what();
      return true;
    }
  }

  std::string path_, bytes_;
  SpillRun by_sketch_;
};

TEST_F(DamagedSketch, IsNamedForEveryByte) {
  for (std::size_t at = 0; at < bytes_.size() && !HasFailure(); ++at) {
    SCOPED_TRACE(at);
    EXPECT_TRUE(is_named(flipped(bytes_, at)));
  }
}

TEST_F(DamagedSketch, IsNamedForEveryLength) {
  for (std::size_t size = 0; size < bytes_.size() && !HasFailure(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_TRUE(is_named(bytes_.substr(0, size)));
  }
  EXPECT_TRUE(is_named(bytes_ + '\0'));
}

TEST_F(DamagedSketch, IsNotTakenForAFileOfARunNorTheOtherWayRound) {
  EXPECT_TRUE(is_named(snapshots_.at("end").at("segment-000000")));
  EXPECT_TRUE(Damaged::is_named(snapshots_.at("segment"), "segment-000000", bytes_));
}

}  // namespace
}  // namespace nearkin::test::spill_flip_test
