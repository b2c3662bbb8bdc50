// Groups of a searched collection: for every item, copies included, the item that stays for it.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/run.h>

#include "pipeline/search.h"

namespace nearkin {

struct Groups {
  Clusters clusters;
  std::vector<Row> keepers;     ///< for each row
  std::uint64_t repeated = 0;   ///< clusters of two or more
};
Groups group(const Collection& collection, const Found& found, Linkage linkage, const Plan& plan);

}  // namespace nearkin
