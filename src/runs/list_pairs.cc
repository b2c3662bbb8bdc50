// Every similar pair of a collection, as a value or as lines of a file.
#include <string>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

#include "analysis/audit_report.h"
#include "collect/collect.h"
#include "group/group.h"
#include "group/partners.h"
#include "runs/find_matches.h"
#include "runs/write_results.h"

namespace nearkin {
namespace {

// The pairs to list, and how many there are.
class PairList {
 public:
  PairList(Rows& rows, const Stage& stage, const SearchResult& found, const Partners& partners)
      : rows_(rows), stage_(stage), found_(found), counts_(count_pairs(found, rows.across(), stage.plan.measure)) {
    // Equal items of different scopes are not looked for beyond the limit.
    const bool cut_short = stage.plan.measure == Measure::exact && rows.scope_rule() == Scope::Rule::across;
    if (partners.rule == Partners::Rule::all || cut_short) require_listable(counts_.all);
    if (partners.rule == Partners::Rule::all) return;
    chosen_ = choose_pairs(rows, stage, found, partners);
    listed_ = chosen_->count();
    require_listable(*listed_);
  }

  std::uint64_t size() const { return listed_.value_or(counts_.all); }
  void for_each(const std::function<void(const Match&)>& use) const {
    chosen_ ? chosen_->for_each(use) : for_each_pair(rows_, stage_, found_, counts_.all, use);
  }
  void note(RunStats& stats) const {
    note_pairs(counts_, stats);
    stats.listed = listed_;
  }

 private:
  void require_listable(std::uint64_t pairs) const {
    if (pairs <= stage_.options.max_pairs) return;
    throw Error(ErrorCode::plan, "max_pairs",
                std::to_string(pairs) + " pairs to list, the limit is " + std::to_string(stage_.options.max_pairs) +
                    "; use 'cluster' or 'dedup', which do not list pairs, or raise the limit");
  }

  const Rows& rows_;
  const Stage& stage_;
  const SearchResult& found_;
  PairCounts counts_;
  std::optional<ChosenPairs> chosen_;
  std::optional<std::uint64_t> listed_;
};

}  // namespace

PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options, const Input* against, const Partners& partners) {
  require_border(plan);
  require_partners(partners, plan);
  const Stage stage(plan, options);
  Rows rows = collect_for_run(input, against, stage, {});
  const SearchResult found = find_matches(rows, stage, {}, Linkage::connected, Use::pairs);
  StageClock clock;
  PairsResult result{.ids = {}, .matches = {}, .verify = plan.verify, .measure = plan.measure, .stats = rows.stats};
  const PairList list(rows, stage, found, partners);
  list.note(result.stats);
  result.matches.reserve(list.size());
  list.for_each([&](const Match& match) { result.matches.push_back(match); });
  result.ids = take_ids(rows);
  result.stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, result.stats);
  finish_report("pairs", input, against, result.stats, options);
  remove_files(rows);
  return result;
}

RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options, const Input* against) {
  require_border(plan);
  require_partners(output.partners, plan);
  OutputFile file(output.path);
  const Stage stage(plan, options);
  Rows rows = collect_for_run(input, against, stage, {});
  const SearchResult found = find_matches(rows, stage, {}, Linkage::connected, Use::pairs);
  StageClock clock;
  RunStats stats = rows.stats;
  const PairList list(rows, stage, found, output.partners);
  list.note(stats);
  LineWriter lines(file);
  RowReader first(rows), second(rows);
  list.for_each([&](const Match& match) {
    append_row(lines.text(), first.id(match.a), second.id(match.b), match, {plan.verify, plan.measure}, output.style, {"a", "b"});
  });
  lines.flush();
  stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, stats);
  finish_report("pairs", input, against, stats, options);
  if (options.before_output) options.before_output();
  file.commit();
  remove_files(rows);
  return stats;
}

}  // namespace nearkin
