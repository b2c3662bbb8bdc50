// Near neighbours: nearkin's tables against brute force and against faiss, same data, same recall, one thread. Prints markdown tables.
//   neighbours mnist DIGITS.bvecs QUERY_ROWS.i32 TRUTH_L2.ivecs TRUTH_COSINE.ivecs
//   neighbours vectors FILE
//   neighbours hamming CODES
//   neighbours sets FILE THRESHOLD
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sample.h>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "match/overlap.h"
#include "peer_faiss.h"

namespace nearkin::bench {
namespace {

constexpr std::array kRecalls{0.9, 0.95, 0.99};
constexpr std::uint32_t kNearest = 10;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double heap_megabytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

template <typename T>
std::vector<T> read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

struct Line {
  std::string name, setting;
  double recall = 0, query = 0, build = 0, megabytes = 0, looked_at = 0;
};

void print(const std::string& title, const std::vector<Line>& lines) {
  fmt::print(
      "\n{}\n\n| what | setting | recall | µs a query | times brute force | build s | MB | looked at "
      "|\n|---|---|---|---|---|---|---|---|\n",
      title);
  for (const Line& line : lines) {
    fmt::print("| {} | {} | {:.4f} | {:.1f} | {:.1f} | {:.2f} | {:.0f} | {} |\n", line.name, line.setting, line.recall, line.query * 1e6,
               lines.front().query / line.query, line.build, line.megabytes,
               line.looked_at > 0 ? fmt::format("{:.0f}", line.looked_at) : "");
  }
  std::fflush(stdout);
}

// ---- the nearest vectors

struct Collection {
  std::vector<float> base, queries;              // row after row
  std::vector<std::vector<std::int64_t>> truth;  // of each query, rows of `base`, the nearest first
  std::size_t dimensions = 0;
  std::size_t size() const { return base.size() / dimensions; }
  std::size_t query_count() const { return queries.size() / dimensions; }
};

Collection split_collection(const Vectors& vectors, const std::vector<char>& is_query) {
  Collection collection;
  collection.dimensions = vectors.dimensions;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<const float> row = vectors.dense(i);
    std::vector<float>& side = is_query[i] != 0 ? collection.queries : collection.base;
    side.insert(side.end(), row.begin(), row.end());
  }
  return collection;
}

// The nearer, the smaller.
double farness(const Collection& collection, Measure measure, std::size_t q, std::size_t i) {
  const float *a = collection.queries.data() + q * collection.dimensions, *b = collection.base.data() + i * collection.dimensions;
  if (measure == Measure::euclidean) return kernel::squared_distance(a, b, collection.dimensions);
  return -kernel::dot(a, b, collection.dimensions) / std::sqrt(kernel::dot(b, b, collection.dimensions));
}

void find_truth(Collection& collection, Measure measure) {
  collection.truth.clear();
  std::vector<std::pair<double, std::int64_t>> all(collection.size());
  for (std::size_t q = 0; q < collection.query_count(); ++q) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {farness(collection, measure, q, i), static_cast<std::int64_t>(i)};
    std::partial_sort(all.begin(), all.begin() + kNearest, all.end());
    std::vector<std::int64_t>& nearest = collection.truth.emplace_back();
    for (std::size_t k = 0; k < kNearest; ++k) nearest.push_back(all[k].second);
  }
}

