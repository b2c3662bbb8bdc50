#include "match/join_sink.h"

#include <numeric>

#include "base/parallel.h"

namespace nearkin {

// Each to the stretch of its first row, then each stretch by the second: there may be more matches than a sort as a whole could bear.
Matches in_order(std::vector<Matches>& blocks, unsigned threads) {
  Row rows = 0;
  for (const Matches& block : blocks) {
    for (const Match& match : block) rows = std::max(rows, match.a + 1);
  }
  std::vector<std::uint64_t> ends(std::size_t{rows} + 1, 0);
  for (const Matches& block : blocks) {
    for (const Match& match : block) ++ends[match.a + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  Matches matches(ends.back());
  for (Matches& block : blocks) {
    for (const Match& match : block) matches[ends[match.a]++] = match;
    Matches().swap(block);
  }
  parallel_for(rows, 1024, threads, [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t row = first; row < last; ++row) {
      Match* const begin = matches.data() + (row == 0 ? 0 : ends[row - 1]);
      std::sort(begin, matches.data() + ends[row], [](const Match& x, const Match& y) { return x.b < y.b; });
    }
  });
  return matches;
}

}  // namespace nearkin
