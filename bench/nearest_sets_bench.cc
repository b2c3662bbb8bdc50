// The nearest sets: nearkin's tables against comparing every set. One thread; answers are compared before times. Prints one JSON object.
//   nearest_sets FILE.sets QUERIES [ANSWERS]
// The queries are QUERIES sets of the collection, evenly spaced. ANSWERS gets a line per query: its row, and the tenth best similarity.
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "io/formats/result_rows.h"
#include "match/overlap.h"
#include "query/asking.h"
#include "query/points.h"

namespace nearkin::bench {
namespace {

constexpr std::uint32_t kNearest = 10;
constexpr int kTurns = 3;

// Of the processor: other work on the machine must not count.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double heap_megabytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

// Every set is compared in full.
Matches scan(const Features& sets, Row query) {
  BestMatches best;
  best.start(kNearest, Measure::jaccard);
  for (Row row = 0; row < sets.size(); ++row) {
    if (sets[row].empty()) continue;
    const std::uint64_t shared = overlap(sets[query], sets[row], 0).shared;
    best.offer(
        {query, row, static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(sets[query].size() + sets[row].size() - shared)});
  }
  return best.take();
}

// The same; a comparison ends as soon as the set cannot be among the best.
Matches bounded_scan(const Points& points, const Plan& plan, Row query) {
  const Features& sets = std::get<Features>(points);
  Meter meter;
  meter.aim(points, query, {.points = &points, .by_row = true}, plan);
  BestMatches best;
  best.start(kNearest, Measure::jaccard);
  for (Row row = 0; row < sets.size(); ++row) {
    if (sets[row].empty()) continue;
    const std::optional<Match> match = best.full() ? meter.nearer_than(row, best.bar()) : std::optional(meter.match(row));
    if (match) best.offer(*match);
  }
  return best.take();
}

std::vector<Row> evenly_spaced(const Features& sets, std::size_t wanted) {
  std::vector<Row> rows;
  for (Row row = 0; row < sets.size(); ++row) {
    if (!sets[row].empty()) rows.push_back(row);
  }
  std::vector<Row> chosen;
  for (std::size_t i = 0; i < std::min(wanted, rows.size()); ++i) chosen.push_back(rows[i * rows.size() / std::min(wanted, rows.size())]);
  return chosen;
}

// Similarities of an answer that are as good as the tenth best, as a share of ten.
double found(const Matches& answer, const Matches& truth) {
  std::size_t good = 0;
  for (const Match& match : answer) good += !nearer(truth.back(), match, Measure::jaccard);
  return static_cast<double>(good) / static_cast<double>(truth.size());
}

bool equal(const Matches& x, const Matches& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Match& a, const Match& b) { return a.b == b.b && a.shared == b.shared && a.total == b.total; });
}

template <typename Ask>
double time_queries(const std::vector<Row>& rows, Ask&& ask) {
  const double start = seconds();
  for (const Row row : rows) ask(row);
  return (seconds() - start) / static_cast<double>(rows.size());
}

struct Times {
  double scan = 1e9, bounded = 1e9, tables = 1e9;
};

void run(const std::string& file, std::size_t wanted, const std::string& answers) {
  const Plan plan = tune({.recall = 0.9, .nearest = kNearest},
                         {.shingle = ShinglePlan{.token = Token::element, .size = 1, .normalise = Normalise::none}});
  const LoadedPoints loaded = load_points({.paths = {file}, .format = Format::sets}, plan, {.threads = 1});
  const auto points = std::make_shared<const Points>(loaded.points);
  const Features& sets = std::get<Features>(*points);
  const double before = heap_megabytes(), start = seconds();
  const Tables tables(points, plan, 1);
  const double build = seconds() - start, megabytes = heap_megabytes() - before;
  Searcher searcher(tables);
  const std::vector<Row> rows = evenly_spaced(sets, wanted);

  double recall = 0, looked_at = 0;
  bool same = true;
  std::ofstream out(answers);
  for (const Row row : rows) {
    const Matches truth = scan(sets, row);
    if (!equal(truth, bounded_scan(*points, plan, row))) throw std::runtime_error("the two scans differ");
    const Answer answer = searcher.find(*points, row);
    same = same && equal(truth, answer.hits);
    recall += found(answer.hits, truth) / static_cast<double>(rows.size());
    looked_at += static_cast<double>(answer.looked_at) / static_cast<double>(rows.size());
    out << row << ' ' << fmt::format("{:.9f}", static_cast<double>(truth.back().shared) / truth.back().total) << '\n';
  }
  Times best;
  std::size_t sum = 0;  // keeps the compiler from leaving work out
  for (int turn = 0; turn < kTurns; ++turn) {
    best.scan = std::min(best.scan, time_queries(rows, [&](Row row) { sum += scan(sets, row).size(); }));
    best.bounded = std::min(best.bounded, time_queries(rows, [&](Row row) { sum += bounded_scan(*points, plan, row).size(); }));
    best.tables = std::min(best.tables, time_queries(rows, [&](Row row) { sum += searcher.find(*points, row).hits.size(); }));
  }
  fmt::print(
      "{{\"sets\": {}, \"mean\": {:.1f}, \"queries\": {}, \"same\": {}, \"recall\": {:.4f}, \"looked_at\": {:.0f}, \"scan_us\": {:.2f}, "
      "\"bounded_us\": {:.2f}, \"nearkin_us\": {:.2f}, \"times_scan\": {:.1f}, \"times_bounded\": {:.1f}, \"build_s\": {:.3f}, \"mb\": "
      "{:.1f}, \"answers\": {}}}\n",
      sets.size(), static_cast<double>(sets.hashes.size()) / static_cast<double>(sets.size()), rows.size(), same, recall, looked_at,
      best.scan * 1e6, best.bounded * 1e6, best.tables * 1e6, best.scan / best.tables, best.bounded / best.tables, build, megabytes, sum);
}

}  // namespace
}  // namespace nearkin::bench

int main(int argc, char** argv) {
  if (argc < 3) return fmt::print(stderr, "usage: nearest_sets FILE.sets QUERIES [ANSWERS]\n"), 2;
  nearkin::bench::run(argv[1], std::stoul(argv[2]), argc > 3 ? argv[3] : "/dev/null");
}
