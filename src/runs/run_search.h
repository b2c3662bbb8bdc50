// What a run finds its pairs by: a plan, or a score of several fields. What it makes of them is the same.
#pragma once

#include <optional>

#include <nearkin/score.h>

#include "runs/find_matches.h"
#include "runs/score_search.h"

namespace nearkin {

class RunSearch {
 public:
  /// The plan, the score and the options must outlive this.
  RunSearch(const Plan& plan, const RunOptions& run) : plan_(plan), stage_(plan_, run) {}
  RunSearch(const Score& score, const ScoreOptions& options, const RunOptions& run)
      : score_(std::in_place, score, options, run), plan_(score_->plan()), stage_(plan_, run) {}
  RunSearch(const RunSearch&) = delete;
  RunSearch& operator=(const RunSearch&) = delete;

  const Stage& stage() const { return stage_; }
  const Plan& plan() const { return plan_; }
  const ScoreSearch* score() const { return score_ ? &*score_ : nullptr; }

  /// As collect_for_run.
  Rows collect(const Input& input, const Input* against, const Keep& keep) {
    return score_ ? score_->collect(input, against, keep) : collect_for_run(input, against, stage_, keep);
  }
  /// As find_matches. What is found is good while this and the rows are, which must stay where they are.
  SearchResult find(Rows& rows, const Keep& keep, Linkage linkage, Use use, const Removal& removal = {}) {
    return score_ ? score_->find(rows, keep) : find_matches(rows, stage_, keep, linkage, use, removal);
  }
  /// With a score: its values of these pairs of rows (a << 32 | b), too.
  void know_values(const Rows& rows, std::span<const std::uint64_t> pairs) {
    if (score_) score_->know_values(rows, pairs);
  }
  /// Whether the chances of pairs to be found follow from the plan.
  bool is_by_plan() const { return !score_; }

 private:
  std::optional<ScoreSearch> score_;
  Plan plan_;
  Stage stage_;
};

}  // namespace nearkin
