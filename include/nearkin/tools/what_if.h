// What other thresholds, or radii, would give.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nearkin/run.h>

namespace nearkin {

struct WhatIf {
  double border = 0;                            ///< the threshold or radius
  std::uint64_t pairs = 0;                      ///< including pairs of copies
  std::uint64_t clusters = 0;                   ///< with two or more members
  std::uint64_t removed = 0;                    ///< items that are not the keeper of their group, by WhatIfOptions::removal
  std::optional<Recall> recall = std::nullopt;  ///< as RunStats::recall, for the pairs within this border
};
struct WhatIfOptions {
  std::vector<double> borders = {};               ///< thresholds that are not below the plan's, or radii that are not above it
  Linkage linkage = Linkage::star;                ///< of the clusters that are counted
  std::optional<Linkage> removal = std::nullopt;  ///< of the groups of which all but one item are removed; absent: as `linkage`
  Keep keep = {};
};
struct WhatIfResult {
  std::vector<WhatIf> rows;  ///< one per border, in their order
  RunStats stats;
};
/// Searches once by the plan and counts for each border the pairs, clusters and removals. Writes nothing.
/// Throws Error(plan) for a border outside the plan's, and for plans that do not verify exactly.
WhatIfResult what_if(const Input& input, const Plan& plan, const WhatIfOptions& options, const RunOptions& run = {},
                     const Input* against = nullptr);

}  // namespace nearkin
