// Which of the pairs within the border are listed: the best of each item, or a matching (Partners in run.h has the rule).
#pragma once

#include <cstdint>
#include <functional>

#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

/// Pairs of items that were chosen, ascending.
class ChosenPairs {
 public:
  /// A pair that occurs twice in `pairs` counts once.
  explicit ChosenPairs(MatchStream pairs) : pairs_(std::move(pairs)) {}
  ChosenPairs(MatchStream pairs, TooLargeGroups too_large) : pairs_(std::move(pairs)), too_large_(too_large) {}
  void for_each(const std::function<void(const Match&)>& use) const;
  std::uint64_t count() const;
  TooLargeGroups too_large() const { return too_large_; }

 private:
  MatchStream pairs_;
  TooLargeGroups too_large_;
};

/// Throws Error(plan) for partners that no run can choose.
void require_partners(const Partners& partners, const Plan& plan, const Input* against);

/// The pairs that `partners` (not Rule::all) selects from those within the border, including copies. The search must have found all
/// matches, with input order as the order of keeping. What does not fit in memory goes to files of the run. `narrower`: the plan with a
/// narrower border; the pairs are those that a search with this plan would give.
ChosenPairs choose_pairs(Rows& rows, const Stage& stage, const SearchResult& found, const Partners& partners,
                         const Plan* narrower = nullptr);

/// A search result with every item for itself and these matches.
SearchResult only(const ChosenPairs& pairs, const Rows& rows);

}  // namespace nearkin
