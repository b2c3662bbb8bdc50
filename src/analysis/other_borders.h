// Narrower borders: what a search would have found with a higher threshold, or a smaller radius, than its plan's.
#pragma once

#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/what_if.h>

#include "search/search.h"

namespace nearkin {

/// Throws Error(plan) naming `thresholds` or `radii` for a border beyond the plan's own, and for plans whose matches have no exact values.
void require_within(const Plan& plan, const std::vector<double>& borders);

/// The same plan with another threshold or radius.
Plan with_border(const Plan& plan, double border);

/// Which items dedup removes.
struct Removal {
  Linkage linkage = Linkage::star;  ///< of the groups of which items are removed
  std::uint32_t stay = 1;           ///< items that stay of each group of two or more, without `against`; 0 = none
};

/// For each border, in their order. One search serves them all: only matches are filtered, and groups made of what is left.
/// `linkage` makes the clusters.
std::vector<WhatIf> at_other_borders(const Rows& rows, const Stage& stage, const SearchResult& found, const std::vector<double>& borders,
                                     Linkage linkage, const Removal& removal);

}  // namespace nearkin
