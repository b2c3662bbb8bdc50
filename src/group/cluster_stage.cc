#include <algorithm>
#include <numeric>

#include <nearkin/error.h>
#include <nearkin/stages.h>

#include "base/misuse.h"

namespace nearkin {
namespace {

// Union-find over rows; the root of a set is its least row, whatever the order of the unions.
class Components {
 public:
  explicit Components(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Row{0}); }

  Row find(Row row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }
  void unite(Row a, Row b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Row> parent_;
};

// For each row its neighbours, or (directed) those that stand in it: the matches as lists.
struct Neighbours {
  Neighbours(const Matches& matches, std::size_t items, bool directed) : starts(items + 1), rows((directed ? 1 : 2) * matches.size()) {
    for (const Match& match : matches) {
      if (!directed) ++starts[match.a + 1];
      ++starts[match.b + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint64_t> next(starts.begin(), starts.end() - 1);
    for (const Match& match : matches) {
      if (!directed) rows[next[match.a]++] = match.b;
      rows[next[match.b]++] = match.a;
    }
  }
  std::vector<std::uint64_t> starts;
  std::vector<Row> rows;
};

// The keeper of each row. Rows are visited most worth keeping first: the first row of a component met is its keeper.
std::vector<Row> keepers_connected(const Matches& matches, std::span<const Row> order) {
  Components components(order.size());
  for (const Match& match : matches) components.unite(match.a, match.b);
  constexpr Row kNone = UINT32_MAX;
  std::vector<Row> of_root(order.size(), kNone), keepers(order.size());
  for (const Row row : order) {
    Row& keeper = of_root[components.find(row)];
    if (keeper == kNone) keeper = row;
    keepers[row] = keeper;
  }
  return keepers;
}

// Greedy stars: a row not yet taken becomes a keeper and takes every neighbour not yet taken. Two keepers are never neighbours.
std::vector<Row> keepers_star(const Matches& matches, std::span<const Row> order, bool directed) {
  const Neighbours neighbours(matches, order.size(), directed);
  constexpr Row kNone = UINT32_MAX;
  std::vector<Row> keepers(order.size(), kNone);
  for (const Row row : order) {
    if (keepers[row] != kNone) continue;
    keepers[row] = row;
    for (std::uint64_t i = neighbours.starts[row]; i < neighbours.starts[row + 1]; ++i) {
      Row& keeper = keepers[neighbours.rows[i]];
      if (keeper == kNone) keeper = row;
    }
  }
  return keepers;
}

}  // namespace

Clusters cluster(const Matches& matches, std::size_t items, Linkage linkage, std::span<const Row> order, bool directed) {
  require_rows_of(matches, items);
  if (!order.empty()) require_order(order, items);
  std::vector<Row> input_order;
  if (order.empty()) {
    input_order.resize(items);
    std::iota(input_order.begin(), input_order.end(), Row{0});
    order = input_order;
  }
  const std::vector<Row> keepers = linkage == Linkage::star ? keepers_star(matches, order, directed) : keepers_connected(matches, order);
  Clusters result;
  result.cluster.resize(items);
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> number(items, kNone);
  for (Row row = 0; row < items; ++row) {
    std::uint32_t& cluster = number[keepers[row]];
    if (cluster == kNone) {
      cluster = static_cast<std::uint32_t>(result.keeper.size());
      result.keeper.push_back(keepers[row]);
    }
    result.cluster[row] = cluster;
  }
  return result;
}

Linkage parse_linkage(std::string_view text, const std::string& subject) {
  if (text == "connected") return Linkage::connected;
  if (text == "star") return Linkage::star;
  throw Error(ErrorCode::plan, subject, "\"" + std::string(text) + "\" is neither connected nor star");
}

std::string_view name(Linkage linkage) { return linkage == Linkage::star ? "star" : "connected"; }

}  // namespace nearkin
