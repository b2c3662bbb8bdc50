#include "runs/passage_search.h"

#include <string>

#include <nearkin/error.h>
#include <nearkin/ignore.h>
#include <nearkin/tools/forecast.h>

#include "collect/collect.h"
#include "runs/find_matches.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

// Rows need no sketches for this: they are told apart by their bytes.
Plan plan_of_texts() {
  Plan plan = tune({.measure = Measure::exact, .threshold = 1, .recall = 1});
  plan.shingle.normalise = Normalise::none;
  return plan;
}

// The bound of a run: half of it is for the rows, an eighth for each of the three kinds of records that there are at a time, and one for
// pieces of texts.
constexpr std::uint64_t kRowShare = 2, kRecordShare = 8;

PassagePlan passage_plan(const PassageOptions& options, const Stage& stage, OwnScratch& scratch) {
  const std::uint64_t fixed = least_memory(stage.threads) / 2, free = stage.memory - std::min(stage.memory, fixed);
  return {.tokens = ignore_hashes(passage_shingles(options), options.ignored),
          .winnow = WinnowPlan(options.least),
          .threads = stage.threads,
          .share = share_in_tests.value_or(std::max<std::uint64_t>(free / kRecordShare, std::uint64_t{1} << 20)),
          .scratch = scratch,
          .memory = stage.memory};
}

RunOptions options_of_rows(const Stage& stage, bool in_memory) {
  RunOptions options = stage.options;
  if (!in_memory) options.memory = std::max(least_memory(stage.threads), stage.memory / kRowShare);
  return options;
}

Rows collect_texts(const Input& input, const PassageOptions& options, const Stage& stage, AnchorGatherer& anchors) {
  const Spill spill{.identity = "passages", .resumable = false};
  const bool in_memory = input.memory || (options.against && options.against->memory);
  const RunOptions run = options_of_rows(stage, in_memory);
  if (!options.against) return collect(input, nullptr, stage.plan, run, nullptr, &spill, &anchors);
  return collect(*options.against, &input, stage.plan, run, nullptr, &spill, &anchors);
}

}  // namespace

ShinglePlan passage_shingles(const PassageOptions& options) {
  return {.token = options.token, .size = PassageOptions::kLeast, .bag = false, .normalise = options.normalise};
}

void check_passage_options(const PassageOptions& options, const RunOptions& run) {
  require_between(options.least, PassageOptions::kLeast, PassageOptions::kMost, "least");
  require_between(options.gap.value_or(0), 0, PassageOptions::kMost, "gap");
  if (options.token == Token::element)
    throw Error(ErrorCode::plan, "shingle", "elements of a set have no order; use word, code, char or line");
  if (run.resume) throw Error(ErrorCode::plan, "resume", "a search for passages cannot be resumed; leave it out");
}

PassageSearch::PassageSearch(const Input& input, const PassageOptions& options, const RunOptions& run)
    : plan_of_rows(plan_of_texts()),
      stage(plan_of_rows, run),
      scratch({.folder = run.scratch, .run = {}, .plan = "passages"}),
      plan(passage_plan(options, stage, scratch)) {
  require_no_scope(input, "passages");
  require_unweighted(input, "a search for passages");
  if (options.against) require_unweighted(*options.against, "a search for passages");
  if (input.unit.divides()) throw Error(ErrorCode::plan, "unit", "passages are looked for in whole texts; leave it out");
  if (run.scratch) scratch.folder();  // that it was given in may have to be made, and removed last
  AnchorGatherer anchors(plan);
  rows = collect_texts(input, options, stage, anchors);
  tokens = anchors.tokens();
  ignored = anchors.masked();
  StageClock clock;
  runs = find_equal_runs(rows, anchors.take(), anchors.pieces(), plan, stage);
  rows.stats.seconds.emplace_back("compare", clock.lap());
}

RunStats stats_of_texts(const PassageSearch& search) {
  RunStats stats = search.rows.stats;
  stats.one_side = search.rows.across() && (search.rows.split == 0 || search.rows.split == search.rows.size());
  if (search.rows.split == 0) return stats;
  stats.items = search.rows.size() - search.rows.split;
  const Column<std::uint8_t> empty = search.rows.empty();
  stats.empty = 0;
  for (Row row = search.rows.split; row < search.rows.size(); ++row) stats.empty += empty[row];
  return stats;
}

void finish_search(PassageSearch& search, RunStats& stats) {
  note_resources(search.rows, stats);
  stats.scratch_bytes += search.scratch.most_bytes();
  search.runs.reset();
  remove_files(search.rows);
  search.scratch.remove();
}

}  // namespace nearkin