// Digits with the neighbours that are stored beside them.
Collection load_digits(const std::string& file, const std::string& query_rows, const std::string& truth) {
  const VectorItems items = read_vectors({.paths = {file}});
  const std::vector<std::int32_t> asked = read_all<std::int32_t>(query_rows), nearest = read_all<std::int32_t>(truth);
  std::vector<char> is_query(items.vectors.size());
  for (const std::int32_t row : asked) is_query[static_cast<std::size_t>(row)] = 1;
  Collection digits = split_collection(items.vectors, is_query);
  std::vector<std::int64_t> place(is_query.size());
  std::int64_t next = 0;
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = is_query[i] != 0 ? -1 : next++;
  digits.queries.clear();  // in the order of their list
  for (std::size_t q = 0; q < asked.size(); ++q) {
    const std::span<const float> row = items.vectors.dense(static_cast<std::size_t>(asked[q]));
    digits.queries.insert(digits.queries.end(), row.begin(), row.end());
    std::vector<std::int64_t>& own = digits.truth.emplace_back();
    const std::int32_t* const list = nearest.data() + q * 101 + 1;  // ivecs: a count, then 100 rows
    for (std::size_t k = 0; k < kNearest; ++k) own.push_back(place[static_cast<std::size_t>(list[k])]);
  }
  return digits;
}

// Every fifth vector is a query.
Collection load_fifths(const std::string& file, Measure measure) {
  const VectorItems items = read_vectors({.paths = {file}});
  std::vector<char> is_query(items.vectors.size());
  for (std::size_t i = 0; i < is_query.size(); i += 5) is_query[i] = 1;
  Collection collection = split_collection(items.vectors, is_query);
  find_truth(collection, measure);
  return collection;
}

using Find = std::function<void(std::size_t query, std::vector<std::int64_t>& rows)>;

// Answers are compared before anything is timed: an answer as near as the tenth true one is true (ties).
double recall_of(const Collection& collection, Measure measure, std::size_t queries, const Find& find) {
  std::vector<std::int64_t> rows;
  double found = 0;
  for (std::size_t q = 0; q < queries; ++q) {
    find(q, rows);
    const double tenth = farness(collection, measure, q, static_cast<std::size_t>(collection.truth[q].back()));
    std::size_t good = 0;
    for (const std::int64_t row : rows) {
      good += row >= 0 && farness(collection, measure, q, static_cast<std::size_t>(row)) <= tenth + 1e-9 * std::fabs(tenth);
    }
    found += static_cast<double>(std::min<std::size_t>(good, kNearest));
  }
  return found / static_cast<double>(queries * kNearest);
}

double time_queries(std::size_t count, const Find& find) {
  std::vector<std::int64_t> rows;
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = seconds();
    for (std::size_t q = 0; q < count; ++q) find(q, rows);
    best = std::min(best, (seconds() - start) / static_cast<double>(count));
  }
  return best;
}

Line brute_force(const Collection& collection, Measure measure) {
  std::vector<double> norms(collection.size());
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const float* const row = collection.base.data() + i * collection.dimensions;
    norms[i] = std::sqrt(kernel::dot(row, row, collection.dimensions));
  }
  std::vector<std::pair<double, std::int64_t>> heap;
  const Find find = [&](std::size_t q, std::vector<std::int64_t>& rows) {
    heap.clear();
    for (std::size_t i = 0; i < collection.size(); ++i) {
      const float *a = collection.queries.data() + q * collection.dimensions, *b = collection.base.data() + i * collection.dimensions;
      const double value = measure == Measure::euclidean ? kernel::squared_distance(a, b, collection.dimensions)
                                                         : -kernel::dot(a, b, collection.dimensions) / norms[i];
      if (heap.size() == kNearest && value >= heap.front().first) continue;
      if (heap.size() == kNearest) {
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
      }
      heap.emplace_back(value, static_cast<std::int64_t>(i));
      std::push_heap(heap.begin(), heap.end());
    }
    rows.clear();
    for (const auto& [value, row] : heap) rows.push_back(row);
  };
  return {"brute force, SIMD, doubles",
          "",
          recall_of(collection, measure, 100, find),
          time_queries(100, find),
          0,
          static_cast<double>(collection.base.size() * sizeof(float)) / 1e6,
          static_cast<double>(collection.size())};
}

