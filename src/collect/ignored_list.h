// The file of --ignored: a list of shingles with their hashes, so it is read back exactly, however texts are read.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>

namespace nearkin {

/// What templates consist of: lists of shingles, and texts.
struct ListedTemplates {
  std::vector<std::uint64_t> hashes;  ///< of the lists
  std::size_t lists = 0;              ///< how many of the files are lists
  Input texts;                        ///< the input without its lists; with no paths where all files are lists
};
/// Tells lists by their content. Throws Error(plan) for a list of other shingles than those of the plan, Error(data) for a damaged line.
ListedTemplates read_ignored_lists(const Input& templates, const ShinglePlan& plan);

}  // namespace nearkin
