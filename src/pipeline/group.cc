#include "pipeline/group.h"

namespace nearkin {

// Copies have the same neighbours and similarity 1 with one another, so that they belong where their representative belongs.
Groups group(const Collection& collection, const Found& found, Linkage linkage, const Plan& plan) {
  const Clusters of_representatives = cluster(found.matches, collection.size(), linkage, found.order, plan.measure == Measure::containment);
  Groups result;
  result.keepers.resize(collection.size());
  result.clusters.cluster.resize(collection.size());
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> number(collection.size(), kNone);
  std::vector<std::uint32_t> sizes;
  for (Row row = 0; row < collection.size(); ++row) {
    const Row keeper = of_representatives.keeper[of_representatives.cluster[found.representative[row]]];
    result.keepers[row] = keeper;
    if (number[keeper] == kNone) {
      number[keeper] = static_cast<std::uint32_t>(sizes.size());
      result.clusters.keeper.push_back(keeper);
      sizes.push_back(0);
    }
    result.clusters.cluster[row] = number[keeper];
    result.repeated += ++sizes[number[keeper]] == 2;
  }
  return result;
}

}  // namespace nearkin