Line ours(const Collection& collection, Measure measure, double wanted) {
  Vectors base{.kind = Vectors::Kind::dense, .dimensions = static_cast<std::uint32_t>(collection.dimensions), .count = collection.size()};
  base.numbers = collection.base;
  Vectors asked{.kind = Vectors::Kind::dense, .dimensions = base.dimensions, .count = collection.query_count()};
  asked.numbers = collection.queries;
  const DataSample sample = sample_data(base, measure);
  const Plan plan = tune({.measure = measure, .recall = wanted, .nearest = kNearest}, {.sample = sample});
  const double before = heap_megabytes() - static_cast<double>(base.numbers.size() * sizeof(float)) / 1e6, start = seconds();
  const Tables tables(Points(std::move(base)), plan, 1);
  const double built = seconds() - start, memory = heap_megabytes() - before;
  Searcher searcher(tables);
  const Points queries(std::move(asked));
  double looked_at = 0;
  std::size_t asked_times = 0;
  const Find find = [&](std::size_t q, std::vector<std::int64_t>& rows) {
    const Answer answer = searcher.find(queries, static_cast<Row>(q), {.limit = kNearest});
    rows.clear();
    for (const Match& hit : answer.hits) rows.push_back(hit.b);
    looked_at += static_cast<double>(answer.looked_at);
    ++asked_times;
  };
  const double recall = recall_of(collection, measure, collection.query_count(), find);
  const double query = time_queries(collection.query_count(), find);
  return {"nearkin", fmt::format("recall {} asked", wanted), recall, query, built, memory, looked_at / static_cast<double>(asked_times)};
}

// One line for each recall: the fastest setting that reaches it.
std::vector<Line> peer_lines(VectorPeer& peer, const Collection& given, Measure measure) {
  Collection collection = given;
  // Cosine is the inner product of unit vectors, whose Euclidean order is the same.
  const auto unit = [&](std::vector<float>& numbers) {
    for (std::size_t at = 0; at < numbers.size(); at += collection.dimensions) {
      const double norm = std::sqrt(kernel::dot(numbers.data() + at, numbers.data() + at, collection.dimensions));
      for (std::size_t i = 0; i < collection.dimensions; ++i) numbers[at + i] = static_cast<float>(numbers[at + i] / norm);
    }
  };
  if (measure == Measure::cosine) unit(collection.base), unit(collection.queries);
  const double before = heap_megabytes(), start = seconds();
  peer.build(collection.base, collection.dimensions);
  const double built = seconds() - start, memory = heap_megabytes() - before;
  const Find find = [&](std::size_t q, std::vector<std::int64_t>& rows) {
    peer.find(collection.queries.data() + q * collection.dimensions, kNearest, rows);
  };
  std::vector<Line> tried;
  const bool exact = peer.settings() == 1;
  for (std::size_t setting = 0; setting < peer.settings() && (tried.empty() || tried.back().recall < kRecalls.back()); ++setting) {
    Line line{.name = peer.name(), .setting = peer.use(setting), .build = built, .megabytes = memory};
    const std::size_t queries = exact ? 100 : collection.query_count();
    line.recall = recall_of(collection, measure, queries, find);
    line.query = time_queries(queries, find);
    tried.push_back(line);
  }
  std::vector<Line> best;
  for (const double recall : kRecalls) {
    const Line* chosen = nullptr;
    for (const Line& line : tried) {
      if (line.recall >= recall && (chosen == nullptr || line.query < chosen->query)) chosen = &line;
    }
    if (chosen != nullptr && (best.empty() || best.back().setting != chosen->setting)) best.push_back(*chosen);
  }
  return best;
}

void compare_neighbours(const std::string& what, const Collection& collection, Measure measure) {
  std::vector<Line> lines{brute_force(collection, measure)};
  for (const double recall : kRecalls) lines.push_back(ours(collection, measure, recall));
  for (const auto& peer : vector_peers()) {
    for (const Line& line : peer_lines(*peer, collection, measure)) lines.push_back(line);
  }
  print(fmt::format("{}: {} nearest by {}, {} × {}, {} queries, one thread, {}", what, kNearest, name(measure), collection.size(),
                    collection.dimensions, collection.query_count(), peer_version()),
        lines);
}

