#include <array>
#include <cmath>
#include <limits>

#include <nearkin/tools/theory.h>

#include "kernel/kernel.h"
#include "match/join_parts.h"
#include "match/pigeonhole.h"
#include "match/space.h"
#include "match/sparse_join.h"

namespace nearkin {
namespace {

// The norm whose difference is at most the distance of two vectors, or whose quotient bounds their weighted Jaccard similarity.
double bounding_norm(const Vectors& vectors, std::size_t i, Measure measure) {
  if (measure == Measure::weighted_jaccard) return norm_of(vectors, i, measure);
  if (measure != Measure::euclidean && measure != Measure::manhattan) return 0;
  const bool squared = measure == Measure::euclidean;
  double sum = 0;
  if (vectors.kind == Vectors::Kind::dense) {
    const std::span<const float> numbers = vectors.dense(i);
    if (squared) return std::sqrt(kernel::dot(numbers.data(), numbers.data(), numbers.size()));
    for (const float x : numbers) sum += std::abs(static_cast<double>(x));
    return sum;
  }
  for (const double x : vectors.sparse(i).values) sum += squared ? x * x : std::abs(x);
  return squared ? std::sqrt(sum) : sum;
}

std::vector<double> bounding_norms(const Vectors& vectors, std::span<const Row> members, Measure measure) {
  std::vector<double> norms(members.size());
  for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = bounding_norm(vectors, members[i], measure);
  // Squares beyond the range of numbers tell nothing.
  if (!std::all_of(norms.begin(), norms.end(), [](double norm) { return std::isfinite(norm); })) norms.assign(norms.size(), 0);
  return norms;
}

struct Bounds {
  double low, high;
};

// Between which norms another vector's must lie.
Bounds bounds_of(double norm, Measure measure, double limit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_distance(measure)) {
    // The squares of numbers below 1e-150 vanish, and with them what they add to a norm.
    const double reach = limit + kSlack * (norm + limit) + 1e-150;
    return {norm - reach, norm + reach};
  }
  if (measure == Measure::weighted_jaccard && limit > kSlack) return {norm * limit * (1 - kSlack), norm / limit * (1 + kSlack)};
  return {-kInfinity, kInfinity};
}

// By norm, then row: the members ascend.
Side side_of(std::span<const Row> members, std::span<const double> norms) {
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return norms[x] < norms[y]; });
  Side side;
  for (const std::size_t i : order) {
    side.rows.push_back(members[i]);
    side.norms.push_back(norms[i]);
  }
  return side;
}

constexpr std::size_t kMostOthers = 512;

// Those of at most kMostOthers rows that `a` is to be compared with: all of them, or a part, kept in `few`.
std::span<const Row> without_skipped(const VectorTask& task, Row a, std::span<const Row> rows, std::array<Row, kMostOthers>& few) {
  if (!task.skip) return rows;
  const auto end = std::copy_if(rows.begin(), rows.end(), few.begin(), [&](Row row) { return !task.skip(a, row); });
  return std::span(few).first(static_cast<std::size_t>(end - few.begin()));
}

// All pairs that the norms leave, by Space::values.
void join_all(const VectorTask& task, MatchOutlet& outlet) {
  const Vectors& vectors = task.vectors;
  const Space space(vectors, vectors, task.measure);
  const Windows pairs =
      windows_of(task.members, bounding_norms(vectors, task.members, task.measure), task.split, task.measure, task.border);
  const std::size_t numbers = vectors.kind == Vectors::Kind::dense ? vectors.dimensions : 2 * vectors.values.size() / (vectors.size() + 1);
  constexpr std::size_t kTileNumbers = 4096;  // 16 KiB of floats: half of a small first-level cache
  const std::size_t tile = std::clamp<std::size_t>(kTileNumbers / (numbers + 1), 4, kMostOthers);
  const auto compare = [&](std::size_t i, std::size_t begin, std::size_t end, JoinResult& found) {
    const Row a = pairs.left.rows[i];
    std::array<Row, kMostOthers> few;
    std::array<double, kMostOthers> values;
    const std::span<const Row> rows = without_skipped(task, a, std::span(pairs.others().rows).subspan(begin, end - begin), few);
    space.values(a, rows, values);
    for (std::size_t k = 0; k < rows.size(); ++k) settle(a, rows[k], values[k], task.border, found);
    found.looked_at += rows.size();
  };
  all_pairs(pairs, 64, tile, task.threads, outlet, compare);
}

}  // namespace

std::uint64_t Windows::pairs() const {
  std::uint64_t sum = 0;
  for (const Window& window : windows) sum += window.end - window.begin;
  return sum;
}

Windows windows_of(std::span<const Row> members, std::span<const double> norms, Row split, Measure measure, const Border& border) {
  Windows result;
  result.across = split != 0;
  const auto middle =
      static_cast<std::size_t>((result.across ? std::lower_bound(members.begin(), members.end(), split) : members.end()) - members.begin());
  result.left = side_of(members.first(middle), norms.first(middle));
  result.right = side_of(members.subspan(middle), norms.subspan(middle));
  const std::vector<double>& others = result.others().norms;
  for (std::size_t i = 0; i < middle; ++i) {
    const Bounds bounds = bounds_of(result.left.norms[i], measure, border.limit());
    const auto low = std::lower_bound(others.begin(), others.end(), bounds.low);
    const auto high = std::upper_bound(low, others.end(), bounds.high);
    const std::size_t begin = result.across ? static_cast<std::size_t>(low - others.begin()) : i + 1;
    result.windows.push_back({begin, std::max(begin, static_cast<std::size_t>(high - others.begin()))});
  }
  return result;
}

JoinNotes join_vectors(const Vectors& vectors, std::span<const Row> members, Row split, const Plan& plan, unsigned threads,
                       const MatchSink& emit, const SkipPair& skip, Advance* advance) {
  std::vector<Row> ascending(members.begin(), members.end());
  std::sort(ascending.begin(), ascending.end());
  const Border border(plan, vectors.dimensions);
  const VectorTask task{vectors, ascending, split, plan.measure, border, thread_count(threads), skip};
  MatchOutlet outlet(emit, task.threads, advance);
  if (vectors.kind == Vectors::Kind::bits && plan.measure == Measure::hamming) {
    join_bits(task, BitRoad::cheapest, outlet);
  } else if (can_join_sparse(vectors, ascending, plan.measure, border)) {
    join_sparse(task, outlet);
  } else {
    join_all(task, outlet);
  }
  return outlet.finish([&](double x, double y) { return border.closer(x, y); });
}

VectorJoinResult join_vectors(const Vectors& vectors, std::span<const Row> members, Row split, const Plan& plan, unsigned threads) {
  return collect_matches(thread_count(threads),
                         [&](const MatchSink& emit) { return join_vectors(vectors, members, split, plan, threads, emit); });
}

}  // namespace nearkin
