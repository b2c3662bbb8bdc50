// One answer of the command line tool for every measure and format: the same bytes whatever the threads, the kernels and the way in.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/tools.h>

#include "io/io_support.h"
#include "law/corpus.h"
#include "support/temp_dir.h"

namespace nearkin::vectors_one_answer_test {
namespace {

using test::Random;
using Numbers = std::vector<float>;

constexpr std::size_t kQueries = 30;

float uniform(Random& random) { return static_cast<float>(random() >> 40) * 0x1p-24f; }

// A third of the places are 0, the rest numbers up to 2 that no short decimal fraction spells.
float random_number(Random& random) { return random.chance(33) ? 0 : uniform(random) + uniform(random); }

// Groups of six: a random one, a copy of it, and others that differ in more and more places.
std::vector<Numbers> groups(Random& random, std::size_t count, std::size_t width) {
  std::vector<Numbers> rows;
  Numbers first(width);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 6 == 0) {
      for (float& x : first) x = random_number(random);
    }
    Numbers row = first;
    for (std::size_t changes = i % 6 * width / 40; changes > 0; --changes) row[random.below(width)] = random_number(random);
    rows.push_back(row);
  }
  return rows;
}

template <typename Number>
void put(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

std::string as_fvecs(const std::vector<Numbers>& rows) {
  std::string bytes;
  for (const Numbers& row : rows) {
    put(bytes, static_cast<std::int32_t>(row.size()));
    for (const float x : row) put(bytes, x);
  }
  return bytes;
}

std::string as_npy(const std::vector<Numbers>& rows) {
  const std::string shape = "(" + std::to_string(rows.size()) + ", " + std::to_string(rows[0].size()) + ")";
  std::string about = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  about.append(64 - (10 + about.size() + 1) % 64, ' ') += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  put(bytes, static_cast<std::uint16_t>(about.size()));
  bytes += about;
  for (const Numbers& row : rows) {
    for (const float x : row) put(bytes, x);
  }
  return bytes;
}

std::string as_sparse(const std::vector<Numbers>& rows) {
  std::string text;
  for (const Numbers& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      char number[64];
      std::snprintf(number, sizeof number, "%zu:%.17g ", 7 * i, static_cast<double>(row[i]) / 3);
      if (row[i] != 0) text += number;
    }
    text += '\n';
  }
  return text;
}

std::string as_bits(const std::vector<Numbers>& rows) {
  std::string text;
  for (const Numbers& row : rows) {
    for (const float x : row) text += x > 1 ? '1' : '0';
    text += '\n';
  }
  return text;
}

std::string as_table(const std::vector<Numbers>& rows) {
  std::string text = "id";
  for (std::size_t i = 0; i < rows[0].size(); ++i) text += ",q" + std::to_string(i);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    text += "\nuser " + std::to_string(k);
    for (const float x : rows[k]) text += x == 0 ? "," : x < 0.7f ? ",no" : x < 1.2f ? ",yes" : ",often";
  }
  return text + "\n";
}

std::string as_sets(const std::vector<Numbers>& rows) {
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // Some are short, so that they stand whole in longer ones.
    const std::size_t width = rows[k].size() / (k % 5 == 0 ? 3 : 1);
    for (std::size_t i = 0; i < width; ++i) text += rows[k][i] > 1 ? "e" + std::to_string((k / 6 % 50 + 1) * i) + " " : "";
    text += '\n';
  }
  return text;
}

std::string as_edges(const std::vector<Numbers>& rows) {
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t i = 0; i < rows[k].size(); ++i) {
      if (rows[k][i] > 1) text += "n" + std::to_string(k) + " m" + std::to_string(k / 6 * 31 + i) + "\n";
    }
  }
  return text;
}

std::string as_jsonl(const std::vector<Numbers>& rows) {
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::string words;
    for (std::size_t i = 0; i < rows[k].size(); ++i) {
      if (rows[k][i] > 0.8f) words += "Étage" + std::to_string((k / 6 + i) * i % 997) + " ";
    }
    text += test::json_record("doc " + std::to_string(k), words);
  }
  return text;
}

struct World {
  const char* name;
  const char* file;
  std::string (*bytes)(const std::vector<Numbers>&);
  std::size_t items, width;
  const char* format;
  const char* measure;  // and features, as the tool is told
  const char* within;   // the threshold or radius
  const char* nearest = "--limit 5 --recall 0.9";

  std::string compare() const { return std::string(format) + " " + measure; }
};
void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