void run_mnist(const std::string& file, const std::string& query_rows, const std::string& l2, const std::string& cosine) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) {
    compare_neighbours("digits", load_digits(file, query_rows, measure == Measure::euclidean ? l2 : cosine), measure);
  }
}

void run_vectors(const std::string& file) {
  for (const Measure measure : {Measure::euclidean, Measure::cosine}) compare_neighbours("vectors", load_fifths(file, measure), measure);
}

// ---- bit strings within a radius

constexpr std::uint32_t kBits = 256, kRadius = 16, kQueries = 1000;

struct Codes {
  Vectors base, queries;
};

// Random codes; every query is one of them with 1 to 16 of its bits flipped, and so has a neighbour.
Codes make_codes(std::size_t count) {
  SplitMix random(7);
  Codes codes;
  codes.base = {.kind = Vectors::Kind::bits, .dimensions = kBits, .count = count};
  codes.base.words.resize(count * kBits / 64);
  for (std::uint64_t& word : codes.base.words) word = random();
  codes.queries = {.kind = Vectors::Kind::bits, .dimensions = kBits, .count = kQueries};
  for (std::uint32_t q = 0; q < kQueries; ++q) {
    const std::span<const std::uint64_t> from = codes.base.bits(random() % count);
    std::vector<std::uint64_t> code(from.begin(), from.end());
    const std::uint64_t flips = 1 + q % kRadius;
    std::vector<bool> used(kBits);
    for (std::uint64_t done = 0; done < flips;) {
      const std::uint64_t bit = random() % kBits;
      if (used[bit]) continue;
      used[bit] = true;
      code[bit / 64] ^= std::uint64_t{1} << (bit % 64);
      ++done;
    }
    codes.queries.words.insert(codes.queries.words.end(), code.begin(), code.end());
  }
  return codes;
}

double hits_share(const std::vector<std::vector<std::int64_t>>& truth, const Find& find) {
  std::vector<std::int64_t> rows;
  double found = 0, all = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    find(q, rows);
    for (const std::int64_t row : truth[q]) found += std::find(rows.begin(), rows.end(), row) != rows.end();
    all += static_cast<double>(truth[q].size());
  }
  return found / all;
}

