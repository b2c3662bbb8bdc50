#include "runs/find_matches.h"

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "analysis/audit_report.h"
#include "analysis/run_recall.h"
#include "base/units.h"
#include "collect/collect.h"
#include "io/formats/records.h"

namespace nearkin {

namespace {

void require_use_of_files(const Plan& plan, const RunOptions& options) {
  if (can_use_files(plan) || (!options.scratch && !options.resume)) return;
  throw Error(ErrorCode::plan, options.scratch ? "scratch" : "resume",
              "runs with tfidf or with binarise median, mean or unary are held in memory and use no files; leave it out");
}

// Equal items of different scopes: pairs that a fold does not stand for.
bool pairs_equal_items(const Stage& stage, const SearchResult& found) {
  return stage.plan.measure == Measure::exact && !found.scopes.values().empty();
}

bool lists(Use use) { return use == Use::pairs || use == Use::chosen_pairs; }
bool follows_decisions(Use use) { return use == Use::decided_groups || use == Use::decided_removals; }

// No more pairs of equal items are made than a list may have, and what groups by them needs all.
void require_all_pairs(const Stage& stage, const SearchResult& found, Use use) {
  if (!pairs_equal_items(stage, found) || lists(use) || found.matches.count() <= stage.options.max_pairs) return;
  const char* const asked = follows_decisions(use) ? "decisions" : stage.options.report != nullptr ? "report" : "audit";
  throw Error(ErrorCode::plan, asked,
              "needs all pairs of equal items across scopes, and there are more than " + std::to_string(stage.options.max_pairs) +
                  "; leave it out, or the scope");
}

// An audit and a report look at all pairs.
Wanted wanted_for(const Rows& rows, const Stage& stage, Linkage linkage, Use use) {
  if (lists(use) || follows_decisions(use) || stage.options.audit > 0 || stage.options.report != nullptr) return Wanted::pairs;
  if (rows.across()) return Wanted::best;
  return linkage == Linkage::star ? Wanted::stars : Wanted::components;
}

// Windows that overlap are alike because they have words in common, which says nothing of the record: they are compared with those of other
// records alone.
void keep_windows_apart(const Plan& plan, Input& input) {
  if (input.scope.rule == Scope::Rule::across) return;
  const bool within = input.scope.rule == Scope::Rule::within;
  if (within || compares_vectors(plan)) {
    throw Error(ErrorCode::plan, within ? "within" : "unit",
                "windows that overlap (" + to_string(input.unit) + ") are not compared " + (within ? "within a field" : "as vectors") +
                    "; make the step as long as the window");
  }
  input.scope = {Scope::Rule::across, std::string(kEachRecord)};
}

}  // namespace

Rows collect_for_run(const Input& input, const Input* against, const Stage& stage, const Keep& keep, bool keeps_ids) {
  require_use_of_files(stage.plan, stage.options);
  Input reading = input;
  if (may_overlap(input.unit) && against == nullptr) keep_windows_apart(stage.plan, reading);
  std::optional<Input> other;
  if (against != nullptr) other = *against;
  if (!keep.field.empty()) {
    reading.number = keep.field;
    if (other) other->number = keep.field;
  }
  const Spill spill{.identity = "keep=" + to_string(keep) + (keeps_ids ? " ids kept" : ""), .keeps_ids = keeps_ids};
  return collect(reading, other ? &*other : nullptr, stage.plan, stage.options, nullptr, &spill);
}

SearchResult find_matches(Rows& rows, const Stage& stage, const Keep& keep, Linkage linkage, Use use, const Removal& removal) {
  SearchResult found = search(rows, stage, keep, wanted_for(rows, stage, linkage, use));
  require_all_pairs(stage, found, use);
  if (!lists(use) && (stage.plan.exact_join() || pairs_equal_items(stage, found))) rows.stats.every_pair = false;
  if (!rows.nothing_to_pair()) rows.stats.recall = recall_of(rows, stage, found, found.matches);
  // What was removed by an estimate need not be similar to its keeper.
  const bool verified = stage.plan.verify == Verify::exact || stage.plan.exact_join();
  const bool removes = use == Use::removals || use == Use::decided_removals;
  audit_and_report(rows, stage, found,
                   {.linkage = linkage,
                    .removal = removal,
                    .removes = removes,
                    .by_keepers = removes && verified && (linkage == Linkage::star || rows.across()),
                    .decided_later = follows_decisions(use) || use == Use::chosen_pairs});
  return found;
}

void note_resources(const Rows& rows, RunStats& stats) {
  for (Scratch* const scratch : {rows.scratch.get(), rows.match_scratch.get()}) {
    if (scratch == nullptr) continue;
    scratch->note_size();
    stats.scratch_bytes = std::max(stats.scratch_bytes, scratch->most_bytes());
    stats.resumed += scratch->resumed();
  }
  stats.peak_bytes = peak_memory();
}

void remove_files(Rows& rows) {
  for (Scratch* const scratch : {rows.scratch.get(), rows.match_scratch.get()}) {
    if (scratch != nullptr) scratch->remove_folder();
  }
}

}  // namespace nearkin