// Dense ones, sparse ones and bits are more than a chunk of a file long.
const World kWorlds[] = {
    {"fvecs_cosine", "x.fvecs", as_fvecs, 1500, 230, "--format dense", "", "--threshold 0.9"},
    {"fvecs_euclidean", "x.fvecs", as_fvecs, 1500, 230, "--format dense", "--measure euclidean", "--radius 4"},
    {"fvecs_manhattan", "x.fvecs", as_fvecs, 1500, 230, "--format dense", "--measure manhattan", "--radius 20"},
    {"npy_cosine", "x.npy", as_npy, 1500, 230, "--format dense", "", "--threshold 0.9"},
    {"npy_weighted_jaccard", "x.npy", as_npy, 1500, 60, "--format dense", "--measure weighted-jaccard", "--threshold 0.8"},
    {"npy_hamming", "x.npy", as_npy, 1500, 230, "--format dense", "--binarise median", "--radius 12"},
    {"npy_hamming_unary", "x.npy", as_npy, 1500, 100, "--format dense", "--binarise unary:5", "--radius 0.05"},
    {"sparse_cosine", "x.sparse", as_sparse, 1200, 50, "--format sparse", "", "--threshold 0.9"},
    {"sparse_weighted_jaccard", "x.sparse", as_sparse, 1200, 50, "--format sparse", "--measure weighted-jaccard", "--threshold 0.8"},
    {"sparse_euclidean", "x.sparse", as_sparse, 1200, 50, "--format sparse", "--measure euclidean", "--radius 0.6"},
    {"sparse_manhattan", "x.sparse", as_sparse, 1200, 50, "--format sparse", "--measure manhattan", "--radius 2"},
    {"bits_hamming", "x.bits", as_bits, 2400, 480, "--format bits", "", "--radius 30"},
    {"table_hamming", "x.table", as_table, 1500, 80, "--format table", "--measure hamming", "--radius 6"},
    {"table_jaccard", "x.table", as_table, 1500, 80, "--format table", "", "--threshold 0.8"},
    {"edges_jaccard", "x.edges", as_edges, 1500, 60, "--format edges --directed out", "", "--threshold 0.7"},
    {"sets_containment", "x.sets", as_sets, 1500, 90, "--format sets", "--measure containment", "--threshold 0.8", "--limit 5"},
    {"jsonl_tfidf", "x.jsonl", as_jsonl, 1500, 60, "--format jsonl", "--features tfidf --shingle word:1", "--threshold 0.8"},
};

enum class Way { plain, gzip, standard_input };
struct Road {
  const char* name;
  const char* environment;
  int threads;
  Way way;
};
const Road kRoads[] = {
    {"plain, one thread", "", 1, Way::plain},
    {"plain, three threads", "", 3, Way::plain},
    {"scalar, one thread", "NEARKIN_KERNEL=scalar", 1, Way::plain},
    {"scalar, three threads", "NEARKIN_KERNEL=scalar", 3, Way::plain},
    {"gzip, three threads", "", 3, Way::gzip},
    {"standard input, one thread", "", 1, Way::standard_input},
};

class OneAnswerOfTheTool : public testing::TestWithParam<World> {
 protected:
  void SetUp() override {
    const char* path = std::getenv("NEARKIN_BINARY");
    if (path == nullptr) GTEST_SKIP() << "NEARKIN_BINARY does not name the command line tool; ctest sets it";
    binary_ = path;
    Random random(3);
    const std::vector<Numbers> rows = groups(random, GetParam().items, GetParam().width);
    const std::string bytes = GetParam().bytes(rows);
    dir_.write(GetParam().file, bytes);
    dir_.write(GetParam().file + std::string(".gz"), test::gzip(bytes));
    std::vector<Numbers> asked(rows.begin(), rows.begin() + kQueries);
    for (Numbers& row : asked) row[0] = random_number(random);
    dir_.write(std::string("asked-") + GetParam().file, GetParam().bytes(asked));
  }

  struct Run {
    std::string out, err;
  };
  // In the folder of the files, so that their names are short and the same everywhere.
  Run run(const std::string& arguments, const std::string& environment = "", const std::string& input = "/dev/null") const {
    const std::string command =
        "cd '" + dir_.path() + "' && " + environment + " '" + binary_ + "' " + arguments + " > output 2> errors < '" + input + "'";
    const int status = std::system(command.c_str());
    Run run{dir_.read("output"), dir_.read("errors")};
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << "\n" << run.err;
    return run;
  }

  std::string tuned(const std::string& goal, const std::string& environment = "") const {
    const std::string out = run("tune " + std::string(GetParam().file) + " " + GetParam().compare() + " " + goal, environment).out;
    return out.substr(0, out.find('\n'));
  }

