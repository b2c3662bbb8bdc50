// The pairs that a run lists, of those that it found.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include <nearkin/error.h>

#include "group/decisions.h"
#include "group/group.h"
#include "group/partners.h"
#include "runs/write_results.h"

namespace nearkin {

/// Those that partners leave, and how many there are. Throws Error(plan) for more than the limit.
class PairList {
 public:
  /// `counts`: of what the search found, before decisions.
  PairList(Rows& rows, const Stage& stage, const SearchResult& found, const Partners& partners, const PairCounts& counts)
      : rows_(rows), stage_(stage), found_(found), counts_(counts) {
    // Equal items of different scopes are not looked for beyond the limit.
    const bool cut_short = stage.plan.measure == Measure::exact && rows.scope_rule() == Scope::Rule::across;
    const bool all = partners.rule == Partners::Rule::all;
    if (all || cut_short) require_listable(counts_.all);
    if (!all) chosen_ = choose_pairs(rows, stage, found, partners);
    if (chosen_ || found.decided) listed_ = chosen_ ? chosen_->count() : count_pairs(found, rows.across(), stage.plan.measure).all;
    require_listable(size());
  }

  const ChosenPairs* chosen() const { return chosen_ ? &*chosen_ : nullptr; }  ///< null: all of them
  std::uint64_t size() const { return listed_.value_or(counts_.all); }
  void for_each(const std::function<void(const Match&)>& use) const {
    chosen_ ? chosen_->for_each(use) : for_each_pair(rows_, stage_, found_, size(), use);
  }
  void note(RunStats& stats) const {
    note_pairs(counts_, stats);
    stats.listed = listed_;
    if (chosen_) stats.too_large = chosen_->too_large();
    if (!stats.decisions || !chosen_ || !found_.decided) return;
    std::set<std::pair<Row, Row>> accepted;  // each once, though containment lists both directions
    chosen_->for_each([&](const Match& match) {
      if (is_accepted(found_, match)) accepted.insert(std::minmax(match.a, match.b));
    });
    stats.decisions->not_listed = found_.decided->accepted.size() - accepted.size();
  }

 private:
  void require_listable(std::uint64_t pairs) const {
    if (pairs <= stage_.options.max_pairs) return;
    throw Error(ErrorCode::plan, "max_pairs",
                std::to_string(pairs) + " pairs to list, the limit is " + std::to_string(stage_.options.max_pairs) +
                    (chosen_ ? "; raise the limit" : "; use 'cluster' or 'dedup', which do not list pairs, or raise the limit"));
  }

  const Rows& rows_;
  const Stage& stage_;
  const SearchResult& found_;
  PairCounts counts_;
  std::optional<ChosenPairs> chosen_;
  std::optional<std::uint64_t> listed_;
};

}  // namespace nearkin
