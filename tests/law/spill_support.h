// What the tests of runs in files share: whole runs with all that they give back, texts for them, and the files that they keep.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "collect/stage.h"
#include "io/io_support.h"
#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::test {

/// A folder in memory, where there is room for one: every file of a run waits for the disk, hundreds of them in one test.
class QuickDir : public TempDir {
 public:
  QuickDir() : TempDir(parent()) {}

 private:
  static const std::filesystem::path& parent() {
    static const std::filesystem::path found = [] {
      const std::filesystem::path memory = "/dev/shm";
      std::error_code error;
      const std::filesystem::space_info space = std::filesystem::space(memory, error);
      const bool usable = !error && space.available >= std::uintmax_t{512} << 20 && ::access(memory.c_str(), W_OK) == 0;
      return usable ? memory : std::filesystem::temp_directory_path();
    }();
    return found;
  }
};

/// A run's outputs, by name, and its figures.
struct Answer {
  std::map<std::string, std::string> outputs;
  std::map<std::string, std::uint64_t> counts;
  RunStats stats;
};

/// How a run is to be done. With `stage_bytes` it goes to files, and its stages have so little memory each.
struct Road {
  RunOptions options = {};
  std::optional<std::uint64_t> stage_bytes = std::nullopt;
};

/// While it lasts, stages over files have so little memory each.
class SmallShare {
 public:
  explicit SmallShare(const std::optional<std::uint64_t>& bytes) { share_in_tests = bytes; }
  ~SmallShare() { share_in_tests.reset(); }
  SmallShare(const SmallShare&) = delete;
  SmallShare& operator=(const SmallShare&) = delete;
};

using SpillRun = std::function<Answer(const Road&)>;

inline SpillRun pairs_run(Input input, Plan plan, RowStyle style = RowStyle::tsv, std::optional<Input> against = {}) {
  return [=](const Road& road) {
    const QuickDir dir;
    const PairsOutput output{.path = dir.path("pairs"), .style = style};
    const Input* const other = against ? &*against : nullptr;
    Answer answer;
    const SmallShare share(road.stage_bytes);
    answer.stats = list_pairs(input, plan, output, road.options, other);
    answer.outputs["pairs"] = dir.read("pairs");
    return answer;
  };
}

inline SpillRun clusters_run(Input input, Plan plan, ClusterOptions options = {}, RowStyle style = RowStyle::json,
                             std::uint32_t least = 1) {
  return [=](const Road& road) {
    const QuickDir dir;
    const ClustersOutput output{.path = dir.path("clusters"), .style = style, .least = least, .summary = dir.path("summary")};
    const SmallShare share(road.stage_bytes);
    ClustersListed listed = list_clusters(input, plan, output, options, road.options);
    return Answer{.outputs = {{"clusters", dir.read("clusters")}, {"summary", dir.read("summary")}},
                  .counts = {{"clusters", listed.clusters}},
                  .stats = std::move(listed.stats)};
  };
}

/// Lists what was removed and what was skipped too, but where records are annotated: then none is removed.
inline SpillRun dedup_run(Input input, Plan plan, DedupOptions options = {}, std::string name = "kept") {
  return [=](const Road& road) {
    const QuickDir dir;
    DedupOptions named = options;
    if (!options.annotate) named.removed = dir.path("removed");
    named.skipped = dir.path("skipped");
    const SmallShare share(road.stage_bytes);
    DedupResult result = dedup(input, dir.path(name), plan, named, road.options);
    return Answer{.outputs = {{"kept", dir.read(name)}, {"removed", dir.read("removed")}, {"skipped", dir.read("skipped")}},
                  .counts = {{"kept", result.kept}, {"removed", result.removed}, {"clusters", result.clusters}},
                  .stats = std::move(result.stats)};
  };
}

inline std::string shown(const std::optional<Recall>& recall) {
  if (!recall) return "none";
  return std::to_string(recall->estimate) + ' ' + std::to_string(recall->low) + ' ' + std::to_string(recall->high);
}

