// The beginning of every search: computes the order of keeping, and folds copies.
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

/// Measure exact across scopes: pairs of rows of one content that are looked for, packed and ascending; at most `most`. Without
/// `every_pair`, only enough of them to connect what is connected, including for each row of the input its pair with the first row in the
/// order of keeping.
std::vector<std::uint64_t> equal_across_scopes(const Rows& rows, const SearchResult& found, bool every_pair, std::uint64_t most);

}  // namespace nearkin