  // Ids begin with the name under which the file came.
  static std::string with_one_name(const std::string& text, const std::string& name) {
    const std::string file = GetParam().file;
    std::string named;
    for (std::size_t at = 0; at < text.size();) {
      const bool begins = at == 0 || text[at - 1] == '\n' || text[at - 1] == '\t' || text[at - 1] == '"';
      const bool is_name = begins && text.compare(at, name.size() + 1, name + ":") == 0;
      named += is_name ? file : text.substr(at, 1);
      at += is_name ? name.size() : 1;
    }
    return named;
  }

  // What a command writes to standard output, and to `other` where it is asked for.
  std::string written(const std::string& command, const std::string& rest, const Road& road, const std::string& other = "") const {
    const std::string file = GetParam().file;
    const std::string name = road.way == Way::plain ? file : road.way == Way::gzip ? file + ".gz" : "-";
    const std::string arguments = command + " " + name + " " + rest + " --quiet --threads " + std::to_string(road.threads);
    const Run done = run(arguments, road.environment, road.way == Way::standard_input ? file : "/dev/null");
    EXPECT_FALSE(done.out.empty()) << arguments;
    if (command == "dedup") return done.out + with_one_name(dir_.read(other), name);
    return with_one_name(done.out, name) + (other.empty() ? "" : with_one_name(dir_.read(other), name));
  }

  // By command, each with a plan line, so that what the road lets a plan be tuned for plays no part.
  std::map<std::string, std::string> all_written(const std::map<std::string, std::string>& plans, const Road& road) const {
    const auto with = [&](const char* plan) { return GetParam().format + std::string(" --plan '") + plans.at(plan) + "'"; };
    const std::string asked = "asked-" + std::string(GetParam().file) + " ";
    std::map<std::string, std::string> all;
    all["pairs"] = written("pairs", with("sketched"), road);
    all["pairs exactly"] = written("pairs", with("exact"), road);
    all["cluster"] = written("cluster", with("sketched") + " --summary summary --json", road, "summary");
    all["dedup"] = written("dedup", with("sketched") + " --removed removed", road, "removed");
    all["query"] = written("query", asked + with("sketched"), road);
    all["query --limit"] = written("query", asked + with("nearest"), road);
    return all;
  }

  std::map<std::string, std::string> plans() const {
    const std::string within = GetParam().within, nearest = GetParam().nearest;
    return {{"sketched", tuned(within + " --recall 0.9")}, {"exact", tuned(within + " --recall 1")}, {"nearest", tuned(nearest)}};
  }

  test::TempDir dir_;
  std::string binary_;
};

TEST_P(OneAnswerOfTheTool, IsTheSameOnEveryRoad) {
  const std::map<std::string, std::string> plan_lines = plans();
  const auto expected = all_written(plan_lines, kRoads[0]);
  for (const Road& road : kRoads) {
    if (road.way == Way::standard_input && GetParam().bytes == as_fvecs) continue;  // known by its name, and there it has none
    for (const auto& [command, bytes] : all_written(plan_lines, road)) {
      EXPECT_TRUE(bytes == expected.at(command)) << command << ", " << road.name << ", plan " << plan_lines.at("sketched");
    }
  }
}

TEST_P(OneAnswerOfTheTool, IsTunedToTheSamePlanTwice) {
  for (const auto& [name, line] : plans()) EXPECT_EQ(to_string(parse_plan(line)), line) << name;
  EXPECT_EQ(plans(), plans());
  const std::string goal = GetParam().within;
  EXPECT_EQ(tuned(goal, "NEARKIN_KERNEL=scalar"), tuned(goal));
}

// The line that a run prints is all that another needs to do the same.
TEST_P(OneAnswerOfTheTool, FollowsFromThePlanLineThatARunPrints) {
  const std::string file = GetParam().file, within = GetParam().within, asks = "query " + file + " asked-" + file + " ";
  for (const auto& [command, goal] : {std::pair{"pairs " + file + " ", within}, {asks, within}, {asks, std::string(GetParam().nearest)}}) {
    const Run first = run(command + GetParam().compare() + " " + goal);
    const std::string start = "nearkin: ";
    ASSERT_EQ(first.err.substr(0, start.size()), start);
    const std::string line = first.err.substr(start.size(), first.err.find('\n') - start.size());
    EXPECT_EQ(to_string(parse_plan(line)), line);
    const Run again = run(command + GetParam().format + " --plan '" + line + "'");
    EXPECT_FALSE(first.out.empty());
    EXPECT_TRUE(again.out == first.out) << command << goal << " then " << line;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, OneAnswerOfTheTool, testing::ValuesIn(kWorlds),
                         [](const testing::TestParamInfo<World>& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace nearkin::vectors_one_answer_test
