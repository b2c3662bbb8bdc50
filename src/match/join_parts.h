// What the joins of vectors have in common: deciding a value, sides and windows of pairs, results of blocks put together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/theory.h>

#include "base/parallel.h"
#include "match/join_sink.h"
#include "match/space.h"

namespace nearkin {

/// Products of two such sums of squares have full precision; sums of two such sums do not overflow.
inline bool squares_are_safe(double squares) { return squares > 1e-140 && squares < 1e140; }
inline bool sums_are_safe(double sum) { return sum < 1e300; }

/// A share larger than the rounding error of any sum here. Bounds are widened by it, so no pair is lost to rounding.
inline constexpr double kSlack = 1e-9;

/// Appends a match, or notes a value outside the border.
inline void settle(Row a, Row b, double value, const Border& border, VerifyResult& result) {
  if (border.inside(value)) {
    result.matches.push_back({std::min(a, b), std::max(a, b), 0, 0, value});
  } else {
    result.closest_below = border.closer(value, result.closest_below);
  }
}

/// What is to be joined: pairs of `members` (ascending) inside the border; with `split` only pairs across it.
struct VectorTask {
  const Vectors& vectors;
  std::span<const Row> members;
  Row split;
  Measure measure;
  const Border& border;
  unsigned threads;
  const SkipPair& skip;
  bool skips(Row a, Row b) const { return skip && skip(a, b); }
};

/// Items with their norms, ascending by norm, then row. The norms of two items bound how near they can be.
struct Side {
  std::vector<Row> rows;
  std::vector<double> norms;
};

/// Places of the other side, [begin, end).
struct Window {
  std::size_t begin, end;
};

/// Pairs to look at: left.rows[i] with others().rows[windows[i]].
struct Windows {
  Side left, right;  ///< without a split all is on the left, and windows[i] begins after i
  bool across = false;
  std::vector<Window> windows;
  const Side& others() const { return across ? right : left; }
  std::uint64_t pairs() const;
};

/// The pairs of `members` that their norms do not rule out: for distances |‖a‖ − ‖b‖| ≤ d(a, b), for weighted Jaccard Σmin / Σmax ≤ the
/// quotient of the two sums. `norms[i]` is that of members[i]; all 0 where nothing is known.
Windows windows_of(std::span<const Row> members, std::span<const double> norms, Row split, Measure measure, const Border& border);

/// Calls compare(i, begin, end, found) for left place i and a stretch of the other side, until every pair of the windows was compared once.
/// A range of at most `tile` others stays in the cache while the `block` items of a block are compared with it.
template <typename Compare>
void all_pairs(const Windows& pairs, std::size_t block, std::size_t tile, unsigned threads, MatchOutlet& outlet, Compare&& compare) {
  const std::vector<Window>& windows = pairs.windows;
  outlet.expect(pairs.pairs());
  parallel_for(windows.size(), block, threads, [&](std::size_t first, std::size_t last, unsigned worker) {
    Window all = windows[first];
    for (std::size_t i = first; i < last; ++i) all = {std::min(all.begin, windows[i].begin), std::max(all.end, windows[i].end)};
    for (std::size_t start = all.begin; start < all.end; start += tile) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = std::max(start, windows[i].begin), end = std::min(start + tile, windows[i].end);
        if (begin < end) compare(i, begin, end, outlet.of(worker));
        outlet.drain(worker);
      }
    }
    std::uint64_t done = 0;
    for (std::size_t i = first; i < last; ++i) done += windows[i].end - windows[i].begin;
    outlet.advance(worker, done);
  });
}

}  // namespace nearkin