void run_hamming(std::size_t count) {
  const Codes codes = make_codes(count);
  std::vector<std::uint32_t> distances(count);
  const Find scan = [&](std::size_t q, std::vector<std::int64_t>& rows) {
    kernel::bit_distances(codes.queries.bits(q).data(), codes.base.words.data(), codes.base.word_count(), count, distances.data());
    rows.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (distances[i] <= kRadius) rows.push_back(static_cast<std::int64_t>(i));
    }
  };
  std::vector<std::vector<std::int64_t>> truth(kQueries);
  for (std::size_t q = 0; q < kQueries; ++q) scan(q, truth[q]);
  std::vector<Line> lines{
      {"linear scan, SIMD", "", 1, time_queries(200, scan), 0, static_cast<double>(count * kBits / 8) / 1e6, static_cast<double>(count)}};
  const DataSample sample = sample_data(codes.base, Measure::hamming);
  for (const double recall : {0.95, 0.99, 1.0}) {
    const Plan plan = tune({.measure = Measure::hamming, .recall = recall, .radius = kRadius}, {.sample = sample});
    const double before = heap_megabytes() - static_cast<double>(count * kBits / 8) / 1e6, start = seconds();
    Vectors base = codes.base;
    const Tables tables(Points(std::move(base)), plan, 1);
    const double built = seconds() - start, memory = heap_megabytes() - before;
    Searcher searcher(tables);
    const Points queries(codes.queries);
    double looked_at = 0, asked = 0;
    const Find find = [&](std::size_t q, std::vector<std::int64_t>& rows) {
      const Answer answer = searcher.find(queries, static_cast<Row>(q));
      rows.clear();
      for (const Match& hit : answer.hits) rows.push_back(hit.b);
      looked_at += static_cast<double>(answer.looked_at);
      ++asked;
    };
    const double found = hits_share(truth, find);
    const double query = time_queries(recall < 1 ? kQueries : 200, find);
    lines.push_back({"nearkin", fmt::format("recall {} asked, {}x{}", recall, plan.band.bands, plan.band.rows), found, query, built, memory,
                     looked_at / asked});
  }
  std::vector<std::uint8_t> base_bytes(codes.base.words.size() * 8), query_bytes(codes.queries.words.size() * 8);
  std::memcpy(base_bytes.data(), codes.base.words.data(), base_bytes.size());
  std::memcpy(query_bytes.data(), codes.queries.words.data(), query_bytes.size());
  for (const auto& peer : bit_peers()) {
    const double before = heap_megabytes(), start = seconds();
    peer->build(base_bytes, kBits);
    Line line{
        .name = peer->name(), .setting = "", .recall = 0, .query = 0, .build = seconds() - start, .megabytes = heap_megabytes() - before};
    const Find find = [&](std::size_t q, std::vector<std::int64_t>& rows) {
      peer->find(query_bytes.data() + q * kBits / 8, kRadius, rows);
    };
    for (std::size_t setting = 0; setting < peer->settings() && line.recall < 0.95; ++setting) {
      line.setting = peer->use(setting);
      line.recall = hits_share(truth, find);
    }
    line.query = time_queries(200, find);
    lines.push_back(line);
  }
  print(fmt::format("Hamming radius {}, {} codes of {} bits, {} queries, one thread, {}", kRadius, count, kBits, kQueries, peer_version()),
        lines);
}

// ---- sets, all pairs

// Every 20th item against all: items, the share of the pairs looked at, seconds, pairs found.
void run_sets(const std::string& file, double threshold) {
  const Plan plan = tune({.threshold = threshold, .recall = 1},
                         {.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}});
  const Features features = shingle(read_items({.paths = {file}, .format = Format::sets}), plan.shingle);
  constexpr std::size_t kStep = 20;
  const double start = seconds();
  std::uint64_t found = 0, looked_at = 0;
  for (std::size_t a = 0; a < features.size(); a += kStep) {
    for (std::size_t b = 0; b < features.size(); ++b) {
      const std::uint64_t least = least_overlap(features[a].size(), features[b].size(), plan.threshold);
      ++looked_at;
      if (a == b || least == 0 || least > std::min(features[a].size(), features[b].size())) continue;
      found += overlap(features[a], features[b], least).shared >= least;
    }
  }
  const double took = seconds() - start, n = static_cast<double>(features.size());
  fmt::print("{} {} {} {}\n", features.size(), static_cast<double>(looked_at) / (n * (n - 1) / 2), took, found);
}

}  // namespace
}  // namespace nearkin::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 5 && words[0] == "mnist") {
      nearkin::bench::run_mnist(words[1], words[2], words[3], words[4]);
    } else if (words.size() == 2 && words[0] == "vectors") {
      nearkin::bench::run_vectors(words[1]);
    } else if (words.size() == 2 && words[0] == "hamming") {
      nearkin::bench::run_hamming(std::stoul(words[1]));
    } else if (words.size() == 3 && words[0] == "sets") {
      nearkin::bench::run_sets(words[1], std::stod(words[2]));
    } else {
      fmt::print(stderr,
                 "usage: neighbours mnist DIGITS QUERY_ROWS TRUTH_L2 TRUTH_COSINE | vectors FILE | hamming COUNT | sets FILE THRESHOLD\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "neighbours: {}\n", error.what());
    return 1;
  }
  return 0;
}
