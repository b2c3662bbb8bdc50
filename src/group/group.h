// Groups of a searched collection: for every item, copies included, the item that stays for it.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

struct Groups {
  Clusters clusters;
  std::vector<Row> keepers;    ///< for each row
  std::uint64_t repeated = 0;  ///< clusters of two or more
};
Groups group(const Collection& collection, const SearchResult& found, Linkage linkage, const Plan& plan);

/// For each row of the input, the item of `against` that is already there in its place: the most similar, the first of equals; itself,
/// where there is none.
std::vector<Row> keepers_across(const Collection& collection, const SearchResult& found, Measure measure);
/// Items of `against` that stand for others.
std::uint64_t groups_across(const std::vector<Row>& keepers);

}  // namespace nearkin
