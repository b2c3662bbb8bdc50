// Compares any two rows, whether or not a search met them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/search.h"

namespace nearkin {

struct ComparedRows {
  Match match;                           ///< as match_pairs gives it; without a similarity if the plan does not verify
  std::uint32_t size_a = 0, size_b = 0;  ///< of the sets, where these were compared; at least 1

  /// The match as a containment: the share of `member` that is in the other row.
  Match contained(Row member) const;
};

/// For pairs packed as a << 32 | b, a < b. Reads the texts of sets again, some pairs at a time. Meant for few pairs.
std::vector<ComparedRows> compare_rows(const Rows& rows, const Stage& stage, const SearchResult& found,
                                       std::span<const std::uint64_t> pairs);

}  // namespace nearkin
