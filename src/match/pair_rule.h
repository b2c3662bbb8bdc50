// Which pairs of rows are looked for at all.
#pragma once

#include <cstdint>
#include <span>

#include <nearkin/items.h>

namespace nearkin {

struct PairRule {
  Row split = 0;                               ///< only pairs of one row below and one at or above it; 0: all pairs
  std::span<const std::uint64_t> scopes = {};  ///< of each row: only pairs that differ in it; empty: all pairs

  bool all() const { return split == 0 && scopes.empty(); }
  bool wants(Row a, Row b) const {
    return (split == 0 || (a < split) != (b < split)) && (scopes.empty() || scopes[a] != scopes[b]);
  }
};

}  // namespace nearkin
