// Pairs in which each item is at most once.
#pragma once

#include <nearkin/run.h>

#include "group/choosing.h"

namespace nearkin {

/// How large a connected group may be for an optimal matching: always the same, so the answer depends on the input alone.
struct LargestGroup {
  std::size_t matches = 4'000'000;
  std::uint64_t steps = 300'000'000;  ///< looks at a match, while it is solved; about a minute where they are scattered
};
extern thread_local LargestGroup largest_group;  ///< tests make it smaller

/// Partners::Rule::one_to_one. Ascending.
MatchStream choose_one_to_one(const Choosing& what);

/// Partners::Rule::optimal. Ascending. Throws Error(plan) where the memory is too little for a connected group.
MatchStream choose_optimal(const Choosing& what, TooLargeGroups& too_large);

}  // namespace nearkin
