#include "group/linkage.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/misuse.h"
#include "base/radix_sort.h"
#include "group/number_clusters.h"
#include "search/file_search.h"

namespace nearkin {
namespace {

// The ranks of a match, that of the possible keeper first.
struct Ranks {
  Row keeper, member;
  bool counts() const { return keeper < member; }
};

Ranks ranks_of(const Match& match, const KeepingOrder& keeping, bool directed) {
  const Row a = keeping.rank_of(match.a), b = keeping.rank_of(match.b);
  return directed ? Ranks{b, a} : Ranks{std::min(a, b), std::max(a, b)};
}

// Keepers before a row in order of keeping have decided about it when its turn comes, so that matches count in order of their keepers'
// ranks.
class Stars {
 public:
  explicit Stars(std::size_t rows) : keepers_(rows, kNoRow) {}
  void take(Row keeper, Row member) {
    if (keepers_[keeper] == kNoRow) keepers_[keeper] = keeper;
    if (keepers_[keeper] == keeper && keepers_[member] == kNoRow) keepers_[member] = keeper;
  }
  std::vector<Row> finish() {
    for (Row row = 0; row < keepers_.size(); ++row) {
      if (keepers_[row] == kNoRow) keepers_[row] = row;
    }
    return std::move(keepers_);
  }

 private:
  std::vector<Row> keepers_;
};

// Ranges of keepers' ranks, each with no more than about `most` matches.
std::vector<Row> rank_ranges(const MatchStream& matches, const KeepingOrder& keeping, bool directed, std::uint64_t most) {
  if (matches.count() <= most) return {0, kNoRow};
  const std::uint64_t width = keeping.items / 65536 + 1;
  std::vector<std::uint64_t> counts(65536);
  matches.for_each([&](const Match& match) {
    const Ranks ranks = ranks_of(match, keeping, directed);
    counts[ranks.keeper / width] += ranks.counts();
  });
  return cut_rows(counts, width, most);
}

}  // namespace

Components::Components(std::size_t rows) : parent_(rows) { std::iota(parent_.begin(), parent_.end(), Row{0}); }

Row Components::root(Row row) {
  while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
  return row;
}

void Components::unite(Row a, Row b) {
  a = root(a);
  b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

Components components_of(const MatchStream& matches, std::size_t rows) {
  Components components(rows);
  matches.for_each([&](const Match& match) { components.unite(match.a, match.b); });
  return components;
}

std::vector<Row> keepers_connected(const MatchStream& matches, const KeepingOrder& keeping) {
  Components components = components_of(matches, keeping.items);
  std::vector<Row> of_root(keeping.items, kNoRow), keepers(keeping.items);
  for (Row place = 0; place < keeping.items; ++place) {
    const Row row = keeping.at_place(place);
    Row& keeper = of_root[components.root(row)];
    if (keeper == kNoRow) keeper = row;
    keepers[row] = keeper;
  }
  return keepers;
}

std::vector<Row> keepers_star(const MatchStream& matches, const KeepingOrder& keeping, bool directed, std::uint64_t memory) {
  Stars stars(keeping.items);
  if (keeping.order.empty() && !directed) {
    matches.for_each([&](const Match& match) { stars.take(match.a, match.b); });
    return stars.finish();
  }
  const std::vector<Row> cuts = rank_ranges(matches, keeping, directed, memory / (2 * sizeof(std::uint64_t)));
  std::vector<std::uint64_t> pairs, scratch;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    pairs.clear();
    matches.for_each([&](const Match& match) {
      const Ranks ranks = ranks_of(match, keeping, directed);
      const bool here = ranks.counts() && ranks.keeper >= cuts[i] && ranks.keeper < cuts[i + 1];
      if (here) pairs.push_back(std::uint64_t{ranks.keeper} << 32 | ranks.member);
    });
    radix_sort(pairs, scratch);
    for (const std::uint64_t pair : pairs)
      stars.take(keeping.at_place(static_cast<Row>(pair >> 32)), keeping.at_place(static_cast<Row>(pair)));
  }
  return stars.finish();
}

Clusters cluster(const Matches& matches, std::size_t items, Linkage linkage, std::span<const Row> order, bool directed) {
  require_countable(items, "items");
  require_rows_of(matches, items);
  if (!order.empty()) require_order(order, items);
  std::vector<Row> rank(order.size());
  for (Row place = 0; place < order.size(); ++place) rank[order[place]] = place;
  const KeepingOrder keeping{.items = items, .order = order, .rank = rank};
  Matches ascending = matches;
  sort_by_rows(ascending);
  const MatchStream stream(std::move(ascending));
  const std::vector<Row> keepers =
      linkage == Linkage::star ? keepers_star(stream, keeping, directed, UINT64_MAX) : keepers_connected(stream, keeping);
  const NumberedClusters numbered = number_clusters(keepers);
  Clusters result;
  result.keeper = numbered.keepers;
  for (const Row keeper : keepers) result.cluster.push_back(numbered.number[keeper]);
  return result;
}

Linkage parse_linkage(std::string_view text, const std::string& subject) {
  if (text == "connected") return Linkage::connected;
  if (text == "star") return Linkage::star;
  throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" is neither connected nor star");
}

std::string_view name(Linkage linkage) { return linkage == Linkage::star ? "star" : "connected"; }

}  // namespace nearkin
