// Clusters in order of their first members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

struct NumberedClusters {
  std::vector<std::uint32_t> number;  ///< for each keeper, the number of its cluster; meaningless for other rows
  std::vector<std::uint32_t> sizes;   ///< of each cluster
  std::vector<Row> keepers;           ///< of each cluster
  std::uint64_t repeated = 0;         ///< clusters of two or more
};

/// keepers[row] is the keeper of `row`.
inline NumberedClusters number_clusters(std::span<const Row> keepers) {
  constexpr std::uint32_t kUnnumbered = UINT32_MAX;
  NumberedClusters out;
  out.number.assign(keepers.size(), kUnnumbered);
  for (const Row keeper : keepers) {
    std::uint32_t& number = out.number[keeper];
    if (number == kUnnumbered) {
      number = static_cast<std::uint32_t>(out.sizes.size());
      out.sizes.push_back(0);
      out.keepers.push_back(keeper);
    }
    out.repeated += ++out.sizes[number] == 2;
  }
  return out;
}

}  // namespace nearkin
