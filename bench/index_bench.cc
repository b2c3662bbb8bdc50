// nearkin_bench_index: what an index takes on this machine, one thread. One JSON object.
//
//   nearkin_bench_index FILE.jsonl FOLDER PLAN QUERIES
//
// The index is made in FOLDER/index and left there. Queries are documents of the file, spread over it. Their answers are compared with
// those of a look at every item before anything is timed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/forecast.h>

#include "kernel/kernel.h"

namespace {

using namespace nearkin;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <typename Work>
double best_of(int times, Work&& work) {
  double least = 1e300;
  for (int i = 0; i < times; ++i) {
    const double start = now();
    work();
    least = std::min(least, now() - start);
  }
  return least;
}

void print(const char* name, double value) { std::printf(",\"%s\":%.6g", name, value); }

struct Collection {
  Items items;
  Features features;
  std::vector<std::uint8_t> signatures;  // a byte a slot
  std::uint32_t hashes = 0;
};

Collection load(const std::string& path, const Plan& plan) {
  Collection all;
  Input input;
  input.paths = {path};
  all.items = read_items(input);
  all.features = shingle(all.items, plan.shingle);
  const Sketches sketches = sketch(all.features, plan.sketch);
  all.hashes = sketches.hashes;
  all.signatures.resize(sketches.slots.size());
  kernel::signature_bytes(sketches.slots.data(), sketches.slots.size(), all.signatures.data());
  return all;
}

std::vector<Row> spread(std::size_t count, std::size_t items) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(static_cast<Row>(i * 7919 % items));
  return rows;
}

std::uint64_t shared(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t both = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    both += a[i] == b[j];
    const bool first = a[i] <= b[j], second = b[j] <= a[i];
    i += first;
    j += second;
  }
  return both;
}

/// Of the true neighbours of the queries, others than themselves, the share found. All answers must be true.
void check_answers(const Index& index, const Collection& all, const std::vector<Row>& rows) {
  const Ratio threshold = index.plan().threshold;
  std::uint64_t found = 0, there = 0;
  for (const Row row : rows) {
    std::vector<std::string> truth;
    for (Row other = 0; other < all.items.size(); ++other) {
      const std::uint64_t both = shared(all.features[row], all.features[other]);
      const std::uint64_t total = all.features[row].size() + all.features[other].size() - both;
      if (total > 0 && both * threshold.denominator >= total * threshold.numerator) truth.emplace_back(all.items.id(other));
    }
    std::sort(truth.begin(), truth.end());
    const IndexAnswer answer = index.query(all.items.text(row));
    for (const Hit& hit : answer.hits) {
      if (!std::binary_search(truth.begin(), truth.end(), hit.id)) {
        std::fprintf(stderr, "nearkin_bench_index: %s is no neighbour of %s\n", hit.id.c_str(), std::string(all.items.id(row)).c_str());
        std::exit(1);
      }
    }
    found += answer.hits.size() - 1;
    there += truth.size() - 1;
  }
  print("true_neighbours", static_cast<double>(there));
  print("recall", there == 0 ? 1 : static_cast<double>(found) / static_cast<double>(there));
}

void time_queries(const Index& index, const Collection& all, const std::vector<Row>& rows) {
  std::uint64_t hits = 0, looked_at = 0;
  const double seconds = best_of(3, [&] {
    hits = looked_at = 0;
    for (const Row row : rows) {
      const IndexAnswer answer = index.query(all.items.text(row));
      hits += answer.hits.size();
      looked_at += answer.looked_at;
    }
  });
  print("queries_a_second", static_cast<double>(rows.size()) / seconds);
  print("hits_a_query", static_cast<double>(hits) / static_cast<double>(rows.size()));
  print("looked_at_a_query", static_cast<double>(looked_at) / static_cast<double>(rows.size()));
}

void time_scan(const Collection& all, const std::vector<Row>& rows) {
  std::uint64_t sum = 0;
  const double seconds = best_of(3, [&] {
    for (const Row row : rows) {
      for (std::size_t i = 0; i < all.items.size(); ++i) {
        sum +=
            kernel::equal_bytes(all.signatures.data() + std::size_t{row} * all.hashes, all.signatures.data() + i * all.hashes, all.hashes);
      }
    }
  });
  if (sum == 0) std::exit(1);
  print("scans_a_second", static_cast<double>(rows.size()) / seconds);
}

/// New documents, on the disk in steps of so many.
void time_inserts(const std::string& folder, const Collection& all, const Plan& plan, std::size_t step, std::size_t count) {
  std::filesystem::remove_all(folder);
  Index index = Index::create(folder, plan);
  const double start = now();
  for (std::size_t begin = 0; begin < count; begin += step) {
    std::vector<IndexItem> items;
    for (std::size_t i = begin; i < std::min(count, begin + step); ++i)
      items.push_back({all.items.id(static_cast<Row>(i)), all.items.text(static_cast<Row>(i))});
    index.put(items);
  }
  print(("inserts_of_" + std::to_string(step)).c_str(), static_cast<double>(count) / (now() - start));
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "nearkin_bench_index: FILE FOLDER PLAN QUERIES\n");
    return 2;
  }
  try {
    const std::string file = argv[1], folder = argv[2];
    const Plan plan = parse_plan(argv[3]);
    Input input;
    input.paths = {file};
    std::filesystem::remove_all(folder + "/index");
    const double start = now();
    const IndexAdded made = create_index(folder + "/index", input, plan, {}, {.threads = 1});
    const double took = now() - start;
    std::printf("{\"items\":%llu", static_cast<unsigned long long>(made.put.added));
    print("create_seconds", took);
    const Index index = Index::open(folder + "/index");
    const Collection all = load(file, plan);
    print("index_bytes", static_cast<double>(index.info().bytes));
    print("text_bytes", static_cast<double>(all.items.texts.bytes()));
    print("file_bytes", static_cast<double>(std::filesystem::file_size(file)));
    check_answers(index, all, spread(200, all.items.size()));
    time_queries(index, all, spread(static_cast<std::size_t>(std::atoll(argv[4])), all.items.size()));
    time_scan(all, spread(10, all.items.size()));
    time_inserts(folder + "/inserts", all, plan, 1, 1000);
    time_inserts(folder + "/inserts", all, plan, 100, 20'000);
    time_inserts(folder + "/inserts", all, plan, 10'000, 100'000);
    std::printf("}\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nearkin_bench_index: %s\n", error.what());
    return 1;
  }
  return 0;
}
