// How matches become groups: connected components and stars, over a stream of matches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "search/match_stream.h"

namespace nearkin {

inline constexpr Row kNoRow = UINT32_MAX;  ///< no row

/// All rows, the one most worth keeping first, and the inverse; both empty for input order.
struct KeepingOrder {
  std::size_t items = 0;
  std::span<const Row> order = {}, rank = {};

  Row at_place(Row place) const { return order.empty() ? place : order[place]; }
  Row rank_of(Row row) const { return rank.empty() ? row : rank[row]; }
};

/// Union-find over rows; the root of a set is its least row, whatever the order of the unions.
class Components {
 public:
  explicit Components(std::size_t rows);
  Row root(Row row);
  void unite(Row a, Row b);

 private:
  std::vector<Row> parent_;
};
Components components_of(const MatchStream& matches, std::size_t rows);

/// For each row the keeper of its component: the component's first row in order of keeping.
std::vector<Row> keepers_connected(const MatchStream& matches, const KeepingOrder& keeping);

/// For each row the keeper of its star. Rows are visited in order of keeping: a row that is not yet taken becomes a keeper and takes all of
/// its matches that are not yet taken. Two keepers never match. `directed`: matches are containments, and a keeper takes only what it
/// contains. Holds about `memory` bytes of matches at a time.
std::vector<Row> keepers_star(const MatchStream& matches, const KeepingOrder& keeping, bool directed, std::uint64_t memory);

}  // namespace nearkin
