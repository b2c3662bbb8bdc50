#include "group/group.h"

#include <algorithm>

#include "io/formats/result_rows.h"

namespace nearkin {

// Copies have the same neighbours and similarity 1 with one another, so that they belong where their representative belongs.
Groups group(const Collection& collection, const SearchResult& found, Linkage linkage, const Plan& plan) {
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

std::vector<Row> keepers_across(const Collection& collection, const SearchResult& found, Measure measure) {
  constexpr Row kNone = UINT32_MAX;
  std::vector<Match> best(collection.split, Match{kNone, kNone, 0, 1});
  for (const Match& match : found.matches) {
    Match& known = best[match.a];
    if (known.b == kNone || nearer(match, known, measure)) known = match;
  }
  std::vector<Row> keepers(collection.split);
  for (Row row = 0; row < collection.split; ++row) {
    const Row representative = found.representative[row];
    keepers[row] = best[representative].b == kNone ? row : best[representative].b;
  }
  return keepers;
}

std::uint64_t groups_across(const std::vector<Row>& keepers) {
  std::vector<Row> used;
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] != row) used.push_back(keepers[row]);
  }
  std::sort(used.begin(), used.end());
  return static_cast<std::uint64_t>(std::unique(used.begin(), used.end()) - used.begin());
}

}  // namespace nearkin
