#include <cmath>
#include <limits>
#include <numeric>

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

// All pairs that the norms leave, by Space::value.
VectorJoinResult join_all(const Vectors& vectors, std::span<const Row> members, Row split, Measure measure, const Border& border,
                          unsigned threads) {
  const Space space(vectors, vectors, measure);
  const Windows pairs = windows_of(members, bounding_norms(vectors, members, measure), split, measure, border);
  const std::size_t numbers = vectors.kind == Vectors::Kind::dense ? vectors.dimensions : 2 * vectors.values.size() / (vectors.size() + 1);
  constexpr std::size_t kTileNumbers = 4096;  // 16 KiB of floats: half of a small first-level cache
  const std::size_t tile = std::clamp<std::size_t>(kTileNumbers / (numbers + 1), 4, 512);
  const auto compare = [&](std::size_t i, std::size_t begin, std::size_t end, VectorJoinResult& part) {
    const Row a = pairs.left.rows[i];
    const Row* others = pairs.others().rows.data();
    for (std::size_t j = begin; j < end; ++j) settle(a, others[j], space.value(a, others[j]), border, part);
    part.looked_at += end - begin;
  };
  return all_pairs(pairs, 64, tile, border, threads, compare);
}

}  // namespace

VectorJoinResult join_parts(std::vector<VectorJoinResult>& parts, const Border& border, unsigned threads) {
  VectorJoinResult result;
  Row rows = 0;
  for (const VectorJoinResult& part : parts) {
    result.looked_at += part.looked_at;
    if (part.closest_below != 0) result.closest_below = border.closer(part.closest_below, result.closest_below);
    for (const Match& match : part.matches) rows = std::max(rows, match.a + 1);
  }
  // Each to the stretch of its first row, then each stretch by the second: there may be more matches than a sort as a whole could bear.
  std::vector<std::uint64_t> ends(std::size_t{rows} + 1, 0);
  for (const VectorJoinResult& part : parts) {
    for (const Match& match : part.matches) ++ends[match.a + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  result.matches.resize(ends.back());
  for (VectorJoinResult& part : parts) {
    for (const Match& match : part.matches) result.matches[ends[match.a]++] = match;
    Matches().swap(part.matches);
  }
  parallel_for(rows, 1024, threads, [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t row = first; row < last; ++row) {
      Match* const begin = result.matches.data() + (row == 0 ? 0 : ends[row - 1]);
      std::sort(begin, result.matches.data() + ends[row], [](const Match& x, const Match& y) { return x.b < y.b; });
    }
  });
  return result;
}

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

VectorJoinResult join_vectors(const Vectors& vectors, std::span<const Row> members, Row split, const Plan& plan, unsigned threads) {
  std::vector<Row> ascending(members.begin(), members.end());
  std::sort(ascending.begin(), ascending.end());
  const Border border(plan, vectors.dimensions);
  threads = thread_count(threads);
  if (vectors.kind == Vectors::Kind::bits && plan.measure == Measure::hamming) {
    return join_bits(vectors, ascending, split, border, threads);
  }
  if (can_join_sparse(vectors, ascending, plan.measure, border)) {
    return join_sparse(vectors, ascending, split, plan.measure, border, threads);
  }
  return join_all(vectors, ascending, split, plan.measure, border, threads);
}

}  // namespace nearkin
