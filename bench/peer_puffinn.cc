// The nearest sets by PUFFINN (github.com/puffinn/puffinn, header-only), which bench/nearest_sets compiles if it is told where it lies.
//   peer_puffinn FILE.sets ANSWERS MEGABYTES RECALL...
// FILE.sets: numbers, a set per line, no line empty. ANSWERS: of nearest_sets_bench. Prints a JSON object for each recall that was asked
// for.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <puffinn.hpp>

namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Sets read_sets(const std::string& path, std::uint32_t& universe) {
  std::ifstream in(path);
  Sets sets;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::set<std::uint32_t> set;
    for (std::uint32_t x = 0; words >> x;) set.insert(x), universe = std::max(universe, x + 1);
    sets.emplace_back(set.begin(), set.end());
  }
  return sets;
}

double jaccard(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size() - both.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::uint32_t universe = 0;
  const Sets sets = read_sets(argv[1], universe);
  const double start = seconds();
  puffinn::Index<puffinn::JaccardSimilarity> index(universe, std::stoull(argv[3]) << 20);
  for (const auto& set : sets) index.insert(set);
  index.rebuild();
  const double build = seconds() - start;
  for (int i = 4; i < argc; ++i) {
    std::ifstream answers(argv[2]);
    double found = 0, took = 0;
    std::size_t queries = 0, row = 0;
    for (double tenth = 0; answers >> row >> tenth; ++queries) {
      const double begin = seconds();
      const std::vector<std::uint32_t> rows = index.search(sets[row], 10, std::stof(argv[i]));
      took += seconds() - begin;
      for (const std::uint32_t other : rows) found += jaccard(sets[row], sets[other]) >= tenth - 1e-8;
    }
    const auto asked = static_cast<double>(queries);
    std::printf("{\"asked\": %s, \"recall\": %.4f, \"us\": %.2f, \"build_s\": %.3f}\n", argv[i], found / asked / 10, took / asked * 1e6,
                build);
  }
}