/// All that does not depend on the road. The recall does where the matches are too many for it: then it comes from some of them.
inline void expect_same(const Answer& found, const Answer& expected, bool with_recall = true) {
  for (const auto& [name, bytes] : expected.outputs) {
    const auto there = found.outputs.find(name);
    EXPECT_TRUE(there != found.outputs.end() && there->second == bytes) << "other bytes in " << name;
  }
  EXPECT_EQ(found.counts, expected.counts);
  const RunStats &a = found.stats, &b = expected.stats;
  EXPECT_EQ(a.items, b.items);
  EXPECT_EQ(a.empty, b.empty);
  EXPECT_EQ(a.numbers, b.numbers);
  EXPECT_EQ(a.copies, b.copies);
  EXPECT_EQ(a.every_pair, b.every_pair);
  if (b.every_pair) {
    EXPECT_EQ(a.candidates, b.candidates);
    EXPECT_EQ(a.pairs, b.pairs);
    EXPECT_EQ(a.closest_below, b.closest_below);
  }
  EXPECT_EQ(a.buckets.large, b.buckets.large);
  EXPECT_EQ(a.buckets.largest, b.buckets.largest);
  EXPECT_EQ(a.buckets.not_compared, b.buckets.not_compared);
  EXPECT_EQ(a.faults.count, b.faults.count);
  EXPECT_EQ(a.faults.binary, b.faults.binary);
  ASSERT_EQ(a.faults.first.size(), b.faults.first.size());
  for (std::size_t i = 0; i < a.faults.first.size(); ++i) {
    EXPECT_EQ(a.faults.first[i].where, b.faults.first[i].where);
    EXPECT_EQ(a.faults.first[i].message, b.faults.first[i].message);
  }
  if (!with_recall) return;
  EXPECT_EQ(shown(a.recall), shown(b.recall));
}

/// {"id":"7","text":"…","n":3}, some without a number.
inline std::string numbered_record(Random& random, const std::string& id, const std::string& text) {
  std::string record = json_record(id, text);
  if (random.chance(80)) record.insert(record.size() - 2, ",\"n\":" + std::to_string(random.below(50)));
  return record;
}

/// Near-duplicates, copies, EMPTY items, records at fault and ids that come twice: about 33 records a block.
inline std::string mixed_documents(std::uint64_t seed, int blocks) {
  Random random(seed);
  std::string out;
  std::size_t id = 0;
  for (int block = 0; block < blocks; ++block) {
    for (const std::string& text : random_texts(random, {.unicode = block % 3 == 0, .longest = 60})) {
      out += numbered_record(random, std::to_string(id++), text);
    }
    out += block % 2 == 0 ? "{\"id\":\"no text\"}\n" : "no record\n";
    if (id > 3) out += json_record(std::to_string(random.below(id)), "an id that was used before");
  }
  return out;
}

/// Copies of one text, each with up to `edits` other words in it.
inline std::string boilerplate_documents(std::uint64_t seed, std::size_t count, std::size_t words = 40, std::size_t edits = 4) {
  Random random(seed);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    Words text;
    for (std::size_t k = 0; k < words; ++k) text.push_back("w" + std::to_string(k));
    for (std::size_t k = random.between(1, edits); k > 0; --k) text[random.below(words)] = "v" + std::to_string(random.below(30));
    std::string joined;
    for (const std::string& word : text) joined += word + ' ';
    out += numbered_record(random, "b" + std::to_string(i), joined);
  }
  return out;
}

/// A variable of the environment, as it was before when this ends.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

inline bool is_empty_folder(const std::string& folder) { return !std::filesystem::exists(folder) || std::filesystem::is_empty(folder); }

/// The folder of the one run that has files in `scratch`; empty where there is none.
inline std::string run_folder(const std::string& scratch) {
  std::string found;
  if (!std::filesystem::exists(scratch)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(scratch)) {
    EXPECT_TRUE(found.empty()) << "two folders in " << scratch;
    found = entry.path().string();
  }
  return found;
}

/// The bytes of the files in a folder, by their names.
using Files = std::map<std::string, std::string>;

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The units of work in a run's folder.
inline Files units_in(const std::string& folder) {
  Files files;
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "lock" && entry.path().extension() != ".part") files[name] = bytes_of(entry.path());
  }
  return files;
}

/// "pairs" of "pairs-000003".
inline std::string kind_of(const std::string& name) { return name.substr(0, name.rfind('-')); }

inline std::map<std::string, std::size_t> count_kinds(const Files& units) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, bytes] : units) ++counts[kind_of(name)];
  return counts;
}

}  // namespace nearkin::test
