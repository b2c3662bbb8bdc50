// What every search begins with: the order of keeping, and copies folded.
#pragma once

#include <cstdint>
#include <vector>

#include "search/search.h"

namespace nearkin {

struct Folded {
  SearchResult found;  ///< without matches
  /// Measure exact between two inputs: the pairs of representatives of one content, packed as a << 32 | b, ascending.
  std::vector<std::uint64_t> equal_across;
};
Folded fold(const Rows& rows, const Stage& stage, const Keep& keep);

}  // namespace nearkin
